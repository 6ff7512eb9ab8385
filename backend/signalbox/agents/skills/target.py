"""Which role a question about skills is about, and which skills are kin to one another. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.agents.words.profile_words import value_of, values_of
from signalbox.blocks import ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.vocabulary import packaged_vocabulary

_MOST_WORDS: Final = 6
_ROOT: Final = 4
# Roles are named early; what backtracks over more than this costs time and finds nothing.
_MOST_CHARS: Final = 400
_ROLE: Final = r"(?P<role>[^\W\d_][^,.;:!?\n]{1,80})"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bfrom\s+(?:[\w-]+\s+){{1,4}}to\s+(?:be(?:come|ing)?\s+)?{_ROLE}",
        rf"\b(?:becom(?:e|ing)|to be|step up to|move up to)\s+{_ROLE}",
        rf"\b(?:work(?:ing)?|job|candidate)\s+(?:as|like)\s+{_ROLE}",
        rf"\bmy (?:goal|target|aim|dream)(?: role| job)? is\s+{_ROLE}",
        (
            r"\b(?:for|to|with|4)\s+(?:an?\s+|the\s+|this\s+|"
            r"these\s+)?(?P<role>[^\W\d_][^,.;:!?\n]{1,60}?)\s+(?:roles?|jobs?|positions?|postings?|posts?|work|"
            r"interviews)\b"
        ),
        (
            rf"\b(?:skills?|skils|gaps?|requirements?|qualifications?|missing|lack(?:ing)?|need|learn|study)\s+(?:for|"
            rf"4)\s+{_ROLE}"
        ),
        (
            r"\b(?:do|does)\s+(?P<role>[^\W\d_][^,.;:!?\n]{1,60}?)\s+(?:jobs?|roles?|postings?|adverts?|ads|"
            r"employers)\s+(?:ask|need|want|require|look)\b"
        ),
        (
            rf"\b(?:worth|learn(?:ing)?|useful|needed|necessary|required|important|valuable|"
            rf"demand)\b.{{0,30}}?\b(?:for|as|to be(?:come)?)\s+(?:an?\s+)?{_ROLE}"
        ),
        rf"\b(?:get|break|move|switch|go)(?:ting|ing)?\s+(?:in)?to\s+{_ROLE}",
        (
            r"\b(?:do|does|must|should|"
            r"would)\s+(?P<role>(?:an?\s+)[^\W\d_][^,.;:!?\n]{1,60}?)\s+(?:actually\s+)?(?:need|have to|know|require|"
            r"learn)\b"
        ),
        rf"\b(?:skills?|skils)\s+(?:do i need|i need|needed)\s+(?:for|4|as|to be)\s+{_ROLE}",
        rf"\b(?:gap analysis|analisis|analysis|forward|i want to be|brush up on)\s+(?:for|as)\s+{_ROLE}",
    )
)
_JOINT: Final = r"\s+(?:vs\.?|versus|or|compared (?:to|with)|against|rather than)\s+"
_VERSUS = re.compile(
    r"(?:\b(?:for|as|between|compare|to|be(?:come)?|me (?:to|with|for)|gaps?:?|closer to|nearer to|better fit for|"
    r"is)\s+|^\W*)"
    rf"(?P<one>(?:(?!for |as |between |compare )[\w+#/&-]+ ){{0,4}}?[\w+#/&-]+){_JOINT}(?P<other>[\w+#/& -]{{3,50}}?)"
    rf"(?:{_JOINT}(?P<third>[\w+#/& -]{{3,50}}?))?(?=[?.!,;:]|$|\s+(?:roles?|jobs?|positions?)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:an?|the|more|better|good|accepted as|stronger|my|work as|being|be|become|like|as)\s+)+", re.IGNORECASE
)
_END = re.compile(
    r"\s+(?:in|at|from|with|if|and|who|that|which|for|before|after|using|within|by|when|than|where|on|or|plz|please|"
    r"pls|through|because|without|so|to|as|i|is|roles?|jobs?|positions?|postings?|posts?|level|know-how)\b.*$",
    re.IGNORECASE,
)
_NO_ROLE = re.compile(
    r"^(?:(?:all |each |any )?(?:of )?(?:these|those|them)(?: \w+)?|it|this|that|these|those|them|one|ones|this one|"
    r"that one|one of them|me|us|work|jobs?|role|all of it|all|here|there|(?:the )?(?:first|second|third|"
    r"last)(?: (?:job|one|role))?|90%|get\b.*|mid|learn|do|help|close|apply\b.*|another\b.*|free\b.*|my\b.*|analyst)$",
    re.IGNORECASE,
)
_NO_ROLE_WORDS: Final = words_in(
    """get getting learn lern know taken giving candidate match other straight me my i you it what w/o serious"""
)

# What every advert asks of everybody: it tells nothing of a role, and no course closes it.
GENERIC: Final = frozenset(
    {
        "Communication",
        "Teamwork",
        "Problem Solving",
        "Time Management",
        "Attention to Detail",
        "Critical Thinking",
        "Leadership",
        "Mentoring",
        "English",
    }
)

# Named in adverts of every kind; a skill only of the roles that the pattern finds.
_HR: Final = re.compile(
    r"\b(?:hr|human|people|talent|recruit\w*|reward|compensation|benefits?|payroll|person\w*)\b", re.IGNORECASE
)
_PUBLIC: Final = re.compile(
    r"\b(?:public|policy|government|council|municipal|civil|administrat\w*|city)\b", re.IGNORECASE
)
BOILERPLATE: Final = {
    "Compensation and Benefits": _HR,
    "Human Resources": _HR,
    "Employee Relations": _HR,
    "Onboarding": _HR,
    "Recruitment": _HR,
    "Payroll": re.compile(r"\b(?:hr|human|payroll|account\w*|bookkeep\w*|finance)\b", re.IGNORECASE),
    "Public Administration": _PUBLIC,
    "Local Government": _PUBLIC,
    "Higher Education": re.compile(
        r"\b(?:lectur\w*|professor|university|academic|research\w*|tutor|teach\w*)\b", re.IGNORECASE
    ),
    "Law Enforcement": re.compile(r"\b(?:police|officer|detective|enforcement|guard|security|prison)\b", re.IGNORECASE),
}
_TOOLS: Final = frozenset({"software", "data", "cloud", "security"})

# Certificates, licences and registrations of the vocabulary: they are passed or granted, not learned on the side.
CERTIFICATES: Final = frozenset(
    {
        "CISSP", "CISM", "CISA Certification", "CompTIA Security+", "OSCP", "Security Clearance", "PMP", "PRINCE2",
        "CIPD", "ACCA", "CPA", "CFA", "CIMA", "AAT Qualification", "NMC Registration", "CPR", "Advanced Life Support",
        "First Aid", "Qualified Teacher Status", "Gas Safe Registration", "CSCS Card", "Asbestos Awareness",
        "Professional Engineer License", "LEED", "HGV Driving", "CDL", "Driver CPC", "Driving Licence", "ITIL",
        "Six Sigma", "OSHA",
    }
)  # fmt: skip

# What people with skills of a field may want to become, for those who have not said.
_ROLES: Final[dict[str, tuple[str, ...]]] = {
    "software": ("backend developer", "full-stack developer", "data engineer"),
    "data": ("data analyst", "data engineer", "data scientist"),
    "cloud": ("DevOps engineer", "site reliability engineer", "cloud architect"),
    "security": ("security analyst", "security engineer", "network engineer"),
    "health": ("registered nurse", "care manager", "clinical research coordinator"),
    "finance": ("accountant", "financial analyst", "financial controller"),
    "marketing": ("marketing manager", "content strategist", "sales manager"),
    "design": ("UX designer", "product designer", "graphic designer"),
    "education": ("teacher", "instructional designer", "training manager"),
    "trades": ("electrician", "site manager", "maintenance technician"),
    "engineering": ("mechanical engineer", "project engineer", "quality engineer"),
    "logistics": ("supply chain planner", "warehouse manager", "logistics coordinator"),
    "hospitality": ("chef", "hotel manager", "event manager"),
    "science": ("laboratory technician", "research scientist", "data analyst"),
    "office": ("office manager", "project manager", "executive assistant"),
    "public": ("policy officer", "social worker", "project manager"),
}
_ANY_ROLES: Final = ("data analyst", "project manager", "registered nurse")


def role_in(message: str) -> str | None:
    """The role that ``message`` names, or None."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(message[:_MOST_CHARS]):
            role = _END.sub("", _LEAD.sub("", match["role"].strip())).strip(" '\"“”")
            words = role.casefold().split()
            if words and len(words) <= _MOST_WORDS and not _NO_ROLE.match(role) and _NO_ROLE_WORDS.isdisjoint(words):
                return role
    return None


