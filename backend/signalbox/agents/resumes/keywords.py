"""What a posting, or the market for a role, asks for that a CV does not say. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.memory.resume.facts import skills_of
from signalbox.memory.resume.model import Resume
from signalbox.retrieval.skills import SkillVocabulary

MOST: Final = 12
# A skill that fewer postings than this share ask for is one employer's wish.
LEAST_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Keywords:
    """``said``: asked for and in the CV. ``unsaid``: known of the user, not in the CV. ``missing``: neither."""

    said: tuple[str, ...]
    unsaid: tuple[str, ...]
    missing: tuple[str, ...]


def keywords_of(asked: Sequence[str], resume: Resume, known: Sequence[str], vocabulary: SkillVocabulary) -> Keywords:
    """``asked`` in the order of demand, ``known`` are the skills of the profile."""
    text = f" {resume.text.casefold()} "
    spoken = {each.language.casefold() for each in resume.languages}
    in_cv = {skill.casefold() for skill in (*skills_of(resume, vocabulary), *resume.skills)} | spoken
    own = {skill.casefold() for skill in known}
    said, unsaid, missing = [], [], []
    for skill in asked:
        key = skill.casefold()
        if key in in_cv or any(f" {name.casefold()} " in text for name in vocabulary.names_of(skill)):
            said.append(skill)
        elif key in own:
            unsaid.append(skill)
        else:
            missing.append(skill)
    return Keywords(tuple(said[:MOST]), tuple(unsaid[:MOST]), tuple(missing[:MOST]))


def asked_by_market(counts: Sequence[tuple[str, int]], postings: int, role: str) -> tuple[str, ...]:
    """The skills a fair share of the postings ask for; what only repeats the role's name is left out."""
    return tuple(
        skill
        for skill, number in counts
        if number >= LEAST_SHARE * postings and skill.casefold() not in role.casefold()
    )
