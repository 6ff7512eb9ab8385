"""The reply to a question about a company, in Markdown. Pure: every fact comes from ``CompanyFacts``."""

from collections.abc import Callable, Sequence
from typing import Final

from signalbox.agents.companies.facts import CompanyFacts, Known, Listed, Outcome, day_text
from signalbox.agents.words.guides import guides_text
from signalbox.agents.words.phrases import counted, listed, plain

_LONG: Final = 330
# Told whatever was asked; the rest stands in the profile.
_ALWAYS: Final = frozenset({"What it does", "Postings", "Website", "Careers page"})


def compose(facts: CompanyFacts) -> str:
    """The whole reply as the template words it."""
    parts = [_BODIES[facts.outcome](facts)]
    if facts.guides:
        parts.append(guides_text(facts.guides, "this"))
    return "\n\n".join(part for part in parts if part)


def _profile(facts: CompanyFacts) -> str:
    asked = [each for each in facts.known if each.label in facts.answers]
    rest = [each for each in facts.known if each.label not in facts.answers]
    if facts.answers or facts.unknown:
        rest = [each for each in rest if each.label in _ALWAYS]
    parts = []
    if facts.sample:
        parts.append(f"**{plain(facts.name)}** is a fictional company of the built-in sample catalogue.")
    if asked:
        parts.append("\n".join(_by_source(asked)))
    if facts.unknown:
        parts.append(
            f"For {plain(facts.name)} I have no source on {listed(facts.unknown, 'or')}, so I say nothing on that."
        )
    if rest:
        heading = "What else I know" if asked else f"What I know of **{plain(facts.name)}**"
        parts.append("\n".join([f"{heading}:", "", *_by_source(rest)]))
    if facts.old:
        parts.append("The company's record is more than a year old: check what matters on its own site.")
    parts += _gaps(facts)
    return "\n\n".join(parts)


def _by_source(known: Sequence[Known]) -> list[str]:
    lines = []
    for source in dict.fromkeys(each.source for each in known):
        own = [each for each in known if each.source == source]
        dated = f", {day_text(own[0].as_of)}" if own[0].as_of else ", undated"
        if own[0].label.startswith(("Postings", "Roles")) or " in postings" in own[0].label:
            dated = ""
        lines.append(f"*{plain(source)}{dated}*")
        lines += [f"- **{plain(each.label)}:** {plain(each.text, _LONG)}" for each in own]
        lines.append("")
    return lines[:-1] if lines else lines


def _gaps(facts: CompanyFacts) -> list[str]:
    """What was looked for in vain, and what could not be looked at; the two are never confused."""
    gaps = []
    if facts.records == "nothing":
        gaps.append(f"There is no record of {plain(facts.name)} among the companies I have, only its postings.")
    if facts.records == "unavailable":
        gaps.append("I could not look at the companies on record just now, so there may be more.")
    if facts.postings == "nothing":
        gaps.append(f"I looked for postings from {plain(facts.name)} too, and the catalogue has none.")
    if facts.postings == "unavailable":
        gaps.append("I could not look at its postings just now.")
    return gaps


def _nothing(facts: CompanyFacts) -> str:
    name = plain(facts.name)
    text = (
        f"I looked for “{name}” among the companies on record and among the postings, and found nothing. That says "
        f"nothing about the company: I know only what was loaded here, and I do not search the web."
    )
    if facts.unknown:
        text += f" So I have no source on {listed(facts.unknown, 'or')} either."
    return text


def _which(facts: CompanyFacts) -> str:
    if facts.others:
        return f"Which company do you mean: {listed([plain(other) for other in facts.others], 'or')}?"
    return "Which company do you mean? Tell me its name, and I look at what is on record and at its postings."


def _no_source(facts: CompanyFacts) -> str:
    what = listed(facts.unknown, "or") if facts.unknown else "how good companies are to work for"
    return (
        f"I have no source on {what}, so I cannot rank companies by it, and I will not guess. What I can do is filter "
        f"the companies I know by technology, region, remote policy or size, or search the postings I hold."
    )


def _conditions(facts: CompanyFacts) -> str:
    return listed(facts.conditions) if facts.conditions else "on record"


def _list(facts: CompanyFacts) -> str:
    shown = len(facts.companies)
    verb = "is" if facts.total == 1 else "are"
    head = f"**{counted(facts.total, 'company', 'companies')}** I know {verb} on record as {_conditions(facts)}"
    head += f"; here are the {shown:,} with the newest records:" if facts.total > shown else ":"
    parts = [head, "\n".join(_company(each) for each in facts.companies)]
    if facts.place:
        parts.append(
            f"“{plain(facts.place)}” is read by region: these hire there, in a region that holds it, or worldwide. "
            f"Whether they do for a given job, their careers pages tell."
        )
    if facts.unknown:
        parts.append(f"I have no source on {listed(facts.unknown, 'or')}, so the list is not ordered by that.")
    return "\n\n".join(parts)


def _company(each: Listed) -> str:
    parts = [_hires(each.region), plain(each.remote_policy or "")]
    parts.append(", ".join(map(plain, each.technologies[:6])))
    dated = f" ({plain(each.source)}, {each.as_of:%B %Y})" if each.as_of else f" ({plain(each.source)}, undated)"
    return f"- **{plain(each.name)}**: {'; '.join(part for part in parts if part)}{dated}"


def _hires(region: str | None) -> str:
    if region is None:
        return ""
    return "hires worldwide" if region == "worldwide" else f"hires in {plain(region)}"


def _none(facts: CompanyFacts) -> str:
    if facts.none_on_record:
        return "I looked, and no companies are on record here at all. I can search the postings instead."
    return (
        f"I looked, and none of the companies I know is on record as {_conditions(facts)}. Ask for less to find some."
    )


def _several(facts: CompanyFacts) -> str:
    return f"Several companies on record have that name. Which one do you mean: {_quoted(facts)}?"


def _near(facts: CompanyFacts) -> str:
    return f"I have nothing on a company called “{plain(facts.name)}”. Did you mean {_quoted(facts)}?"


def _quoted(facts: CompanyFacts) -> str:
    return listed([f"“{plain(other)}”" for other in facts.others], "or")


def _unavailable(facts: CompanyFacts) -> str:
    name = plain(facts.name)
    return f"I could not look “{name}” up just now, so I cannot say what is known. Please ask again in a moment."


_BODIES: Final[dict[Outcome, Callable[[CompanyFacts], str]]] = {
    "told": _profile,
    "nothing": _nothing,
    "unavailable": _unavailable,
    "several": _several,
    "near": _near,
    "no_company": _which,
    "listed": _list,
    "none_listed": _none,
    "list_unavailable": lambda _: "I could not look at the companies on record just now. Please ask again in a moment.",
    "no_source": _no_source,
    "method": lambda _: "",
}
