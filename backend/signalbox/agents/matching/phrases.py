"""Small change of language for postings that are judged: names, scores and pay, as they stand in a sentence. Pure."""

from collections.abc import Sequence
from typing import Final

from signalbox.agents.matching.facts import MatchFacts, YearPay
from signalbox.agents.words.phrases import listed, money, plain
from signalbox.agents.words.postings import pay_text
from signalbox.agents.words.shown_names import PASTED_ID
from signalbox.blocks import JobVerdict
from signalbox.retrieval.posting import UNNAMED_COMPANY

VERDICTS: Final = {
    "strong": "a strong fit",
    "good": "a good fit",
    "partial": "a partial fit",
    "weak": "a weak fit",
    "ruled_out": "ruled out",
    "unknown": "not judged",
}
_NUMBERS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TOLD: Final = 3


def few(skills: tuple[str, ...]) -> str:
    """Some of ``skills``, for a cell of a table."""
    if not skills:
        return "–"
    more = ", …" if len(skills) > _TOLD else ""
    return ", ".join(plain(skill, 40) for skill in skills[:_TOLD]) + more


def pay_of(each: JobVerdict, facts: MatchFacts) -> str:
    salary = each.job.salary
    if salary is None:
        return "pay not stated"
    year = next((pay for pay in facts.pay if pay.place == each.place and pay.converted), None)
    if year is None:
        return pay_text(salary)
    if year.part_time:
        return f"{pay_text(salary)} (part-time; full-time hours would be about {year_of(year)} a year)"
    return f"{pay_text(salary)} (about {year_of(year)} a year)"


def year_of(pay: YearPay) -> str:
    figures = [money(round(figure), pay.currency) for figure in (pay.low, pay.high) if figure is not None]
    return "–".join(dict.fromkeys(figures))


def asked_for(each: JobVerdict, facts: MatchFacts) -> tuple[str, ...]:
    """The first skills that a posting names, whatever the user has."""
    return next((asks.skills for asks in facts.asks if asks.place == each.place), ())


def name_of(each: JobVerdict, *, number: bool = True) -> str:
    company = f" at {plain(each.job.company)}" if each.job.company != UNNAMED_COMPANY else ""
    place = f" (number {each.place})" if number and each.job.job_id != PASTED_ID else ""
    return f"**{plain(each.job.title)}**{company}{place}"


def numbered(each: JobVerdict) -> str:
    """As it stands in a list: under the number that it has had since it was shown, whatever the order."""
    company = f" at {plain(each.job.company)}" if each.job.company != UNNAMED_COMPANY else ""
    number = "Yours:" if each.job.job_id == PASTED_ID else f"{each.place}."
    return f"**{number}** {plain(each.job.title)}{company}"


def numbers(places: Sequence[int]) -> str:
    """``number 3``, ``numbers 3, 4 and 7``."""
    return f"number{'s' if len(places) > 1 else ''} {listed([str(place) for place in places])}"


def score_of(each: JobVerdict) -> str:
    return f"{each.job.match_score or 0:.0f} of 100"


def safe(reason: str) -> str:
    return plain(reason, 200)


def word(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
