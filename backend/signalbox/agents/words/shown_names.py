"""Postings pointed at by name: their company, also in short or misspelled, or words of their title. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.blocks import Job
from signalbox.memory.words import words_in
from signalbox.retrieval.facts.companies import general_tail, name_key
from signalbox.retrieval.facts.role_words import stems
from signalbox.retrieval.terms import title_level

# The id of a posting that stands in a message of the user's and nowhere else.
PASTED_ID: Final = "pasted"
# A shorter name than this is found inside other words too easily.
_SHORTEST: Final = 3
# From which length on how many letters may be wrong.
_ONE_SLIP: Final = 5
_TWO_SLIPS: Final = 8
_THE_ONE = re.compile(
    r"\b(?:the|that|this|those|these)\s+(?P<what>(?:[\w&.'’/+#-]+\s+){1,4}?)(?:ones?|jobs?|roles?|positions?|postings?|ads?|"
    r"adverts?|vacanc(?:y|ies)|posts?|openings?|gigs?)\b",
    re.IGNORECASE,
)
_JOBS: Final = "job|role|position|posting|post|ad|advert|vacancy|opening|gig|one"
_AT_EMPLOYER = re.compile(r"\b(?:at|with|from)\s+(?:the\s+)?[A-ZÀ-Þ]")
_SAYS_NOTHING: Final = words_in(
    """best better worst first second third last other same right new newest latest highest lowest paid paying top
    two three four five jobs job role good great closest nearest senior most more less same only next remaining
    whole a an of for and or you showed me above below"""
)
# Words that are no company's alone.
_COMMON: Final = words_in(
    """the city new global first united national international general american british german health care
    group company bank data digital tech systems services solutions smart open next one work jobs remote north
    south west east royal city university hospital school office best fit match job role good"""
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A posting and its number in the list that showed it (from 1), the one that stays valid."""

    place: int
    job: Job


def named_in(message: str, table: Sequence[Shown]) -> tuple[Shown, ...]:
    """Postings of the companies that ``message`` names, whole or by the word people use; of several postings of one
    company those whose title is named too.
    """
    named = [shown for shown in table if names_company(message, shown.job.company)]
    titled = [shown for shown in named if _stands_in(shown.job.title, message)]
    if titled:
        return tuple(titled)
    narrowed = [shown for shown in named if shown in of_title(message, named)]
    return tuple(narrowed or named)


def named_in_full(message: str, table: Sequence[Shown]) -> tuple[Shown, ...]:
    """Postings that ``message`` names by company and title both."""
    found = [shown for shown in table if is_named(message, shown.job)]
    whole = [shown for shown in found if _stands_in(shown.job.title, message)]
    return tuple(whole or found)


def named_loosely(message: str, table: Sequence[Shown]) -> tuple[Shown, ...]:
    """Postings called "the job at ..." by their whole company, or "the ..." by their whole title where no employer is
    named: enough for one of which nothing else speaks.
    """
    by_company = [shown for shown in table if _is_job_of(message, shown.job.company)]
    if by_company or _AT_EMPLOYER.search(message):
        return tuple(by_company)
    titles = {shown.job.title for shown in table if re.search(r"\w\W+\w", shown.job.title)}
    return tuple(
        shown
        for shown in table
        if shown.job.title in titles
        and re.search(rf"\b(?:the|that)\s+{re.escape(shown.job.title)}(?!\w)", message, re.IGNORECASE)
    )


def is_named(message: str, job: Job) -> bool:
    """Whether ``message`` names the company and, whole or by what stands before its first comma or bracket, the title
    of ``job``.
    """
    return names_company(message, job.company) and bool(
        _stands_in(job.title, message)
        or _stands_in(re.split(r"\s*[,(|/–—]|\s-\s", job.title)[0], message)
        or of_title(message, (Shown(1, job),))
    )


def of_title(message: str, table: Sequence[Shown]) -> tuple[Shown, ...]:
    """Postings whose whole title stands in ``message``, else those that "the … one" or "the … job" describes."""
    whole = [shown for shown in table if len(shown.job.title) > _SHORTEST and _stands_in(shown.job.title, message)]
    # "Senior Data Engineer" names no "Data Engineer" beside it.
    longer = [shown for shown in whole if not any(_inside(shown.job.title, other.job.title) for other in whole)]
    if longer:
        return tuple(longer)
    for match in _THE_ONE.finditer(message):
        what = match["what"].strip()
        if set(what.casefold().split()) <= _SAYS_NOTHING:
            continue
        if found := tuple(shown for shown in table if _describes(what, shown.job.title)):
            return found
    return ()


