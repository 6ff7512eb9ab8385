"""The words of a job search's answer, from its facts alone. Pure."""

from typing import Final

from signalbox.agents.searching.conditions import ANYTHING
from signalbox.agents.searching.facts import SearchFacts, has_more, wanted
from signalbox.agents.searching.lines import age_note, capital, line_of, pay_note, sample_note
from signalbox.agents.searching.notes import left_out_text, said_first, said_last
from signalbox.agents.searching.sources import CATALOGUE
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import Job
from signalbox.envelope import Intent
from signalbox.retrieval.fit.limits import UNKNOWN_WORDS

TOLD: Final = 5

# Above it a number that is only an upper bound tells less than "many".
_MANY: Final = 50
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


def compose(facts: SearchFacts) -> str:
    """The reply as the template words it, in Markdown."""
    # Below a list such notes are read last; where there is none, they tell why.
    why = said_last(facts.understood) if facts.outcome in {"nothing", "ruled_out"} else ""
    above = " ".join(filter(None, [said_first(facts.understood), why]))
    # A list holds the further ones within; other outcomes stand before them.
    heard = facts.outcome != "unavailable" or any(other.outcome != "unavailable" for other in facts.also)
    behind = _others(facts) if facts.outcome != "found" and heard else []
    samples = sample_note(_everything(facts)) if behind else ""
    return "\n\n".join(filter(None, [above, _outcome(facts), *behind, samples]))


def _outcome(facts: SearchFacts) -> str:
    match facts.outcome:
        case "which":
            return _which(facts)
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


