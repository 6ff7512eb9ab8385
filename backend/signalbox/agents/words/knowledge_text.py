"""Passages of guides in an agent's hands: looked up, judged for fit, quoted faithfully and cited.

A quotation is whole sentences or list items as the guide has them, only without its Markdown.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import pairwise
from typing import Final, Literal

from pydantic import Field

from signalbox.agents.base import TurnContext
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import plain
from signalbox.blocks import Knowledge, KnowledgePassage
from signalbox.events import Citation
from signalbox.memory.words import words_in
from signalbox.tools.result import Empty, Err, Ok
from signalbox.tools.search_knowledge import KnowledgeQuery, SearchKnowledge

# A passage must hold this share of what the question is about, and its title or heading one word of it.
LEAST_COVER: Final = 0.6
# Of a passage as near in meaning as this, a third will do: it says the same in other words.
_NEAR: Final = 0.55
_NEAR_COVER: Final = 0.3
# A quotation stops after the unit that passes this many characters.
_QUOTE_CHARS: Final = 260
_MOST_ITEMS: Final = 6
_STEM: Final = 6
_SHORT: Final = 3

_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*[+#]*")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
# Small sections share a passage; each then begins with its heading on a line of its own.
_HEADING = re.compile(r"^(?:\*\*(?P<bold>[^*]+)\*\*|#{1,6}\s+(?P<hashed>.+))$")
_MARKS = re.compile(r"^\s*(?:>+\s*|#+\s+)+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SENTENCE_END = re.compile(r"[.!?]+[\"”’)]*(?=\s+[\"“‘(]?[A-Z0-9])")
_EMPTY_WORDS: Final = words_in(
    """a about actually all also an and any anyone anything are as asked at be because been before being best better but
    by can cannot could did do does doing dont down each ever every few find first for from get getting give go going
    good got great had has have having he help her here him his how i if in into is it its just kind know later let
    like long look looking lot make many may me might more most much must my need never new no not now of off often ok
    okay on one only or other our out over people person please put really right say see she should show so some
    someone something still such take tell than thank thanks that the their them then there these they thing things
    think this those through time to too try under until up us use used using very want was way ways we well were what
    when where whether which while who whom why will with without won't would yes yet you your yours i'm i've i'd i'll
    it's what's that's don't doesn't didn't can't isn't aren't hi hello hey explain advice tips tip idea ideas kindly
    normally usually after again next during am ask asks work job jobs working career careers handle deal proper"""
)


# Of a document the guides count pages.
_HOW_LONG = re.compile(
    r"\b(?:how (?:long|short)|what length)\b(?=[^.?!]{0,30}\b(?:cvs?|r[ée]sum[ée]s?|letters?|documents?)\b)",
    re.IGNORECASE,
)
# A list of an interviewer's questions is no advice.
_LIST = re.compile(r"questions you may be asked", re.IGNORECASE)
# Sections that say what a thing is come before those on its finer points.
_OPENS = re.compile(r"^(?:what is|what happens|what do|how do i (?:prepare|start|find)|do i have to)\b", re.IGNORECASE)


class Passage(Facts):
    """A passage of a guide. ``heading`` is the path to it within the guide, ``cosine`` its nearness in meaning."""

    passage_id: str
    title: str
    heading: str
    text: str
    source: str
    url: str | None = None
    as_of: date | None = None
    cosine: float = Field(default=0.0, exclude=True)


class Quote(Facts):
    """``lead``: sentences; ``items``: list items that follow them. ``number`` is the citation's, from 1."""

    number: int
    lead: str
    items: tuple[str, ...] = ()


class LookedUp(Facts):
    """How a look-up went: ``nothing`` was found, or it was ``unavailable`` and nothing may be concluded. ``partial``:
    the library was searched in part only, so that what does not fit among ``passages`` may be there all the same.
    """

    state: Literal["found", "nothing", "unavailable"]
    passages: tuple[Passage, ...] = ()
    partial: bool = False

    @property
    def unsure(self) -> bool:
        """Whether it may not be concluded that the library has no more than ``passages``."""
        return self.partial or self.state == "unavailable"


