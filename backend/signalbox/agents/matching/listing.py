"""Several postings side by side: the answer in a sentence, the ranking and the table, from the facts alone. Pure."""

from collections.abc import Sequence
from typing import Final

from signalbox.agents.matching.facts import MatchFacts, Sifted
from signalbox.agents.matching.phrases import (
    VERDICTS,
    asked_for,
    capital,
    few,
    name_of,
    numbered,
    numbers,
    pay_of,
    safe,
    score_of,
    word,
)
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.agents.words.postings import age_text
from signalbox.agents.words.shown_names import PASTED_ID
from signalbox.blocks import JobVerdict

# A judgement is told in so many lines unless all of it is asked for.
_MOST_TOLD: Final = 5
_FEW: Final = 3


def headline(facts: MatchFacts) -> str:
    """The answer in a sentence."""
    best = next((each for each in facts.verdicts if each.job.job_id == facts.best), None)
    match facts.criterion:
        case "fit":
            return _best_fit(facts, best)
        case "pay":
            return _best_paid(facts, best)
        case "newest":
            return _newest(facts, best)
        case "level":
            return _most_senior(facts, best)
        case "nearest":
            return _nearest(facts, best)


def _newest(facts: MatchFacts, best: JobVerdict | None) -> str:
    what = "oldest" if facts.turned else "newest"
    if best and best.job.posted_at:
        return f"{name_of(best)} is the {what}: {age_text(best.job.posted_at, facts.today)}."
    return (
        f"{capital(numbers(sorted(facts.firsts)))} share the {what} date."
        if facts.compared
        else "None of them states its date."
    )


def _most_senior(facts: MatchFacts, best: JobVerdict | None) -> str:
    what = "most junior" if facts.turned else "most senior"
    if best:
        return f"{name_of(best)} is the {what} by what its title and text state."
    return (
        f"{capital(numbers(sorted(facts.firsts)))} are equally {what.removeprefix('most ')}."
        if facts.compared
        else "None of them states a level."
    )


def _best_fit(facts: MatchFacts, best: JobVerdict | None) -> str:
    if not facts.profile_known:
        return "I cannot rank these by fit yet: I know neither your skills nor your title. This is what they ask for."
    if best is None:
        ruled = sum(each.verdict == "ruled_out" for each in facts.verdicts)
        if ruled == len(facts.verdicts):
            return "Each of these breaks a rule of yours, so I would go for none of them."
        firsts = [name_of(each) for each in facts.verdicts if each.place in facts.firsts]
        return f"{listed(firsts)} score the same: by what I know they fit equally well."
    if best.verdict == "weak":
        return f"None of them fits well; the nearest is {name_of(best)}."
    return f"{name_of(best)} fits you best: {VERDICTS[best.verdict]}, {score_of(best)}."


def _best_paid(facts: MatchFacts, best: JobVerdict | None) -> str:
    if not facts.compared:
        return "None of them states its pay, so I cannot say which pays best."
    most = "pays least" if facts.turned else "pays most"
    if best:
        return f"{name_of(best)} {most}: {pay_of(best, facts)}."
    firsts = [each for each in facts.verdicts if each.place in facts.firsts]
    if len({each.job.salary.currency for each in firsts if each.job.salary}) > 1:
        lines = [f"{name_of(each)}: {pay_of(each, facts)}" for each in firsts]
        return f"In each currency another one {most}. {'; '.join(lines)}."
    return f"{listed([name_of(each) for each in firsts])} pay the same at the top: {pay_of(firsts[0], facts)}."


