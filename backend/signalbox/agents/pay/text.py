"""The reply to a question about pay, in Markdown. Pure: every figure comes from ``SalaryFacts``."""

from datetime import date
from typing import Final

from signalbox.agents.pay.ask import ASKS
from signalbox.agents.pay.counter import draft_text
from signalbox.agents.pay.facts import AskedFact, RangeFact, SalaryFacts, StepFact, TableJobFact, WageFact
from signalbox.agents.pay.offers import conversion_text, offers_text
from signalbox.agents.pay.table import amount_text, by_period, span_text, table_text
from signalbox.agents.words.guides import guides_text
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.agents.words.source_names import source_label
from signalbox.retrieval.terms import title_level

_EACH: Final = {"hour": "an hour", "day": "a day", "week": "a week", "month": "a month", "year": "a year"}
_POINTS: Final = {"p10": "10th", "p25": "25th", "p50": "50th (the median)", "p75": "75th", "p90": "90th"}


_BASES: Final = {
    "search": "from your last search",
    "skills": "the role whose skills we spoke of",
    "interview": "the role we prepared for",
    "letter": "the post of your letter",
    "profile": "from your profile",
}


def compose(facts: SalaryFacts) -> str:
    """The whole reply as the template words it, role by role; what holds for several is said once."""
    told = (part for each in (facts, *facts.also) for part in _of_one(each).split("\n\n"))
    return "\n\n".join(dict.fromkeys(told))


def _of_one(facts: SalaryFacts) -> str:
    """What is said of one role. Advice comes before figures, if it was asked for."""
    parts: list[str] = []
    match facts.outcome:
        case "no_role":
            return _no_role(facts)
        case "not_held":
            return _not_held(facts)
        case "offers" if facts.offers:
            parts.append(offers_text(facts.offers))
        case "convert" if facts.conversion:
            parts.append(conversion_text(facts.conversion))
        case "draft" if facts.draft:
            parts.append(draft_text(facts.draft))
        case "table":
            return table_text(facts)
        case "net":
            parts.append(
                "Every figure I have is gross, before tax and contributions. I have no tax tables, so I cannot work "
                "out what is left of it: a tax calculator of that country's revenue office can."
            )
        case _:
            pass
    pay = [_assumed(facts), *_pay(facts)] if facts.role is not None and facts.postings != "not_asked" else []
    guides = guides_text(facts.guides, "this") if facts.guides else ""
    parts += [guides, *pay] if facts.outcome == "advice" else [*pay, guides]
    return "\n\n".join(part for part in parts if part)


def _no_role(facts: SalaryFacts) -> str:
    judged = f" {plain(facts.asked.stated)} says little without it." if facts.asked else ""
    if facts.location:
        asked, example = f"{ASKS} in {plain(facts.location)}?", f"“{facts.roles[0]}”"
    else:
        where = f" in {plain(facts.near)}" if facts.near else ""
        asked, example = f"{ASKS}, and where?", f"“{facts.roles[0]}{where}”"
    return f"{asked}{judged} Tell me, for example {example}, and I will look at what postings and wage tables say."


def _not_held(facts: SalaryFacts) -> str:
    """What no source has, and what to ask instead."""
    the = "the " if (facts.location or "").startswith("United ") else ""
    at = f" in {the}{plain(facts.location)}" if facts.location else ""
    example = f"Name a job and I look what it pays, for example “what does a {facts.roles[0]} earn{at}?”"
    if facts.no_role is None:
        return (
            "My sources do not hold the minimum wages that a law sets: I have the pay that postings state and, where "
            "they are loaded, wage tables by occupation. The current rates stand on the site of that country's "
            f"government. {example}"
        )
    near = listed([f"“{plain(name)}”" for name in facts.occupations], "or")
    nearest = f" The nearest that the wage tables have: {near}." if near else ""
    return (
        f"I know no job called “{plain(facts.no_role)}”, and neither the postings nor the wage tables I have name one, "
        f"so I have no pay for it.{nearest} {example}"
    )


