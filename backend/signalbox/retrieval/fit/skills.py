"""How well skills cover what a posting asks for: rare ones weigh more than common ones, kin counts half. Pure."""

import functools
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

from signalbox.retrieval.fit.titles import special_words, title_words

# The share assumed of a skill that fewer than one posting in a hundred asks for.
_RARE: Final = 0.005
# Few people have all of a long list: this many of its weightiest skills are as good as all.
_ENOUGH: Final = 6
# Named in the title, a skill is what the job is about.
_IN_TITLE: Final = 2.0
_KIN_COUNTS: Final = 0.5

# Who knows one of a group is quick in the others.
KIN: Final = tuple(
    frozenset(group.split("|"))
    for group in (
        "PostgreSQL|MySQL|SQL Server|Oracle Database|SQL|PL/SQL",
        "AWS|Azure|Google Cloud",
        "React|Vue.js|Angular|Svelte|Next.js",
        "JavaScript|TypeScript",
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
        "Data Analysis|Data Visualization|Data Science|Statistics",
        "MongoDB|DynamoDB|Cassandra",
        "iOS Development|Swift|Objective-C",
        "Docker|Kubernetes",
    )
)
_GROUPS: Final = {skill: tuple(group for group in KIN if skill in group) for group in KIN for skill in group}


@dataclass(frozen=True, slots=True)
class SkillFit:
    """``share`` (0 to 1) of what is asked that is covered; ``kin``: an asked skill and the one that half covers it."""

    share: float
    matched: tuple[str, ...]
    kin: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def weight_of(skill: str) -> float:
    """1 for a rare skill, less for what many postings ask for: "Communication" tells no two people apart."""
    return math.log(_shares().get(skill, _RARE)) / math.log(_RARE)


def kin_of(skill: str, owned: Iterable[str]) -> str | None:
    """A skill of ``owned`` that makes ``skill`` half known."""
    groups = _GROUPS.get(skill, ())
    for own in owned:
        if any(own in group for group in groups):
            return own
        words, others = set(skill.casefold().split()), set(own.casefold().split())
        if words != others and (words < others or others < words) and len(words | others) > 1:
            return own
    return None


def skill_fit(asked: Sequence[str], title: str, owned: Sequence[str]) -> SkillFit:
    """``asked`` are a posting's skills, ``owned`` a person's. Nothing asked is covered by half, which is no more than
    not knowing.
    """
    own = {skill.casefold() for skill in owned}
    matched = tuple(skill for skill in asked if skill.casefold() in own)
    missing = tuple(skill for skill in asked if skill.casefold() not in own)
    kin = tuple((skill, through) for skill in missing if (through := kin_of(skill, owned)))
    half = dict(kin)
    if not asked:
        return SkillFit(0.5, (), (), ())
    parts = {
        skill: weight_of(skill) * (1 if skill in matched else _KIN_COUNTS if skill in half else 0) for skill in asked
    }
    named = title_words(title)
    core = [skill for skill in asked if (words := special_words(skill)) and words <= named]
    rest = sorted((skill for skill in asked if skill not in core), key=weight_of, reverse=True)
    enough = max(1, _ENOUGH - len(core)) if rest else 0
    # What the title names, no number of other skills makes up for.
    whole = _IN_TITLE * sum(map(weight_of, core)) + sum(map(weight_of, rest[:enough]))
    others_covered = min(sum(parts[skill] for skill in rest), sum(map(weight_of, rest[:enough])))
    covered = _IN_TITLE * sum(parts[skill] for skill in core) + others_covered
    return SkillFit(covered / whole, matched, kin, missing)


@functools.cache
def _shares() -> dict[str, float]:
    """How large a share of postings asks for a skill, for those that at least one in a hundred does."""
    text = (resources.files("signalbox.data") / "skill_shares.json").read_text(encoding="utf-8")
    return {str(name): float(share) for name, share in json.loads(text).items()}
