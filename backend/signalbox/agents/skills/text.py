"""The facts of a comparison with what postings ask for, and the words for them."""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import computed_field

from signalbox.agents.skills.order import builds_on
from signalbox.agents.turn import Facts
from signalbox.agents.words.knowledge_text import Passage, Quote, quoted, source_line
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import SkillDemand
from signalbox.envelope import Intent

# Below this many postings the shares say little.
FEW_POSTINGS: Final = 5
TOLD: Final = 6
ONLY_LISTED: Final = "listed in your CV, with no job that shows it"

Outcome = Literal["compared", "no_target", "no_postings", "no_skills_named", "unavailable"]
Basis = Literal["role", "posting", "postings"]


class GapFacts(Facts):
    """``basis``: the comparison is with the market for a role, with one posting, or with several shown ones.
    ``skills_known``: the profile or CV holds any skill at all. ``covered``: the share of all the asking that the user's
    skills meet. ``missed``: postings meant that are gone or could not be read. ``carried``: skills that postings for
    the user's ``present`` work and those for the target both ask for; ``own_work``: where there
    are none, what the former ask for.
    """

    outcome: Outcome
    target: str = ""
    basis: Basis = "role"
    postings: int = 0
    sample_postings: int = 0
    skills: tuple[SkillDemand, ...] = ()
    learn_next: tuple[str, ...] = ()
    covered: float = 0.0
    skills_known: bool = False
    resume_unread: bool = False
    roles: tuple[str, ...] = ()
    missed: int = 0
    certificates_asked: bool = False
    present: str = ""
    carried: tuple[str, ...] = ()
    own_work: tuple[str, ...] = ()
    guide: Passage | None = None
    quote: Quote | None = None
    guide_state: Literal["not_asked", "found", "nothing", "unavailable"] = "not_asked"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def asked(self) -> int:
        """How many skills are compared."""
        return len(self.skills)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def have(self) -> int:
        """How many of them the user has, without those known in part."""
        return sum(skill.status == "have" for skill in self.skills)


class WorthFacts(Facts):
    """How often the postings for ``target`` ask for ``skill``. ``place``: its rank among all skills asked for."""

    outcome: Literal["counted", "no_target", "no_postings", "unavailable"]
    skill: str
    target: str = ""
    postings: int = 0
    sample_postings: int = 0
    asking: int = 0
    share: float = 0.0
    place: int | None = None
    owned: bool = False
    foundations: tuple[str, ...] = ()
    above: tuple[SkillDemand, ...] = ()
    roles: tuple[str, ...] = ()
    guide: Passage | None = None
    quote: Quote | None = None


class PlanFacts(Facts):
    """A question on the learning that an earlier comparison with ``target`` named: how long, or by which courses."""

    about: Literal["time", "courses"]
    target: str
    learn_next: tuple[str, ...]
    guide: Passage | None = None
    quote: Quote | None = None
    guide_state: Literal["not_asked", "found", "nothing", "unavailable"] = "not_asked"


class SidesFacts(Facts):
    """Several roles, each compared on its own. ``shared``: skills to learn that more than one of them asks for."""

    sides: tuple[GapFacts, ...]
    shared: tuple[str, ...] = ()
    nearest: str = ""


def compose(facts: GapFacts) -> str:
    """The reply as the template words it, in Markdown."""
    target = plain(facts.target)
    match facts.outcome:
        case "no_target":
            known = (
                "" if facts.skills_known else (" It also helps to tell me which skills you have, or to upload your CV.")
            )
            return f"Which role should I compare you with? Name one, for example {listed(facts.roles, 'or')}.{known}"
        case "unavailable":
            return (
                f"I could not look at the postings for “{target}” just now, so I cannot say what is missing. "
                "Please ask again in a moment."
            )
        case "no_postings" if facts.basis != "role":
            gone = f"The posting “{target}” is" if facts.basis == "posting" else "Those postings are"
            return f"{gone} no longer in the catalogue, so I cannot compare you with it. Name a role instead."
        case "no_postings":
            return (
                f"I looked for postings for “{target}” and the catalogue has none, so I have nothing to measure you "
                "against. A more common title for the same work may find some."
            )
        case "no_skills_named":
            which = "The posting" if facts.basis == "posting" else f"The {counted(facts.postings, 'posting')}"
            named = "certificates" if facts.certificates_asked else "particular skills"
            return (
                f"{which} for “{target}” {'names' if facts.postings == 1 else 'name'} no {named}, so there is no "
                f"gap to "
                "show."
            )
        case "compared":
            return _comparison(facts)


def worth_text(facts: WorthFacts) -> str:
    skill, target = plain(facts.skill), plain(facts.target)
    match facts.outcome:
        case "no_target":
            return (
                f"For which role? Whether {skill} is worth it depends on that, for example {listed(facts.roles, 'or')}."
            )
        case "unavailable":
            return (
                f"I could not look at the postings for “{target}” just now, so I cannot say how many ask for {skill}."
            )
        case "no_postings":
            return (
                f"I looked for postings for “{target}” and the catalogue has none, so I cannot say what {skill} is "
                f"worth."
            )
        case "counted":
            parts = [_worth(facts), _above(facts), _quoted(facts.quote, facts.guide)]
            return "\n\n".join(part for part in parts if part)


