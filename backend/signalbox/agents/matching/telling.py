"""One posting in words: a question about it answered, all that it says, and how to apply to it. Pure."""

from datetime import date
from typing import Final

from signalbox.agents.matching.details import AskedSkill, Detail, PostingText
from signalbox.agents.matching.facts import MatchFacts
from signalbox.agents.matching.phrases import VERDICTS, name_of, pay_of, score_of
from signalbox.agents.matching.wish import Aspect
from signalbox.agents.words.phrases import listed, plain
from signalbox.agents.words.postings import age_text
from signalbox.blocks import JobVerdict

_LONG: Final = 330
_UNSAID: Final[dict[Aspect, str]] = {
    "remote": "The posting does not say whether it can be done remotely.",
    "office": "It does not state how many days in the office.",
    "employment": "It does not say whether it is full-time or part-time.",
    "place": "It does not state its place.",
    "posted": "It states no date.",
    "pay": "It does not state its pay.",
    "asks": "It names nothing that it asks for.",
    "duties": "It does not describe the work.",
    "benefits": "It names no benefits.",
    "company": "It does not name the company.",
    "link": "I have no link to it: look for it by its title on the company's own site.",
}
_LINES: Final[dict[Aspect, str]] = {
    "remote": "{yes}, it is {it}.",
    "office": "It asks for {it}.",
    "place": "It is in {it}.",
    "employment": "It is {it}.",
    "posted": "It {it}.",
    "company": "It is at {it}.",
    "link": "Here it is: <{link}>",
}
_TERMS: Final = {"contract": "a contract or freelance post", "internship": "an internship", "temporary": "temporary"}


def answer(detail: Detail, each: JobVerdict, facts: MatchFacts) -> str:
    """The answer to a question that one line of the posting answers."""
    if detail.about == "place" and detail.term is not None:
        return _whether_there(detail, detail.term, each)
    if detail.term is not None:
        return _employment(detail, detail.term)
    if detail.stated is None and not detail.quote:
        marked = " It is marked as remote." if detail.about == "office" and each.job.remote else ""
        return f"{_UNSAID[detail.about]}{marked}"
    stated = plain(detail.stated or "", _LONG)
    quote = f"“{plain(detail.quote, _LONG)}”" if detail.quote else ""
    if detail.about in {"asks", "duties", "benefits"}:
        return " ".join(
            filter(None, (f"It asks for {stated}." if stated else "", f"It says: {quote}" if quote else ""))
        )
    if detail.about == "pay":
        answers = {None: "", True: "Yes: it reaches that. ", False: "No: it stays below that. "}
        hours = " Whether it reaches that depends on its hours." if detail.by_hours else ""
        return f"{answers[detail.enough]}It pays {pay_of(each, facts)}.{hours}"
    return _LINES[detail.about].format(
        yes="Yes" if each.job.remote else "No", it=_TERMS.get(stated, stated), link=detail.stated
    )


def _whether_there(detail: Detail, asked: str, each: JobVerdict) -> str:
    """Whether a posting lies where the question asks, by the names of places alone."""
    where = plain(detail.stated or "", _LONG)
    if each.job.remote:
        stated = f" Its place is stated as {where}." if where else ""
        return f"It can be done remotely.{stated}"
    if not where:
        return _UNSAID["place"]
    if detail.enough:
        return f"Yes, it is in {where}."
    if detail.near:
        return f"It is in {where}. I go by names of places and know no distances: look how far that is from {asked}."
    return f"No, it is in {where}." if detail.enough is False else f"It says no more than {where}."


def _employment(detail: Detail, term: str) -> str:
    name = _TERMS.get(term, term)
    quote = f" It says: “{plain(detail.quote, _LONG)}”" if detail.quote else ""
    if detail.enough:
        return f"Yes, it is {name}.{quote}"
    if detail.enough is False:
        other = f", it is {_TERMS.get(detail.stated, detail.stated)}" if detail.stated and not quote else ""
        return f"No{other or f', not {name}'}.{quote}"
    if detail.stated:
        return f"It is stated as {detail.stated}; whether it is {name} it does not say."
    if term in {"full-time", "part-time"}:
        return _UNSAID["employment"]
    return f"It does not say whether it is {name}."


