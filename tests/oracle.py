"""A model provider on 127.0.0.1 that answers by what it is asked, and keeps every request: an ``Oracle``."""

import json
import re
from collections.abc import Sequence
from typing import Any

from loopback import Loopback, Received, Reply, sse


class Oracle(Loopback):
    """It repeats the last message in its replies, and takes each sentence it is asked to learn from for a note."""

    def __init__(self) -> None:
        super().__init__(Reply())
        self.replies = _Asked(self)  # type: ignore[assignment]

    def asked(self, task: str) -> list[str]:
        """The bodies of the requests of that task."""
        return [json.dumps(each.body, ensure_ascii=False) for each in self.requests if task_of(each) == task]

    @property
    def bodies(self) -> list[str]:
        return [json.dumps(each.body, ensure_ascii=False) for each in self.requests]


class _Asked(Sequence[Reply]):
    """The reply to the newest request, under whatever number."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: Any) -> Any:
        return Reply(sse(_answer(self._oracle.requests[-1])))


def task_of(received: Received) -> str:
    system = received.body["messages"][0]["content"]
    if "Find what will still be true" in system:
        return "extract"
    if "You route messages" in system:
        return "classify"
    return "summarise" if "You keep the notes" in system else "answer"


def _answer(received: Received) -> str:
    last = received.body["messages"][-1]["content"]
    match task_of(received):
        case "extract":
            said = re.search(r"<said>\n(.*?)\n</said>", last, re.DOTALL)
            lines = said[1].split("\n") if said else []
            return json.dumps({"operations": [_note(line) for line in lines]})
        case "classify":
            return json.dumps({"intent": "general", "also": [], "confidence": 0.2, "reasoning": "it is not clear"})
        case "summarise":
            return "{}"
        case _:
            return f"You said: {last[-600:]}"


def _note(line: str) -> dict[str, Any]:
    return {"action": "ADD", "kind": "fact", "key": "note", "value": line, "quote": line, "confidence": 0.9}
