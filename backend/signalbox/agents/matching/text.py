"""The words of a judgement of postings, from its facts alone. Pure."""

from collections.abc import Callable
from typing import Final

from signalbox.agents.matching.facts import MatchFacts, Outcome, Points
from signalbox.agents.matching.listing import headline, next_best, ranking, shown_again, sifting, table
from signalbox.agents.matching.phrases import (
    VERDICTS,
    asked_for,
    capital,
    name_of,
    numbers,
    safe,
    score_of,
    word,
)
from signalbox.agents.matching.telling import answer, application, asked_about, description, not_saved
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.agents.words.shown_names import PASTED_ID
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
    return _judgement(facts) if facts.outcome == "judged" else _OTHERWISE[facts.outcome](facts)


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
    if facts.outcome == "which_one":
        asked = facts.named.rstrip("?.! ")
        return [
            (plain(f"{place}. {title}", 40), f"{asked}: number {place}", "job_match") for place, title in facts.choices
        ]
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


def _which_one(facts: MatchFacts) -> str:
    return (
        f"Which one do you mean? Name it by its number, for example “number {facts.choices[0][0]}” (the list has "
        f"{counted(facts.list_length, 'posting')}), or by its company."
    )


def _unavailable(_facts: MatchFacts) -> str:
    return (
        "I could not read the postings just now, so I cannot judge them. That says nothing about them. Please "
        "ask again in a moment."
    )


def _not_found(facts: MatchFacts) -> str:
    return (
        f"I find no posting for “{plain(facts.named)}”, neither among those I showed you nor in the "
        "catalogue. Paste its text here and I judge it from that."
    )


def _no_such_place(facts: MatchFacts) -> str:
    if min(facts.absent) <= facts.list_length:
        gone = listed([f"number {place}" for place in facts.absent], "or")
        return f"I no longer have {gone} of that list at hand. Search again, or paste the posting here."
    return (
        f"The list has {counted(facts.list_length, 'posting')}, so there is no "
        f"{listed([f'number {place}' for place in facts.absent], 'or')} in it. Name one by its "
        "number or company."
    )


def _nothing_shown(facts: MatchFacts) -> str:
    known = "" if facts.profile_known else " Tell me your skills too, and I can say how well each one fits."
    if facts.after_empty:
        return (
            "The last search found nothing, so there is no posting to judge. Search again with fewer conditions, or "
            f"paste a posting here: its title, the company and what it asks for are enough.{known}"
        )
    return (
        "No posting is on the table yet, so there is nothing to judge. Search first and I rank what is found, or paste "
        f"a posting here: its title, the company and what it asks for are enough.{known}"
    )


def _next_steps(facts: MatchFacts) -> list[Offer]:
    if not facts.verdicts:
        return [("Show the list", "Show me the list again", "job_match"), ("Find others", "Show more", "job_search")]
    first = facts.verdicts[0]
    number = f"number {first.place}" if facts.has_number else f"{first.job.title} at {first.job.company}"
    if first.job.job_id == PASTED_ID:
        search: Offer = ("Find similar jobs", f"Find {first.job.title} jobs", "job_search")
        return [search, ("Draft a cover letter", "Draft a cover letter for this posting", "cover_letter")]
    label = f"Cover letter for {number if facts.has_number else 'it'}"
    letter: Offer = (label, f"Draft a cover letter for {number}", "cover_letter")
    if facts.form in {"apply", "save"}:
        fit: Offer = ("Do I fit it?", f"Am I a fit for {number}?", "job_match")
        return [
            letter,
            ("I have applied", f"I applied {'to' if facts.has_number else 'for'} {number}", "followup"),
            fit,
        ]
    if first.verdict == "ruled_out":
        return [
            ("Find others", "Show more", "job_search"),
            ("What I know of you", "What is in my profile?", "profile_update"),
        ]
    offers = [letter] if facts.profile_known else []
    if facts.company_asked:
        offers = [(plain(f"About {first.job.company}", 40), f"Tell me about {first.job.company}", "company_research")]
    return [*offers, *_of_one_or_several(facts, number)]