def _nearest(facts: MatchFacts, best: JobVerdict | None) -> str:
    what = "furthest away" if facts.turned else "nearest"
    remote = [each for each in facts.verdicts if each.job.remote]
    if facts.home is None:
        told = f" {listed([name_of(each) for each in remote])} can be done remotely, from anywhere." if remote else ""
        if len(remote) > 1:
            told = f" {capital(word(len(remote)))} are remote: {numbers(sorted(each.place for each in remote))}."
        return f"I do not know where you live, so I cannot say which is nearest. Tell me your town and ask again.{told}"
    bound = f"I go by names of places, seen from {plain(facts.home)}, and know no distances."
    if best:
        place = "it is remote" if best.job.remote else f"it is in {plain(best.job.location or 'your country')}"
        return f"{name_of(best)} is the {what}: {place}. {bound}"
    firsts = [each for each in facts.verdicts if each.place in facts.firsts]
    if not firsts:
        return f"Their places do not tell. {bound}"
    if len(remote) > 1 and all(each.job.remote for each in firsts):
        return f"{_remote_or_near(facts, remote)} {bound}"
    names = listed([name_of(each) for each in firsts[:_FEW]])
    if len(firsts) > _FEW:
        names = capital(numbers([each.place for each in firsts]))
    return f"{names} are equally near, as far as I can tell. {bound}"


def _remote_or_near(facts: MatchFacts, remote: Sequence[JobVerdict]) -> str:
    """Remote ones are equally near wherever they are; which of the others is, is what else can be said."""
    places = numbers(sorted(each.place for each in remote))
    said = f"{capital(word(len(remote)))} can be done remotely: {places}."
    others = [each for each in facts.verdicts if not each.job.remote and each.place not in facts.silent]
    if not others:
        return said
    return (
        f"{said} Of the others {name_of(others[0])} is the nearest: {plain(others[0].job.location or 'your country')}."
    )


def next_best(facts: MatchFacts) -> str:
    """Who follows the winner, in a sentence."""
    known = [each for each in facts.verdicts if each.place not in facts.silent]
    if len(facts.firsts) > 1:
        return ""
    after = next((each for each in known if each.place not in facts.firsts), None)
    if after is None or (facts.criterion == "nearest" and facts.home is None):
        return ""
    return f"Next is {name_of(after)}: {_measure(after, facts)}."


def ranking(facts: MatchFacts) -> str:
    """The postings in the order of the criterion, each under its own number; the best few unless all are asked for."""
    told = facts.verdicts if facts.length == "all" else facts.verdicts[:_MOST_TOLD]
    if facts.criterion == "nearest" and facts.home is None:
        return ""
    lines = [f"- {_line(each, facts)}" for each in told]
    if rest := facts.verdicts[len(told) :]:
        weaker = "more" if not facts.profile_known or facts.criterion != "fit" else "weaker one"
        many = weaker if weaker == "more" or len(rest) == 1 else "weaker ones"
        more = f"{word(len(rest))} more" if weaker == "more" else f"{word(len(rest))} {many}"
        lines.append(f"\nAnd {more}: {numbers([each.place for each in rest])}. Say “rank all of them” to see them too.")
    return "\n".join(lines)


def shown_again(facts: MatchFacts) -> str:
    """The list on the table in its own order."""
    lines = [f"- {numbered(each)}: {_in_short(each, facts)}." for each in facts.verdicts]
    return "\n".join([f"Here is the list again, {counted(len(lines), 'posting')}:", "", *lines])


def sifting(facts: MatchFacts, sifted: Sifted) -> str:
    """Which of the list are of the kind asked for, and which do not say."""
    number = len(sifted.met)
    head = f"**{capital(plain(sifted.words))}:** {word(number)} of the {word(sifted.of)}."
    parts = [head]
    if number:
        parts.append("\n".join(f"- {numbered(each)}: {_in_short(each, facts)}." for each in facts.verdicts))
    if sifted.rates:
        are = "are part-time, so it depends on their" if len(sifted.rates) > 1 else "is part-time, so it depends on its"
        parts.append(f"{capital(numbers(sifted.rates))} {are} hours.")
    silent = [place for place in sifted.unsaid if place not in sifted.rates]
    if len(silent) == sifted.of:
        parts.append("None of them says anything on that.")
    elif silent:
        does = "does" if len(silent) == 1 else "do"
        parts.append(f"{capital(numbers(silent))} {does} not say.")
    return "\n\n".join(parts)


