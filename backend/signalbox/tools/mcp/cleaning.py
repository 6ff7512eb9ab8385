"""Makes what a foreign server says fit to be shown as data: bounded, visible, without a model's markup. Pure."""

import re
import unicodedata
from typing import Any, Final

from signalbox.encoding import clean_json, clean_text

# What chat templates mark roles and turns with: in foreign text it could pass for the template's own.
_TEMPLATE: Final = re.compile(
    r"<\|[^<>|\n]{1,60}\|>"
    r"|<｜[^<>｜\n]{1,60}｜>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|<</?SYS>>"
    r"|</?(?:start_of_turn|end_of_turn|bos|eos|s|unk|pad)>"
    r"|\b(?:Human|Assistant):(?=\s)",
    re.IGNORECASE,
)
_KEPT_CONTROLS: Final = "\n\t"
# A joiner is needed to spell some scripts and emoji; everything else that cannot be seen can only hide something.
_KEPT_FORMATS: Final = "\u200c\u200d"
_PLAIN: Final = re.compile(r"[\t\n\x20-\x7e]*")
GONE: Final = "\ufffd"


def visible(text: str) -> str:
    """``text`` without control characters, invisible ones, and tokens of chat templates."""
    text = clean_text(text).replace("\r\n", "\n").replace("\r", "\n")
    if not _PLAIN.fullmatch(text):
        text = "".join(_seen(char) for char in text)
    # Taking one away may put another together: each is replaced by a character, not by nothing.
    return _TEMPLATE.sub(GONE, text)


def _seen(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cc":
        return char if char in _KEPT_CONTROLS else ""
    if kind == "Cf":
        return char if char in _KEPT_FORMATS else ""
    return "\n" if kind in {"Zl", "Zp"} else "" if kind in {"Co", "Cn"} else char


def bounded_text(text: str, longest: int) -> tuple[str, bool]:
    """The visible text, cut to ``longest`` characters, and whether something was cut."""
    # Twice as many are looked at: some of them may be invisible.
    seen = visible(text[: 2 * longest])
    cut = len(text) > 2 * longest or len(seen) > longest
    return (seen[: longest - 1] + "…", True) if cut else (seen, False)


def one_line(text: str, longest: int) -> str:
    return bounded_text(" ".join(text[: 4 * longest].split()), longest)[0]


def visible_json(value: Any, *, longest: int, most: int) -> Any:
    """Any JSON with its texts, keys included, made visible and bounded."""
    return _seen_json(clean_json(value, longest=longest, most=most))


def _seen_json(value: Any) -> Any:
    match value:
        case str():
            return visible(value)
        case dict():
            return {visible(key): _seen_json(item) for key, item in value.items()}
        case list():
            return [_seen_json(item) for item in value]
        case _:
            return value