def asked_about(asked: AskedSkill) -> str:
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


def description(facts: MatchFacts) -> str:
    """All that a posting says, in what people want to know before they open it."""
    each, text = facts.verdicts[0], facts.texts[0]
    rows = {
        "Pay": pay_of(each, facts).removeprefix("pay "),
        "Place": _place(text),
        "Employment": ", ".join(filter(None, (text.employment or "not stated", _level(text)))),
        "Asks for": _asks(text),
        "The work": f"“{plain(text.work, _LONG)}”" if text.work and not facts.pasted else "",
        "Dates": _dates(text, facts.today) or ("" if facts.pasted else "none stated"),
        "Link": f"<{text.url}>" if text.url else "none given" if not facts.pasted else "",
    }
    lines = [f"- **{name}:** {told}" for name, told in rows.items() if told]
    parts = [f"{name_of(each, number=facts.has_number)}:", "\n".join(lines)]
    if each.verdict == "ruled_out":
        parts.append(f"For you it is ruled out: {plain(each.concerns[0], 200)}.")
    elif each.verdict != "unknown":
        parts.append(f"For you it is {VERDICTS[each.verdict]}, {score_of(each)}.")
    return "\n\n".join(parts)


def application(facts: MatchFacts) -> str:
    """That nobody applies for the user here, and what can be done instead."""
    each, text = facts.verdicts[0], facts.texts[0]
    name = name_of(each, number=facts.has_number)
    where = f"at <{text.url}>" if text.url else "on the company's own site: the posting gives no link"
    parts = [f"I cannot apply for you: I send nothing to anybody. You apply to {name} yourself, {where}."]
    if text.closed and text.closes_at:
        parts.append(f"Mind that applications closed on {day(text.closes_at)}.")
    elif text.closes_at:
        parts.append(f"Applications are open until {day(text.closes_at)}.")
    if each.verdict == "ruled_out":
        parts.append(f"Before you do: {plain(each.concerns[0], 200)}.")
    parts.append(
        "I can draft the cover letter for it, and once you have sent it off I keep track of the application: just tell "
        "me “I applied”."
    )
    return "\n\n".join(parts)


def not_saved(facts: MatchFacts) -> str:
    """That there is no list of saved postings, and what keeps track of one."""
    names = listed([name_of(each, number=facts.has_number) for each in facts.verdicts])
    one = len(facts.verdicts) == 1
    text = facts.texts[0] if one and facts.texts else None
    link = f" Its own page is <{text.url}>." if text is not None and text.url else ""
    where = "it stays in this conversation, where you find it" if one else "they stay in this conversation"
    return (
        f"I keep no list of saved postings, so I have not saved {names}: {where}.{link}\n\n"
        "Once you have applied, tell me “I applied”, and I put the application on your tracker."
    )


def _place(text: PostingText) -> str:
    way = "remote" if text.remote else "hybrid" if text.hybrid else "on site" if text.remote is False else ""
    where = plain(text.location or "")
    if way and way not in where.casefold():
        return ", ".join(part for part in (where, way) if part)
    return where or "not stated"


def _level(text: PostingText) -> str:
    return f"{text.seniority} level" if text.seniority else ""


def _asks(text: PostingText) -> str:
    skills = listed([plain(skill) for skill in text.skills])
    quote = f"“{plain(text.requirements, _LONG)}”" if text.requirements else ""
    return ". ".join(part for part in (skills, quote) if part) or "nothing by name"


def _dates(text: PostingText, today: date) -> str:
    parts = [age_text(text.posted_at, today)] if text.posted_at else []
    if text.closes_at:
        parts.append(f"{'closed on' if text.closed else 'open until'} {day(text.closes_at)}")
    return ", ".join(parts)


def day(stated: date) -> str:
    return f"{stated.day} {stated:%B %Y}"
