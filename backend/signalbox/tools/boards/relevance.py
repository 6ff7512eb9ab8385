"""Which of a board's postings answer a query's words, and how well: the index's lexical test in memory, plus meaning.

Pure but for the skills it reads from a posting's text when they matter, which the posting then keeps.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from signalbox.retrieval.filters import TOOL_FIELDS
from signalbox.retrieval.fusion import K
from signalbox.retrieval.index import JobHit
from signalbox.retrieval.posting import MAX_SKILLS
from signalbox.retrieval.query import JobQuery
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.words import word_list
from signalbox.tools.boards.stems import phrase_in, stems_of

# The best a fused ranking of two legs can give: a live posting's score is a share of it, so the two compare.
BEST_SCORE: Final = 2 / (K + 1)
_TITLE_SHARE, _TEXT_SHARE = 1.0, 0.5
# The field itself uses these for one another.
_SAME_ROLE: Final = frozenset({"developer", "engineer", "programmer", "coder"})
_GENERIC: Final = word_list("generic_roles")


class LivePosting:
    """A posting of a board. Skills and stems are read when first needed: most postings answer no query."""

    __slots__ = ("_skills", "_stems", "_title", "hit", "lowered")

    def __init__(self, hit: JobHit) -> None:
        self.hit = hit
        self.lowered = f"{hit.title}\n{hit.requirements}\n{hit.description}".casefold()
        self._skills: tuple[str, ...] | None = None
        self._stems: list[str] | None = None
        self._title: list[str] | None = None

    @property
    def title_stems(self) -> list[str]:
        if self._title is None:
            self._title = stems_of(self.hit.title)
        return self._title

    @property
    def text_stems(self) -> list[str]:
        """Title, requirements and description: boards do not part what is asked for from the rest."""
        if self._stems is None:
            self._stems = stems_of(self.lowered)
        return self._stems

    def skills(self, vocabulary: SkillVocabulary) -> tuple[str, ...]:
        """Stated ones and those of the title first, then those the text names."""
        if self._skills is None:
            named = vocabulary.extract(f"{self.hit.requirements}\n\n{self.hit.description}")
            self._skills = tuple(dict.fromkeys([*self.hit.skills, *named]))[:MAX_SKILLS]
        return self._skills

    def whole(self, vocabulary: SkillVocabulary, score: float = 0.0) -> JobHit:
        """The posting as the index would give it."""
        return replace(self.hit, skills=self.skills(vocabulary), score=score)


@dataclass(frozen=True, slots=True)
class _Term:
    phrases: tuple[tuple[str, ...], ...]
    tool: str | None
    generic: bool

    def in_stems(self, stems: Sequence[str]) -> bool:
        return any(phrase_in(phrase, stems) for phrase in self.phrases)

    def may_stand_in(self, lowered: str) -> bool:
        """Cheap: a stem's first letters stand in every word it was cut from, but for the last ("fli" of "fly")."""
        return any(_beginning(phrase[0]) in lowered for phrase in self.phrases)


class Relevance:
    """The lexical test of one query, made once and held against many postings.

    At least two thirds of the terms (all, if there are two) stand in the text, and one that says what the job is
    about stands in the title or, for a tool, among the skills. Or the words stand somewhere in a row.
    """

    def __init__(self, query: JobQuery, vocabulary: SkillVocabulary) -> None:
        self._vocabulary = vocabulary
        count = len(query.words) + len(query.skills)
        self._terms = [_skill_term(name, vocabulary) for name in query.skills]
        self._terms += [_word_term(word, alone=count == 1) for word in query.words]
        self._terms = [term for term in self._terms if term.phrases]
        self._needed = len(self._terms) if len(self._terms) <= 2 else math.ceil(len(self._terms) * 2 / 3)
        self._subjects = [term for term in self._terms if not term.generic] or self._terms
        self._tools = [term.tool for term in self._terms if term.tool]
        row = tuple(stems_of(query.text))
        self._row = row if len(row) > 1 else ()

    def score(self, posting: LivePosting) -> float | None:
        """How well a posting that passes fits, up to ``BEST_SCORE``; None for one that does not pass."""
        if not self._terms or not self.has_tools(posting):
            return None
        # Most postings fail at their title, before anything of their text is read.
        in_a_row = self._in_a_row(posting)
        if not in_a_row and not any(self._anchors(posting)):
            return None
        found = [self._share(term, posting) for term in self._terms]
        if not in_a_row and sum(share > 0 for share in found) < self._needed:
            return None
        return BEST_SCORE * (0.5 + 0.5 * sum(found) / len(found))

    def has_tools(self, posting: LivePosting) -> bool:
        """A product or language that is named is a demand, whatever else fits."""
        if not self._tools:
            return True
        stated = set(posting.hit.skills)
        for term in self._terms:
            if term.tool and term.tool not in stated and not term.may_stand_in(posting.lowered):
                return False
        return set(self._tools) <= set(posting.skills(self._vocabulary))

    def _anchors(self, posting: LivePosting) -> Iterable[bool]:
        for term in self._subjects:
            yield term.tool is not None or term.in_stems(posting.title_stems)

    def _share(self, term: _Term, posting: LivePosting) -> float:
        if term.tool and term.tool not in posting.skills(self._vocabulary):
            return 0.0
        if term.in_stems(posting.title_stems):
            return _TITLE_SHARE
        if term.tool:
            return _TEXT_SHARE
        if not term.may_stand_in(posting.lowered):
            return 0.0
        return _TEXT_SHARE if term.in_stems(posting.text_stems) else 0.0

    def _in_a_row(self, posting: LivePosting) -> bool:
        if not self._row or any(_beginning(stem) not in posting.lowered for stem in self._row):
            return False
        return phrase_in(self._row, posting.text_stems)


def _beginning(stem: str) -> str:
    return stem[: max(1, len(stem) - 1)]


def _skill_term(name: str, vocabulary: SkillVocabulary) -> _Term:
    tool = name if vocabulary.field(name) in TOOL_FIELDS else None
    return _Term(_phrases(vocabulary.names_of(name) or (name,)), tool, generic=False)


def _word_term(word: str, *, alone: bool) -> _Term:
    folded = word.casefold().removesuffix("s")
    names = {word} | (_SAME_ROLE if folded in _SAME_ROLE and not alone else frozenset())
    return _Term(_phrases(sorted(names)), None, generic=folded in _GENERIC)


def _phrases(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(phrase for name in names if (phrase := tuple(stems_of(name)[:6])))
