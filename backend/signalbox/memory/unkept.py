"""What no profile holds, whoever says it: contact data, numbers of documents and accounts, secrets. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from signalbox.memory.contact_data import ContactKind, find_contact_data
from signalbox.memory.noteworthy import CLAUSE, EMPTY_WORDS, WORD, is_lasting
from signalbox.memory.profile import NewFact

_PRIVATE: Final[dict[ContactKind, str]] = {
    "email": "e-mail addresses",
    "phone": "phone numbers",
    "card": "card numbers",
    "account": "account numbers",
    "id": "numbers of documents",
    "street": "street addresses",
}
_SECRETS: Final = "passwords and numbers of documents or accounts"
_SECRET = re.compile(
    r"\b(?:passwords?|pass ?codes?|pass ?phrases?|pin(?: code| number)?|cvv|cvc|sort code|account number|"
    r"card number|api key|(?:passport|licen[cs]e|id|insurance|tax|social security|visa) (?:number|no\.?))\s*"
    r"(?:(?:for|of) [\w ]{1,30})?\s*(?:is|was|=|:)\s*\S+",
    re.IGNORECASE,
)
# Without any of it there is nothing of the kind.
_MAY_BE_PRIVATE = re.compile(r"\d|@|\bat\b|stra|\bis\b|\bwas\b|:|=", re.IGNORECASE)
# A message this short that says nothing else is told what of it was not kept.
_LONGEST: Final = 500


def without_private(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` without the clauses that hold something of the kind, and what that is called."""
    if not _MAY_BE_PRIVATE.search(text):
        return text, ()
    found = [(each.start, each.end, _PRIVATE[each.kind]) for each in find_contact_data(text)]
    for match in _SECRET.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end, _ in found):
            found.append((*match.span(), _SECRETS))
    if not found:
        return text, ()
    kept: list[str] = []
    start = 0
    for end, behind in [*(match.span() for match in CLAUSE.finditer(text)), (len(text), len(text))]:
        if not any(first < end and start < last for first, last, _ in found):
            kept.append(text[start:end])
        start = behind
    return ", ".join(clause for clause in kept if clause.strip()), tuple(dict.fromkeys(kind for *_, kind in found))


def keepable(add: Sequence[NewFact], text: str) -> tuple[list[NewFact], tuple[str, ...]]:
    """The facts that ``text`` says without what no profile holds, and in words what was left out."""
    kept: list[NewFact] = []
    refused: list[str] = []
    known = {word.casefold() for fact in add if fact.key != "note" for word in WORD.findall(fact.value)} | EMPTY_WORDS
    for fact in add:
        value, kinds = without_private(fact.value)
        refused += kinds
        if not kinds:
            kept.append(fact)
        elif fact.key == "note" and is_lasting(value, whole=True) and not _words(value) <= known:
            kept.append(replace(fact, value=value))
    if not add and len(text) <= _LONGEST:
        refused += without_private(text)[1]
    return kept, tuple(dict.fromkeys(refused))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}