async def look_up(ctx: TurnContext, question: str, *, topics: Sequence[str] = (), limit: int = 6) -> LookedUp:
    """Passages near to ``question`` in meaning or words, the nearest first."""
    match await ctx.call(SearchKnowledge, KnowledgeQuery(text=question[:1_000], limit=limit, topics=tuple(topics))):
        case Err():
            return LookedUp(state="unavailable")
        case Empty():
            return LookedUp(state="nothing")
        case Ok(found, missed=missed):
            passages = tuple(
                Passage(
                    passage_id=hit.passage_id,
                    title=hit.title,
                    heading=hit.heading,
                    text=hit.content,
                    source=hit.source,
                    url=hit.url,
                    as_of=hit.published_on,
                    cosine=hit.cosine or 0.0,
                )
                for hit in found.passages
            )
            partial = bool(missed) or found.degraded
            state: Literal["found", "nothing", "unavailable"] = "found"
            if not passages:
                state = "unavailable" if partial else "nothing"
            return LookedUp(state=state, passages=passages, partial=partial)


def citation_for(passage: Passage) -> Citation:
    return Citation(
        id=passage.passage_id,
        title=passage.title,
        source=passage.source,
        url=passage.url,
        heading=passage.heading,
        as_of=passage.as_of,
    )


def knowledge_event(question: str, passages: Iterable[Passage]) -> Knowledge:
    shown = tuple(
        KnowledgePassage(
            passage_id=each.passage_id,
            title=each.title,
            heading=each.heading,
            text=each.text,
            source=each.source,
            url=each.url,
            as_of=each.as_of,
        )
        for each in passages
    )
    return Knowledge(question=question, passages=shown)


def subject_of(text: str) -> frozenset[str]:
    """The stems of the words that say what ``text`` is about."""
    said = _HOW_LONG.sub("pages", text.replace("’", "'"))
    return frozenset(_stem(word) for word in _WORD.findall(said) if word.casefold() not in _EMPTY_WORDS)


def sections_of(passage: Passage) -> tuple[Passage, ...]:
    """A passage that holds several sections as one passage each, under the same id; else itself."""
    found: list[tuple[str, list[str]]] = [(passage.heading, [])]
    for line in passage.text.splitlines():
        match = _HEADING.match(line.strip())
        if match:
            found.append((bare(match["bold"] or match["hashed"]), []))
        else:
            found[-1][1].append(line)
    kept = [(heading, "\n".join(lines).strip()) for heading, lines in found]
    return tuple(passage.model_copy(update={"heading": heading, "text": text}) for heading, text in kept if text) or (
        passage,
    )


def fitting(
    question: str,
    passages: Sequence[Passage],
    most: int = 2,
    least: float = LEAST_COVER,
    *,
    headed: bool = False,
    common: frozenset[str] = frozenset(),
) -> tuple[Passage, ...]:
    """The sections that are about ``question``, the best first and one a passage: near in meaning is not enough, they
    must speak of it. With ``headed``, their headings must name what sets the question apart. ``common``: what all
    ``passages`` are of; nothing fits a question that asks of no more than that.
    """
    wanted = subject_of(question)
    if common and not wanted - common:
        return ()
    # What every guide speaks of tells none of them apart.
    telling = wanted - _COMMON - common or wanted
    # One word of a short question missed is another question.
    least = 1.0 if len(telling) <= _SHORT and least >= LEAST_COVER else least
    judged = []
    for place, passage in enumerate(passages):
        for section in sections_of(passage):
            if _LIST.search(section.heading):
                continue
            above = subject_of(f"{section.title} {section.heading}")
            cover = len(telling & (above | subject_of(section.text))) / max(1, len(telling))
            enough = _NEAR_COVER if passage.cosine >= _NEAR else least
            if not wanted & above or cover < enough or (headed and not telling & above):
                continue
            named = len(wanted & above) + len(wanted & subject_of(section.heading))
            opens = _OPENS.match(section.heading) is not None
            judged.append((named / len(wanted) + cover - 0.1 * place + 0.3 * opens, section))
    judged.sort(key=lambda pair: -pair[0])
    best: dict[str, Passage] = {}
    for score, section in judged:
        if score >= judged[0][0] - 0.8:
            best.setdefault(section.passage_id, section)
    return tuple(best.values())[:most]


