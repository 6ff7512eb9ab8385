"""Reads how a user corrects a limit they have stated: "I said 50k, make that 60k", "York, not Leeds". Pure.

A sentence corrects one only if it says nothing else: every word of it belongs to a correction or to the limit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.clauses import clauses, is_condition, is_elsewhere
from signalbox.memory.pay_now import tells_pay_now
from signalbox.memory.words import words_in
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer

Means = tuple[str, str]

_CUE = re.compile(
    r"\b(?:make (?:that|it|this)|i (?:actually )?mean(?:t)?|correction|instead|should(?:'ve| have)? (?:be|been|said)|"
    r"(?:change|switch|raise|lower|increase|reduce|drop|bump|update) (?:(?:that|it|this|the|my)(?: \w+){0,3} )?"
    r"(?:up |down )?to|(?:put|bring|set|move) (?:that|it|this|the|my)(?: \w+){0,3} (?:up |down )?to|"
    r"let's (?:say|make it|go with)|more like|scratch that)\b",
    re.IGNORECASE,
)
# A place that would do too takes no other place's place; less pay that would do is the new least.
_PAY_CUE = re.compile(
    r"\b(?:would (?:also )?(?:be (?:fine|ok(?:ay)?|enough|alright)|do)|is (?:enough|fine|ok(?:ay)?)|"
    r"(?:go|come) (?:down|up) to|i(?:'d| would| could| can|'ll| will) (?:also |even |happily )?(?:accept|take|do|"
    r"settle for|live with|be (?:happy|fine|ok) with|go (?:for|down to|up to|as low as)))\b",
    re.IGNORECASE,
)
# "Actually 60k." has no room for another meaning as long as nothing else is said.
_WEAK_CUE = re.compile(r"^\W*(?:actually|sorry|no|oh|wait)\b", re.IGNORECASE)
# What the user no longer means stands behind these, or before "is out".
_OLD: Final = r"(?:not(?: just)?|instead of|rather than|from|over|than|forget(?: about)?|no longer(?: in)?|swap|switch)"
_SAID: Final = r"(?:said|told you|was|were|earlier|before|wrote)"
_OUT = re.compile(
    r"\s*(?:was (?:wrong|a typo|a mistake)|(?:is|are) (?:out|off|no longer|not (?:it|right)))\b", re.IGNORECASE
)
_FOR: Final = re.compile(r"\b(?:swap|switch|change|replace)\s+$", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?P<sign>[£$€]\s?)?(?P<number>\d{1,3}(?:[,.]\d{3})+|\d{1,7}(?:\.\d{1,2})?)(?P<kilo>\s?k\b)?"
    r"(?P<code>\s?(?:gbp|eur|usd|pounds|euros?|dollars)\b)?"
    r"(?!\w|\s*(?:%|years?|yrs?|days?|hours?|miles|km|minutes|people|employees|pm\b|am\b|[:/]\d))",
    re.IGNORECASE,
)
_BEHIND_OLD = re.compile(
    rf"\b{_OLD}\s+(?:in\s+|near\s+|the\s+|at least\s+|about\s+|around\s+|jobs in\s+)?$", re.IGNORECASE
)
_BEHIND_SAID = re.compile(rf"\b{_SAID}\s+(?:in\s+|near\s+|at least\s+|about\s+|around\s+|only\s+)*$", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|don't|do not|didn't|won't)|n't)\s+(?:make|change|raise|lower|move|set|put|switch)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*", re.IGNORECASE)
_CORRECTING: Final = words_in(
    """a an the about around at least and or but so ok okay oh ah hmm yes no not well then now please thanks actually
    sorry wait correction instead rather than of from to i i'm i'd i'll i've i-mean me my it it's its that that's this
    is are was were be been should should've would could can will have do make let let's say said told you mean meant
    change switch swap raise lower increase reduce drop bump update up down more like
    for with accept take settle live happy even happily fine enough alright also too again scratch forget out off over
    earlier before after all just only longer again only-now thinking decided in fact need needs want must on replace
    hang think second thoughts thought as low by new right wrong mistake typo"""
)
_OF_PAY: Final = words_in(
    """min minimum salary pay paid wage wages income earn earning expectation expectations requirement limit floor
    figure k per year yearly hour hourly month monthly day daily annum annually gross net tax base gbp eur usd pounds
    euros euro dollars target number less"""
)
_OF_PLACES: Final = words_in("in near location city place town jobs job work works working roles search based live")
# Around a limit that is stated anew and speaks for itself.
_STATING: Final = words_in(
    """we nothing none no-one never must-have hard rule rules constraint requirement strictly exclusively absolutely
    definitely really simply any anything only-want wants wanted looking search searching find show offers offer
    consider considering interested prefer restrict restricted limit limited limiting job jobs work works working role
    roles position positions contract contracts companies firms within under below above don't won't can't cannot isn't
    aren't doesn't has having least most today onwards onward further instead there here starting start pays paying
    paid get minimum these-days days non-negotiable no-exceptions exceptions mandatory essential necessary unless-not
    refuse insist possible thing less fully full until-now remote remotely home wfh office onsite on-site site hybrid
    person in-person part time full-time part-time"""
)
_NOT_PAY: Final = re.compile(
    r"\b(?:house|home loan|deposit|mortgage|loan|car|course|tuition|fees?|costs?|bonus|savings?|debt|budget|"
    r"followers|students|customers|revenue|sales|grant|moving)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Named:
    """A figure or place that a sentence names. ``old``: certainly no longer meant. ``said``: perhaps the former one."""

    value: str
    text: str
    old: bool
    said: bool


def restated(sentence: str, held: Sequence[ProfileFact]) -> tuple[Means, ...] | None:
    """The new (key, value) of a limit that ``held`` has and the sentence corrects beyond doubt, else None."""
    said = sentence.replace("’", "'")
    if _NEGATED.search(said) or is_condition(said) or is_elsewhere(said):
        return None
    values = {fact.key: fact.value for fact in held}
    for key, named_in, about in (("salary_min", _figures, _OF_PAY), ("location", _places, _OF_PLACES)):
        if key in values:
            of_all = len(list(named_in(said)))
            for clause in clauses(said) if of_all else ():
                if key == "salary_min" and tells_pay_now(clause):
                    continue
                named = list(named_in(clause))
                # "My landlord wants 45k, make that 46k": what another clause speaks of is not the limit.
                if len(named) == of_all and (value := _meant(clause, named, values[key], about)):
                    return ((key, value),)
    return None


def states_anew(sentence: str, key: str, value: str) -> bool:
    """Whether a clause states a limit of this ``key`` and nothing else, so that it may take the place of another."""
    said = sentence.replace("’", "'")
    if is_condition(said) or is_elsewhere(said):
        return False
    if key == "salary_min" and (_NOT_PAY.search(said) or tells_pay_now(said)):
        return False
    own = frozenset(word.casefold() for word in _WORD.findall(value))
    known = _CORRECTING | _STATING | own | (_OF_PAY if key == "salary_min" else _OF_PLACES)
    return any(_mentions(clause, key, own) and _left(clause, known) == 0 for clause in clauses(said))


def _mentions(clause: str, key: str, own: frozenset[str]) -> bool:
    words = {word.casefold() for word in _WORD.findall(clause)}
    match key:
        case "salary_min" | "office_days" | "company_size_min" | "company_size_max":
            return re.search(r"\d", clause) is not None
        case "remote":
            return bool(words & _WAYS)
        case "location":
            return bool(own) and own <= words
        case _:
            return bool(words & own) or len(words) > 1


_WAYS: Final = words_in("remote remotely home wfh office onsite on-site hybrid in-person person site")


def _left(clause: str, known: frozenset[str]) -> int:
    """How many words of it belong to nothing known."""
    bare = _FIGURE.sub(" ", clause)
    return sum(
        1
        for word in _WORD.findall(bare)
        if word.casefold() not in known and not all(part in known for part in word.casefold().split("-"))
    )


def _meant(clause: str, named: Sequence[_Named], held: str, about: frozenset[str]) -> str | None:
    """What the clause says instead of ``held``: of several values the last that is not set against another."""
    meant = [each for each in named if not each.old and not each.said] or [
        each for each in named if each.said and any(other.old for other in named)
    ]
    if not meant:
        return None
    cue = _CUE.search(clause) or _WEAK_CUE.search(clause) or (about is _OF_PAY and _PAY_CUE.search(clause))
    names = frozenset(word.casefold() for each in named for word in _WORD.findall(each.text))
    if _left(_PAY_CUE.sub(" ", _CUE.sub(" ", clause)), _CORRECTING | about | names):
        return None
    old = [each for each in named if each.old or (each.said and each not in meant)]
    corrected = any(each.value.casefold() == held.casefold() for each in old)
    if any(each.old for each in named) and not corrected:
        return None  # it sets two things against each other, and neither is the limit
    return meant[-1].value if corrected or cue else None


def _figures(clause: str) -> Iterator[_Named]:
    for match in _FIGURE.finditer(clause):
        if match["kilo"] or match["sign"] or match["code"] or len(re.sub(r"\D", "", match["number"])) >= 5:
            wish = find_pay(f"salary at least {match.group()}")
            if least := (wish.minimum or wish.maximum if wish else None):
                yield _named(clause, match, f"{least:.0f}")


def _places(clause: str) -> Iterator[_Named]:
    """Known places; a name of several words that stands in capitals, or none."""
    for match in gazetteer().pattern.finditer(clause):
        if (place := gazetteer().find(match.group())) is not None and match.group()[:1].isupper():
            yield _named(clause, match, place.name)


def _named(clause: str, match: re.Match[str], value: str) -> _Named:
    before = clause[: match.start()]
    swapped = _FOR.search(before) is not None and re.match(r"\s*(?:to|for|with)\b", clause[match.end() :]) is not None
    old = _BEHIND_OLD.search(before) is not None or _OUT.match(clause, match.end()) is not None or swapped
    return _Named(value, match.group(), old, _BEHIND_SAID.search(before) is not None)
