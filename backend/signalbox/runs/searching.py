"""Finds a user's conversations by what was said in them: every word, wherever in a title or in one message."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg.errors import QueryCanceled

from signalbox.db import Database
from signalbox.errors import BadRequest
from signalbox.memory.profile import Owner

MAX_WORDS: Final = 8
SNIPPET_CHARS: Final = 120
BEFORE_CHARS: Final = 40
AROUND_CHARS: Final = 400
# Every message of the user is read where few of them match: 100,000 of 700 characters take half a second.
SEARCH_S: Final = 3

# strpos, not LIKE: nothing in a word has a meaning of its own, and it is the faster one. The limit is applied while
# conversations are gone through from the newest on, so a common word is found after a few of them.
_SEARCH: Final = """
    SELECT c.conversation_id, c.title, c.created_at, c.updated_at, said.content FROM conversation c
    LEFT JOIN LATERAL (
        SELECT m.content FROM message m WHERE m.conversation_id = c.conversation_id
          AND NOT EXISTS (SELECT FROM unnest(%(words)s::text[]) AS w (word)
                          WHERE strpos(lower(m.content), lower(w.word)) = 0)
        ORDER BY m.position DESC LIMIT 1) said ON true
    WHERE c.tenant = %(tenant)s AND c.user_id = %(user)s AND NOT c.temporary
      AND (%(before)s::timestamptz IS NULL OR c.updated_at < %(before)s)
      AND (said.content IS NOT NULL
           OR NOT EXISTS (SELECT FROM unnest(%(words)s::text[]) AS w (word)
                          WHERE strpos(lower(c.title), lower(w.word)) = 0))
    ORDER BY c.updated_at DESC LIMIT %(limit)s"""

# Marks at the start of a line, pairs around words, links and pictures: what is left reads as the page shows it.
_LINE_MARKS: Final = re.compile(r"^[ \t]*(?:(?:>|#{1,6}|[-*+])[ \t]+)+", re.MULTILINE)
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_PAIR: Final = re.compile(r"(?<!\w)(([*_~`])\2{0,2})(?=\S)((?:(?!\2).){1,300})(?<=\S)\1(?!\w)")


class Search(NamedTuple):
    """What to find, as ``words_of`` takes it apart; the newest ``limit`` conversations, those before ``before``; and
    how long that may take.
    """

    words: Sequence[str]
    limit: int
    before: datetime | None
    seconds: float = SEARCH_S


def words_of(text: str) -> list[str]:
    """The words to look for, the first ``MAX_WORDS`` of them."""
    return list(dict.fromkeys(text.split()))[:MAX_WORDS]


async def found(db: Database, owner: Owner, search: Search) -> list[dict[str, Any]]:
    """Newest first; ``match`` is a piece of the newest message that has all words, None where only the title has.

    Raises ``BadRequest`` when there is more to search than can be in ``SEARCH_S``.
    """
    parameters = {
        "tenant": owner.tenant,
        "user": owner.user_id,
        # Most messages lack the longest one, and the others are then not looked for.
        "words": sorted(search.words, key=len, reverse=True),
        "limit": search.limit,
        "before": search.before,
    }
    try:
        async with db.transaction() as conn:
            await conn.execute("SELECT set_config('statement_timeout', %s, true)", (f"{search.seconds * 1_000:.0f}",))
            rows = await conn.fetch(_SEARCH, parameters)
    except QueryCanceled as exc:
        raise BadRequest(
            f"There is too much to search: it took longer than {search.seconds:g} seconds and was stopped. "
            "Search for a longer or a more common word, or for fewer words at a time."
        ) from exc
    for row in rows:
        content = row.pop("content")
        row["match"] = None if content is None else snippet(content, search.words)
    return rows


def snippet(content: str, words: Sequence[str]) -> str:
    """A piece of ``content`` on one line around the first place where one of the words stands, without the marks of
    Markdown unless the words stand in nothing else.
    """
    place = min(_places(content, words), default=0)
    around = content[max(0, place - AROUND_CHARS) : place + AROUND_CHARS]
    text = " ".join(_without_marks(around).split())
    places = _places(text, words)
    if not places:
        text = " ".join(around.split())
        places = _places(text, words)
    begin = max(0, min(places, default=0) - BEFORE_CHARS)
    if begin:
        begin = text.find(" ", begin, begin + BEFORE_CHARS // 2) + 1 or begin
    piece = text[begin : begin + SNIPPET_CHARS]
    earlier = begin or place > AROUND_CHARS
    later = begin + SNIPPET_CHARS < len(text) or place + AROUND_CHARS < len(content)
    return ("…" if earlier else "") + piece.strip() + ("…" if later else "")


def _places(text: str, words: Sequence[str]) -> list[int]:
    # Where lower case is longer ("\u0130"), the place is off by as much: a snippet may begin a little early or late.
    folded = text.lower()
    return [place for word in words if (place := folded.find(word.lower())) >= 0]


def _without_marks(text: str) -> str:
    text = _LINK.sub(r"\1", _LINE_MARKS.sub("", text))
    for _ in range(2):  # a pair within a pair
        text = _PAIR.sub(r"\3", text)
    return text