def plan_text(facts: PlanFacts) -> str:
    """No table again: what is known of how long it takes and of courses, and what the guide suggests."""
    steps = listed([plain(skill) for skill in facts.learn_next[:3]])
    take = "take" if len(facts.learn_next) > 1 else "takes"
    first = plain(facts.learn_next[0]) if facts.learn_next else "the first skill"
    if facts.about == "time":
        lead = (
            f"I have no source for how long {steps or 'that'} {take}, and I will not guess: it hangs on what you know "
            f"already and on your hours a week. What you can do is plan backwards from something to show: begin with "
            f"{first}, set a date for one piece of work, and see after two weeks how far you are."
        )
    else:
        later = listed([plain(skill) for skill in facts.learn_next[1:3]])
        lead = (
            f"I keep no list of courses and recommend no provider. For “{plain(facts.target)}” look for one on "
            f"**{first}** first{f', then {later}' if later else ''}"
            ", and judge it before you pay."
        )
    unread = "I could not look into my guides just now." if facts.guide_state == "unavailable" else ""
    return "\n\n".join(part for part in (lead, _quoted(facts.quote, facts.guide), unread) if part)


def sides_text(facts: SidesFacts) -> str:
    known = [side for side in facts.sides if side.outcome == "compared"]
    lines = []
    for side in facts.sides:
        if side.outcome != "compared":
            lines.append(f"- **{plain(side.target)}:** {compose(side)}")
            continue
        have = [s for s in side.skills if s.status == "have"]
        lacking = [s for s in side.skills if s.status == "missing"][:4]
        lines.append(
            f"- **{plain(side.target)}** ({counted(side.postings, 'posting')}{_samples(side)}): you have {len(have)} "
            f"of the {counted(len(side.skills), 'most asked skill')}, which is {side.covered:.0%} of all the asking"
            + (f". Missing most: {_shares(lacking, side.postings)}." if lacking else ".")
        )
    parts = ["Held against each other:", "\n".join(lines)]
    if facts.nearest and len(known) > 1:
        parts.append(f"By that measure you are nearer to **{plain(facts.nearest)}**.")
    if facts.shared:
        parts.append(
            f"Asked for on more than one side, so it counts twice: {listed([plain(s) for s in facts.shared])}."
        )
    if any(side.postings < FEW_POSTINGS for side in known):
        parts.append("Where there are so few postings, take the shares as a hint.")
    if known and not known[0].skills_known:
        parts.append(
            "I know of no skills of yours yet, so all of it counts as missing. Tell me them or upload your CV."
        )
    return "\n\n".join(parts)