def _assumed(facts: SalaryFacts) -> str:
    """What the message did not say and is assumed, and what was read otherwise than typed."""
    parts = [f"I read “{plain(slip.typed)}” as **{plain(slip.read)}**." for slip in facts.slips]
    if basis := _BASES.get(facts.basis):
        parts.append(f"You named no role, so this is for **{_role(facts)}**, {basis}.")
    if facts.posting and facts.posting.low is not None:
        span = span_text(facts.posting.low, facts.posting.high, facts.posting.currency)
        parts.append(f"{_posting(facts.posting)} states **{span}** a year{by_period(facts.posting)}.")
    elif facts.posting:
        parts.append(f"{_posting(facts.posting)} does not state its pay, so here is what others pay for such work.")
    if facts.posting and facts.posting.sample:
        parts.append("It is a fictional sample.")
    return " ".join(parts)


def _posting(job: TableJobFact) -> str:
    return f"{job.place}. {plain(job.title)} at {plain(job.company)}"


def _role(facts: SalaryFacts) -> str:
    return plain(facts.role or "")


def _pay(facts: SalaryFacts) -> list[str]:
    parts = [_verdict(facts)] if facts.asked else []
    real = any(not each.sample for each in facts.ranges)
    told = [_posting_part(facts), _wage_part(facts)]
    parts += told if real or not facts.wage_rows else reversed(told)
    if split := _not_split(facts):
        parts.append(split)
    if facts.ranges or facts.wage_rows:
        parts.append("All figures are gross; I convert no currencies.")
    return parts


def _not_split(facts: SalaryFacts) -> str:
    """What the figures cannot tell: by years of experience, or by level."""
    if not facts.ranges and not facts.wage_rows:
        return ""
    parts = []
    if facts.years is not None:
        parts.append(
            f"No figure here is split by years of experience. The nearest is the level that postings name: I read "
            f"{counted(facts.years, 'year')} as {facts.level} level."
        )
    elif facts.level is None and title_level(facts.role or ""):
        parts.append(f"Postings count by their line of work, not only those at the level of “{_role(facts)}”.")
    if facts.wage_rows and (parts or facts.level):
        parts.append("The wage table covers all levels together.")
    return " ".join(parts)


# What postings say.


def _posting_part(facts: SalaryFacts) -> str:
    role = plain(facts.role or "")
    if facts.postings == "unavailable":
        return "I could not look at the postings just now, so I cannot say what they pay."
    if facts.postings == "nothing":
        return f"I looked for postings for “{role}”, and the catalogue has none in any place."
    lines = [_where(facts)]
    lines += [_range(each) for each in facts.ranges]
    if facts.hidden_ranges:
        left = counted(facts.hidden_ranges, "group")
        lines.append(f"- Left out here: {left} of other sources or currencies, too small or too far to help.")
    text = "\n".join(lines)
    if facts.ranges and all(each.sample for each in facts.ranges):
        text += (
            "\n\nThese postings are **fictional samples** from the built-in catalogue. They show how it works and say "
            "nothing about the real market; load real postings to get real figures."
        )
    elif any(each.sample for each in facts.ranges):
        text += "\n\nThe fictional samples say nothing about the real market."
    return text


def _where(facts: SalaryFacts) -> str:
    """What was looked at, and how the search was widened."""
    role = plain(facts.role or "")
    last = facts.steps[-1]
    narrower = [step for step in facts.steps[:-1] if _named(step) != _named(last)]
    text = f"**Postings for “{role}”{_scope(last, facts)}:** {counted(facts.matched, 'posting')}"
    if facts.samples_left_out:
        return f"{text}. Those with figures are fictional samples, so I leave them out."
    if not facts.matched and facts.posting:
        return f"I found no other posting for “{role}”."
    if not facts.ranges:
        return f"{text}, and none of them states pay that I could count."
    if facts.unstated:
        text += f", {facts.unstated:,} of which {'states' if facts.unstated == 1 else 'state'} no pay"
    if narrower:
        tried = listed([f"{_stating(step)}{_scope(step, facts) or ' at that level'}" for step in narrower], "and")
        text += f". I looked wider, since {tried} {_state_pay(narrower)}"
    if last.where == "" and narrower and facts.location:
        return f"{text}. Pay elsewhere says little about {plain(facts.location)}."
    return f"{text}."


