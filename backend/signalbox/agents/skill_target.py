"""Which role a question about skills is about, and which skills are kin to one another. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from signalbox.agents.profile_words import value_of, values_of
from signalbox.blocks import ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in
from signalbox.retrieval.skills import SkillVocabulary

_MOST_WORDS: Final = 6
_ROLE: Final = r"(?P<role>[^\W\d_][^,.;:!?\n]{1,80})"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bfrom\s+(?:[\w-]+\s+){{1,4}}to\s+(?:be(?:come|ing)?\s+)?{_ROLE}",
        rf"\b(?:becom(?:e|ing)|to be|step up to|move up to)\s+{_ROLE}",
        rf"\b(?:work(?:ing)?|job|candidate)\s+(?:as|like)\s+{_ROLE}",
        rf"\bmy (?:goal|target|aim|dream)(?: role| job)? is\s+{_ROLE}",
        (
            r"\b(?:for|to|with|4)\s+(?:an?\s+|the\s+|this\s+|these\s+)?(?P<role>[^\W\d_][^,.;:!?\n]{1,60}?)\s+"
            r"(?:roles?|jobs?|positions?|postings?|posts?|work|interviews)\b"
        ),
        (
            rf"\b(?:skills?|skils|gaps?|requirements?|qualifications?|missing|lack(?:ing)?|need|learn|"
            rf"study)\s+(?:for|4)\s+{_ROLE}"
        ),
        rf"\b(?:get|break|move|switch|go)(?:ting|ing)?\s+(?:in)?to\s+{_ROLE}",
        (
            r"\b(?:do|does|must|should|would)\s+(?P<role>(?:an?\s+)[^\W\d_][^,.;:!?\n]{1,60}?)\s+(?:actually\s+)?"
            r"(?:need|have to|know|require|learn)\b"
        ),
        rf"\b(?:skills?|skils)\s+(?:do i need|i need|needed)\s+(?:for|4|as|to be)\s+{_ROLE}",
        rf"\b(?:gap analysis|analisis|analysis|forward|i want to be|brush up on)\s+(?:for|as)\s+{_ROLE}",
    )
)
_LEAD = re.compile(
    r"^(?:(?:an?|the|more|better|good|accepted as|stronger|my|work as|being|be|become|like|as)\s+)+", re.IGNORECASE
)
_END = re.compile(
    r"\s+(?:in|at|from|with|if|and|who|that|which|for|before|after|using|within|by|when|than|where|on|or|plz|"
    r"please|pls|"
    r"through|because|without|so|to|as|i|is|roles?|jobs?|positions?|postings?|posts?|level|know-how)\b.*$",
    re.IGNORECASE,
)
_NO_ROLE = re.compile(
    r"^(?:it|this|that|these|those|them|one|ones|this one|that one|one of them|me|us|work|jobs?|role|all of it|all|"
    r"here|there|"
    r"(?:the )?(?:first|second|third|last)(?: (?:job|one|role))?|90%|get\b.*|mid|learn|do|help|close|apply\b.*|"
    r"another\b.*|"
    r"free\b.*|my\b.*|analyst)$",
    re.IGNORECASE,
)
_NO_ROLE_WORDS: Final = words_in(
    """get getting learn lern know taken giving candidate match other straight me my i you it what w/o serious"""
)

# Who knows one of a group is quick in the others.
_KIN: Final = tuple(
    frozenset(group.split("|"))
    for group in (
        "SQL|PostgreSQL|MySQL|SQL Server|Oracle Database|PL/SQL",
        "AWS|Azure|Google Cloud",
        "Docker|Kubernetes|Helm",
        "React|Vue.js|Angular|Svelte|Next.js",
        "JavaScript|TypeScript|Node.js",
        "Java|Kotlin|Scala",
        "C#|.NET|F#",
        "C|C++|Rust",
        "Tableau|Power BI|Looker",
        "Terraform|Ansible|CloudFormation",
        "PyTorch|TensorFlow",
        "Apache Spark|Hadoop|Databricks",
        "Django|Flask|FastAPI",
        "Adobe Photoshop|Adobe Illustrator|Adobe InDesign|Figma",
        "Accounting|Bookkeeping",
    )
)
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


def target_of(message: str, profile: Sequence[ProfileFact], history: Sequence[PastMessage]) -> str | None:
    """The role that is asked about: the message's, else the last one asked about, else the profile's title."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(message):
            role = _END.sub("", _LEAD.sub("", match["role"].strip())).strip(" '\"“”")
            words = role.casefold().split()
            if words and len(words) <= _MOST_WORDS and not _NO_ROLE.match(role) and _NO_ROLE_WORDS.isdisjoint(words):
                return role
    for past in reversed(history):
        for block in past.blocks:
            if block.get("type") == "skill_gap":
                return str(block["target"])
    wished = [fact for fact in profile if fact.kind == "preference"]
    return value_of(wished, "title") or value_of(profile, "title")


def kin_of(skill: str, owned: Iterable[str]) -> str | None:
    """A skill of ``owned`` that makes ``skill`` half known."""
    for own in owned:
        if any(skill in group and own in group for group in _KIN):
            return own
        words, others = set(skill.casefold().split()), set(own.casefold().split())
        if words != others and (words < others or others < words) and len(words | others) > 1:
            return own
    return None


def likely_roles(profile: Sequence[ProfileFact], vocabulary: SkillVocabulary) -> tuple[str, ...]:
    """Three roles that people with such skills go for."""
    fields = [field for skill in values_of(profile, "skill") if (field := vocabulary.field(skill)) in _ROLES]
    if not fields:
        return _ANY_ROLES
    return _ROLES[max(dict.fromkeys(fields), key=fields.count)]
