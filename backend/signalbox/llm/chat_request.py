"""Writes a request's messages and tools in the form of OpenAI's chat completions; the same request, the same JSON."""

import json
from typing import Any

from signalbox.encoding import clean_text
from signalbox.llm.base import ChatMessage, ModelRequest


def messages_of(request: ModelRequest) -> list[dict[str, Any]]:
    return [_message(each) for each in request.messages]


def tools_of(request: ModelRequest) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in request.tools
    ]


def _message(message: ChatMessage) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": clean_text(message.content)}
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": _arguments(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        body["tool_call_id"] = message.tool_call_id
    return body


def _arguments(text: str) -> str:
    """Arguments as the model wrote them. What is no JSON object is wrapped in one: many servers parse it, and refuse
    the whole conversation for it.
    """
    text = clean_text(text)
    try:
        valid = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        valid = False
    return text if valid else json.dumps({"unreadable": text}, ensure_ascii=False)