def _of_one_or_several(facts: MatchFacts, number: str) -> list[Offer]:
    offers: list[Offer] = []
    if facts.profile_known and facts.verdicts[0].job.missing_skills:
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
    parts = [_body(facts)]
    if facts.after_empty and not facts.pasted and not facts.looked_up:
        parts.insert(0, "The last search found nothing, so I go by the list before it.")
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


def _body(facts: MatchFacts) -> str:
    """The answer itself, without what is to be said around it."""
    if facts.sifted:
        return sifting(facts, facts.sifted)
    if len(facts.verdicts) > 1 or facts.form == "list":
        return _of_several(facts)
    match facts.form:
        case "explain":
            return _scored(facts.verdicts[0], facts.points[0] if facts.points else None, facts)
        case "tell":
            return f"{_found(facts)}{description(facts)}"
        case "apply" | "save":
            return application(facts) if facts.form == "apply" else not_saved(facts)
        case _:
            return _single(facts)


def _of_several(facts: MatchFacts) -> str:
    if facts.form == "list":
        return shown_again(facts)
    if facts.form == "save":
        return not_saved(facts)
    if facts.form == "compare":
        return f"{headline(facts)}\n\n{table(facts)}"
    rest = next_best(facts) if facts.length == "first" else ranking(facts)
    return f"{headline(facts)}\n\n{rest}".strip()


def _single(facts: MatchFacts) -> str:
    each = facts.verdicts[0]
    name = name_of(each, number=facts.has_number)
    told = [answer(detail, each, facts) for detail in facts.details]
    if told and not facts.judges:
        company = (
            f"\n\nAbout {plain(each.job.company)} itself: ask me “what do you know about {plain(each.job.company)}?”"
        )
        return f"{_found(facts)}{name}:\n\n{' '.join(told)}{company if facts.company_asked else ''}"
    lines = [*told, f"{_found(facts)}{name}: {_opinion(each, facts)}"]
    lines += [asked_about(asked) for asked in facts.asked]
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
    return (
        "I took the posting from your message. " if facts.pasted_now else "I looked it up. " if facts.looked_up else ""
    )


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


def _scored(each: JobVerdict, points: Points | None, facts: MatchFacts) -> str:
    if each.verdict == "unknown" or points is None:
        return f"{name_of(each, number=facts.has_number)}: {_opinion(each, facts)}"
    head = f"{_found(facts)}{name_of(each, number=facts.has_number)} scores **{score_of(each)}**."
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
    homeless = facts.criterion == "nearest" and facts.home is None
    if not facts.silent or number < 2 or not facts.compared or homeless:
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
        if short := sorted(pay.place for pay in facts.pay if pay.part_time):
            what = "is part-time, so what it pays" if len(short) == 1 else "are part-time, so what they pay"
            notes.append(f"{capital(numbers(short))} {what} in a year depends on the hours and is less.")
    return " ".join(notes)


def _unchecked(facts: MatchFacts) -> str:
    """Rules of the user that could not be held against every posting."""
    if not facts.unchecked or len(facts.verdicts) < 2 or facts.form == "list" or facts.length == "first":
        return ""
    told = listed([f"{name} for {word(number)} of them" for name, number in facts.unchecked.items()])
    return f"Not checked against your rules: {told}."


def _unknown_profile(facts: MatchFacts) -> str:
    answered = (
        facts.sifted or facts.form in {"list", "tell", "apply", "save"} or facts.criterion != "fit" or not facts.judges
    )
    if facts.profile_known or answered:
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


_OTHERWISE: Final[dict[Outcome, Callable[[MatchFacts], str]]] = {
    "unavailable": _unavailable,
    "nothing_shown": _nothing_shown,
    "which_one": _which_one,
    "not_found": _not_found,
    "no_such_place": _no_such_place,
    "gone": lambda facts: f"{_gone(facts)} There is nothing left to judge.",
}
