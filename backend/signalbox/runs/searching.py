"""Finds a user's conversations by what was said in them: every word, wherever in a title or in one message."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from signalbox.db import Database
from signalbox.memory.profile import Owner

MAX_WORDS: Final = 8
SNIPPET_CHARS: Final = 120
BEFORE_CHARS: Final = 40

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


class Search(NamedTuple):
    """What to find, as ``words_of`` takes it apart; the newest ``limit`` conversations, those before ``before``."""

    words: Sequence[str]
    limit: int
    before: datetime | None


def words_of(text: str) -> list[str]:
    """The words to look for, the first ``MAX_WORDS`` of them."""
    return list(dict.fromkeys(text.split()))[:MAX_WORDS]


async def found(db: Database, owner: Owner, search: Search) -> list[dict[str, Any]]:
    """Newest first; ``match`` is a piece of the newest message that has all words, None where only the title has."""
    rows = await db.fetch(
        _SEARCH,
        {
            "tenant": owner.tenant,
            "user": owner.user_id,
            "words": list(search.words),
            "limit": search.limit,
            "before": search.before,
        },
    )
    for row in rows:
        content = row.pop("content")
        row["match"] = None if content is None else snippet(content, search.words)
    return rows


def snippet(content: str, words: Sequence[str]) -> str:
    """A piece of ``content`` on one line around the first place where one of the words stands."""
    text = " ".join(content.split())
    folded = text.lower()
    # Where lower case is longer ("\u0130"), the place is off by as much: a snippet may begin a little early or late.
    places = [place for word in words if (place := folded.find(word.lower())) >= 0]
    begin = max(0, min(places, default=0) - BEFORE_CHARS)
    if begin:
        begin = text.find(" ", begin, begin + BEFORE_CHARS // 2) + 1 or begin
    piece = text[begin : begin + SNIPPET_CHARS]
    return ("…" if begin else "") + piece.strip() + ("…" if begin + SNIPPET_CHARS < len(text) else "")