def quote(number: int, passage: Passage, question: str = "") -> Quote:
    """What the passage says first, or the part that speaks of ``question`` most where it begins later."""
    units = units_of(passage.text)
    if not units:
        return Quote(number=number, lead=passage.heading or passage.title)
    start = _start(units, subject_of(question))
    lead: list[str] = []
    items: list[str] = []
    for text, is_item in units[start:]:
        if is_item and (items or not lead or lead[-1].endswith(":")):
            items.append(text)
            if len(items) == _MOST_ITEMS:
                break
        elif is_item or items or sum(map(len, lead)) + len(text) > _QUOTE_CHARS + 160:
            break
        else:
            lead.append(text)
            if sum(map(len, lead)) > _QUOTE_CHARS and not text.endswith(":"):
                break
    if not lead and not items:
        lead = [units[start][0]]
    return Quote(number=number, lead=" ".join(lead), items=tuple(items))


def quoted(quote: Quote) -> str:
    """A quotation in Markdown with its mark, as in ``A gap is ... [1]``."""
    mark = f"[{quote.number}]"
    lines = [f"{plain(quote.lead, 700)} {mark}"] if quote.lead else []
    lines += [f"- {plain(item, 400)}" for item in quote.items]
    if not quote.lead and lines:
        lines[-1] += f" {mark}"
    return "\n".join(lines)


def source_line(number: int, passage: Passage) -> str:
    """``[1] Title, “Heading” (source, 30 November 2026)``."""
    heading = passage.heading.rsplit(" > ", 1)[-1]
    where = f", “{plain(heading)}”" if heading and heading != passage.title else ""
    dated = f", {passage.as_of.day} {passage.as_of:%B %Y}" if passage.as_of else ""
    return f"[{number}] {plain(passage.title)}{where} ({plain(passage.source)}{dated})"


def units_of(text: str) -> list[tuple[str, bool]]:
    """The sentences and list items of a passage without their Markdown, each with whether it is a list item.

    Code, tables and markup are left out: torn from their place they read as noise.
    """
    units: list[tuple[str, bool]] = []
    fenced = False
    for line in _joined(text):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        stripped = line.strip()
        if fenced or not stripped or stripped[0] in "|<{#" or stripped.startswith(("import ", "<!--", ":::")):
            continue
        is_item = _ITEM.match(line) is not None
        clean = bare(line)
        if is_item:
            units.append((clean, True))
        else:
            units += [(sentence, False) for sentence in _sentences(clean)]
    return [unit for unit in units if unit[0]]


def _sentences(text: str) -> list[str]:
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    found: list[str] = []
    for start, end in pairwise(ends):
        # Words between quotation marks stay together.
        if found and found[-1].count('"') % 2:
            found[-1] += text[start:end]
        else:
            found.append(text[start:end].strip())
    return [sentence for sentence in found if sentence]


def bare(line: str) -> str:
    """One line without list mark, heading mark, emphasis and link targets."""
    line = _MARKS.sub("", _ITEM.sub("", line))
    line = _LINK.sub(r"\1", line).replace("**", "").replace("`", "")
    return " ".join(line.replace("\\_", "_").split())


def _joined(text: str) -> list[str]:
    """Lines, with a paragraph's own lines joined so that a sentence may span them."""
    lines: list[str] = []
    for line in text.splitlines():
        goes_on = (
            lines
            and line.strip()
            and lines[-1].strip()
            and not _ITEM.match(line)
            and line.strip()[0] not in "|<{#>`~"
            and lines[-1].strip()[0] not in "|<{#`~"
        )
        if goes_on:
            lines[-1] = f"{lines[-1]} {line.strip()}"
        else:
            lines.append(line)
    return lines


def _start(units: Sequence[tuple[str, bool]], wanted: frozenset[str]) -> int:
    """Where to begin to quote: at the start, unless a later sentence is plainly more to the point."""
    if not wanted:
        return 0
    scores = [len(wanted & subject_of(text)) for text, _ in units]
    best = max(range(len(units)), key=lambda at: (scores[at], -at))
    if units[best][1] or scores[best] < scores[0] + 2:
        return 0
    return best


def _stem(word: str) -> str:
    word = word.casefold()
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    root = word.replace("y", "i")[:_STEM]
    root = root[:-1] if root.endswith("e") and len(root) > 4 else root
    return _SAME.get(root, root)


# What people say, and what guides call it.
_SAME: Final = {"resum": "cv", "résumé": "cv", "boss": "manag", "quit": "leav", "rais": "monei", "ad": "advert"}
_COMMON: Final = subject_of("interview interviews interviewer job question questions answer work role employer company")
