"""What an MCP server answered as ``Ok | Empty | Err``: bounded data, with references for what is no text. Pure."""

import json
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types

from signalbox.tools.mcp.cleaning import bounded_text, one_line, visible, visible_json
from signalbox.tools.result import Empty, Err, Ok, Result

LONGEST_TEXT: Final = 64_000
LONGEST_NOTE: Final = 600
MOST_REFERENCES: Final = 100
# Of structured content: no text in it is longer, and no more values are kept.
LONGEST_VALUE: Final = 16_000
MOST_VALUES: Final = 4_000


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that is no text, named and not held: an image, a sound, a resource of the server. ``size`` in bytes."""

    kind: str
    uri: str
    title: str
    mime_type: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """All of it was written by a foreign server: data, never instructions. ``data`` is JSON."""

    text: str
    data: Any
    references: tuple[Reference, ...]


def result_of(server: str, tool: str, answer: types.CallToolResult) -> Result[Told]:
    """``isError`` is the tool's own word that it could not do it; no content at all means that there was nothing."""
    if answer.is_error:
        return _failed(server, tool, answer)
    told, cut = told_by(list(answer.content), answer.structured_content)
    if not told.text.strip() and told.data is None and not told.references:
        return Empty(f"the tool '{tool}' of the MCP server '{server}' answered, with no content")
    return Ok(told, truncated=cut)


def _failed(server: str, tool: str, answer: types.CallToolResult) -> Err:
    said = " ".join(block.text for block in answer.content if isinstance(block, types.TextContent))
    words = one_line(said, LONGEST_NOTE)
    note = f"the tool '{tool}' of the MCP server '{server}' could not do it"
    return Err("server_error", f"{note}; it says: “{words}”" if words else note)


def told_by(blocks: list[types.ContentBlock], data: Any = None) -> tuple[Told, bool]:
    """The blocks' content, and whether something was left out."""
    texts: list[str] = []
    references: list[Reference] = []
    for block in blocks:
        match block:
            case types.TextContent():
                texts.append(block.text)
            case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
                texts.append(resource.text)
                references.append(_reference("resource", str(resource.uri), "", resource.mime_type))
            case _:
                references.append(_named(block))
    if data is not None and len(texts) == 1 and _same(texts[0], data):
        texts = []  # the protocol asks servers to tell structured content twice
    text, cut = bounded_text("\n\n".join(texts), LONGEST_TEXT)
    kept, cut_data = _bounded_json(data)
    told = Told(text, kept, tuple(references[:MOST_REFERENCES]))
    return told, cut or cut_data or len(references) > MOST_REFERENCES


def _named(block: types.ContentBlock) -> Reference:
    match block:
        case types.ImageContent():
            return _reference("image", "", "", block.mime_type, len(block.data) * 3 // 4)
        case types.AudioContent():
            return _reference("audio", "", "", block.mime_type, len(block.data) * 3 // 4)
        case types.ResourceLink():
            return _reference("resource", str(block.uri), block.title or block.name, block.mime_type, block.size)
        case types.EmbeddedResource(resource=types.BlobResourceContents() as resource):
            size = len(resource.blob) * 3 // 4
            return _reference("resource", str(resource.uri), "", resource.mime_type, size)
        case _:
            return _reference("other", "", block.type, None)


def _reference(kind: str, uri: str, title: str, mime_type: str | None, size: int | None = None) -> Reference:
    return Reference(kind, one_line(uri, 500), one_line(title, 200), one_line(mime_type or "", 100), size)


def _same(text: str, data: Any) -> bool:
    try:
        return bool(json.loads(text) == data)
    except (ValueError, RecursionError):
        return False


def _bounded_json(data: Any) -> tuple[Any, bool]:
    if data is None:
        return None, False
    kept = visible_json(data, longest=LONGEST_VALUE, most=MOST_VALUES)
    if len(json.dumps(kept, ensure_ascii=False)) > LONGEST_TEXT:
        # What is cut out of the middle of JSON would read as whole: its beginning as a text cannot.
        return bounded_text(json.dumps(kept, ensure_ascii=False), LONGEST_TEXT)[0], True
    return kept, _shorter(kept, data)


def _shorter(kept: Any, data: Any) -> bool:
    """Whether bounding left something out; cleaning alone does not count."""
    stack = [(kept, data)]
    while stack:
        mine, theirs = stack.pop()
        match mine, theirs:
            case dict(), dict():
                if len(mine) < len(theirs):
                    return True
                stack.extend(zip(mine.values(), theirs.values(), strict=False))
            case list(), list():
                if len(mine) < len(theirs):
                    return True
                stack.extend(zip(mine, theirs, strict=False))
            case str(), str() if mine.endswith("…") and len(theirs) > LONGEST_VALUE:
                return True
            case "…", dict() | list():
                return True
            case _:
                pass
    return False


def texts_of(contents: list[types.TextResourceContents | types.BlobResourceContents]) -> tuple[Told, bool]:
    """What reading a resource gave."""
    blocks: list[types.ContentBlock] = [types.EmbeddedResource(resource=each) for each in contents]
    return told_by(blocks)


def prompt_text(prompt: types.GetPromptResult) -> str:
    """A prompt's messages as one text: data as well, for a user to look at before anything is done with it."""
    parts = []
    for message in prompt.messages:
        told, _ = told_by([message.content])
        parts.append(f"{message.role}: {told.text or '(no text)'}")
    return visible("\n\n".join(parts))[:LONGEST_TEXT]
