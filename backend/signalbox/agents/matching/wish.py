"""Reads how postings are to be judged: by what, side by side or one, and which requirement is asked about. Pure."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.retrieval.skills import SkillVocabulary

Criterion = Literal["fit", "pay", "newest", "nearest", "level"]
Aspect = Literal["remote", "employment", "office", "pay", "place", "posted"]
Form = Literal["rank", "compare", "explain", "eligible"]

# What is asked stands at the start; what follows is a pasted document.
_LONGEST: Final = 2_000
_BEST: Final = r"(?:best|most|highest|higher|more|better|top)"
_CRITERIA: Final[tuple[tuple[Criterion, re.Pattern[str]], ...]] = (
    (
        "pay",
        re.compile(
            rf"\bpays?\s+(?:\w+\s+)?{_BEST}\b|\b{_BEST}[\s-]+(?:paid|paying|pay|salary|salaries|money|wage)\b|"
            r"\bby (?:pay|salary|money)\b|\b(?:earn|make)s?\s+(?:the\s+)?most\b|\bmost money\b|"
            r"\bwhat (?:do|does) (?:\w+ )?"
            r"(?:they|it|each|these|those)(?: \w+)? pay\b",
            re.IGNORECASE,
        ),
    ),
    (
        "newest",
        re.compile(
            r"\b(?:newest|most recent|latest|freshest|posted (?:last|most recently)|by date|oldest)\b", re.IGNORECASE
        ),
    ),
    (
        "nearest",
        re.compile(
            r"\b(?:nearest|closest(?! to (?:my|what) (?:skil|exper|profile|background))|shortest commute|by distance|"
            r"near(?:est)? (?:to )?(?:me|home|where i live))\b",
            re.IGNORECASE,
        ),
    ),
    ("level", re.compile(r"\b(?:most senior|highest level|by (?:level|seniority)|most junior)\b", re.IGNORECASE)),
)
_COMPARE = re.compile(
    r"\b(?:compare|comparison|side by side|versus|vs\.?|differ\w*|stack up|table|trade-?offs?|pros and cons)\b|"
    r"\bbetween\b.{0,80}\band\b",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"\b(?:why|explain|how (?:did|do|is|was)\b.{0,30}\bscor\w+|score|scored|percentage|match %|%|"
    r"break(?:down| it down)|"
    r"how come|reason)\b",
    re.IGNORECASE,
)
_ELIGIBLE = re.compile(
    r"\b(?:eligib\w+|qualif\w+|requirements?|requirments?|rule (?:me )?out|rules me out|kill(?:s)? it|stop me|"
    r"deal[- ]?breaker|chance|shot|over-?qualified|under-?qualified|too (?:senior|junior|old|inexperienced)|"
    r"enough (?:experience|years)|(?:still )?apply|(?:do|does) (?:i|my)\b.{0,40}\b(?:meet|match|enough)|plausible|"
    r"lack\w*|missing|haven'?t got|don'?t have|without)\b",
    re.IGNORECASE,
)
_WORST = re.compile(r"\b(?:worst|least|lowest|oldest|most junior|furthest|cheapest)\b", re.IGNORECASE)
_LACKED = re.compile(
    r"\b(?:without|missing|lack(?:ing|s)?|no|haven'?t(?: got)?|have not(?: got)?|don'?t (?:have|know)|"
    r"do not (?:have|know)|"
    r"never (?:used|done))\b",
    re.IGNORECASE,
)


_NEEDED = re.compile(
    r"\b(?:need\w*|requir\w*|must|matter\w*|important|enough|rule[sd]? (?:me )?out|essential|"
    r"insist|deal[- ]?breaker|necessary)\b",
    re.IGNORECASE,
)


# Questions that one line of the posting answers.
_ASPECTS: Final[tuple[tuple[Aspect, re.Pattern[str]], ...]] = (
    (
        "office",
        re.compile(r"\b(?:in|at|from|to) the office\b|\boffice days\b|\bdays? on[- ]?site\b|\bhybrid\b", re.IGNORECASE),
    ),
    (
        "remote",
        re.compile(r"\bremote(?:ly)?\b(?! (?:ones?|jobs?|roles?))|\bfrom home\b|\bhome office\b", re.IGNORECASE),
    ),
    (
        "employment",
        re.compile(
            r"\b(?:full|part)[- ]?time\b|\bpermanent\b|\bfixed[- ]term\b|\bfreelance\b|\bcontract\b", re.IGNORECASE
        ),
    ),
    ("pay", re.compile(r"\bpays?\b|\bsalary\b|\bhow much\b|\bpaid\b|\bwages?\b", re.IGNORECASE)),
    ("place", re.compile(r"\bwhere (?:is|are|would)\b|\bwhich (?:city|town|country)\b", re.IGNORECASE)),
    (
        "posted",
        re.compile(r"\bwhen was\b.*\bposted\b|\bhow old\b|\bstill open\b|\bdeadline\b|\bcloses?\b", re.IGNORECASE),
    ),
)


@dataclass(frozen=True, slots=True)
class MatchWish:
    """``turned``: the other end of the criterion is asked for (the oldest, the most junior). ``asked_skills`` are
    requirements the message names; ``lacks`` tells that the writer says they do not have them. ``about``: what of a
    single posting is asked for.
    """

    criterion: Criterion = "fit"
    form: Form = "rank"
    turned: bool = False
    asked_skills: tuple[str, ...] = ()
    lacks: bool = False
    about: tuple[Aspect, ...] = ()


def read_match_wish(message: str, vocabulary: SkillVocabulary, *, several: bool) -> MatchWish:
    """How ``message`` wants postings judged; ``several``: it means more than one."""
    message = message[:_LONGEST]
    criterion: Criterion = next((name for name, pattern in _CRITERIA if pattern.search(message)), "fit")
    skills = tuple(vocabulary.extract(message, loose=True))
    lacks = _LACKED.search(message) is not None
    turned = criterion != "fit" and _WORST.search(message) is not None
    if several and _COMPARE.search(message):
        form: Form = "compare"
    elif _EXPLAIN.search(message) and not several:
        form = "explain"
    elif not several and (_ELIGIBLE.search(message) or skills):
        form = "eligible"
    else:
        form = "rank"
    asks = form == "eligible" and (lacks or _NEEDED.search(message) is not None)
    about = () if several or form == "explain" else tuple(name for name, test in _ASPECTS if test.search(message))
    return MatchWish(criterion, form, turned, skills if asks else (), lacks, about)
