"""Reads what only makes sense after what was said before: "actually 12 years" after "10 years". Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import SINGLE, NewFact
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import NUMBER, number_of
from signalbox.retrieval.pay import find_pay
from signalbox.retrieval.places import gazetteer

_LONGEST: Final = 80
_LONGEST_TELLING: Final = 1_000
_LEAD = re.compile(
    r"^\W*(?:(?:no|nope|actually|acutally|actualy|sorry|wait|oops|well|hmm|i mean|i meant|make (?:it|that)|it'?s|it is|"
    r"that'?s|correction|rather|should be|that should be|it should be|i have|i've got|more like|change (?:it|that) to|"
    r"not \w+(?: years?| yrs?)?(?:,\s*(?=\w)| but)|that'?s (?:wrong|not right)|wrong|ok|okay|only|about)\b\W*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:\W*\b(?:now|not [\w£$€,. ]{1,20}|sorry|please|actually|i mean|instead|my bad))*\W*$", re.IGNORECASE
)
# "I said 50k, make that 60k": what was said before is told only to be replaced.
_TAKEN_BACK = re.compile(
    r"^\W*(?:(?:no|nope|sorry|wait|oops|actually|ok|okay|hmm|well|and|but|so|oh)\b\W*)*"
    r"(?:i(?:'ve| have)? (?:said|told you|meant|wrote|asked for|wanted|mentioned)|it (?:was|said|says))\b"
    r"[^;!?\n]{1,60}?(?:[,;:.–—-]\s*|\s+)(?:(?:but|and|so|please|pls|now|actually|sorry)\b[\s,]*)*"
    r"(?=(?:make (?:that|it|this)|(?:change|raise|lower|increase|reduce|set|put|bump) (?:that|it|this)"
    r"(?: up| down)? to|(?:but |and )?i (?:actually )?mean(?:t)?)\s+\S)",
    re.IGNORECASE,
)
# "At least £50k, make that 60k": of two figures the second is meant.
_MEANT = re.compile(
    r"(?<![\w.,])(?P<sign>[£$€]?)\s?\d[\d,.]{0,9}\s?k?"
    r"(?P<unit>\s(?:(?:a|per) (?:year|hour|month|day)|(?:years?|yrs?)(?: of experience)?))?[,;–—\s-]{1,3}"
    r"(?:(?:no|sorry|actually|wait|well|rather|or|please)\b[,\s]{0,2}){0,4}(?:make (?:that|it)|i mean(?:t)?)\s+"
    r"(?P<new>(?P<other>[£$€])?\d[\d,.]{0,9}\d?k?)\b"
    r"(?P<own>\s(?:(?:a|per) (?:year|hour|month|day)|(?:years?|yrs?)(?: of experience)?)\b)?",
    re.IGNORECASE,
)
_MAKE_THAT = re.compile(
    r"^\W*(?:(?:no|ok|okay|sorry|actually|please|wait|and|but)\b\W*)*make (?:that|it|this)\b", re.IGNORECASE
)
_YEARS = re.compile(
    rf"(?:about |around |over |nearly |almost )?(?P<years>{NUMBER})\s*\+?\s*(?P<unit>years?|yrs?|yers?|yoe)?"
    r"(?:\s+(?:of\s+)?(?:work\s+)?exp(?:erience|\.)?)?",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:before (?:that|this|then|it|the (?:kids|children|break)),?\s+(?:i was|i worked as|i'd been|i had been)|"
    r"i used to (?:be|work as)|i (?:was|worked as)(?= an? (?:[\w-]+ ){1,4}?(?:before|until|till|for \w+ years)\b)|"
    r"my (?:last|previous|old) (?:job|role) was(?: as)?)\s+(?:an?\s+)?"
    r"(?P<title>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*){0,3}?)"
    r"(?=\W*$|[,.;!]|\s+(?:before|at|in|for|with|and|until|till|but|then|from)\b)",
    re.IGNORECASE,
)


def correction(message: str, last: Sequence[NewFact]) -> tuple[NewFact, ...]:
    """The facts among ``last`` that ``message`` corrects, with their new values; empty if it is no correction.

    ``last`` are the facts said just before. A message without "actually" or the like corrects a number of years only
    if it names years.
    """
    text = without_taken_back(message[:_LONGEST])
    lead = _LEAD.match(text)
    said = _TAIL.sub("", text[lead.end() if lead else 0 :]).strip(" .!,")
    if not said or len(message) > _LONGEST or message.rstrip().endswith("?"):
        return ()
    by_key = {fact.key: fact for fact in last}
    years = _YEARS.fullmatch(said)
    if years and (years["unit"] or (lead and "years" in by_key and "salary_min" not in by_key)):
        return (NewFact("fact", "years", str(number_of(years["years"]))),)
    if lead is None:
        return ()
    if (pay := by_key.get("salary_min")) and (wish := find_pay(f"pay {said}")):
        least = wish.minimum or wish.maximum
        currency = (NewFact("fact", "currency", wish.currency),) if wish.currency else ()
        return (NewFact(pay.kind, "salary_min", f"{least:.0f}"), *currency) if least else ()
    if (held := by_key.get("location")) and (
        place := gazetteer().find(re.sub(r"^in\s+", "", said, flags=re.IGNORECASE))
    ):
        return (NewFact(held.kind, "location", place.name),)
    return ()


def without_taken_back(text: str) -> str:
    """``text`` without what it takes back itself: "I said 50k, make that 60k", "at least £50k, make that 60k"."""
    match = _TAKEN_BACK.match(text)
    return text[match.end() :] if match else _MEANT.sub(_as_meant, text)


def _as_meant(match: re.Match[str]) -> str:
    sign = "" if match["other"] else match["sign"]
    return f"{sign}{match['new']}{match['own'] or match['unit'] or ''}"


def points_back(text: str) -> bool:
    """Whether it changes what was said before: how firmly that was meant, it does not say again."""
    return _MAKE_THAT.match(text) is not None


def as_firm(fact: NewFact, profile: Sequence[ProfileFact]) -> NewFact:
    """``fact`` meant as firmly as what ``profile`` holds in its place: a rule that is corrected stays one."""
    held = next((one for one in profile if one.key == fact.key and fact.key in SINGLE), None)
    return replace(fact, kind=held.kind) if held else fact


def former_title(text: str) -> NewFact | None:
    """What someone was before: the best that is known of what they do, where nothing newer is."""
    for match in _FORMER.finditer(text[:_LONGEST_TELLING]):
        if is_occupation(match["title"].split()):
            return NewFact("fact", "title", match["title"])
    return None
