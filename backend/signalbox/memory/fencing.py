"""Puts text that is not ours to obey into a block that it cannot end, whatever it holds. Pure.

The prompts declare the block's content data, and that every ``<`` in it is written as ``‹``.
"""

import json
import re
from typing import Any, Final

from signalbox.encoding import clean_json, clean_text

OPENING: Final = "‹"

# What a reader, or a tokenizer that folds characters, could take for the beginning of a tag.
_ANGLES: Final = "<＜﹤‹〈《⟨⟪❬❮❰⧼ᐸ˂˱⋖≪≮≺𐄚"
# Comparisons ("< 50k", "<3 years") begin no tag, and people do write them.
_COMPARED = re.compile(rf"[{_ANGLES}](?![ \t]?[0-9=€£$])")
_CHAT_TOKEN = re.compile(
    r"[\[【［][ \t]*(?P<name>/?[ \t]*(?:INST|SYS|SYSTEM_PROMPT|TOOL_CALLS?|TOOL_RESULTS?|AVAILABLE_TOOLS|TOOL_CONTENT|"
    r"IMG_END|PREFIX|SUFFIX))[ \t]*[\]】］]",
    re.IGNORECASE,
)
# Formats that mark whose turn it is by a word at the start of a line.
_ROLE = re.compile(
    r"^(?P<lead>[ \t>*#\-]*)(?P<role>system|developer|assistant|user|human|ai|tool|function|instructions?|response)"
    r"(?P<rest>[ \t]*(?:prompt|message|note|instructions?|override)?[ \t*]*)[:：]",
    re.IGNORECASE | re.MULTILINE,
)
# Line ends of which a model may make a new line and a pattern does not.
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# What nobody sees: it hides instructions (tag characters), turns text around, or splits a word that is looked for.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Joiners belong to emoji and to scripts that are not Latin; elsewhere nobody sees them either.
_JOINERS = re.compile("(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])")


def fenced(tag: str, content: Any) -> str:
    """``content`` in a block named ``tag``: a text as it is read by people, anything else as JSON.

    The block holds its closing tag once, at its end. The same content gives the same bytes.
    """
    return f"<{tag}>\n{defused(content) if isinstance(content, str) else _as_json(content)}\n</{tag}>"


def defused(text: str) -> str:
    """``text`` without anything that a model could take for the end of a block, another speaker or a hidden order.

    It reads the same to a person. Defusing it again changes nothing.
    """
    text = _JOINERS.sub("", _UNSEEN.sub("", _LINE_ENDS.sub("\n", clean_text(text))))
    text = _CHAT_TOKEN.sub(lambda found: f"({found['name'].strip()})", _COMPARED.sub(OPENING, text))
    return _ROLE.sub(r"\g<lead>(\g<role>\g<rest>)", text)


def _as_json(content: Any) -> str:
    # Line by line: within JSON a text has no line of its own, but it may hold what looks like one to a model.
    return json.dumps(_each_defused(clean_json(content)), ensure_ascii=False, indent=1)


def _each_defused(value: Any) -> Any:
    match value:
        case str():
            return defused(value)
        case dict():
            return {defused(str(key)): _each_defused(each) for key, each in value.items()}
        case list():
            return [_each_defused(each) for each in value]
        case _:
            return value
