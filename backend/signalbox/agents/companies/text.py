"""The reply to a question about a company, in Markdown. Pure: every fact comes from ``CompanyFacts``."""

from collections.abc import Callable, Sequence
from typing import Final

from signalbox.agents.companies.facts import CompanyFacts, Known, Listed, Outcome, day_text
from signalbox.agents.words.guides import guides_text
from signalbox.agents.words.phrases import counted, listed, plain

_LONG: Final = 330
_CELL: Final = 120
# What a comparison goes by, as far as it is known of one of the two.
_ROWS: Final = (
    "What it does", "Industry", "Size", "Founded", "Hires in", "Remote policy", "Offices", "Technology", "Postings",
    "Places in postings", "Pay in postings",
)  # fmt: skip
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
    parts = [_of_posting(facts), _hires_there(facts)]
    if facts.sample:
        parts.append(f"**{plain(facts.name)}** is a fictional company of the built-in sample catalogue.")
    if asked:
        parts.append("\n".join(_by_source(asked)))
    if facts.unknown:
        parts.append(_unanswered(facts))
    if rest:
        heading = "What else I know" if asked else f"What I know of **{plain(facts.name)}**"
        parts.append("\n".join([f"{heading}:", "", *_by_source(rest)]))
    if facts.old:
        parts.append("The company's record is more than a year old: check what matters on its own site.")
    parts += _gaps(facts)
    return "\n\n".join(part for part in parts if part)


def _unanswered(facts: CompanyFacts) -> str:
    """What nobody told; where not all could be asked, that is no lack of a source."""
    what = listed(facts.unknown, "or")
    if "unavailable" in {facts.records, facts.postings}:
        return f"I cannot say anything on {what} of {plain(facts.name)}: not all that may tell could be asked just now."
    return f"For {plain(facts.name)} I have no source on {what}, so I say nothing on that."


def _of_posting(facts: CompanyFacts) -> str:
    """What the posting that was pointed at pays."""
    if not facts.pointed:
        return ""
    name = f"**{plain(facts.pointed)}** at {plain(facts.name)}"
    return f"{name} pays {facts.pointed_pay}." if facts.pointed_pay else f"{name} does not state its pay."


def _hires_there(facts: CompanyFacts) -> str:
    region = next((each.text for each in facts.known if each.label == "Hires in"), "")
    if not facts.place or facts.hires_there is None:
        return ""
    place, name = plain(facts.place), plain(facts.name)
    hires = _hires(region)
    if facts.hires_there:
        too = "" if place.casefold() in region.casefold() else f", and that takes in {place}"
        return f"Yes: by its record, {name} {hires}{too}. Whether it does for a given job, its careers page tells."
    return f"By its record, {name} {hires}; {place} is not named."


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


def _list(facts: CompanyFacts) -> str:
    shown = len(facts.companies)
    verb = "is" if facts.total == 1 else "are"
    conditions = f" as {listed(facts.conditions)}" if facts.conditions else ""
    head = f"**{counted(facts.total, 'company', 'companies')}** I know {verb} on record{conditions}"
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
        f"I looked, and none of the companies I know is on record as {listed(facts.conditions)}. Ask for less to find "
        "some."
    )


def _on_list(facts: CompanyFacts) -> str:
    before = "The last search found nothing; these are the companies of the list before it" if facts.after_empty else ""
    what = "The real companies of that list" if facts.real_only else "These are the companies of the list"
    lines = [
        f"- **{plain(each.name)}**: number{'s' if len(each.places) > 1 else ''} {listed(list(map(str, each.places)))}"
        f"{' (fictional sample)' if each.sample else ''}"
        for each in facts.on_list
    ]
    return "\n".join([f"{before or what}:", "", *lines, "", "Ask about one by its name or its number."])


def _none_on_list(facts: CompanyFacts) -> str:
    real = "The companies on record here are real ones; only those of the sample postings are fictional."
    if facts.real_only:
        return f"{real} Ask for them by technology, region, remote policy or size: “which companies use Python?”"
    why = "The last search found nothing, so" if facts.after_empty else "No postings are on the table yet, so"
    return (
        f"{why} there are no companies to name. Search for jobs first, or ask for companies by technology, region, "
        "remote policy or size: “which companies use Python?”"
    )


def _compared(facts: CompanyFacts) -> str:
    """Two companies side by side, by what is known of either."""
    found = [side for side in facts.sides if side.outcome == "told"]
    missing = [_BODIES[side.outcome](side) for side in facts.sides if side.outcome != "told"]
    if len(found) < len(facts.sides):
        return "\n\n".join([*missing, *(_profile(side) for side in found)])
    rows = [f"| | {' | '.join(f'**{plain(side.name)}**' for side in found)} |", "|---" * (len(found) + 1) + "|"]
    for label in _ROWS:
        texts = [next((each.text for each in side.known if each.label == label), None) for side in found]
        if any(texts):
            rows.append(f"| {label} | {' | '.join(plain(text, _CELL) if text else 'not known' for text in texts)} |")
    parts = ["\n".join(rows)]
    if facts.unknown:
        parts.append(f"I have no source on {listed(facts.unknown, 'or')} for either, so I do not compare that.")
    fictional = [plain(side.name) for side in found if side.sample]
    if fictional:
        parts.append(
            f"{listed(fictional)} {'is' if len(fictional) == 1 else 'are'} fictional, of the sample catalogue."
        )
    if any(side.old for side in found):
        parts.append("A record here is more than a year old: check what matters on the company's own site.")
    return "\n\n".join(parts)


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
    "shown": _on_list,
    "none_shown": _none_on_list,
    "compared": _compared,
}
