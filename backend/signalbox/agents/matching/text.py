"""The words of a judgement of postings, from its facts alone. Pure."""

from typing import Final

from signalbox.agents.matching.facts import AskedSkill, Detail, MatchFacts, Points
from signalbox.agents.matching.listing import headline, ranking, table
from signalbox.agents.matching.phrases import (
    VERDICTS,
    asked_for,
    capital,
    name_of,
    pay_of,
    safe,
    score_of,
    word,
)
from signalbox.agents.matching.wish import Aspect
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import JobVerdict
from signalbox.envelope import Intent

Offer = tuple[str, str, Intent]

_ADVICE: Final = {
    "strong": "Worth applying; have an answer ready for what stands against it.",
    "good": "Worth applying; have an answer ready for what stands against it.",
    "partial": "A stretch. Apply if the work itself draws you, and lead with what you have.",
    "weak": "I would put the time into a closer match first.",
}


def compose(facts: MatchFacts) -> str:
    """The reply as the template words it, in Markdown."""
    match facts.outcome:
        case "unavailable":
            return (
                "I could not read the postings just now, so I cannot judge them. That says nothing about them. Please "
                "ask again in a moment."
            )
        case "nothing_shown":
            return _nothing_shown(facts)
        case "not_found":
            return (
                f"I find no posting for “{plain(facts.named)}”, neither among those I showed you nor in the "
                "catalogue. Paste its text here and I judge it from that."
            )
        case "no_such_place":
            return (
                f"The list has {counted(facts.list_length, 'posting')}, so there is no "
                f"{listed([f'number {place}' for place in facts.absent], 'or')} in it. Name one by its "
                "number or company."
            )
        case "gone":
            return f"{_gone(facts)} There is nothing left to judge."
        case "judged":
            return _judgement(facts)


def offers_of(facts: MatchFacts) -> list[Offer]:
    """Quick replies that fit the outcome, and whom each is for."""
    if facts.outcome == "judged":
        return _next_steps(facts)
    if facts.outcome == "no_such_place":
        return [
            ("Judge all of them", "Which of them fits me best?", "job_match"),
            ("The first one", "Am I a fit for the first one?", "job_match"),
        ]
    if facts.outcome == "unavailable":
        return []
    title = facts.titles[0] if facts.titles else ""
    offers: list[Offer] = []
    if title:
        offers.append((f"Find {plain(title, 40)} jobs", f"Find {title} jobs", "job_search"))
        offers.append(("Find remote ones", f"Find remote {title} jobs", "job_search"))
    else:
        offers.append(("Show the newest jobs", "Show me the newest jobs", "job_search"))
        offers.append(("Show remote jobs", "Show me remote jobs", "job_search"))
    offers.append(("How matching works", "How do you work out how well a job fits me?", "general"))
    return offers


def _nothing_shown(facts: MatchFacts) -> str:
    known = "" if facts.profile_known else " Tell me your skills too, and I can say how well each one fits."
    return (
        "No posting is on the table yet, so there is nothing to judge. Search first and I rank what is found, or paste "
        f"a posting here: its title, the company and what it asks for are enough.{known}"
    )


def _next_steps(facts: MatchFacts) -> list[Offer]:
    first = facts.verdicts[0]
    if facts.pasted:
        search: Offer = ("Find similar jobs", f"Find {first.job.title} jobs", "job_search")
        return [search, ("Draft a cover letter", "Draft a cover letter for this posting", "cover_letter")]
    number = f"number {first.place}"
    offers: list[Offer] = []
    if first.verdict == "ruled_out":
        return [
            ("Find others", "Show more", "job_search"),
            ("What I know of you", "What is in my profile?", "profile_update"),
        ]
    if facts.profile_known:
        offers.append((f"Cover letter for {number}", f"Draft a cover letter for {number}", "cover_letter"))
        if first.job.missing_skills:
            offers.append(("Skills I am missing", f"Which skills am I missing for {number}?", "skill_gap"))
    if len(facts.verdicts) > 1:
        if facts.form != "compare":
            offers.append(("Compare them in a table", "Compare them side by side", "job_match"))
        if facts.criterion != "pay":
            offers.append(("Which pays best?", "Which of them pays best?", "job_match"))
    elif facts.form != "explain" and facts.profile_known:
        offers.append(("How is that scored?", f"Explain the score of {number}", "job_match"))
    return offers


