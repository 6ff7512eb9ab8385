"""Reads how a user corrects a limit they have stated: "I said 50k, make that 60k", "York, not Leeds". Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer

_OF_OTHERS = re.compile(
    r"\b(?:he|she|they|partner|wife|husband|friends?|brother|sister|colleagues?|boss|manager|jobs?|roles?|"
    r"compan(?:y|ies)|"
    r"employers?|advert|ad|posting)\s+(?:\w+ )?(?:earns?|makes?|pays?|paid|gets?|offers?|offered|is|was|are|said|"
    r"says)\b",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:make (?:that|it|this)|i (?:meant?|actually meant)|correction|instead(?: of)?|rather than|should(?:'ve|"
    r" have)? (?:be|been|"
    r"said)|change (?:that|it|this|the \w+|my \w+)(?: \w+){0,2} to|(?:raise|lower|increase|reduce|drop|put|bump|"
    r"bring|set|move|update) (?:that|it|this|the \w+|my \w+)(?: \w+){0,2} (?:up |down )?to|"
    r"let'?s (?:say|make it|go with)|more like|i said|i told you|scratch that|not \S{1,12}(?: \S{1,12})? but|"
    r"would (?:also )?(?:be (?:fine|ok(?:ay)?|enough|alright)|do)|is (?:enough|fine|ok(?:ay)?)(?: now| too)?)\b"
    r"|\bi(?:'d| would| could| can|'ll| will) (?:also |even |happily )?(?:accept|take|do|settle for|live with|"
    r"be (?:happy|fine|ok) with|go (?:for|down to|up to|as low as))\b"
    r"|\bactually\b|\bsorry\b|^\W*no,\s",
    re.IGNORECASE,
)
# What the user no longer means stands behind these.
_OLD: Final = r"(?:not(?: just)?|instead of|rather than|said|told you|was|were|from|earlier|before|over|than)"
_FIGURE = re.compile(
    rf"(?P<old>\b{_OLD}\s+(?:at least\s+|about\s+)?)?(?P<sign>[£$€]\s?)?(?P<number>\d{{1,3}}(?:[,.]\d{{3}})+|"
    rf"\d{{1,7}}(?:\.\d{{1,2}})?)(?P<kilo>\s?k\b)?(?P<code>\s?(?:gbp|eur|usd|pounds|euros?|dollars)\b)?"
    r"(?!\w|\s*(?:%|years?|yrs?|days?|hours?|miles|km|minutes|people|employees|pm\b|am\b|[:/]\d))",
    re.IGNORECASE,
)
# "12,000 followers": what is counted is no money.
_COUNTED = re.compile(
    r"\s+(?!(?:an?|per|please|then|now|instead|too|would|will|is|as|at|minimum|min|and|not|or|rather|but|sorry|i|"
    r"for|gross|"
    r"net|plus|thanks?|salary|pay|before|after|base|basic|total|again|actually|though|really|ideally)\b)[a-z]",
    re.IGNORECASE,
)
_PLACE_OLD = re.compile(rf"\b{_OLD}\s+(?:in\s+|near\s+)?$", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|as long as|provided|only when|in case|depending|except)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:not|n'?t|never)\s+(?:make|change|raise|lower|move|set)\b|n't (?:make|change|raise|lower|move|set)\b",
    re.IGNORECASE,
)


def restated(sentence: str, held: Sequence[ProfileFact]) -> tuple[tuple[str, str], ...] | None:
    """The new (key, value) of a limit that ``held`` has and the sentence corrects, else None."""
    if _NEGATED.search(sentence) or _OF_OTHERS.search(sentence) or is_condition(sentence):
        return None
    cue = _CUE.search(sentence) is not None
    keys = {fact.key: fact.value for fact in held}
    if "salary_min" in keys and (pay := _figure(sentence, cue=cue)):
        return (("salary_min", pay),)
    if "location" in keys and (place := _place(sentence, cue=cue)):
        return (("location", place),)
    return None


def is_condition(sentence: str) -> bool:
    """Whether what it says holds under a condition only."""
    return _CONDITION.search(sentence) is not None


def _figure(sentence: str, *, cue: bool) -> str | None:
    """The pay that is meant now: of several figures the last that is not set against another."""
    figures = [match for match in _FIGURE.finditer(sentence) if _is_pay(match)]
    meant = [match for match in figures if not match["old"]]
    contrasted = len(meant) == 1 and len(figures) == 2
    if not meant or not (cue or contrasted):
        return None
    chosen = meant[-1]
    wish = find_pay(f"salary at least {sentence[chosen.start('number') - len(chosen['sign'] or '') : chosen.end()]}")
    least = wish.minimum or wish.maximum if wish else None
    return f"{least:.0f}" if least else None


def _is_pay(match: re.Match[str]) -> bool:
    if _COUNTED.match(match.string, match.end()):
        return False
    return bool(match["kilo"] or match["sign"] or match["code"]) or len(re.sub(r"\D", "", match["number"])) >= 5


def _place(sentence: str, *, cue: bool) -> str | None:
    places = list(_places(sentence))
    meant = [name for name, old in places if not old]
    contrasted = len(places) > len(meant) > 0
    strong = re.search(
        r"\b(?:make (?:that|it)|i meant?|correction|instead|change .{0,20}to|not \S+ but|scratch that|i said)\b",
        sentence,
        re.IGNORECASE,
    )
    return meant[-1] if meant and (contrasted or (cue and strong)) else None


def _places(sentence: str) -> Iterator[tuple[str, bool]]:
    """Known places, and whether each is one the user no longer means."""
    for match in gazetteer().pattern.finditer(sentence):
        if (place := gazetteer().find(match.group())) is not None and match.group()[:1].isupper():
            yield place.name, _PLACE_OLD.search(sentence[: match.start()]) is not None
