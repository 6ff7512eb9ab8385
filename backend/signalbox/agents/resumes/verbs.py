"""The verbs that open a bullet: which tense they are in, and the past of those that are not. Pure."""

import re
from typing import Final, Literal

from signalbox.memory.words import words_in

_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in words_in(
        """build:built lead:led run:ran write:wrote make:made teach:taught sell:sold buy:bought keep:kept
        drive:drove deal:dealt take:took give:gave set:set oversee:oversaw bring:brought hold:held do:did
        get:got grow:grew cut:cut put:put meet:met feed:fed speak:spoke send:sent win:won
        undertake:undertook pay:paid lay:laid rewrite:rewrote find:found draw:drew sing:sang show:showed
        fly:flew see:saw tell:told rebuild:rebuilt choose:chose shoot:shot ship:shipped plan:planned
        map:mapped stop:stopped refer:referred begin:began cost:cost input:input offset:offset
        debug:debugged program:programmed control:controlled"""
    )
)
_PASTS: Final = frozenset(_IRREGULAR.values())
_REGULAR: Final = words_in(
    """achieve administer advise analyse analyze answer apply arrange assemble assess assist audit automate
    care carry check clean close coach collaborate collect communicate complete conduct configure contribute
    cook coordinate create define deliver demonstrate deploy design develop direct document draft edit educate
    enforce ensure establish evaluate examine execute facilitate file fix forecast generate guide handle help
    hire identify implement improve increase inspect install introduce investigate launch liaise load maintain
    manage market measure mentor migrate monitor negotiate operate order organise organize own optimise
    optimize pack perform prepare present prioritise prioritize process produce promote provide raise receive
    recommend record recruit reduce repair replace report represent research resolve restock review schedule
    serve solve start stock streamline supervise support teach test track train translate troubleshoot update
    upgrade use verify visit weld work"""
)
# They end like verbs and are things.
_NOT_GERUNDS: Final = words_in(
    """marketing accounting engineering catering banking housekeeping billing nursing building morning evening clothing
    everything anything something nothing during bring string king ring spring thing wedding ceiling"""
)
# "Planning of events" names a thing, "planning events" says what was done.
_AFTER_A_NOUN: Final = words_in("of and or for in at on with")
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")


def tense_of(text: str) -> Literal["past", "present"] | None:
    """The tense of the verb that opens ``text``, or None if it opens with none we know."""
    match = _WORD.match(text)
    word = match.group().casefold() if match else ""
    if word in _PASTS or (word.endswith("ed") and len(word) > 4):
        return "past"
    base = _base(word)
    return "present" if base in _REGULAR or base in _IRREGULAR else None


def in_past(text: str) -> str:
    """``text``, which opens with a verb in the present, with that verb in the past."""
    word, _, rest = text.partition(" ")
    base = _base(word.casefold())
    return f"{_IRREGULAR.get(base) or _regular_past(base)} {rest}".strip()


def gerunds_in_past(text: str) -> str | None:
    """What opens with "managing the till and …" as "managed the till and …", or None if it opens with no such verb."""
    words = text.split(" ")
    first = words[0].rstrip(",")
    if not _is_gerund(first) or (len(words) > 1 and words[1].casefold() in _AFTER_A_NOUN and first == words[0]):
        return None
    changed: list[str] = []
    for place, word in enumerate(words):
        bare = word.rstrip(",;")
        opens = place == 0 or words[place - 1].casefold() in {"and", "&"} or words[place - 1].endswith(",")
        following = words[place + 1].casefold() if place + 1 < len(words) else ""
        if opens and _is_gerund(bare) and following not in _AFTER_A_NOUN - {"and"} and (following or place == 0):
            changed.append(_past_of_gerund(bare) + word[len(bare) :])
        else:
            changed.append(word)
    return " ".join(changed)


def _is_gerund(word: str) -> bool:
    key = word.casefold()
    return key.endswith("ing") and len(key) > 5 and key not in _NOT_GERUNDS and key.isalpha()


def _past_of_gerund(word: str) -> str:
    stem = word.casefold()[:-3]
    for base in (stem, f"{stem}e", stem[:-1] if stem[-2:-1] == stem[-1:] else stem):
        if base in _IRREGULAR:
            return _IRREGULAR[base]
    return _regular_past(stem)


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2:-1] not in set("aeiou"):
        return f"{base[:-1]}ied"
    return f"{base}ed"


def _base(word: str) -> str:
    """The verb without the third person's ending."""
    for form in (word, word.removesuffix("s"), word.removesuffix("es"), re.sub(r"ies$", "y", word)):
        if form in _REGULAR or form in _IRREGULAR:
            return form
    return word
