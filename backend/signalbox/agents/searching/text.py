"""The words of a job search's answer, from its facts alone. Pure."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, Literal

from pydantic import Field

from signalbox.agents.searching.conditions import ANYTHING
from signalbox.agents.searching.notes import LeftOut, Understood, left_out_text, said_first, said_last
from signalbox.agents.searching.sources import CATALOGUE
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.agents.words.postings import age_text, day_text, pay_text, place_text
from signalbox.blocks import Job, Salary
from signalbox.envelope import Intent
from signalbox.retrieval.fit.limits import UNKNOWN_WORDS
from signalbox.retrieval.pay import guess_period, period_named, yearly

TOLD: Final = 5

_TERMS: Final = re.compile(r"(\d+) of (\d+) search terms\b")
# The age stands in every line of its own.
_AGE: Final = re.compile(
    r"posted (?:\d+ days ago|today|yesterday|on \d+ \w+ \d{4})|its date is not stated|applications have closed"
)
# Above it a number that is only an upper bound tells less than "many".
_MANY: Final = 50
_OLD_DAYS: Final = 365
# How a rule is called on a button, and what to say to have it dropped.
_LIMIT_KEYS: Final[dict[str, tuple[str, str]]] = {
    "remote_only": ("remote-only rule", "forget my remote setting"),
    "on_site_only": ("on-site rule", "forget my remote setting"),
    "salary_min": ("least pay", "forget my salary"),
    "excluded_company": ("excluded companies", "forget my excluded companies"),
    "excluded_term": ("exclusions", "forget my exclusions"),
    "company_size": ("company size", "forget my company size"),
    "level": ("least level", "forget my least level"),
    "place": ("place", "forget my location"),
    "employment": ("working time", "forget my working time"),
    "office_days": ("days in the office", "forget my office days"),
    "agency": ("agency rule", "forget agencies"),
}

Outcome = Literal["found", "all_shown", "nothing", "ruled_out", "unavailable"]


class SearchFacts(Facts):
    """``ruled_out``: there are postings, and each breaks a hard rule of the profile. ``total_is_exact``: false when
    more postings exist than could be compared, so that ``total`` may be too high. ``conditions``: name and wording of
    each. ``seen``: how many were shown before. ``unknown``: postings that say too little to be held against a rule;
    ``sizes_failed``: the sizes of companies could not be looked up.
    ``searched``: the sources that answered; ``unasked``: those that could not be asked, and why: the list is partial
    then. ``boards``: the boards' names by what their postings carry as source. ``unseen``: what was not looked through
    of a source that answered. ``first``: nothing was searched for in this conversation before. ``closed``: shown
    postings whose day to apply by has passed, by id. ``pay_floor``: the least pay a year that was asked for.
    ``understood``: how the message was read, where that is not plain.
    """

    outcome: Outcome
    subject: str
    today: date
    conditions: dict[str, str] = Field(default_factory=dict)
    rules: tuple[str, ...] = ()
    refined: bool = False
    by_profile: bool = False
    jobs: tuple[Job, ...] = ()
    total: int = 0
    total_is_exact: bool = True
    left_out: tuple[LeftOut, ...] = ()
    scored_against: Literal["profile", "query"] = "query"
    degraded: str = ""
    seen: int = 0
    unknown: tuple[LeftOut, ...] = ()
    sizes_failed: bool = False
    searched: tuple[str, ...] = ()
    unasked: dict[str, str] = Field(default_factory=dict)
    boards: dict[str, str] = Field(default_factory=dict)
    unseen: dict[str, str] = Field(default_factory=dict)
    first: bool = True
    closed: dict[str, date] = Field(default_factory=dict)
    pay_floor: float | None = None
    understood: Understood = Field(default_factory=Understood)


def compose(facts: SearchFacts) -> str:
    """The reply as the template words it, in Markdown."""
    # Below a list such notes are read last; where there is none, they tell why.
    why = said_last(facts.understood) if facts.outcome in {"nothing", "ruled_out"} else ""
    above = " ".join(filter(None, [said_first(facts.understood), why]))
    return "\n\n".join(filter(None, [above, _outcome(facts)]))


def _outcome(facts: SearchFacts) -> str:
    match facts.outcome:
        case "unavailable":
            return _unavailable(facts)
        case "nothing":
            return _nothing(facts)
        case "ruled_out":
            return (
                f"I looked for {wanted(facts)} and found some, but every one of them breaks a rule in your profile: "
                f"{left_out_text(facts.left_out)}. I have not shown any of them. If a rule no longer holds, tell me to "
                f"forget it.{_partly(facts, 'there may be others')}{_half(facts)}"
            )
        case "all_shown":
            return f"{_those(facts)} fits {wanted(facts)}.{_partly(facts, 'there may be others')}{_half(facts)}"
        case "found":
            return _listing(facts)


def wanted(facts: SearchFacts) -> str:
    """All that was looked for, in one phrase."""
    return " ".join([facts.subject, *facts.conditions.values()])


def offers_of(facts: SearchFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome, and whom each is for."""
    match facts.outcome:
        case "unavailable" | "all_shown":
            return []
        case "ruled_out":
            rules = [_LIMIT_KEYS[left.limit] for left in facts.left_out if left.limit in _LIMIT_KEYS]
            return [(f"Drop my {name}", _capital(message), "profile_update") for name, message in rules]
        case "nothing":
            return [
                (f"Without the {name} condition", f"Search again without the {name} condition", "job_search")
                for name in _droppable(facts)
            ]
        case "found":
            return _next_steps(facts)