def _stating(step: StepFact) -> str:
    return f"only {counted(step.stated, 'posting')}" if step.stated else "no posting"


def _state_pay(steps: list[StepFact]) -> str:
    several = steps[-1].stated > 1 or (len(steps) > 1 and any(step.stated for step in steps))
    return "state pay" if several else "states pay"


def _named(step: StepFact) -> tuple[str, bool]:
    return step.where, step.level


def _scope(step: StepFact, facts: SalaryFacts) -> str:
    the = "the " if step.where.startswith("United ") else ""
    where = f" in {the}{plain(step.where)}" if step.where else " anywhere" if facts.location else ""
    if facts.level:
        where += f" at {facts.level} level" if step.level else " at any level"
    return where


def _range(each: RangeFact) -> str:
    head = f"- **{_source(each)}**, {counted(each.n, 'posting')} in {each.currency}: "
    if each.p50 is None:
        shown = [
            f"{plain(f.title)} at {plain(f.company)} {span_text(f.low, f.high, each.currency)} a year"
            for f in each.figures
        ]
        text = head + f"too few for percentiles, so here they are: {'; '.join(shown)}"
    else:
        text = head + (
            f"median **{amount_text(each.p50, each.currency)}** a year{_by_hour(each)}, the middle half "
            f"{span_text(each.p25, each.p75, each.currency)}, 10th to 90th percentile "
            f"{span_text(each.p10, each.p90, each.currency)}"
        )
    return f"{text}{_notes(each)}"


def _source(each: RangeFact) -> str:
    return "Fictional samples" if each.sample else plain(source_label(each.source))


def _notes(each: RangeFact) -> str:
    notes = []
    if each.converted:
        which = (
            "it states"
            if each.n == each.converted == 1
            else f"{each.converted:,} of them {'states' if each.converted == 1 else 'state'}"
        )
        notes.append(f"{which} pay by the hour, day or month, brought to a full-time year (2,080 hours, 260 days)")
    if each.date_from and each.date_to:
        same = each.date_from == each.date_to
        span = f"on {_day(each.date_from)}" if same else f"from {_day(each.date_from)} to {_day(each.date_to)}"
        notes.append(f"posted {span}{', so pay has likely moved since' if each.old else ''}")
    return f" ({'; '.join(notes)})." if notes else "."


# What wage tables say.


def _wage_part(facts: SalaryFacts) -> str:
    match facts.wages:
        case "unavailable":
            return "I could not look at the wage tables just now."
        case "nothing" if facts.occupations:
            names = listed([f"“{plain(name)}”" for name in facts.occupations], "or")
            role = plain(facts.role or "")
            return f"Wage tables: no occupation there is clearly “{role}”. It may be counted as {names}."
        case "nothing" if facts.wage_note:
            return f"Wage tables: {plain(facts.wage_note, 160)}."
        case "found":
            lines = [_occupation(facts.wage_rows[0], facts), *map(_wage, facts.wage_rows)]
            if facts.local_line_missing:
                lines.append(f"- It has no line for this occupation in {plain(facts.location or '')} itself.")
            return "\n".join(lines)
        case _:
            return ""


def _occupation(row: WageFact, facts: SalaryFacts) -> str:
    dated = f", {_month(row.as_of)}" if row.as_of else ", undated"
    text = f"**Wage table** ({plain(source_label(row.source))}{dated}), occupation **{plain(row.occupation)}**"
    if row.closeness == "near":
        text += f", the nearest to “{plain(facts.role or '')}” that it has, not the same"
    return f"{text}:"


