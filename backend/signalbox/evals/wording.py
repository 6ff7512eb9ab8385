"""Words and what they stand for: a sentence as tokens, each with the classes that the lexicon gives it.

The lexicon (``data/evals/claims.words``) is a table: a class, and the words and phrases in it. Whoever worded a
sentence, what the grammar reads is the classes.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

_WORD: Final = re.compile(
    r"“…”|\[\]|\d+(?:[.,]\d+)*(?:st|nd|rd|th|[kKmM%])?|[^\W\d_]+(?:[-'][^\W\d_]+)*|[.,;:!?()]|[–—→➜👉=]|-(?=\s)|…|[^\w\s]"
)
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*k?")
_LONGEST_WORD: Final = 40
# Short words are too often one letter away from another.
_SHORTEST_MISSPELT: Final = 6
_VOWELS: Final = "aeiou"
# Signs that end no clause.
_WITHIN: Final = "'“[$€£%&/+#@~_"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases by their words; ``spellings``: what is read as other words; ``longest``: words of the longest phrase."""

    classes: Mapping[tuple[str, ...], tuple[str, ...]]
    spellings: Mapping[str, str]
    misspelt: Mapping[str, str]
    longest: int

    def tagged(self, sentence: str) -> str:
        """One token after the other as ``word~CLASS~CLASS~ ``, the longest phrase first."""
        words = list(self._words(sentence))
        return "".join(self._tokens(words))

    def _words(self, sentence: str) -> Iterator[str]:
        text = sentence.replace("’", "'").replace("‘", "'")
        for match in _WORD.finditer(text):
            word = match.group().lower()[:_LONGEST_WORD]
            for part in self._parts(word):
                yield from self.spellings.get(part, self._mended(part)).split()

    @staticmethod
    def _parts(word: str) -> list[str]:
        """Short forms in full: ``isn't`` is ``is not``."""
        if word.endswith("n't"):
            return [{"ca": "can", "wo": "will", "ai": "is", "sha": "shall"}.get(word[:-3], word[:-3]), "not"]
        head, mark, tail = word.rpartition("'")
        if mark and tail in _SHORT_FORMS:
            return [head, _SHORT_FORMS[tail]]
        return [word]

    def _mended(self, word: str) -> str:
        if len(word) < _SHORTEST_MISSPELT or (word,) in self.classes or not word.isalpha():
            return word
        return self.misspelt.get(word) or next((cut for cut in _cuts(word) if (cut,) in self.classes), word)

    def _tokens(self, words: list[str]) -> Iterator[str]:
        at = 0
        while at < len(words):
            for length in range(min(self.longest, len(words) - at), 0, -1):
                phrase = tuple(words[at : at + length])
                tags = self.classes.get(phrase)
                if tags is not None or length == 1:
                    if tags != _HEDGE:
                        yield _token("_".join(phrase), (tags or ()) + _own_tags(phrase[0]))
                    at += length
                    break


_HEDGE: Final = ("HEDGE",)
_SHORT_FORMS: Final = {"s": "is", "re": "are", "ve": "have", "d": "would", "ll": "will", "m": "am"}


def _token(word: str, tags: tuple[str, ...]) -> str:
    tags = tuple(sorted(tags, key=lambda tag: tag == "BRK"))  # a look back for it sees the end of a token
    return "~".join([word.replace("~", "-"), *tags, " "])


def _own_tags(word: str) -> tuple[str, ...]:
    """Of a word that the lexicon does not know."""
    if _NUMBER.fullmatch(word):
        return ("NUM",)
    if not word[0].isalnum() and word[0] not in _WITHIN:
        return ("BRK",)
    return ()


def _cuts(word: str) -> Iterator[str]:
    """``word`` without one letter inside it, or with two neighbours changed."""
    for at in range(1, len(word) - 1):
        yield word[:at] + word[at + 1 :]
        if at + 2 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


@functools.cache
def packaged_lexicon() -> Lexicon:
    return lexicon_of((resources.files("signalbox.data") / "evals" / "claims.words").read_text("utf-8"))


def lexicon_of(text: str) -> Lexicon:
    """``CLASS: phrase, phrase, verb*`` a line, ``*`` for all regular endings; ``word = other words`` for spellings."""
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    spellings: dict[str, str] = {}
    for line in text.replace("\n  ", " ").splitlines():
        name, mark, entries = line.partition(": ")
        if line.startswith("#"):
            continue
        if mark:
            for entry in entries.split(", "):
                for phrase in _inflected(entry.strip()):
                    if name not in (tags := classes[tuple(phrase.split())]):
                        tags.append(name)
        elif " = " in line:
            spelt, _, meant = line.partition(" = ")
            spellings.update(dict.fromkeys(spelt.split(", "), meant))
    known = {phrase[0] for phrase in classes if len(phrase) == 1 and len(phrase[0]) >= _SHORTEST_MISSPELT}
    misspelt = {cut: word for word in sorted(known) for cut in _cuts(word) if (cut,) not in classes}
    return Lexicon(
        {phrase: tuple(tags) for phrase, tags in classes.items()}, spellings, misspelt, max(map(len, classes))
    )


def _inflected(entry: str) -> set[str]:
    """``turn* up`` is ``turn up``, ``turns up``, ``turned up`` and ``turning up``."""
    if entry.endswith("+"):
        return {entry[:-1], _plural(entry[:-1])}
    head, mark, rest = entry.partition("*")
    if not mark:
        return {entry}
    stem = head.removesuffix("e")
    plural = _plural(head)
    forms = {head, f"{stem}ed", f"{stem}ing", plural, *([f"{plural[:-1]}d"] if plural.endswith("ies") else [])}
    return {form + rest for form in forms}


def _plural(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}s"
