"""The skill vocabulary: which skills a text names, under one canonical spelling each.

It decides by words and their neighbours alone; what a skill is worth to a posting or a person is decided elsewhere.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Literal, Self

from signalbox.retrieval.words import word_list

Match = Literal["any", "case", "context"]

# "c++", "c#", ".net", "node.js" are one token each; hyphen, slash and ampersand part tokens as a blank does.
_TOKEN = re.compile(r"(?P<word>\.?[^\W_]+(?:[.'’][^\W_]+)*[+#]*)|(?P<stop>[^\s\-/&_]|[\r\n]{2})")

# What stands before or after "C", "Go" or "R" when a programming language is meant.
_AFTER = word_list("after_language")
_BEFORE = word_list("before_language")
_FIELDS_OF_CODE = frozenset({"software", "data", "cloud", "practice"})
_NEVER_AFTER = word_list("never_after_language")


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill. ``match``: found in any case, only spelled as in ``name``, or only beside programming words."""

    name: str
    field: str
    aliases: tuple[str, ...] = ()
    match: Match = "any"


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    key: str  # casefolded; "" for punctuation that ends a phrase
    mark: str  # the punctuation itself, "" for a word
    start: int
    end: int


class SkillVocabulary:
    """Finds skills in text. Immutable and safe to share; one look at 5 kB of text costs about two milliseconds."""

    def __init__(self, skills: Iterable[Skill]) -> None:
        self._names: dict[tuple[str, ...], Skill] = {}
        self._longest: dict[str, int] = {}
        self._fields: dict[str, str] = {}
        for skill in skills:
            self._fields[skill.name] = skill.field
            for alias in (skill.name, *skill.aliases):
                self._add(_key(alias), skill)

    @classmethod
    def load(cls) -> Self:
        """The packaged vocabulary."""
        text = (resources.files("signalbox.data") / "skills.json").read_text(encoding="utf-8")
        return cls(
            Skill(row["name"], row["field"], tuple(row.get("aliases", ())), row.get("match", "any"))
            for row in json.loads(text)["skills"]
        )

    def __len__(self) -> int:
        return len(self._fields)

    def canonical(self, name: str) -> str | None:
        """The canonical spelling of one skill name or alias in any case, or None if it is not in the vocabulary."""
        skill = self._names.get(_key(name))
        return skill.name if skill else None

    def field(self, name: str) -> str | None:
        """The field ("software", "health", ...) of a canonical name."""
        return self._fields.get(name)

    def extract(self, text: str, *, loose: bool = False) -> list[str]:
        """Canonical names in the order they are first named, each once.

        ``loose`` is for messages people type, where capitals mean nothing ("rust jobs"). "C", "Go" and "R"
        need a programming word beside them either way.
        """
        return list(dict.fromkeys(name for name, _, _ in self.spans(text, loose=loose)))

    def spans(self, text: str, *, loose: bool = False) -> list[tuple[str, int, int]]:
        """As ``extract``, each mention with where it starts and ends in ``text``."""
        return list(self._walk(_tokens(text), loose=loose))

    def names_of(self, name: str) -> tuple[str, ...]:
        """A canonical name and its aliases; empty if the vocabulary does not have it."""
        skill = self._names.get(_key(name))
        return (skill.name, *skill.aliases) if skill else ()

    def _add(self, key: tuple[str, ...], skill: Skill) -> None:
        if not key:
            raise ValueError(f"The skill {skill.name!r} has an alias without letters.")
        self._names.setdefault(key, skill)
        self._longest[key[0]] = max(self._longest.get(key[0], 0), len(key))

    def _walk(self, tokens: list[_Token], *, loose: bool) -> Iterator[tuple[str, int, int]]:
        at = 0
        while at < len(tokens):
            skill, length = self._at(tokens, at)
            if skill and self._holds(skill, tokens, at, length, loose=loose):
                yield skill.name, tokens[at].start, tokens[at + length - 1].end
                at += length
            else:
                at += 1

    def _at(self, tokens: list[_Token], at: int) -> tuple[Skill | None, int]:
        """The longest phrase that starts here."""
        for length in range(self._longest.get(tokens[at].key, 0), 0, -1):
            key = tuple(token.key for token in tokens[at : at + length])
            if len(key) == length and (skill := self._names.get(key)):
                return skill, length
        return None, 0

    def _holds(self, skill: Skill, tokens: list[_Token], at: int, length: int, *, loose: bool) -> bool:
        if skill.match == "any" or tokens[at].key != skill.name.split()[0].casefold():
            return True
        if skill.match == "case":
            return loose or tokens[at].text[0].isupper()
        if length > 1:
            return True
        return self._has_context(tokens, at, exact=tokens[at].text == skill.name)

    def _has_context(self, tokens: list[_Token], at: int, *, exact: bool) -> bool:
        following = tokens[at + 1] if at + 1 < len(tokens) else _END
        before = tokens[at - 1] if at else _END
        if following.key in _NEVER_AFTER or following.mark == "'":
            return False
        if following.key in _AFTER:
            return True
        if not exact:
            return False
        if before.key in _BEFORE:
            return not following.key or following.key in {"and", "or"} or self._is_code(following)
        return self._in_list(tokens, at)

    def _in_list(self, tokens: list[_Token], at: int) -> bool:
        """A neighbour is a tool of the trade, with at most a comma or an "and" between: "Python, R and SQL"."""
        for step in (-1, 1):
            near = at + step
            while 0 <= near < len(tokens) and (tokens[near].mark == "," or tokens[near].key in {"and", "or"}):
                near += step
            if 0 <= near < len(tokens) and self._is_code(tokens[near]):
                return True
        return False

    def _is_code(self, token: _Token) -> bool:
        skill = self._names.get((token.key,))
        return skill is not None and skill.match != "context" and skill.field in _FIELDS_OF_CODE


_END = _Token("", "", "", 0, 0)


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in _TOKEN.finditer(text):
        word = match["word"]
        key, mark = (word.casefold(), "") if word else ("", match["stop"])
        found.append(_Token(word or "", key, mark, match.start(), match.end()))
    return found


def _key(name: str) -> tuple[str, ...]:
    return tuple(token.key for token in _tokens(name) if token.key)
