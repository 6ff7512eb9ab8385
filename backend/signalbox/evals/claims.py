"""What an answer claims of a look-up: that there is nothing, that it could not look, that it is a part or all, and
advice that only makes sense if there is nothing. Rules over sentences, whoever worded them; it knows no agent. Pure.

The weakness of rules is wording that nobody thought of: ``docs/truth.md`` tells how often they err.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Final, Literal, get_args

Kind = Literal["absence", "premise", "unknown", "part", "whole"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

# Taken out of a sentence before a kind is looked for: what is denied, left open, or said for a case that is not given.
_OUT_OF_IT: Final[Mapping[Kind, str]] = MappingProxyType(
    {"absence": "guarded", "premise": "guarded", "whole": "guarded", "unknown": "supposed"}
)
_LINK: Final = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,2000}\)")
# What is quoted, somebody else says: a guide, a CV, the message of the user.
_QUOTED: Final = re.compile(r"“[^”\n]{0,600}”|\"[^\"\n]{0,300}\"|^\s*>.*$|`[^`\n]{0,300}`", re.MULTILINE)
_MARKUP: Final = re.compile(r"\*{1,3}|^#{1,6}\s+|^\s*(?:[-*+]|\d{1,3}[.)])\s+", re.MULTILINE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^a-z])|\n+")
_LONGEST: Final = 1_500


@dataclass(frozen=True, slots=True)
class Claim:
    kind: Kind
    sentence: str


def claims_in(text: str) -> tuple[Claim, ...]:
    """Every claim with the sentence that makes it, in their order; a sentence may make several."""
    return tuple(Claim(kind, sentence) for sentence in sentences_of(text) for kind in _kinds_of(sentence))


def kinds_in(text: str) -> frozenset[Kind]:
    return frozenset(claim.kind for claim in claims_in(text))


def sentences_of(text: str) -> list[str]:
    """Plain sentences and list items, without what they quote."""
    bare = _MARKUP.sub("", _QUOTED.sub("…", _LINK.sub(r"\1", text)))
    return [" ".join(each.split())[:_LONGEST] for each in _SENTENCE_END.split(bare) if each.strip()]


@functools.lru_cache(maxsize=50_000)  # answers to one message under many faults share most sentences
def _kinds_of(sentence: str) -> tuple[Kind, ...]:
    return tuple(kind for kind in KINDS if _claims(kind, sentence))


def _claims(kind: Kind, sentence: str) -> bool:
    rules = packaged_rules()
    read = rules[_OUT_OF_IT[kind]].sub(" … ", sentence) if kind in _OUT_OF_IT else sentence
    return rules[kind].search(read) is not None


@functools.cache
def packaged_rules() -> Mapping[str, re.Pattern[str]]:
    """By section of the rules' file."""
    text = (resources.files("signalbox.data") / "evals" / "claims.rules").read_text("utf-8")
    return MappingProxyType(rules_of(text))


def rules_of(text: str) -> dict[str, re.Pattern[str]]:
    """Sections of alternatives, one a line; ``definitions`` name parts that several of them share."""
    definitions: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = heading[1]
        elif section == "definitions":
            name, _, value = line.partition(" = ")
            definitions[name] = value
        else:
            sections.setdefault(section, []).append(line)
    for name, value in definitions.items():
        sections = {each: [line.replace(f"<{name}>", value) for line in lines] for each, lines in sections.items()}
    return {each: re.compile("|".join(lines), re.IGNORECASE) for each, lines in sections.items()}