def _judgement(facts: MatchFacts) -> str:
    several = len(facts.verdicts) > 1
    parts = [table(facts) if facts.form == "compare" else ""]
    if several:
        parts = [headline(facts), *parts] if facts.form == "compare" else [headline(facts), ranking(facts)]
    elif facts.form == "explain":
        parts = [_scored(facts.verdicts[0], facts.points[0] if facts.points else None, facts)]
    else:
        parts = [_single(facts)]
    parts += [
        _coverage(facts),
        _currencies(facts),
        _unchecked(facts),
        _unknown_profile(facts),
        _samples(facts),
        _gone(facts),
    ]
    if facts.guessed and len(facts.verdicts) == 1:
        number = facts.verdicts[0].place
        parts.append(f"I took it that you mean number {number} of the list. Name another by its number or company.")
    if facts.absent:
        absent = listed([f"number {place}" for place in facts.absent])
        parts.append(f"The list has no {absent}; it ends at {facts.list_length}.")
    if facts.sizes_failed:
        parts.append("Company sizes could not be looked up just now, so your limit on them is not checked.")
    return "\n\n".join(part for part in parts if part)


def _single(facts: MatchFacts) -> str:
    each = facts.verdicts[0]
    lines = [f"{_found(facts)}{name_of(each, number=not facts.pasted)}: {_opinion(each, facts)}"]
    told = [_told(detail, each, facts) for detail in facts.details] + [_asked(asked) for asked in facts.asked]
    lines = [*told, *lines] if facts.details else [*lines, *told]
    reasons = [f"- **For it:** {safe(reason)}" for reason in each.strengths]
    reasons += [f"- **Against it:** {safe(reason)}" for reason in each.concerns]
    if reasons:
        lines.append("\n".join(reasons))
    if facts.formal:
        lines.append(f"It also names {listed(facts.formal)}, and I know of none of yours: check that first.")
    if each.verdict == "ruled_out":
        lines.append("I would leave it, unless the rule no longer holds: then tell me so.")
    elif each.verdict == "strong" and not each.concerns:
        lines.append("Worth applying: nothing I know of stands against it.")
    elif each.verdict in _ADVICE:
        lines.append(_ADVICE[each.verdict])
    return "\n\n".join(lines)


def _found(facts: MatchFacts) -> str:
    return "I took the posting from your message. " if facts.pasted else "I looked it up. " if facts.looked_up else ""


def _opinion(each: JobVerdict, facts: MatchFacts) -> str:
    match each.verdict:
        case "ruled_out":
            return "it is ruled out by what you told me."
        case "unknown":
            asked = listed([plain(skill) for skill in asked_for(each, facts)])
            return (
                f"it asks for {asked}." if asked else "it names no particular skills."
            ) + " I know neither your skills nor your title, so I cannot say how well you fit."
        case _:
            return f"{VERDICTS[each.verdict]}, {score_of(each)}."


def _asked(asked: AskedSkill) -> str:
    """Whether one requirement decides."""
    skill = plain(asked.skill)
    quote = f" It says: “{plain(asked.quote, 200)}”" if asked.quote else ""
    if asked.weight == "not_named":
        return f"The posting does not mention {skill}, so its absence rules nobody out."
    if asked.held == "have":
        return f"It asks for {skill}, and you have it.{quote}"
    near = f" Your {plain(asked.through)} is close to it: say so in the application." if asked.through else ""
    match asked.weight:
        case "wished":
            return f"{skill} does not rule you out: the posting lists it as a wish, not as a must.{quote}{near}"
        case "required":
            return (
                f"{skill} is stated as a requirement, so its absence may count against you; whether they "
                f"make an exception only they can say.{quote}{near}"
            )
        case "named":
            return f"The posting names {skill} without saying that it is a must.{quote}{near}"


_UNSAID: Final[dict[Aspect, str]] = {
    "remote": "The posting does not say whether it can be done remotely.",
    "office": "It does not state how many days in the office.",
    "employment": "It does not say whether it is full-time or part-time.",
    "place": "It does not state its place.",
    "posted": "It states no date.",
    "pay": "It does not state its pay.",
}


