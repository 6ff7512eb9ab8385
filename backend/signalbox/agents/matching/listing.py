"""Several postings side by side: the answer in a sentence, the ranking and the table, from the facts alone. Pure."""

from signalbox.agents.matching.facts import MatchFacts
from signalbox.agents.matching.phrases import VERDICTS, asked_for, capital, few, name_of, pay_of, safe, score_of
from signalbox.agents.words.phrases import listed, plain
from signalbox.agents.words.postings import age_text
from signalbox.blocks import JobVerdict


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
    return f"Several share the {what} date." if facts.compared else "None of them states its date."


def _most_senior(facts: MatchFacts, best: JobVerdict | None) -> str:
    what = "most junior" if facts.turned else "most senior"
    if best:
        return f"{name_of(best)} is the {what} by what its title and text state."
    return f"Several are equally the {what}." if facts.compared else "None of them states a level."


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
        lines = [f"{name_of(each)} ({pay_of(each, facts)})" for each in firsts]
        return f"In each currency another one {most}: {listed(lines)}."
    return f"{listed([name_of(each) for each in firsts])} pay the same at the top: {pay_of(firsts[0], facts)}."


def _nearest(facts: MatchFacts, best: JobVerdict | None) -> str:
    if not facts.home_known and not any(each.job.remote for each in facts.verdicts):
        return "I do not know where you live, so I cannot say which is nearest. Tell me your town and ask again."
    bound = "I go by names of places and know no distances."
    if best:
        place = "it is remote" if best.job.remote else f"it is in {plain(best.job.location or 'your country')}"
        return f"{name_of(best)} is the nearest: {place}. {bound}"
    firsts = [name_of(each) for each in facts.verdicts if each.place in facts.firsts]
    return (
        f"{listed(firsts)} are equally near, as far as I can tell. {bound}"
        if firsts
        else f"Their places do not tell. {bound}"
    )


def ranking(facts: MatchFacts) -> str:
    return "\n".join(f"{rank}. {_line(each, facts)}" for rank, each in enumerate(facts.verdicts, start=1))


def _line(each: JobVerdict, facts: MatchFacts) -> str:
    job = each.job
    told = [VERDICTS[each.verdict]]
    if each.verdict not in {"ruled_out", "unknown"}:
        told[0] += f", {score_of(each)}"
    if facts.criterion == "pay":
        told.insert(0, pay_of(each, facts))
    elif facts.criterion == "newest":
        told.insert(0, age_text(job.posted_at, facts.today) if job.posted_at else "no date stated")
    elif facts.criterion == "nearest":
        told.insert(0, "remote" if job.remote else plain(job.location or "place not stated"))
    if not facts.profile_known and each.verdict == "unknown":
        asked = listed([plain(skill) for skill in asked_for(each, facts)])
        return f"{name_of(each)}: " + (f"it asks for {asked}." if asked else "it names no skills.")
    if each.verdict == "ruled_out":
        return f"{name_of(each)}: {'; '.join(told)}, as {safe(each.concerns[0])}."
    line = f"{name_of(each)}: {'; '.join(told)}."
    if facts.criterion == "fit":
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
        "Number": [str(each.place) for each in facts.verdicts],
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