def _next_steps(facts: SearchFacts) -> list[tuple[str, str, Intent]]:
    first = facts.jobs[0]
    offers: list[tuple[str, str, Intent]] = [
        ("Write to the first company", f"Write an e-mail to {first.company} about the first job", "cold_email")
    ]
    if has_more(facts):
        offers.append(("Show more", "Show more", "job_search"))
    if facts.scored_against == "profile":
        offers.append(("Skills I am missing", "Which skills am I missing for the first job?", "skill_gap"))
    if "remote" not in facts.conditions and 0 < sum(bool(job.remote) for job in facts.jobs) < len(facts.jobs):
        offers.append(("Only remote ones", "Only the remote ones", "job_search"))
    return offers


def _unavailable(facts: SearchFacts) -> str:
    if len(facts.unasked) > 1:
        reason = f"none of my sources could be asked: {_troubles(facts)}"
    else:
        reason = "the job search is not answering just now"
    return (
        f"I could not look for {wanted(facts)}: {reason}. That says nothing about what is out there. Please send the "
        "message again in a moment."
    )


def _partly(facts: SearchFacts, so: str) -> str:
    """The sentence that no partial answer goes without."""
    if not facts.unasked:
        return ""
    if len(facts.unasked) > 1:
        return f" {len(facts.unasked)} sources could not be asked, so {so}: {_troubles(facts)}."
    name, trouble = next(iter(facts.unasked.items()))
    return f" {_capital(_the(name))} could not be asked ({trouble}), so {so}."


def _half(facts: SearchFacts) -> str:
    return f" Note: {facts.degraded}." if facts.degraded else ""


def _those(facts: SearchFacts) -> str:
    if facts.unasked or facts.degraded or facts.total > facts.seen:
        return "I have nothing new to show: you have seen every posting that I could look through and that"
    return "Those were all: I have already shown you every posting that"


def _troubles(facts: SearchFacts) -> str:
    return listed([f"{_the(name)} {trouble}" for name, trouble in facts.unasked.items()])


