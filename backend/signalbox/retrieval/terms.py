"""How postings and people name a level, a kind of employment and remote work.

One reading for both sides, so that a question and the posting that answers it meet in the same value.
"""

import re
from typing import Literal

Seniority = Literal["intern", "junior", "mid", "senior", "lead", "executive"]
Employment = Literal["full-time", "part-time", "contract", "temporary", "internship"]

LEVELS: tuple[Seniority, ...] = ("intern", "junior", "mid", "senior", "lead", "executive")

_ROLE = (
    r"(?:\w+ )?(?:software|data|web|security|backend|frontend|developer|engineer|designer|analyst|architect|scientist|"
    r"researcher|consultant|nurse|teacher|accountant|technician|administrator|programmer|writer|recruiter|chef)"
)

# Order matters: the first that matches decides, so "Senior Director" is an executive and "Lead Intern" an intern.
_TITLE_LEVELS: tuple[tuple[Seniority, re.Pattern[str]], ...] = (
    (
        "intern",
        re.compile(r"\b(?:intern|interns|internship|internships|apprentice|apprenticeship|co-op)\b", re.IGNORECASE),
    ),
    (
        "executive",
        re.compile(
            r"\b(?:chief (?!of staff)\w+|c[eftio]o|ciso|vice president|vp|executive director|director|head of)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "lead",
        re.compile(
            rf"\b(?:principal|team lead|tech lead|technical lead|staff (?=engineer|software|developer|designer|"
            rf"scientist)|lead (?={_ROLE})|leader)\b|\blead$",
            re.IGNORECASE,
        ),
    ),
    (
        "senior",
        re.compile(
            r"\b(?:senior|snr|sr)\b(?![ -](?:care|living|citizens?|services|cent(?:er|re)s?|homes?|housing)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "junior",
        re.compile(
            r"\b(?:junior|jr|entry[ -]level|trainee|newly[ -]qualified|graduate (?!school|degree|studies|level))\b",
            re.IGNORECASE,
        ),
    ),
    ("mid", re.compile(r"\b(?:mid[ -]level|mid[ -]senior|intermediate|experienced)\b", re.IGNORECASE)),
)

# "contract manager" is a job with contracts, not a job by contract.
_NOT_EMPLOYMENT = (
    r"(?![ -](?:manage\w*|law\w*|administrat\w*|negotiat\w*|specialist|officer|analyst|compliance|coordinator|"
    r"review|drafting|writer|procurement|attorney|lawyer)\b)"
)
_EMPLOYMENT: tuple[tuple[Employment, re.Pattern[str]], ...] = (
    ("internship", re.compile(r"\b(?:internships?|interns?)\b", re.IGNORECASE)),
    ("part-time", re.compile(r"\bpart[ -]?time\b", re.IGNORECASE)),
    (
        "contract",
        re.compile(
            rf"\b(?:freelanc\w+|fixed[ -]term|contracting|contractors?|contract{_NOT_EMPLOYMENT})\b",
            re.IGNORECASE,
        ),
    ),
    ("temporary", re.compile(r"\b(?:temporary|temp|seasonal|casual)\b", re.IGNORECASE)),
    ("full-time", re.compile(r"\bfull[ -]?time\b", re.IGNORECASE)),
)

_REMOTE = re.compile(
    r"\b(?:(?:fully |100% )?remote(?:ly)?(?: work)?(?![ -](?:sensing|monitoring|control|areas?|communit\w+|sites?)\b)"
    r"|work(?:ing)? from (?:home|anywhere)|wfh|telecommut\w+|telework\w*|home[ -](?:based|working)|homeworking)\b",
    re.IGNORECASE,
)
_ON_SITE = re.compile(
    r"\b(?:on[ -]?site|in[ -]office|in the office|in[ -]person|office[ -]based|not remote|no remote)\b", re.IGNORECASE
)
HYBRID = re.compile(r"\bhybrid(?: work(?:ing)?)?\b(?! (?:vehicles?|cars?|cloud|engines?))", re.IGNORECASE)


def title_level(title: str) -> tuple[Seniority, tuple[int, int]] | None:
    """The level a title states and where, or None if it states none."""
    for level, pattern in _TITLE_LEVELS:
        if match := pattern.search(title):
            return level, match.span()
    return None


def employment_kind(text: str) -> tuple[Employment, tuple[int, int]] | None:
    """The kind of employment a short text states and where: a field of a posting or a message, not a description."""
    for kind, pattern in _EMPLOYMENT:
        if match := pattern.search(text):
            return kind, match.span()
    return None


def remote_spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _REMOTE.finditer(text)]


def on_site_spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _ON_SITE.finditer(text)]


def is_remote(title: str, location: str | None) -> bool | None:
    """What title and location say about remote work; None if they say nothing.

    Descriptions are not read: "remote teams" and "no remote work" stand there as well.
    """
    stated = f"{title} | {location or ''}"
    if on_site_spans(stated) or HYBRID.search(stated):
        return False
    return True if remote_spans(stated) else None
