"""The reply to a question about pay, in Markdown. Pure: every figure comes from ``SalaryFacts``."""

from datetime import date
from typing import Final

from signalbox.agents.pay.facts import AskedFact, RangeFact, SalaryFacts, StepFact, TableJobFact, WageFact
from signalbox.agents.pay.offers import conversion_text, offers_text
from signalbox.agents.words.guides import guides_text
from signalbox.agents.words.phrases import counted, listed, money, plain

_EACH: Final = {"hour": "an hour", "day": "a day", "week": "a week", "month": "a month", "year": "a year"}
_POINTS: Final = {"p10": "10th", "p25": "25th", "p50": "50th (the median)", "p75": "75th", "p90": "90th"}


def compose(facts: SalaryFacts) -> str:
    """The whole reply as the template words it."""
    parts: list[str] = []
    match facts.outcome:
        case "no_role":
            return _no_role(facts)
        case "offers" if facts.offers:
            parts.append(offers_text(facts.offers))
        case "convert" if facts.conversion:
            parts.append(conversion_text(facts.conversion))
        case "table":
            return _table(facts)
        case "net":
            parts.append(
                "Every figure I have is gross, before tax and contributions. I have no tax tables, so I cannot work "
                "out what is left of it: a tax calculator of that country's revenue office can."
            )
        case _:
            pass
    if facts.role is not None and facts.postings != "not_asked":
        parts += _pay(facts)
    if facts.guides:
        parts.append(guides_text(facts.guides, "this"))
    return "\n\n".join(part for part in parts if part)


def _no_role(facts: SalaryFacts) -> str:
    judged = f" {plain(facts.asked.stated)} says little without it." if facts.asked else ""
    return (
        f"For which role, and where?{judged} Tell me, for example “{facts.roles[0]} in Leeds”, and I will look at what "
        f"postings and wage tables say."
    )


def _pay(facts: SalaryFacts) -> list[str]:
    parts = [_verdict(facts)] if facts.asked else []
    real = any(not each.sample for each in facts.ranges)
    told = [_posting_part(facts), _wage_part(facts)]
    parts += told if real or not facts.wage_rows else reversed(told)
    if facts.ranges or facts.wage_rows:
        parts.append("All figures are gross; I convert no currencies.")
    return parts


# What postings say.


def _posting_part(facts: SalaryFacts) -> str:
    role = plain(facts.role or "")
    if facts.postings == "unavailable":
        return "I could not look at the postings just now, so I cannot say what they pay."
    if facts.postings == "nothing":
        return f"I looked for postings for “{role}”, and the catalogue has none, in any place."
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
    if not facts.ranges:
        return f"{text}, and none of them states pay that I could count."
    if facts.unstated:
        text += f", {facts.unstated:,} of which {'states' if facts.unstated == 1 else 'state'} no pay"
    if narrower:
        tried = listed([f"{step.stated or 'none'}{_scope(step, facts) or ' at that level'}" for step in narrower])
        text += f". I widened the search because too few state pay: {tried}"
    if last.where == "" and narrower and facts.location:
        return f"{text}. Pay elsewhere says little about {plain(facts.location)}."
    return f"{text}."


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
            f"{plain(f.title)} at {plain(f.company)} {_span(f.low, f.high, each.currency)} a year" for f in each.figures
        ]
        text = head + f"too few for percentiles, so here they are: {'; '.join(shown)}"
    else:
        text = head + (
            f"median **{_money(each.p50, each.currency)}** a year{_by_hour(each)}, the middle half "
            f"{_span(each.p25, each.p75, each.currency)}, 10th to 90th percentile "
            f"{_span(each.p10, each.p90, each.currency)}"
        )
    return f"{text}{_notes(each)}"


def _source(each: RangeFact) -> str:
    return "Fictional samples" if each.sample else plain(each.source)


def _notes(each: RangeFact) -> str:
    notes = []
    if each.converted:
        which = (
            "it states"
            if each.n == each.converted == 1
            else f"{each.converted:,} of them {'states' if each.converted == 1 else 'state'}"
        )
        notes.append(f"{which} pay by the hour, day or month, brought to a full year (2,080 hours, 260 days)")
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
    text = f"**Wage table** ({plain(row.source)}{dated}), occupation **{plain(row.occupation)}**"
    if row.closeness == "near":
        text += f", the nearest to “{plain(facts.role or '')}” that it has, not the same"
    return f"{text}:"


