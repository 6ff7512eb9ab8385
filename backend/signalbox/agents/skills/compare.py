"""What postings ask for against what a person has: have, half have, missing, and what that makes of it. Pure."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.skills.order import builds_on, learning_order
from signalbox.agents.skills.target import BOILERPLATE, CERTIFICATES, GENERIC, is_boilerplate, names_role
from signalbox.agents.skills.text import Basis, GapFacts, SidesFacts, WorthFacts
from signalbox.blocks import SkillDemand
from signalbox.retrieval.fit.skills import kin_of, weight_of
from signalbox.tools.market_skills import MarketSkills
from signalbox.tools.result import Empty, Err, Ok, Result
from signalbox.tools.vocabulary import packaged_vocabulary

MOST_SKILLS: Final = 15
STEPS: Final = 5
# A skill that fewer postings than this share ask for is one employer's wish.
_LEAST_SHARE: Final = 0.05
# A language that fewer ask for is of their place, not of the work.
_LOCAL_SHARE: Final = 0.5
_CARRIED_SHARE: Final = 0.1
_RAREST: Final = 0.005
# What adverts name besides the work: its field, its sector, its terms.
_NO_STRENGTH: Final = frozenset(BOILERPLATE)
# So many times the share among all postings says that a skill belongs to the work.
_COMMON_TIMES: Final = 1.5


@dataclass(frozen=True, slots=True)
class Owned:
    """``reasons``: for each skill of the user, where it is known from."""

    reasons: Mapping[str, str]
    resume_unread: bool

    @property
    def skills(self) -> tuple[str, ...]:
        return tuple(self.reasons)


def gap_of(
    target: str,
    result: Result[MarketSkills],
    owned: Owned,
    *,
    basis: Basis = "role",
    certificates: bool = False,
) -> GapFacts:
    """What the postings ask for against what the user has. Left out are other names of the role, what every advert asks
    of everybody, and languages that only some places ask for; with ``certificates``, all that is none. Of a single
    posting nothing is: what it names is counted as its verdict counts it.
    """
    bare = GapFacts(
        outcome="unavailable",
        target=target,
        basis=basis,
        skills_known=bool(owned.reasons),
        resume_unread=owned.resume_unread,
        certificates_asked=certificates,
    )
    match result:
        case Err():
            return bare
        case Empty():
            return bare.model_copy(update={"outcome": "no_postings"})
        case Ok(market):
            least = _LEAST_SHARE * market.postings
            asked = [
                (skill, number)
                for skill, number in market.counts
                if number >= least
                and not (basis != "posting" and skill in GENERIC)
                and not (basis == "role" and _says_nothing(skill, number / market.postings, target))
                and not (basis == "role" and names_role(skill, target))
                and (not certificates or skill in CERTIFICATES)
                and not (basis == "role" and number < _LOCAL_SHARE * market.postings and _is_local(skill))
            ][:MOST_SKILLS]
            known = bare.model_copy(update={"postings": market.postings, "sample_postings": market.sample_postings})
            if not asked:
                return known.model_copy(update={"outcome": "no_skills_named"})
            return _compared(known, asked, owned)


def worth_of(skill: str, target: str, result: Result[MarketSkills], owned: Sequence[str]) -> WorthFacts:
    """How many of the postings ask for ``skill``, and what of the rest they ask for more often."""
    own = {name.casefold() for name in owned}
    match result:
        case Err():
            return WorthFacts(outcome="unavailable", skill=skill, target=target)
        case Empty():
            return WorthFacts(outcome="no_postings", skill=skill, target=target)
        case Ok(market):
            telling = [
                (s, n)
                for s, n in market.counts
                if s not in GENERIC and not names_role(s, target) and not _says_nothing(s, n / market.postings, target)
            ]
            asking = dict(market.counts).get(skill, 0)
            above = [(s, n) for s, n in telling if n > asking and s.casefold() not in own][:3]
            return WorthFacts(
                outcome="counted",
                skill=skill,
                target=target,
                postings=market.postings,
                sample_postings=market.sample_postings,
                asking=asking,
                share=round(asking / market.postings, 4),
                place=1 + sum(n > asking for _, n in telling) if asking else None,
                owned=skill.casefold() in own,
                foundations=tuple(f for f in builds_on(skill) if f.casefold() not in own),
                above=tuple(_demand(s, n, market.postings, "missing") for s, n in above),
            )


def _says_nothing(skill: str, share: float, role: str) -> bool:
    """Boilerplate, or no more asked for here than in postings of any kind."""
    return is_boilerplate(skill, role) or (share < _COMMON_TIMES * _share_in_all(skill) and share < _LOCAL_SHARE)


def _share_in_all(skill: str) -> float:
    """Among postings of any kind: the weight of a skill is its share's logarithm, 1 for the rarest."""
    return math.pow(_RAREST, weight_of(skill))