def offers_of(facts: GapFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome."""
    if facts.outcome == "no_target":
        return [(_capital(role), f"Which skills am I missing for {role} jobs?", "skill_gap") for role in facts.roles]
    if facts.outcome != "compared":
        return []
    offers: list[tuple[str, str, Intent]] = []
    if facts.basis == "role":
        offers.append((f"Find {facts.target} jobs", f"Find {facts.target} jobs", "job_search"))
    offers += [(f"I know {s}", f"Add {s} to my skills", "profile_update") for s in facts.learn_next[:2]]
    return offers


def _comparison(facts: GapFacts) -> str:
    groups = {status: [s for s in facts.skills if s.status == status] for status in ("have", "partial", "missing")}
    parts = [_basis(facts), _caveats(facts)]
    lines = []
    if groups["have"]:
        lines.append(f"- **You have:** {_shares(groups['have'][:TOLD], facts.postings)}")
    if groups["partial"]:
        halves = [f"{plain(s.skill)} ({plain(s.reason)})" for s in groups["partial"][:TOLD]]
        lines.append(f"- **Close to what you know:** {', '.join(halves)}")
    if groups["missing"]:
        # Of a single posting all is told that is counted.
        told = groups["missing"] if facts.basis == "posting" else groups["missing"][:TOLD]
        lines.append(f"- **Missing:** {_shares(told, facts.postings)}")
    if facts.carried:
        lines.append(
            f"- **What carries over:** postings for “{plain(facts.present)}” and for “{plain(facts.target)}” both ask "
            f"for {listed([plain(s) for s in facts.carried])}. If your work taught you that, say so and show it."
        )
    elif facts.own_work:
        lines.append(
            f"- **From your own work:** postings for “{plain(facts.present)}” ask for "
            f"{listed([plain(s) for s in facts.own_work])}. Those I looked at for the new role name none of it, so say "
            "yourself where it helps there."
        )
    claimed = [plain(s.skill) for s in groups["have"] if s.reason == ONLY_LISTED]
    if claimed:
        lines.append(f"- **Only listed in your CV:** {', '.join(claimed)}. Add a line to a job that shows it.")
    certificates = [s for s in facts.skills if s.certificate and s.status != "have"]
    if certificates and not facts.certificates_asked:
        lines.append(f"- **Certificates asked for:** {_shares(certificates[:TOLD], facts.postings)}")
    parts += ["\n".join(lines), _order(facts), _quoted(facts.quote, facts.guide)]
    if facts.guide_state == "unavailable":
        parts.append("I could not look into my guides on how to learn just now.")
    return "\n\n".join(part for part in parts if part)


def _basis(facts: GapFacts) -> str:
    target, number, have = plain(facts.target), facts.asked, facts.have
    what = "certificate" if facts.certificates_asked else "skill"
    if facts.basis == "posting":
        sample = " It is a fictional sample." if facts.sample_postings else ""
        return f"The posting “{target}” asks for {counted(number, what)}, and you have **{have}**.{sample}"
    where = f"for “{target}”" if facts.basis == "role" else "you were shown"
    text = (
        f"In **{counted(facts.postings, 'posting')}** {where}, you have **{have} of the "
        f"{counted(number, f'most asked {what}')}**."
    )
    if number == 1:
        text = (
            f"The **{counted(facts.postings, 'posting')}** {where} agree on one {what}, and you "
            f"{'have' if have else 'lack'} it."
        )
    return text


def _caveats(facts: GapFacts) -> str:
    said = []
    if facts.basis != "posting" and facts.sample_postings:
        all_of = facts.sample_postings == facts.postings
        what = "fictional samples" if facts.sample_postings > 1 else "a fictional sample"
        those = (
            ("They are all")
            if all_of and facts.postings > 1
            else "It is"
            if all_of
            else f"{facts.sample_postings:,} of them are"
        )
        said.append(f"{those} {what} from the built-in catalogue.")
    if facts.basis == "role" and facts.postings < FEW_POSTINGS:
        said.append("That is too few to generalise from: take it as a hint.")
    if facts.missed:
        said.append(
            f"{counted(facts.missed, 'posting')} of those could not be read, and "
            f"{'is' if facts.missed == 1 else 'are'} left out."
        )
    if facts.resume_unread:
        said.append("I could not read your CV just now, so this rests on your profile alone.")
    if not facts.skills_known:
        said.append(
            "I know of no skills of yours yet, so everything below counts as missing. Tell me what you can do, or "
            "upload your CV, and I compare again."
        )
    return " ".join(said)


def _samples(side: GapFacts) -> str:
    if not side.sample_postings:
        return ""
    return ", fictional samples" if side.sample_postings == side.postings else f", {side.sample_postings} fictional"


def _shares(skills: Sequence[SkillDemand], postings: int) -> str:
    if postings == 1:
        return ", ".join(plain(skill.skill) for skill in skills)
    return ", ".join(f"{plain(skill.skill)} ({skill.share:.0%})" for skill in skills)


def _order(facts: GapFacts) -> str:
    if not facts.learn_next:
        return "Nothing on the list is missing. Apply, and use these words in your CV."
    numbers = {skill.skill: skill for skill in facts.skills}
    lead = "To learn next, in this order:" if len(facts.learn_next) > 1 else "To learn next:"
    steps = []
    for place, skill in enumerate(facts.learn_next, start=1):
        demand = numbers[skill]
        notes = (
            [(f"asked for in {demand.postings:,} of {counted(facts.postings, 'posting')}")]
            if facts.postings > 1
            else []
        )
        later = [plain(s.skill) for s in facts.skills if s.status != "have" and skill in builds_on(s.skill)][:2]
        if later:
            notes.append(f"{listed(later)} {'builds' if len(later) == 1 else 'build'} on it")
        if demand.certificate:
            notes.append("a certificate or licence")
        if demand.status == "partial":
            notes.append(demand.reason)
        steps.append(f"{place}. {plain(skill)}{': ' if notes else ''}{'; '.join(notes)}")
    return "\n".join([lead, *steps])


def _worth(facts: WorthFacts) -> str:
    skill, target = plain(facts.skill), plain(facts.target)
    samples = ""
    if facts.sample_postings:
        of_them = "all" if facts.sample_postings == facts.postings else f"{facts.sample_postings:,} of them"
        samples = f" ({of_them} fictional samples)"
    n = counted(facts.postings, "posting")
    if not facts.asking:
        text = f"**None** of the {n} for “{target}”{samples} asks for {skill} by name."
    else:
        asks = "asks" if facts.asking == 1 else "ask"
        text = f"**{facts.asking:,} of {n}** for “{target}”{samples} {asks} for {skill}: {facts.share:.0%}"
        text += f", number {facts.place} of all skills asked for." if facts.place else "."
    if facts.postings < FEW_POSTINGS:
        text += " That is too few to generalise from: take it as a hint."
    if facts.owned:
        text += " You have it already."
    elif facts.foundations:
        text += f" It builds on {listed([plain(f) for f in facts.foundations])}, which I do not know of you yet."
    return text


def _above(facts: WorthFacts) -> str:
    if not facts.above:
        return ""
    return f"Asked for more often, and not yet yours: {_shares(facts.above, facts.postings)}."


def _quoted(quote: Quote | None, guide: Passage | None) -> str:
    if quote is None or guide is None:
        return ""
    return f"{quoted(quote)}\n\n*{source_line(1, guide)}*"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