def _in_short(each: JobVerdict, facts: MatchFacts) -> str:
    """Place, employment and pay."""
    text = next((text for text in facts.texts if text.place == each.place), None)
    place = plain(each.job.location or "place not stated")
    if each.job.remote and "remote" not in place.casefold():
        place = f"{place}, remote" if each.job.location else "remote"
    parts = [place, *([text.employment] if text and text.employment else []), pay_of(each, facts)]
    return ", ".join(parts)


def _measure(each: JobVerdict, facts: MatchFacts) -> str:
    """What the criterion goes by, as the posting states it."""
    job = each.job
    match facts.criterion:
        case "pay":
            return pay_of(each, facts)
        case "newest":
            return age_text(job.posted_at, facts.today) if job.posted_at else "no date stated"
        case "nearest":
            return "remote" if job.remote else plain(job.location or "place not stated")
        case "level":
            text = next((text for text in facts.texts if text.place == each.place), None)
            return f"{text.seniority} level" if text and text.seniority else "no level stated"
        case "fit":
            return VERDICTS[each.verdict]


def _line(each: JobVerdict, facts: MatchFacts) -> str:
    name = numbered(each)
    if facts.criterion != "fit":
        ruled = f"; ruled out, as {safe(each.concerns[0])}" if each.verdict == "ruled_out" else ""
        return f"{name}: {_measure(each, facts)}{ruled}."
    if not facts.profile_known and each.verdict == "unknown":
        asked = listed([plain(skill) for skill in asked_for(each, facts)])
        return f"{name}: " + (f"it asks for {asked}." if asked else "it names no skills.")
    if each.verdict == "ruled_out":
        return f"{name}: {VERDICTS[each.verdict]}, as {safe(each.concerns[0])}."
    line = f"{name}: {VERDICTS[each.verdict]}, {score_of(each)}."
    if facts.length == "all" and len(facts.verdicts) > _MOST_TOLD:
        return line
    if each.strengths:
        line += f" {capital(safe(each.strengths[0]))}."
    if each.concerns:
        line += f" Against it: {safe(each.concerns[0])}."
    return line


def table(facts: MatchFacts) -> str:
    rows = [
        "| | " + " | ".join(f"**{plain(each.job.title, 40)}**" for each in facts.verdicts) + " |",
        "|---" * (len(facts.verdicts) + 1) + "|",
    ]
    lines = {
        "Number": ["yours" if each.job.job_id == PASTED_ID else str(each.place) for each in facts.verdicts],
        "Company": [plain(each.job.company, 40) for each in facts.verdicts],
        "Fit": [
            VERDICTS[each.verdict].removeprefix("a ")
            + ("" if each.verdict in {"ruled_out", "unknown"} else f", {score_of(each)}")
            for each in facts.verdicts
        ],
        "Pay": [pay_of(each, facts) for each in facts.verdicts],
        "Place": [
            "remote" if each.job.remote else plain(each.job.location or "not stated", 40) for each in facts.verdicts
        ],
        "Posted": [
            age_text(each.job.posted_at, facts.today).removeprefix("posted ") if each.job.posted_at else "not stated"
            for each in facts.verdicts
        ],
        "You have": [few(each.job.matched_skills) for each in facts.verdicts],
        "Missing": [few(each.job.missing_skills) for each in facts.verdicts],
        "Against it": [safe(each.concerns[0]) if each.concerns else "–" for each in facts.verdicts],
    }
    if not facts.profile_known:
        lines["Asks for"] = [few(asked_for(each, facts)) for each in facts.verdicts]
        lines = {name: cells for name, cells in lines.items() if name not in {"Fit", "You have", "Missing"}}
    rows += [f"| {name} | {' | '.join(cells)} |" for name, cells in lines.items()]
    return "\n".join(rows)
