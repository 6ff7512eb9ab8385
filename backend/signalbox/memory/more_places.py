"""Reads places that would do as well: "I'd consider London or Manchester too" adds to where someone is, it replaces
nothing. Pure.
"""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.memory.profile import Kind, NewFact
from signalbox.retrieval.places import gazetteer

_LONGEST: Final = 300
_WORK: Final = r"(?:jobs?|work(?:ing)?|roles?|positions?|moving|relocating|commuting|anything|something)"
_OPEN = re.compile(
    r"\b(?:(?:i'?d|i would|i could|i can|i might|would|could|can|will)(?: also| even| happily)?"
    rf" (?:consider(?: {_WORK})?(?: in| to)?|(?:work|commute|look|take (?:a job|jobs|work|something)) (?:in|to)|"
    r"do(?= [a-z]+ (?:too|also|as well)\b))"
    rf"|(?:open|fine|ok(?:ay)?|happy|good|willing) (?:to|with|for|about)(?: {_WORK})?(?: (?:work|commute|travel|move|"
    rf"relocate))?"
    r"(?: in| to)?"
    rf"|also (?:consider(?:ing)?|interested in|looking (?:at|in|for {_WORK} in))(?: {_WORK})?(?: in| to)?"
    rf"|(?:wouldn'?t|would not|don'?t|do not) mind(?: {_WORK})?(?: in| to)?)"
    r" (?P<places>[^.;!?]{2,120})"
    r"|^\W*(?P<bare>[^.;!?]{2,60}?) (?:is|are|would(?: also)? be|works?|would(?: also)? work) (?:also )?"
    r"(?:(?:fine|ok(?:ay)?|good|possible|an option|too|as well)\b)(?: too| also| as well| with me| for me)*\W*$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no longer)\b|n't\b(?! mind)|\b(?:dont|wont|cant|wouldnt)\b", re.IGNORECASE)
_END = re.compile(
    r"\s*(?:\b(?:too|also|as well|either|if|but|for|with|because|at a push|though|now|please|anyway|instead)\b|"
    r"\s(?:and|,)\s+(?=i\b|i'm|i've)).*$",
    re.IGNORECASE | re.DOTALL,
)
_PARTING = re.compile(r"\s*(?:,|/|\bor\b|\band\b|\bor even\b)\s*", re.IGNORECASE)


def more_places(sentence: str) -> tuple[tuple[str, ...], str]:
    """The places that ``sentence`` says would do as well, and the sentence without what said so."""
    match = _OPEN.search(sentence[:_LONGEST])
    if match is None or _NOT.search(sentence[: match.end()]):
        return (), sentence
    group = "places" if match["places"] else "bare"
    text = _END.sub("", match[group])
    names = [
        re.sub(r"^(?:in|the|even|also)\s+", "", part.strip(), flags=re.IGNORECASE) for part in _PARTING.split(text)
    ]
    places = [gazetteer().find(name) for name in names if name]
    if not places or not all(places):
        return (), sentence
    end = match.end() if group == "bare" else match.start(group) + len(text)
    before = re.sub(r"\b(?:and|but)\s*$", "", sentence[: match.start()])
    rest = f"{before} {re.sub(r'^ *(?:too|also|as well|either)', '', sentence[end:])}"
    return tuple(place.name for place in places if place), rest.strip(" ,")


def widened(held: NewFact | None, places: Sequence[str]) -> NewFact:
    """``held``, the location so far, with ``places`` added. A hard rule stays one."""
    here = [part.strip() for part in held.value.split(",")] if held else []
    kind: Kind = "constraint" if held and held.kind == "constraint" else "preference"
    return NewFact(kind, "location", ", ".join(dict.fromkeys([*here, *places])))
