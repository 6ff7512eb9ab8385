"""What a board's payload holds once it is read: postings in our terms, and how many rows could not be read."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic import ValidationError

from signalbox.retrieval.posting import RawPosting
from signalbox.tools.boards.html_text import MAX_TEXT

# A board that sends more in one payload is read up to here, and says so.
MAX_ROWS: Final = 3_000


Convert = Callable[[dict[str, Any]], dict[str, Any] | Literal["unlisted"]]


@dataclass(frozen=True, slots=True)
class Page:
    """``rows`` counts all rows of the payload, ``unread`` those that were no posting; ``matches`` is how many the board
    says it has, where it says so.
    """

    postings: tuple[RawPosting, ...]
    rows: int
    unread: int = 0
    matches: int | None = None


@dataclass(frozen=True, slots=True)
class Malformed:
    """The payload is not of the board's documented form."""

    reason: str


def read_rows(items: Any, convert: Convert, *, matches: int | None = None) -> Page | Malformed:
    """Every row that ``convert`` makes a posting of; one that cannot be read costs only itself, and one that is
    "unlisted" is none of the public's.
    """
    if not isinstance(items, list):
        return Malformed("it holds no list of postings")
    postings: list[RawPosting] = []
    unread = 0
    for item in items[:MAX_ROWS]:
        try:
            fields = convert(item) if isinstance(item, dict) else None
            if fields == "unlisted":
                continue
            postings.append(_posting(fields))
        except (ValidationError, ValueError, TypeError, OverflowError, OSError):
            unread += 1
    if unread and not postings:
        return Malformed(f"none of its {len(items):,} rows could be read")
    return Page(tuple(postings), len(items), unread + max(0, len(items) - MAX_ROWS), matches)


def _posting(fields: dict[str, Any] | None) -> RawPosting:
    """Ids that are numbers are kept as the digits they are: a posting's field would round a long one. Long texts come
    clean from ``html_text``: to have the posting clean them again is half of what reading a payload costs.
    """
    if fields is None:
        raise TypeError("a row that is no object")
    texts = {name: text(fields.get(name))[:MAX_TEXT] for name in ("description", "requirements")}
    number = fields.get("id")
    lines = {**fields, "id": str(number) if isinstance(number, int) else number, **dict.fromkeys(texts, "")}
    return RawPosting.model_validate(lines).model_copy(update=texts)


def dig(value: Any, *path: str) -> Any:
    """``value[path[0]][path[1]]...``, or None where any step is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text(value: Any) -> str:
    """A string as it is, anything else as nothing: a number or a list where text belongs is not text."""
    return value if isinstance(value, str) else ""


def words(values: Any) -> list[str]:
    """The strings of a list; a single string is a list of one."""
    if isinstance(values, str):
        return [values]
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def joined(values: Iterable[Any], by: str = ", ") -> str | None:
    """The non-empty strings in a row, each once, or None."""
    return by.join(dict.fromkeys(value.strip() for value in values if isinstance(value, str) and value.strip())) or None


def day_of_seconds(value: Any, *, unit: Literal["s", "ms"] = "s") -> str | None:
    """The UTC day of a Unix time; None for what is none. Raises what ``datetime`` raises for absurd ones."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return datetime.fromtimestamp(value / (1000 if unit == "ms" else 1), UTC).date().isoformat()


def web_address(value: Any) -> str | None:
    """A link fit to show, or None: a posting without a good link is still a posting."""
    link = text(value).strip()
    fits = link.startswith(("http://", "https://")) and len(link) <= 2_000 and link.isprintable() and " " not in link
    return link if fits else None
