"""Advice out of guides: passages that answer a question, quoted and cited. What no guide says is not said."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, Literal

from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import plain
from signalbox.events import Citation
from signalbox.memory.words import words_in
from signalbox.retrieval.library import Passage
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_knowledge import KnowledgeQuery, SearchKnowledge

READ: Final = 5
QUOTED: Final = 2
# A second section is quoted if it shares this part of what the best one shares with the question.
_AS_GOOD: Final = 0.8
_EXCERPT: Final = 700
_COMMON: Final = words_in(
    """the and for how what when where who why can could should would with about from that thi does are you your they
    them have has will get"""
)
# How passages mark the headings of the sections they join.
_INNER_HEADING = re.compile(r"\*\*(?P<name>[^*]{1,120})\*\*|#{1,6} (?P<plain>.{1,120})")
_QUOTED_ROWS = re.compile(r"^[ \t]*>[^\n]*(?:\n[ \t]*>[^\n]*)*\n?", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?]['”\"]?(?=\s)")


class GuideFact(Facts):
    """A passage of a guide, shortened at the end of a sentence."""

    passage_id: str
    title: str
    heading: str
    text: str
    source: str
    url: str | None
    as_of: date | None


class GuideFacts(Facts):
    looked: Literal["found", "nothing", "unavailable"]
    passages: tuple[GuideFact, ...] = ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(
            Citation(
                id=each.passage_id,
                title=each.title,
                source=each.source,
                url=each.url,
                heading=each.heading,
                as_of=each.as_of,
            )
            for each in self.passages
        )


async def guides_on(ctx: TurnContext, question: str, topic: str) -> GuideFacts:
    """What the guides filed under ``topic`` say to ``question``: one section, or two that fit as well."""
    match await ctx.call(SearchKnowledge, KnowledgeQuery(text=question, limit=READ, topics=(topic,))):
        case Err():
            return GuideFacts(looked="unavailable")
        case Empty():
            return GuideFacts(looked="nothing")
        case Ok(found):
            return GuideFacts(looked="found", passages=_best(question, found.passages))


def _best(question: str, passages: Sequence[Passage]) -> tuple[GuideFact, ...]:
    sections = [(each, *section_on(question, each.heading or each.title, each.content)) for each in passages]
    ranked = sorted(sections, key=lambda section: -section[3])
    enough = ranked[0][3] * _AS_GOOD
    return tuple(
        GuideFact(
            passage_id=passage.passage_id,
            title=passage.title,
            heading=heading,
            text=excerpt(text),
            source=passage.source,
            url=passage.url,
            as_of=passage.published_on,
        )
        for passage, heading, text, score in ranked[:QUOTED]
        if score >= enough
    )


def section_on(question: str, heading: str, content: str) -> tuple[str, str, float]:
    """The part of a passage that shares most words with the question, its heading and how much it shares.

    Short sections of a guide are kept together in one passage, each under its own heading line.
    """
    parts = [(heading, "")]
    for line in content.splitlines():
        if match := _INNER_HEADING.fullmatch(line.strip()):
            parts.append((match["name"] or match["plain"], ""))
        else:
            parts[-1] = (parts[-1][0], f"{parts[-1][1]}\n{line}")
    asked = _content_words(question)
    scored = [
        (name, text, 2.0 * len(asked & _content_words(name)) + len(asked & _content_words(text)))
        for name, text in parts
        if text.strip()
    ]
    return max(scored, key=lambda part: part[2], default=(heading, content, 0.0))


def _content_words(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W_]{3,}", text.casefold())
    return frozenset(word.removesuffix("s") for word in words) - _COMMON


def excerpt(text: str) -> str:
    """The first sentences of a passage, as one line of plain text; what the guide quotes stands in quotation marks."""
    text = _QUOTED_ROWS.sub(lambda match: f"“{_QUOTE_MARK.sub('', match.group()).strip()}”\n", text)
    line = " ".join(re.sub(r"^\s*(?:>|[-*+]|\d+\.|#+)\s+", "", row) for row in text.splitlines()).strip()
    line = " ".join(line.replace("**", "").split())
    if len(line) <= _EXCERPT:
        return line
    ends = [match.end() for match in _SENTENCE_END.finditer(line, 0, _EXCERPT)]
    return line[: ends[-1]] if ends else line[: _EXCERPT - 1].rstrip() + "…"


def guides_text(facts: GuideFacts, about: str) -> str:
    """The passages, each under its heading and with its guide named."""
    if facts.looked == "unavailable":
        return f"I could not look into the guides on {about} just now; please ask again in a moment."
    if facts.looked == "nothing":
        return f"I looked, and the guides I have say nothing on {about}."
    lines = []
    for each in facts.passages:
        where = plain(each.heading.rsplit(" > ", 1)[-1] or each.title)
        lines.append(f"**{where}** ({plain(each.title)})\n\n{plain(each.text, _EXCERPT + 10)}")
    return "\n\n".join(lines)
