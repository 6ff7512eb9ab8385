"""Small change of language that all agents share: numbers with their nouns, lists, and foreign text made harmless."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from signalbox.blocks import Suggestion, Suggestions
from signalbox.envelope import Intent

MAX_SUGGESTIONS: Final = 3

_COMMAND = re.compile(r"\s*/[a-z_]+(?:\s+|$)", re.IGNORECASE)
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 posting``, ``3 postings``, ``1,200 postings``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(items: Sequence[str], last: Literal["and", "or"] = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def plain(text: str, limit: int = 90) -> str:
    """Text from elsewhere on one line and with no Markdown of its own, so that it cannot pose as ours."""
    line = " ".join(text.split())
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return _MARKUP.sub(r"\\\1", line)


def without_command(message: str) -> str:
    """The message behind a leading ``/command``."""
    return _COMMAND.sub("", message, count=1) if message.lstrip().startswith("/") else message


def money(amount: float, currency: str | None) -> str:
    """``£40,000``, ``$1.50``; a currency without a sign is named: ``40,000 CHF``."""
    figure = f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.2f}"
    sign = {"GBP": "£", "USD": "$", "EUR": "€", "JPY": "¥", "INR": "₹"}.get(currency or "")
    if sign:
        return sign + figure
    return f"{figure} {currency}" if currency else figure


def quick_replies(
    message_id: str, text: str, replies: Iterable[tuple[str, str] | tuple[str, str, Intent]]
) -> Suggestions:
    """At most three quick replies: a label, the message it sends and whom it goes to.

    Name the intent: a chosen reply is then routed as it was meant, with nothing to classify.
    """
    kept = tuple(
        Suggestion(
            id=f"s_{message_id}_{number}",
            label=reply[0],
            message=reply[1],
            intent=reply[2] if len(reply) > 2 else None,
        )
        for number, reply in enumerate(replies)
        if number < MAX_SUGGESTIONS
    )
    return Suggestions(text=text, suggestions=kept)