def target_of(message: str, profile: Sequence[ProfileFact], history: Sequence[PastMessage]) -> str | None:
    """The role that is asked about: the message's, else the last one asked about, else the profile's title."""
    if role := role_in(message):
        return role
    for past in reversed(history):
        for block in past.blocks:
            if block.get("type") == "skill_gap":
                return str(block["target"])
    wished = [fact for fact in profile if fact.kind == "preference"]
    return value_of(wished, "title") or value_of(profile, "title")


def targets_of(message: str) -> tuple[str, ...]:
    """The roles that are held against one another: "data engineer vs data analyst". Fewer than two: none are."""
    match = _VERSUS.search(" ".join(message.split())[:_MOST_CHARS])
    if match is None:
        return ()
    sides = [_side(match[name]) for name in ("one", "other", "third") if match[name]]
    return tuple(dict.fromkeys(sides)) if len(sides) > 1 and all(sides) else ()


def _side(text: str) -> str:
    role = _END.sub("", _LEAD.sub("", text.strip())).strip(" '\"“”?.!,")
    words = role.casefold().split()
    ok = words and len(words) <= _MOST_WORDS and not _NO_ROLE.match(role) and _NO_ROLE_WORDS.isdisjoint(words)
    return role if ok else ""


def names_role(skill: str, role: str) -> bool:
    """The skill is another name of the role itself: "Data Analysis" for a data analyst, "Nursing" for nursing."""
    titles = [word.casefold()[:_ROOT] for word in re.findall(r"\w+", role)]
    words = [word.casefold()[:_ROOT] for word in re.findall(r"\w+", skill)]
    if not words or not all(word in titles for word in words):
        return False
    # A word of the title may be a tool of the trade: "Python" for a Python developer is a skill all the same.
    is_tool = packaged_vocabulary().field(skill) in _TOOLS and len(titles) > len(words)
    return not (is_tool and skill.casefold() in role.casefold())


def is_boilerplate(skill: str, role: str) -> bool:
    """What adverts say of the employer and its terms, and no skill of the role: benefits, the department, the sector.
    For who works in that very field it is one.
    """
    of_field = BOILERPLATE.get(skill)
    return of_field is not None and of_field.search(role) is None


def likely_roles(profile: Sequence[ProfileFact], vocabulary: SkillVocabulary) -> tuple[str, ...]:
    """Three roles that people with such skills go for."""
    fields = [field for skill in values_of(profile, "skill") if (field := vocabulary.field(skill)) in _ROLES]
    if not fields:
        return _ANY_ROLES
    return _ROLES[max(dict.fromkeys(fields), key=fields.count)]