def _wage(row: WageFact) -> str:
    each = _EACH.get(row.period, f"a {row.period}")
    area = f"{row.country}, national" if row.area == "National" and row.country else plain(row.area)
    points = [f"median **{amount_text(row.p50, row.currency)}** {each}{_by_hour(row)}"] if row.p50 is not None else []
    if row.p25 is not None and row.p75 is not None:
        points.append(f"middle half {span_text(row.p25, row.p75, row.currency)}")
    if row.p10 is not None and row.p90 is not None:
        points.append(f"10th to 90th percentile {span_text(row.p10, row.p90, row.currency)}")
    if not points:
        known = [name for name in _POINTS if getattr(row, name) is not None]
        points = [
            f"{_POINTS[name]} percentile {amount_text(getattr(row, name), row.currency)} {each}" for name in known
        ]
    people = f" ({row.employed:,} people)" if row.employed else ""
    return f"- {area}{people}: {', '.join(points)}."


# Where an amount stands.


def _verdict(facts: SalaryFacts) -> str:
    asked = facts.asked
    assert asked is not None, "called with a figure to judge"
    figure = _asked(asked)
    said = [_against_postings(each) for each in facts.ranges if each.asked_below_percent is not None]
    said += [_against_table(row) for row in facts.wage_rows if row.asked_between is not None][:1]
    if said:
        text = f"**{figure[:1].upper()}{figure[1:]}** {'; it '.join(said)}."
        if all(each.sample for each in facts.ranges) and not any(row.asked_between for row in facts.wage_rows):
            text += " Those are fictional samples, so do not rest a decision on it."
        return text
    if facts.postings == "unavailable" and facts.wages == "unavailable":
        return f"I cannot judge {figure.rstrip(',')} now, since I could not look."
    if asked.posting and not (facts.ranges or facts.wage_rows):
        return "I have no other figures to hold that against."
    currencies = {each.currency for each in facts.ranges} | {row.currency for row in facts.wage_rows}
    if currencies and asked.currency not in currencies:
        return (
            f"I cannot judge {figure.rstrip(',')}: the figures I found are in {listed(sorted(currencies))}, "
            f"and I convert no currencies."
        )
    return f"I have too few figures to judge {figure.rstrip(',')} fairly."


def _asked(asked: AskedFact) -> str:
    figure = f"{amount_text(asked.yearly, asked.currency)} a year"
    if asked.posting:
        return f"its middle, {figure},"
    if asked.hourly:
        return f"{plain(asked.stated)} ({figure}, counting 2,080 hours)"
    return (
        f"{figure} (reading {plain(asked.stated)} as {asked.currency})" if asked.assumed and asked.currency else figure
    )


def _against_postings(each: RangeFact) -> str:
    below = each.asked_below_percent or 0
    side = "high" if below > 75 else "low" if below < 25 else "in the middle"
    stands = "in the middle half" if side == "in the middle" else f"on the {side} side"
    what = "fictional sample posting" if each.sample else f"posting from {plain(source_label(each.source))}"
    many = what.replace("posting", "postings")
    if below in {0, 100}:
        return f"is {'above' if below else 'below'} all of the {counted(each.n, what, many)}, so it is {stands}"
    return f"is above {below}% of the {counted(each.n, what, many)}, so it is {stands}"


def _against_table(row: WageFact) -> str:
    low, high = row.asked_between or ("", "")
    where = row.country or "" if row.area == "National" else row.area
    table = f"in the wage table for {plain(row.occupation)} ({plain(where)})"
    if low and high:
        return f"lies between the {_POINTS[low]} and the {_POINTS[high]} percentile {table}"
    return (
        f"lies above the {_POINTS[low]} percentile {table}"
        if low
        else f"lies below the {_POINTS[high]} percentile {table}"
    )


# Small parts.


def _by_hour(each: RangeFact | WageFact) -> str:
    return f" ({amount_text(each.hour_p50, each.currency)} an hour at 2,080 hours)" if each.hour_p50 is not None else ""


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _month(day: date) -> str:
    return f"{day:%B %Y}"
