"""What every document becomes, whatever its format: what it says of itself, and its text as blocks in reading order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

BlockKind = Literal["heading", "paragraph", "item", "code", "row"]

MAX_TITLE = 300
MAX_TOPICS = 32
# C0 and C1 controls, lone surrogates, and marks that only say how a text was laid out: zero width, soft hyphen.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2060\ufeff\ud800-\udfff]")
_DATE = re.compile(r"\b((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DATE_FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %Y", "%Y-%m", "%Y")


@dataclass(frozen=True, slots=True)
class Block:
    """The smallest piece that is never cut unless it is too long by itself.

    ``level`` is 1 to 6 for a heading. ``lead`` is a table's header, repeated where the table is cut between rows.
    """

    kind: BlockKind
    text: str
    level: int = 0
    lead: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """``title`` is empty if the document states none; the others are what it says of itself, if it does."""

    blocks: tuple[Block, ...]
    title: str = ""
    version: str = ""
    published_on: date | None = None
    topics: tuple[str, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that is not taken, and why, in words for who gave it."""

    reason: str


def clean(text: str) -> str:
    """Text that PostgreSQL and the tokenizer take: tabs and line feeds are the only controls left in it."""
    return _UNWANTED.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " "))


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def stated_title(text: str) -> str:
    return one_line(text)[:MAX_TITLE].strip()


def stated_topics(words: Sequence[str]) -> tuple[str, ...]:
    """Lower case, each once, in the order given."""
    topics = (one_line(word).casefold()[:80] for listed in words for word in listed.split(","))
    return tuple(dict.fromkeys(topic for topic in topics if topic))[:MAX_TOPICS]


def stated_url(text: str | None) -> str | None:
    """Only an address a reader can open: http or https."""
    url = one_line(text or "")
    return url if re.match(r"https?://[^\s/]+", url) and len(url) <= 2_000 else None


def stated_date(text: str | None) -> date | None:
    """A day as people and machines write it; the first of a month or year given alone. None if it is no date."""
    words = one_line(text or "")[:40]
    if match := _DATE.search(words):
        try:
            return date(*map(int, match.groups()))
        except ValueError:
            return None  # truth: no such day, as documented
    for form in _DATE_FORMATS:
        try:
            return datetime.strptime(words, form).date()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            continue  # truth: not of this form, so the next is tried
    return None
