"""The searches of a conversation: which turns were one, what they showed, what they offered, what was spoken of
between them. Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from signalbox.agents.searching.choosing import Choice, choice_of, offered_in
from signalbox.agents.words.phrases import without_command
from signalbox.memory.conversation import PastMessage

SEARCH: Final = "job_search"
# Refinements pile up, so all of a conversation's window is read again; this bounds the work.
_MOST_TURNS: Final = 20

_FURTHER = re.compile(
    r"^\W*(?:(?:ok|okay|yes|yeah|yep|sure|please|and|great|thanks|now|can you|could you|i want|i'd like|to|are there|"
    r"got|have you got|do you have)\b\W*)*(?:(?:show|give|see|list|load|get|find)\b\W*)?(?:(?:me|us)\b\W*)?"
    r"(?:(?:the|some|any|a few)\b\W*)?(?:(?P<count>\d{1,2}|one|two|three|four|five|six|seven|"
    r"eight|nine|ten) more|(?:more|next)(?: (?P<after>\d{1,2}))?|rest|remaining|others)\b\W*"
    r"(?:(?:of (?:them|these|those)|like (?:that|this|these|those|them)|jobs|results|postings|ones|roles|page|please|"
    r"thanks)\b\W*)*$",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|ya|sure|ok|okay|please|fine|alright|absolutely|definitely|of course|thanks|then|"
    r"go on|go ahead|go for it|continue|keep going|sounds good|why not|let'?s|(?:do|try|drop) (?:that|it|so|"
    r"this)|do|next)\b\W*)+$",
    re.IGNORECASE,
)
# "Ok, thanks" ends a talk; it says yes to nothing.
_CLOSES = re.compile(
    r"\W*(?:(?:ok|okay|alright|fine|right|great|cool)\W+)*(?:thanks|thank you|thx|ty|cheers)"
    r"(?:\W+(?:a lot|very much|so much|anyway|again|for now|bye))*\W*",
    re.IGNORECASE,
)
_LONGEST_CLOSE: Final = 60
_COUNTS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# Which field of a typed result names a role, by the type.
_ROLES: Final[Mapping[str, str]] = {
    "skill_gap": "target", "salary_range": "role", "interview_questions": "role", "interview_practice": "role",
    "cover_letter": "role", "resume_feedback": "target",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchTurn:
    """One search: what was asked, where it stands in the history, the lists it showed, and the names of the conditions
    that its answer offered to drop, if that is the newest thing said before ``next_at``.
    """

    message: str
    at: int
    lists: tuple[Mapping[str, Any], ...]
    offered: tuple[str, ...]
    next_at: int

    @property
    def pages(self) -> bool:
        return asks_for_more(self.message) or agrees(self.message)


def search_turns(history: Sequence[PastMessage]) -> list[SearchTurn]:
    """The newest searches, oldest first. What another agent answered is none, whoever it was meant for."""
    starts = [at for at, past in enumerate(history) if past.role == "user"]
    found = []
    for at, end in zip(starts, [*starts[1:], len(history)], strict=False):
        answers = history[at + 1 : end]
        agents = {past.agent for past in answers if past.agent}
        if SEARCH not in agents and (agents or history[at].intent != SEARCH):
            continue
        blocks = [block for past in answers for block in past.blocks]
        lists = tuple(block for block in blocks if block.get("type") == "jobs_data")
        found.append(SearchTurn(without_command(history[at].content), at, lists, _offered(answers, blocks), end))
    return found[-_MOST_TURNS:]


def open_offer(history: Sequence[PastMessage]) -> tuple[str, ...]:
    """The conditions that the newest answer offers to drop, where it is a search's."""
    turns = search_turns(history)
    return turns[-1].offered if turns and turns[-1].next_at == len(history) else ()


def chosen(message: str, offered: Sequence[str]) -> Choice | None:
    """What ``message`` chooses of the conditions ``offered``; who merely agrees to one of several chooses none yet."""
    if not offered or _CLOSES.fullmatch(message[:_LONGEST_CLOSE]):
        return None
    choice = choice_of(message, offered)
    if choice is None and agrees(message):
        return Choice(tuple(offered) if len(offered) == 1 else ())
    return choice


def asks_for_more(message: str) -> bool:
    return _FURTHER.match(without_command(message)) is not None


def agrees(message: str) -> bool:
    return _AGREES.match(without_command(message)) is not None


def count_of_more(message: str) -> int | None:
    """The number in "show 5 more", "five more" or "the next 3"."""
    match = _FURTHER.match(without_command(message))
    named = (match["count"] or match["after"] or "").casefold() if match else ""
    return _COUNTS.index(named) + 1 if named in _COUNTS else int(named or 0) or None


def seen_of(message: str, turns: Sequence[SearchTurn]) -> tuple[str, ...] | None:
    """The postings the last search has shown on all its pages; None unless ``message`` asks for the next page."""
    if not turns or not (asks_for_more(message) or agrees(message)):
        return None
    ids: list[str] = []
    cut_short = None
    for turn in reversed(turns):
        for block in reversed(turn.lists):
            cut_short = bool(block.get("truncated")) if cut_short is None else cut_short
            ids += [job["job_id"] for job in block.get("jobs", ())]
        if not turn.pages:
            break
    return tuple(dict.fromkeys(ids)) if cut_short or asks_for_more(message) else None


def role_spoken_of(history: Sequence[PastMessage]) -> str | None:
    """The role that the newest answer about one was about, unless postings were shown since."""
    for block in _newest_blocks(history):
        if block.get("type") == "jobs_data" and block.get("jobs"):
            return None
        role = block.get(_ROLES.get(str(block.get("type")), ""))
        if block.get("type") == "application_status" and (changed := block.get("changed")):
            role = next((a.get("title") for a in block["applications"] if a.get("application_id") == changed), None)
        if isinstance(role, str) and role.strip():
            return re.split(r"\s+at\s+", role.strip(), maxsplit=1)[0]
    return None


def profile_changed_last(history: Sequence[PastMessage]) -> bool:
    """Whether the newest change "undo" could mean is one of the profile, not of a search."""
    for block in _newest_blocks(history):
        if block.get("type") in {"jobs_data", "profile_updated"}:
            return bool(block["type"] == "profile_updated")
    return False


def _newest_blocks(history: Sequence[PastMessage]) -> Iterator[Mapping[str, Any]]:
    return (block for past in reversed(history) for block in reversed(past.blocks))


def _offered(answers: Sequence[PastMessage], blocks: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the last answer offers to drop. Its buttons say it too, whatever words a model chose."""
    texts = [answer.content for answer in answers[-1:]]
    texts += [
        str(each.get("message", ""))
        for block in blocks
        if block.get("type") == "suggestions"
        for each in block.get("suggestions", ())
    ]
    return offered_in(texts)