def _nothing(facts: SearchFacts) -> str:
    conditions = list(facts.conditions.values())
    places = [_the(name) for name in facts.searched]
    where = listed(places) if facts.searched != (CATALOGUE,) else "the whole catalogue"
    partly = _partly(facts, "there may be some there") + "".join(
        f" Of {_the(name)}, {what}." for name, what in facts.unseen.items()
    )
    if not conditions:
        return (
            f"I looked for {facts.subject} in {where} and found none. Other words for the same work may find some."
            f"{partly}"
        )
    looked = "\n".join(f"- {line}" for line in [facts.subject, *conditions])
    names = _droppable(facts)
    comma = "," if len(places) > 1 else ""
    text = f"I searched {where}{comma} and no posting meets all of this:\n{looked}"
    if partly:
        text += f"\n\n{partly.strip()}"
    if names:
        text += f"\n\nShall I drop {listed([f'the {name} condition' for name in names], 'or')} and look again?"
    return text


def _listing(facts: SearchFacts) -> str:
    told = facts.jobs[:TOLD]
    mixed = 0 < sum(job.sample for job in facts.jobs) < len(facts.jobs)
    lines = [" ".join(filter(None, [_lead(facts) + _partly(facts, "this is a partial list"), _age_note(facts)]))]
    lines.append("\n".join(f"{number}. {_line(job, facts, mixed)}" for number, job in enumerate(told, start=1)))
    if further := _further(facts, len(told)):
        lines.append(further)
    lines += [note for note in (_sample_note(facts.jobs), _pay_note(facts), _rules_note(facts)) if note]
    lines += [note for note in (_basis_note(facts), said_last(facts.understood)) if note]
    return "\n\n".join(lines)


def _further(facts: SearchFacts, told: int) -> str:
    behind = len(facts.jobs) - told
    notes = []
    if behind > 0:
        verb = "is" if behind == 1 else "are"
        notes.append(f"{behind} more of them {verb} in the list that comes with this answer.")
    if has_more(facts):
        notes.append("Say “show more” for the next ones.")
    return " ".join(notes)


def _lead(facts: SearchFacts) -> str:
    count = f"**{counted(facts.total, 'posting')}**"
    if not facts.total_is_exact and has_more(facts) and facts.total > _MANY:
        # How many of those keep all rules nobody has counted.
        count = "**many postings**"
    elif not facts.total_is_exact:
        count = f"at most {count}"
    fit = "fits" if facts.total == 1 else "fit"
    if facts.seen:
        lead = f"Here are {len(facts.jobs)} more of {count} for {wanted(facts)}."
    elif facts.subject == ANYTHING and not facts.conditions:
        lead = f"You named no particular job, so I looked at the newest of {count}."
    elif facts.understood.dropped:
        lead = f"Without the {facts.understood.dropped} condition, {count} {fit}: {wanted(facts)}."
    elif facts.refined:
        lead = f"Going on from your last search: {count} {fit} what I looked for: {wanted(facts)}."
    else:
        start = count.replace("**many", "**Many", 1)
        lead = f"{_capital(start)} {fit} what I looked for: {wanted(facts)}."
    return f"{lead} I took the subject from your profile." if facts.by_profile else lead


def _age_note(facts: SearchFacts) -> str:
    """Before the list: who reads of a vacancy first and of its age later has begun to write."""
    dates = [job.posted_at for job in facts.jobs if job.posted_at]
    old = [day for day in dates if (facts.today - day).days > _OLD_DAYS]
    if not old or len(old) * 2 < len(facts.jobs):
        return ""
    if len(old) < len(dates):
        return f"{len(old)} of these {len(facts.jobs)} are more than a year old; check that they are still open."
    if len(facts.jobs) == 1:
        return f"It was posted on {day_text(old[0])}; check that it is still open."
    newest = day_text(max(dates))
    return f"These are old: the newest was posted on {newest}; check that it is still open."


def _pay_note(facts: SearchFacts) -> str:
    """A range that begins below the least pay is listed because its top reaches it."""
    if facts.pay_floor is None:
        return ""
    below = [job for job in facts.jobs if job.salary and _starts_below(job.salary, facts.pay_floor)]
    if not below:
        return ""
    if len(below) == 1:
        return "One of these starts below the pay you asked for; its range reaches it."
    whose = "These start" if len(below) == len(facts.jobs) else f"{len(below)} of these start"
    return f"{whose} below the pay you asked for; their ranges reach it."


