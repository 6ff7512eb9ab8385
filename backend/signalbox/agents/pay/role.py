"""The role a message asks about, read from how people ask for pay, and whether it is one at all. Pure."""

import re
from typing import Final

from signalbox.agents.pay.spelling import mended_role, names_work
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.locations import find_places
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.titles import plain_title
from signalbox.retrieval.words import word_list

_ROLE: Final = r"(?P<role>[^\W\d_][^,.;:!?\n£$€]{1,70}?)"
_END: Final = (
    r"(?=\s+(?:in|at|near|around|with|who|that|working|on|per|from|by|here|there|these|nowadays|usually|typically|"
    r"really|jobs?|roles?|positions?|posts?|based|to|so|when|if|but|because|like|\d)\b|\s*[,.;:!?(£$€]|\s+[–-]|\s*$)"
)
_PAY: Final = (
    r"(?:sal[ae]r(?:y|ies)|salry|salarys?|pay(?:[ -]?(?:range|scale|band|rate|rates|packet|check|checks|raise))?|"
    r"payrange|wages?|earnings?|comp(?:ensation)?|going rates?|day rates?|rates?|income|ctc|premium|allowance)"
)
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"\b(?:do|does|would|could|can|should|will|might)\s+(?:an?\s+|the\s+)?{_ROLE}(?:\s+|\s*,\s*)(?:typically |"
            r"usually |really |actually |tend to )?(?:earn|make|get|pay|take home|bring home|bring in|expect|charge|"
            r"cost)\b"
        ),
        rf"\b{_PAY}\s+(?:is\s+|are\s+)?(?:for|of|as|to)\s+(?:an?\s+|the\s+|most\s+)?{_ROLE}{_END}",
        rf"\bgana(?:n)?\s+(?:un|una|los|las)\s+{_ROLE}{_END}",
        rf"\b(?:difference|more)\s+between\s+(?:an?\s+)?{_ROLE}{_END}",
        (
            r"\b(?:fair|good|decent|normal|realistic|reasonable|low|high|enough|usual|typical|average|right|ok|okay|"
            r"looking like|competitive|market rate|peanuts)\b[^,.;!?]{0,25}?\s(?:for|as)\s+(?:an?\s+|the\s+)?"
            rf"{_ROLE}{_END}"
        ),
        rf"\b(?:paid|earn(?:ing)?|charge|make)\b[^.;!?]{{0,30}}?\sas\s+(?:an?\s+|the\s+){_ROLE}{_END}",
        rf"^(?:and |what about |how about |average |typical |usual )*(?:an? )?{_ROLE}\s+{_PAY}\b",
        rf"\b{_PAY}\s+{_ROLE}{_END}",
        rf"^(?:and|what about|how about)\s+(?:for\s+|as\s+)?(?:an?\s+)?{_ROLE}{_END}",
        rf"\b{_PAY}\s*[,:]\s*(?:an?\s+)?{_ROLE}{_END}",
        (
            rf"\b(?:who|which|what)\s+(?:earns?|makes?|pays?|gets? paid|is paid|are paid)\s+(?:more|most|better|best)\b"
            rf"[\s,:]+(?:an?\s+|the\s+)?{_ROLE}{_END}"
        ),
        rf"\bfor\s+(?:an?\s+)?{_ROLE}{_END}",
        rf"\bas\s+an?\s+{_ROLE}{_END}",
    )
)
# The exact name of an occupation, as quick replies put it: it may hold commas.
_EXACTLY = re.compile(r"\b(?:do|does)\s+“(?P<role>[^“”\n]{2,160})”\s+earn\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:an?|the|my|our|most|other|average|avrage|typical|usual|normal|fair|good|current|starting|base|some|any|"
    r"is|are|what|what's|whats|which|wat|this|that|these|those|"
    r"someone|somebody|people|like|being|working|worth|as|for|of)\s+)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:and|or|plus|versus|vs\.?|than|nights?|shifts?|please|pls|thanks|now|today|yoe)\b.*$", re.IGNORECASE
)
_TRAIL = re.compile(r"\s+(?:jobs?|roles?|positions?|posts?|work|job like this|type jobs?)$", re.IGNORECASE)
_NO_ROLE: Final = words_in(
    """it i you we they he she this that these those them me us one ones someone somebody people job jobs role roles
    position offer offers work money more less much best better worst year years hour hours month week day number
    salary pay wage raise rise increase bonus equity company companies firm employer employers boss manager's ask
    asking sure example instance now then everyone anyone lot bit nothing something anything experience level
    negotiation negotiate market range first second third last two both other same my your field fair good decent
    peanuts here there there's tax net gross benefits package higher lower counter negotiating counteroffer average
    salery sallary band do did what for the to how does check expectation expectations overtime negociate word put give
    candidate candidates is are compare compared comparing comparison against versus juniors seniors graduates grads
    interns beginners trainees earn earning no with least"""
)
_LEVELS: Final = words_in("grad graduate junior senior mid mid-level entry entry-level intern trainee apprentice lead")
_MOST_WORDS: Final = 6
# Pay that a law sets, which is no role's: "the minimum wage", "the national living wage".
STATUTORY: Final = re.compile(
    r"\b(?:(?:national|statutory|legal|federal|state|real|current)\s+)*(?:min(?:imum)?|living)\s+"
    r"(?:hourly\s+|monthly\s+|yearly\s+|annual\s+)?(?:wages?|pay(?:\s+rate)?|salar(?:y|ies)|rate(?:\s+of\s+pay)?)\b",
    re.IGNORECASE,
)


def is_known_role(role: str, vocabulary: SkillVocabulary) -> bool:
    """Whether the vocabulary of titles knows it: it names an occupation, a trade or a skill people are paid for, if
    need be under a slip of the pen. What only stood where a role could ("the minimum", "the pay condition") does not.
    """
    titled = plain_title(role)
    words = titled.split()
    if not words:
        return False
    return (
        names_work(titled)
        or is_occupation(words)
        or not word_list("generic_roles").isdisjoint(words)
        or bool(vocabulary.extract(role, loose=True))
        or mended_role(role) is not None
    )


def role_of(message: str, vocabulary: SkillVocabulary) -> str | None:
    """The role the message asks about, without its place, or None."""
    if match := _EXACTLY.search(message):
        return match["role"].strip()
    _, _, spans = find_places(message, vocabulary)
    text = message
    for start, end in spans:
        # As long as what it stands for, so that the other spans stay true.
        text = text[:start] + " , ".ljust(end - start)[: end - start] + text[end:]
    text = text.lstrip(" ,")
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            role = _TRAIL.sub("", _TAIL.sub("", _LEAD.sub("", match["role"].strip()))).strip(" '\"“”,-")
            words = re.findall(r"[^\W\d_][\w'+#.-]*", role.casefold())
            if words and len(words) <= _MOST_WORDS and _NO_ROLE.isdisjoint(words) and not _LEVELS.issuperset(words):
                return role
    return None
