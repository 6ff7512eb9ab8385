"""Which application on the tracker a message means. Pure."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from signalbox.agents.tracking.names import described_by, same_employer
from signalbox.agents.tracking.past import Spoken, changed_last, last_spoken, tracker_shown
from signalbox.agents.tracking.told import Told
from signalbox.memory.applications import TrackedApplication
from signalbox.memory.conversation import PastMessage

_OTHER = re.compile(r"\bthe other(?: one| application| job)?\b", re.IGNORECASE)
_PLACES: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5,
                  "5th": 5}  # fmt: skip
_PLACE = re.compile(
    rf"\bthe (?P<word>{'|'.join(_PLACES)})\b(?! (?:round|interview|stage|time|week|rejection))|"
    r"\b(?:number|no\.?|#)\s*(?P<digits>\d{1,2})\b",
    re.IGNORECASE,
)


def target_of(
    message: str, company: str, applications: Sequence[TrackedApplication], history: Sequence[PastMessage]
) -> tuple[TrackedApplication | None, tuple[TrackedApplication, ...]]:
    """The application meant: by employer, by its place on the list shown, by words of it, the one last spoken of, or
    the only one that is open; else those that come into question.
    """
    if company:
        there = [a for a in applications if same_employer(a.company, company)]
        described = [a for a in described_by(message, there) if a.title] if len(there) > 1 else there
        return _one_of(described or there)
    shown = tracker_shown(history)
    if (place := place_said(message)) and shown and place <= len(shown):
        return by_id(shown[place - 1], applications), ()
    if described := described_by(message, applications):
        return _one_of(described)
    still = [a for a in applications if a.open]
    if _OTHER.search(message):
        changed = changed_last(history)
        return _one_of([a for a in still if a.application_id != changed] if changed else still)
    spoken = last_spoken(history)
    found = _of_spoken(spoken, applications) if spoken is not None else None
    return (found, ()) if found is not None else _one_of(still)


def application_of(
    one: Told, applications: Sequence[TrackedApplication]
) -> tuple[TrackedApplication | None, tuple[TrackedApplication, ...]]:
    """The application told of, or those that it could be. Who applied once more after an end tells of a new one."""
    there = [a for a in applications if same_employer(a.company, one.company)]
    if one.title:
        there = [a for a in there if not a.title or same_title(a.title, one.title)]
    still = [a for a in there if a.open]
    if one.status == "applied":
        return (still[0], ()) if still else (None, ())
    if len(still) > 1:
        return None, tuple(still)
    return next(iter(still or there), None), ()


def to_chase(
    target: TrackedApplication | None,
    among: tuple[TrackedApplication, ...],
    applications: Sequence[TrackedApplication],
    today: date,
) -> tuple[TrackedApplication | None, tuple[TrackedApplication, ...]]:
    """Nobody chases where all is over or an interview lies ahead, unless that employer is named."""
    if target is not None and target.open:
        return target, ()
    waiting = [a for a in among or applications if a.open and (a.last_contact_on is None or a.last_contact_on <= today)]
    return _one_of(waiting) if waiting else (target, among)


def by_id(application_id: str, applications: Sequence[TrackedApplication]) -> TrackedApplication | None:
    return next((a for a in applications if a.application_id == application_id), None)


def same_title(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one in other or other in one


def place_said(message: str) -> int | None:
    match = _PLACE.search(message)
    if match is None:
        return None
    return _PLACES[match["word"].casefold()] if match["word"] else int(match["digits"]) or None


def _of_spoken(spoken: Spoken, applications: Sequence[TrackedApplication]) -> TrackedApplication | None:
    if spoken.application_id:
        return by_id(spoken.application_id, applications)
    there = [a for a in applications if spoken.job_id and a.job_id == spoken.job_id]
    there = there or [a for a in applications if spoken.company and same_employer(a.company, spoken.company)]
    return there[0] if there else None


def _one_of(
    found: Sequence[TrackedApplication],
) -> tuple[TrackedApplication | None, tuple[TrackedApplication, ...]]:
    """The only one, or the only one still open; else all."""
    still = [a for a in found if a.open]
    if len(found) == 1:
        return found[0], ()
    return (still[0], ()) if len(still) == 1 else (None, tuple(still or found))