def nearly_named(message: str, table: Sequence[Shown]) -> tuple[Shown, ...]:
    """Postings of the company whose name is spelled almost so; none where two companies are as near."""
    words = re.findall(r"[^\W_]+", name_key(message)) if message.strip() else []
    nearest: dict[str, int] = {}
    for shown in table:
        key = name_key(shown.job.company)
        for name in {key, key.split(" ")[0] if key else ""} - _COMMON:
            size = len(name.split())
            spoken = (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
            slips = min((slip for each in spoken if (slip := _slips(each, name)) is not None), default=None)
            if slips is not None:
                nearest[key] = min(slips, nearest.get(key, slips))
    least = min(nearest.values(), default=0)
    keys = [key for key, slips in nearest.items() if slips == least]
    return tuple(shown for shown in table if name_key(shown.job.company) in keys) if len(keys) == 1 else ()


def _inside(title: str, other: str) -> bool:
    return len(title) < len(other) and _stands_in(title, other)


def _is_job_of(message: str, company: str) -> bool:
    name = re.escape(company)
    return len(company) >= _SHORTEST and (
        re.search(
            rf"\b(?:{_JOBS})\b[^.?!\n]{{0,60}}?\b(?:at|with|from|of)\s+(?:the\s+)?{name}(?!\w)|"
            rf"(?<!\w){name}(?:['’]s?)?\s+(?:{_JOBS})\b",
            message,
            re.IGNORECASE,
        )
        is not None
    )


def names_company(message: str, company: str) -> bool:
    """Whether ``message`` names the company, whole or by the word that people use."""
    if len(company) < _SHORTEST:
        return False
    if _stands_in(company, message):
        return True
    key, spoken = name_key(company), f" {name_key(message)} "
    if len(key) < _SHORTEST:
        return False
    words = key.split()
    shorts = {" ".join(words[:size]) for size in range(1, len(words) + 1)}
    known = {short for short in shorts if short == key or general_tail(key, short)}
    # "Lanternfish" for "Lanternfish Analytics": the first word, where it is nobody else's.
    if len(words[0]) > _SHORTEST and words[0] not in _COMMON:
        known.add(words[0])
    return any(f" {short} " in spoken for short in known if short not in _COMMON)


def _describes(what: str, title: str) -> bool:
    words = [word for word in re.findall(r"[^\W_]+[+#]*", what.casefold()) if word not in _SAYS_NOTHING]
    level, stated = title_level(f"{what} x"), title_level(title)
    if not words or (level and (stated is None or stated[0] != level[0])):
        return False
    there = stems(title) | {*re.findall(r"[^\W_]+[+#]*", title.casefold())}
    return all(_among(word, there) for word in words)


def _among(word: str, there: frozenset[str]) -> bool:
    """It stands there in one of its forms, or with a slip of the pen."""
    return stems(word) <= there or word in there or any(_slips(word, other) is not None for other in there)


def _stands_in(name: str, message: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message, re.IGNORECASE) is not None


def _slips(spoken: str, name: str) -> int | None:
    """How many letters are wrong, missing, too many or swapped; None if more than a name of its length allows."""
    most = 2 if len(name) >= _TWO_SLIPS else 1 if len(name) >= _ONE_SLIP else 0
    if not most or abs(len(spoken) - len(name)) > most or spoken[:1] != name[:1]:
        return None
    before: list[int] = []
    row = list(range(len(name) + 1))
    for at, letter in enumerate(spoken, start=1):
        two, before, row = before, row, [at]
        for other, wanted in enumerate(name, start=1):
            cost = min(before[other] + 1, row[other - 1] + 1, before[other - 1] + (letter != wanted))
            if at > 1 and other > 1 and letter == name[other - 2] and spoken[at - 2] == wanted:
                cost = min(cost, two[other - 2] + 1)
            row.append(cost)
    return row[-1] if 0 < row[-1] <= most else None