def _wage(row: WageFact) -> str:
    each = _EACH.get(row.period, f"a {row.period}")
    area = f"{row.country}, national" if row.area == "National" and row.country else plain(row.area)
    points = [f"median **{_money(row.p50, row.currency)}** {each}{_by_hour(row)}"] if row.p50 is not None else []
    if row.p25 is not None and row.p75 is not None:
        points.append(f"middle half {_span(row.p25, row.p75, row.currency)}")
    if row.p10 is not None and row.p90 is not None:
        points.append(f"10th to 90th percentile {_span(row.p10, row.p90, row.currency)}")
    if not points:
        known = [name for name in _POINTS if getattr(row, name) is not None]
        points = [f"{_POINTS[name]} percentile {_money(getattr(row, name), row.currency)} {each}" for name in known]
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
        text = f"**{figure}** {'; it '.join(said)}."
        if all(each.sample for each in facts.ranges) and not any(row.asked_between for row in facts.wage_rows):
            text += " Those are fictional samples, so do not rest a decision on it."
        return text
    if facts.postings == "unavailable" and facts.wages == "unavailable":
        return f"I cannot judge {figure} now, since I could not look."
    currencies = {each.currency for each in facts.ranges} | {row.currency for row in facts.wage_rows}
    if currencies and asked.currency not in currencies:
        return (
            f"I cannot judge {figure}: the figures I found are in {listed(sorted(currencies))}, and I convert no "
            f"currencies."
        )
    return f"I have too few figures to judge {figure} fairly."


def _asked(asked: AskedFact) -> str:
    figure = f"{_money(asked.yearly, asked.currency)} a year"
    if asked.hourly:
        return f"{plain(asked.stated)} ({figure}, counting 2,080 hours)"
    return (
        f"{figure} (reading {plain(asked.stated)} as {asked.currency})" if asked.assumed and asked.currency else figure
    )


def _against_postings(each: RangeFact) -> str:
    below = each.asked_below_percent or 0
    side = "high" if below > 75 else "low" if below < 25 else "in the middle"
    stands = "in the middle half" if side == "in the middle" else f"on the {side} side"
    what = "fictional sample posting" if each.sample else f"posting from {plain(each.source)}"
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


# The postings on the table.


def _table(facts: SalaryFacts) -> str:
    stated = [job for job in facts.table if job.low is not None]
    silent = [job for job in facts.table if job.low is None]
    if not stated:
        many = len(facts.table) > 1
        which = "None of the postings I showed states" if many else "That posting does not state"
        return f"{which} its pay. You could ask before you apply."
    parts = [_best(facts, stated), "\n".join(_job_line(job) for job in stated)]
    if silent:
        names = listed([f"{job.place}. {plain(job.title)}" for job in silent])
        parts.append(f"No pay stated: {names}.")
    if any(job.period not in {None, "year"} for job in stated):
        parts.append("Pay by the hour, day or month is brought to a full year (2,080 hours, 260 days) to compare it.")
    if any(job.sample for job in stated):
        all_of = all(job.sample for job in stated)
        parts.append("These are fictional samples." if all_of else "Some of these are fictional samples.")
    return "\n\n".join(parts)


def _best(facts: SalaryFacts, stated: list[TableJobFact]) -> str:
    best = next((job for job in stated if job.job_id == facts.table_best), None)
    if len(facts.table) == 1:
        return "This is what the posting states:"
    if best is None:
        return "They state pay in different currencies, and I convert none, so I can name no best one:"
    return f"**{plain(best.title)} at {plain(best.company)} pays best**, going by the middle of the stated range:"


def _job_line(job: TableJobFact) -> str:
    span = _span(job.low, job.high, job.currency)
    converted = f" (stated by the {job.period})" if job.period not in {None, "year"} else ""
    return f"- {job.place}. {plain(job.title)}, {plain(job.company)}: {span} a year{converted}"


# Small parts.


def _by_hour(each: RangeFact | WageFact) -> str:
    return f" ({_money(each.hour_p50, each.currency)} an hour at 2,080 hours)" if each.hour_p50 is not None else ""


def _money(amount: float | None, currency: str | None) -> str:
    if amount is None:
        return "not known"
    return money(float(round(amount)) if amount >= 1_000 else amount, currency)


def _span(low: float | None, high: float | None, currency: str | None) -> str:
    return "–".join(dict.fromkeys((_money(low, currency), _money(high, currency))))


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _month(day: date) -> str:
    return f"{day:%B %Y}"