def _starts_below(salary: Salary, floor: float) -> bool:
    if salary.min is None or salary.max is None:
        return False
    period = period_named(salary.period) if salary.period else None
    return yearly(salary.min, period or guess_period(salary.min)) < floor


def _line(job: Job, facts: SearchFacts, mixed: bool) -> str:  # noqa: FBT001 - whether samples stand beside real ones
    told = ["remote" if job.remote else plain(place_text(job.location)) if job.location else "place not stated"]
    if job.salary:
        told.append(pay_text(job.salary))
    if job.job_id in facts.closed:
        told.append(f"**closed on {day_text(facts.closed[job.job_id])}**")
    elif job.posted_at:
        told.append(age_text(job.posted_at, facts.today))
    if job.source in facts.boards:
        told.append(f"on {plain(facts.boards[job.source])}")
    sample = " (sample)" if mixed and job.sample else ""
    reason = _reason(job)
    line = f"**{plain(job.title)}** at {plain(job.company)}{sample}: {', '.join(told)}."
    return f"{line} {reason}" if reason else line


def _reason(job: Job) -> str:
    """Why it stands there, where that tells it from its neighbours: that all words fit goes without saying."""
    if job.matched_skills:
        asked = len(job.matched_skills) + len(job.missing_skills)
        have = listed([plain(skill) for skill in job.matched_skills[:4]])
        return f"You have {len(job.matched_skills)} of the {counted(asked, 'skill')} it asks for: {have}."
    reason = job.match_reasons[0] if job.match_reasons else ""
    if terms := _TERMS.match(reason):
        found, wanted_terms = int(terms[1]), int(terms[2])
        if found == wanted_terms:
            return ""
        return f"Names {found} of your {wanted_terms} search words." if found else "Close to your search in meaning."
    if not reason or _AGE.match(reason):
        return ""
    return f"{_capital(plain(reason))}."


def _sample_note(jobs: Sequence[Job]) -> str:
    samples = sum(job.sample for job in jobs)
    if not samples:
        return ""
    if samples == len(jobs):
        if samples == 1:
            return (
                "This is a sample posting from the built-in catalogue: fictional, not a real vacancy you can apply for."
            )
        return "These are sample postings from the built-in catalogue: fictional, not real vacancies you can apply for."
    named = counted(samples, "of these is a sample posting", "of these are sample postings")
    return f"{named}: fictional, marked so, below the real ones. Say “only real ones” to leave samples out."


def _rules_note(facts: SearchFacts) -> str:
    notes = [f"Left out because of your rules: {left_out_text(facts.left_out)}."] if facts.left_out else []
    unsure = [
        f"{one.postings:,} with {UNKNOWN_WORDS[one.limit]}" for one in facts.unknown if one.limit in UNKNOWN_WORDS
    ]
    if unsure:
        what = "your rules" if facts.scored_against == "profile" else "what you asked for"
        notes.append(f"Shown, but not known to keep {what}: {listed(unsure)}.")
    if facts.sizes_failed:
        notes.append("I could not look up how large the companies are.")
    return " ".join(notes)


def _basis_note(facts: SearchFacts) -> str:
    notes = []
    if facts.scored_against == "query" and facts.first:
        notes.append(
            "The order follows the search alone, as I know nothing of you yet; tell me your skills and I rank by fit."
        )
    if facts.degraded:
        notes.append(f"Note: {facts.degraded}.")
    return " ".join(notes)


def has_more(facts: SearchFacts) -> bool:
    return facts.total > facts.seen + len(facts.jobs)


def _droppable(facts: SearchFacts) -> list[str]:
    return [name for name in facts.conditions if name not in facts.rules][:3]


def _the(name: str) -> str:
    return f"the {name}" if name == CATALOGUE else plain(name)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