def offers_of(facts: SearchFacts) -> list[tuple[str, str, Intent]]:
    """Quick replies that fit the outcome, and whom each is for."""
    match facts.outcome:
        case "unavailable" | "all_shown":
            return []
        case "ruled_out":
            rules = [_LIMIT_KEYS[left.limit] for left in facts.left_out if left.limit in _LIMIT_KEYS]
            return [(f"Drop my {name}", capital(message), "profile_update") for name, message in rules]
        case "nothing" | "which":
            return [
                (f"Without the {name} condition", f"Search again without the {name} condition", "job_search")
                for name in (facts.offered if facts.outcome == "which" else _droppable(facts))
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
    return f" {capital(_the(name))} could not be asked ({trouble}), so {so}."


def _not_looked_through(facts: SearchFacts) -> str:
    """Where there may be postings though none were found."""
    unseen = "".join(f" Of {_the(name)}, {what}." for name, what in facts.unseen.items())
    return _partly(facts, "there may be some there") + unseen


def _half(facts: SearchFacts) -> str:
    return f" Note: {facts.degraded}." if facts.degraded else ""


def _those(facts: SearchFacts) -> str:
    if facts.unasked or facts.degraded or facts.total > facts.seen:
        return "I have nothing new to show: you have seen every posting that I could look through and that"
    return "Those were all: I have already shown you every posting that"


def _troubles(facts: SearchFacts) -> str:
    return listed([f"{_the(name)} {trouble}" for name, trouble in facts.unasked.items()])


def _which(facts: SearchFacts) -> str:
    names = listed([f"the {name} condition" for name in facts.offered], "or")
    return f"Which shall I drop: {names}? Name one or more of them, or say “all of them”, and I look again."


def _nothing(facts: SearchFacts) -> str:
    conditions = list(facts.conditions.values())
    places = [_the(name) for name in facts.searched]
    where = listed(places) if facts.searched != (CATALOGUE,) else "the whole catalogue"
    partly = _not_looked_through(facts)
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
    everything, mixed = _everything(facts), _is_mixed(facts)
    lines = [" ".join(filter(None, [_lead(facts) + _partly(facts, "this is a partial list"), age_note(facts)]))]
    lines.append("\n".join(f"{number}. {line_of(job, facts, mixed)}" for number, job in enumerate(told, start=1)))
    if further := _further(facts, len(told)):
        lines.append(further)
    lines += _others(facts)
    lines += [note for note in (sample_note(everything), pay_note(facts), _rules_note(facts)) if note]
    lines += [note for note in (_basis_note(facts), said_last(facts.understood)) if note]
    return "\n\n".join(lines)


def _everything(facts: SearchFacts) -> list[Job]:
    return [*facts.jobs, *(job for other in facts.also for job in other.jobs)]


def _is_mixed(facts: SearchFacts) -> bool:
    """Whether samples stand beside real postings."""
    every = _everything(facts)
    return 0 < sum(job.sample for job in every) < len(every)


def _others(facts: SearchFacts) -> list[str]:
    """The further searches of the message, their postings numbered on from those above."""
    told, number = [], len(facts.jobs)
    for other in facts.also:
        # What went wrong with both is said once.
        one = other.model_copy(update={"degraded": ""}) if other.degraded == facts.degraded else other
        told.append(_other(one, number + 1, mixed=_is_mixed(facts)))
        number += len(other.jobs)
    return told


def _other(facts: SearchFacts, start: int, *, mixed: bool) -> str:
    if facts.outcome == "unavailable":
        return f"I could not look for {wanted(facts)} just now: please ask for that again in a moment."
    if not facts.jobs:
        left_out = f"; left out because of your rules: {left_out_text(facts.left_out)}" if facts.left_out else ""
        found = "nothing new" if facts.total else "nothing"
        return f"For {wanted(facts)} I found {found}{left_out}.{_not_looked_through(facts)}{_half(facts)}"
    lines = "\n".join(f"{number}. {line_of(job, facts, mixed)}" for number, job in enumerate(facts.jobs, start=start))
    fit = "fits" if facts.total == 1 else "fit"
    more = "Ask for these alone to see the rest." if has_more(facts) else ""
    head = f"{capital(_count(facts))} {fit} the other search: {wanted(facts)}.{_partly(facts, 'there may be others')}"
    head += _half(facts)
    return "\n\n".join(filter(None, [head, lines, more, _rules_note(facts)]))


def _further(facts: SearchFacts, told: int) -> str:
    behind = len(facts.jobs) - told
    notes = []
    if behind > 0:
        verb = "is" if behind == 1 else "are"
        notes.append(f"{behind} more of them {verb} in the list that comes with this answer.")
    if has_more(facts):
        notes.append("Say “show more” for the next ones.")
    return " ".join(notes)


def _count(facts: SearchFacts) -> str:
    count = f"**{counted(facts.total, 'posting')}**"
    if not facts.total_is_exact and has_more(facts) and facts.total > _MANY:
        # How many of those keep all rules nobody has counted.
        return "**many postings**"
    return count if facts.total_is_exact else f"at most {count}"


def _lead(facts: SearchFacts) -> str:
    count = _count(facts)
    fit = "fits" if facts.total == 1 else "fit"
    if facts.seen:
        lead = f"Here are {len(facts.jobs)} more of {count} for {wanted(facts)}."
    elif facts.subject == ANYTHING and not facts.conditions:
        lead = f"You named no particular job, so I looked at the newest of {count}."
    elif facts.understood.dropped:
        gone = f"the {listed(facts.understood.dropped)} condition{'s' if len(facts.understood.dropped) > 1 else ''}"
        lead = f"Without {gone}, {count} {fit}: {wanted(facts)}."
    elif facts.refined:
        lead = f"Going on from your last search: {count} {fit} what I looked for: {wanted(facts)}."
    else:
        start = count.replace("**many", "**Many", 1)
        lead = f"{capital(start)} {fit} what I looked for: {wanted(facts)}."
    return f"{lead} I took the subject from your profile." if facts.by_profile else lead


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


def _droppable(facts: SearchFacts) -> list[str]:
    return [name for name in facts.conditions if name not in facts.rules][:3]


def _the(name: str) -> str:
    return f"the {name}" if name == CATALOGUE else plain(name)