def _told(detail: Detail, each: JobVerdict, facts: MatchFacts) -> str:
    """The answer to a question that one line of the posting answers."""
    if detail.stated is None:
        return (
            f"{_UNSAID[detail.about]} It is marked as remote."
            if detail.about == "office" and each.job.remote
            else (_UNSAID[detail.about])
        )
    match detail.about:
        case "remote":
            said = f"{'Yes' if each.job.remote else 'No'}, it is {detail.stated}."
        case "office":
            said = f"It asks for {detail.stated}."
        case "place":
            said = f"It is in {plain(detail.stated)}."
        case "employment" | "posted":
            said = f"It is {detail.stated}."
        case "pay":
            answers = {None: "", True: "Yes: it reaches that. ", False: "No: it stays below that. "}
            said = f"{answers[detail.enough]}It pays {pay_of(each, facts)}."
    return said


def _scored(each: JobVerdict, points: Points | None, facts: MatchFacts) -> str:
    if each.verdict == "unknown" or points is None:
        return f"{name_of(each)}: {_opinion(each, facts)}"
    head = f"{_found(facts)}{name_of(each, number=not facts.pasted)} scores **{score_of(each)}**."
    if each.verdict == "ruled_out":
        head += f" It is ruled out all the same: {safe(each.concerns[0])}."
    lines = [
        f"- **{capital(part.name)}:** {part.points:g} of {part.out_of:g} ({safe(part.reason)})"
        for part in each.job.score_parts
    ]
    total = (
        f"That is {points.points:g} of {points.out_of:g} points, scaled to a hundred. What I know nothing of on your "
        "side is left out and counts neither way."
    )
    return "\n\n".join([head, "\n".join(lines), total])


def _coverage(facts: MatchFacts) -> str:
    """What the comparison could not cover."""
    number = len(facts.verdicts)
    if not facts.silent or number < 2 or not facts.compared:
        return ""
    what = {"pay": "no pay", "newest": "no date", "level": "no level", "nearest": "no place"}.get(facts.criterion)
    if what is None:
        return ""
    silent = len(facts.silent)
    states = "states" if silent == 1 else "state"
    who = f"{capital(word(silent))} of the {word(number)}"
    return f"{who} {states} {what}, so the comparison covers {word(facts.compared)}."


def _currencies(facts: MatchFacts) -> str:
    notes = []
    if facts.criterion == "pay" or facts.form == "compare":
        named = sorted({pay.currency for pay in facts.pay if pay.currency})
        if len(named) > 1:
            notes.append(f"They pay in {listed(named)}; I do not convert currencies, so compare only within each.")
        if any(pay.converted for pay in facts.pay):
            notes.append("Yearly figures for other pay periods assume full-time work all year.")
    return " ".join(notes)


def _unchecked(facts: MatchFacts) -> str:
    """Rules of the user that could not be held against every posting."""
    if not facts.unchecked or len(facts.verdicts) < 2:
        return ""
    told = listed([f"{name} for {word(number)} of them" for name, number in facts.unchecked.items()])
    return f"Not checked against your rules: {told}."


def _unknown_profile(facts: MatchFacts) -> str:
    if facts.profile_known:
        return ""
    return "Tell me your title and skills, for example “I am a nurse with 6 years of experience”, and I judge the fit."


def _samples(facts: MatchFacts) -> str:
    samples = sum(each.job.sample for each in facts.verdicts)
    if not samples:
        return ""
    if samples == len(facts.verdicts):
        return "It is a fictional sample posting." if samples == 1 else "All of these are fictional sample postings."
    what = "is a fictional sample posting" if samples == 1 else "are fictional sample postings"
    return f"{capital(word(samples))} of these {what}."


def _gone(facts: MatchFacts) -> str:
    if not facts.gone:
        return ""
    names = listed([f"“{plain(job.title)}” at {plain(job.company)}" for job in facts.gone])
    return f"{names} {'is' if len(facts.gone) == 1 else 'are'} no longer in the catalogue and could not be judged."