def of_own_work(
    market: Result[MarketSkills], own: Result[MarketSkills], known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """``carried``: skills that the postings for the target and those for the user's present work both ask for, in the
    target's order; ``own_work``: what only the latter ask for. Not those in ``known``, which are told anyway.
    """
    if not isinstance(market, Ok) or not isinstance(own, Ok):
        return {}  # truth: the outcome of either is told by itself; here is only what both say
    told = {name.casefold() for name in known}
    had = [s for s in _often(own.value) if s.casefold() not in told]
    wanted = [s for s in _often(market.value) if s.casefold() not in told]
    both = tuple(s for s in wanted if s in had)
    return {"carried": both[:STEPS], "own_work": () if both else tuple(had[:STEPS])}


def _often(market: MarketSkills) -> list[str]:
    least = _CARRIED_SHARE * market.postings
    return [s for s, n in market.counts if n >= least and not _is_local(s) and s not in _NO_STRENGTH]


def _compared(bare: GapFacts, asked: Sequence[tuple[str, int]], owned: Owned) -> GapFacts:
    own = {skill.casefold(): reason for skill, reason in owned.reasons.items()}
    skills = []
    for skill, number in asked:
        kin = None if skill in CERTIFICATES else kin_of(skill, owned.skills)
        if skill.casefold() in own:
            skills.append(_demand(skill, number, bare.postings, "have", own[skill.casefold()]))
        elif kin:
            skills.append(_demand(skill, number, bare.postings, "partial", f"you know {kin}"))
        else:
            skills.append(_demand(skill, number, bare.postings, "missing"))
    # Of two that are asked for equally often, the one half known is the quicker gain.
    lacking = sorted((s for s in skills if s.status != "have"), key=lambda s: (-s.postings, s.status != "partial"))
    met = sum(s.postings for s in skills if s.status == "have")
    return bare.model_copy(
        update={
            "outcome": "compared",
            "skills": tuple(skills),
            "covered": round(met / sum(s.postings for s in skills), 4),
            "learn_next": learning_order(_learnt([s.skill for s in lacking], bare.target), STEPS),
        }
    )


def _learnt(lacking: Sequence[str], target: str) -> list[str]:
    """What one sets out to learn: first of all no other name of the work itself, and not what every advert asks for."""
    role = target.partition(" at ")[0]
    return [skill for skill in lacking if skill not in GENERIC and not names_role(skill, role)] or list(lacking)


def _demand(skill: str, number: int, postings: int, status: str, reason: str = "") -> SkillDemand:
    return SkillDemand.model_validate(
        {
            "skill": skill,
            "status": status,
            "postings": number,
            "share": round(number / postings, 4),
            "reason": reason,
            "certificate": skill in CERTIFICATES,
        }
    )


def _is_local(skill: str) -> bool:
    """A spoken language: who asks for it depends on the place and not on the work."""
    return packaged_vocabulary().field(skill) == "languages"


def held_together(sides: Sequence[GapFacts]) -> SidesFacts:
    known = [side for side in sides if side.outcome == "compared"]
    lacking = Counter(s.skill for side in known for s in side.skills if s.status != "have")
    shared = tuple(skill for skill, number in lacking.most_common() if number > 1)[:STEPS]
    best = max((side.covered for side in known), default=0.0)
    nearest = [side.target for side in known if side.covered == best]
    return SidesFacts(sides=tuple(sides), shared=shared, nearest=nearest[0] if best and len(nearest) == 1 else "")
