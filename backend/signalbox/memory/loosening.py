"""Which hard constraints a sentence of the user takes back without a verb for it: "on-site is fine now". Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.forgetting import as_new, forgotten
from signalbox.memory.profile import NewFact

_HOME: Final = (
    r"(?:(?:fully |full[- ])?remote(?:ly)?(?: (?:work(?:ing)?|jobs?|roles?))?|wfh|(?:working |work )?from home|"
    r"home[- ]?(?:based|office))"
)
_SITE: Final = (
    r"(?:on[- ]?site|in[- ](?:the )?office|(?:the |an )?office(?:[- ]based)?|in[- ]person|hybrid|commut(?:e|ing)|"
    r"(?:go(?:ing)?|com(?:e|ing)) in(?:to)?(?: the office)?)(?: (?:work|jobs?|roles?))?"
)
# What each key is called where it is lifted as a whole.
_CALLED: Final = {
    "salary_min": r"(?:the |my )?(?:salary|pay|money|wages?|income|earnings|minimum|floor|figure|compensation)",
    "location": r"(?:the |my )?(?:location|place|city|town|area|where it is)",
    "relocation": r"(?:relocat(?:ing|ion|e)|mov(?:ing|e)(?: (?:house|home|city|away|abroad))?)",
    "office_days": r"(?:more (?:office )?days|(?:the )?office days|days in the office)",
    "work_time": r"(?:(?:the |my )?(?:working )?(?:hours|times?)|full[- ]?time|part[- ]?time|any shifts?)",
    "seniority_min": r"(?:(?:the )?(?:level|seniority)|juniors?(?: roles?| jobs?)?|mid[- ]level(?: roles?)?|"
    r"entry[- ]level(?: roles?)?)",
    "company_size_min": r"(?:(?:the )?(?:company )?size|small(?:er)? (?:companies|firms|ones)|start-?ups?)",
    "company_size_max": r"(?:(?:the )?(?:company )?size|(?:big(?:ger)?|large(?:r)?) (?:companies|firms|ones)|"
    r"corporat\w+)",
}
_ADVERBS: Final = (
    r"(?:(?:also|perfectly|totally|just|actually|now|really|absolutely|probably|quite|completely|all|then|too|again) )*"
)
_FINE: Final = (
    rf"(?:\s*,)?\s+(?:(?:is|are|would be|will be|might be|could be|(?:works?|do)) )?{_ADVERBS}(?:fine|ok(?:ay)?|"
    rf"alright|all right|acceptable|possible|"
    r"no problem|not a problem|an option|doable|welcome|allowed|good(?: too| as well)?|works?(?: for me)?|great too)\b"
)
_IRRELEVANT: Final = (
    rf"\s+(?:(?:really|actually|just) )?(?:(?:does|do)(?:n'?t| not) (?:(?:really|actually|have to) )*(?:matter|"
    rf"count|apply|be an? \w+)|no longer (?:matters?|counts?|applies|apply|stands?)|"
    rf"(?:is|are)(?:n'?t| not| no longer) {_ADVERBS}(?:important|(?:a|an) (?:must|issue|requirement|"
    rf"deal[- ]?breaker|problem|condition|concern|constraint)|"
    r"required|needed|necessary|essential|fixed|that important)|is (?:negotiable|flexible|open|irrelevant|secondary|"
    r"up for discussion))"
)
_OPEN: Final = (
    r"(?:(?:i'm|i am|im|i'd be|i would be|we're)\s+(?:(?:now|also|actually|quite|happy to be|totally|perfectly|"
    r"more) )*(?:open to|happy (?:with|to (?:do|work|consider|take|go|come))|fine with|"
    r"ok(?:ay)? with|cool with|willing to (?:do|work|consider|take|go|come|accept)|flexible (?:on|about|with)|"
    r"relaxed about|prepared to (?:do|work|take|accept|go|come)|not (?:fussy|picky|bothered|worried|strict) about)"
    r"|(?:i )?(?:do not|don'?t|no longer) (?:really |actually )?(?:mind|care (?:about|whether|if|where)|need|"
    r"require|insist on|have to (?:be|have|work))"
    r"|(?:i|we)(?:'d|'ll| can| could| would| will)\s+(?:(?:now|also|actually|happily|even|gladly) )*(?:do|work|take|"
    r"accept|consider|live with|go|come|be|manage|cope with)"
    r"|(?:you (?:can|may|could)|feel free to|please|now) (?:also )?(?:include|show(?: me)?|consider|add|look at)"
    r"|(?:let'?s|we can|you can) (?:also )?(?:include|consider|add|allow|look at))"
)
_ADDED: Final = r"\b(?:show|send|include|consider|add|look at)(?: me)? (?:[\w'-]+ ){0,3}?"
_NO_MINIMUM = re.compile(
    r"\bno (?:more |longer any )?(?:minimum|floor|salary floor|minimum (?:salary|pay))(?: any ?more| now| needed|"
    r" required)*\W*$"
    r"|\b(?:no longer|don'?t|do not) (?:need|require|insist on|have to (?:have|earn|make))\s+(?:at least |"
    r"the )?[£$€]?\d",
    re.IGNORECASE,
)
_MOOT = re.compile(
    r"(?P<thing>[\w'-]+(?: [\w'-]+){0,2}?) (?:(?:is|are) (?:no longer|not) (?:needed|necessary|required|an issue|"
    r"a problem)|"
    r"(?:isn'?t|aren'?t) (?:needed|necessary|required|an issue|a problem))",
    re.IGNORECASE,
)
_NOT_A_MUST: Final = (
    r"[^.;!?]{0,40}\b(?:isn'?t|is not|not|no longer) (?:really |actually )?(?:a must|necessary|required|essential|"
    r"needed)\b"
    r"| (?:only )?is (?:off the table|history|over|out)\b"
)
_NOT_SO = re.compile(r"\b(?:not|never|hardly|isn'?t|aren'?t|wasn'?t|won'?t|nothing)\b|n't\b", re.IGNORECASE)
_BY_NOW = re.compile(r"\b(?:not|never)\b|n't\b", re.IGNORECASE)
_LOWER_PAY = re.compile(
    r"\b(?:i(?:'d| would| could| can|'ll| will)? (?:also |even |happily )?(?:take|accept|go (?:for|with)?|"
    r"settle for|consider|live with) (?:a )?(?:less|lower|bit less)|(?:less|lower)"
    r"(?: (?:pay|salary|money))? (?:is|would be) (?:fine|ok(?:ay)?|alright|acceptable)|(?:i can|i could) go lower)\b",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"\b(?:anywhere(?! but)(?: else)?(?: (?:in|within) [\w ]{2,30})?|any (?:city|town|place|location|country)|"
    r"other (?:cities|towns|places|locations)|"
    r"somewhere else|outside (?:of )?(?P<place>[A-Z][\w'-]+)|location (?:is )?(?:open|flexible))\b",
    re.IGNORECASE,
)
_WELCOME = re.compile(
    rf"{_FINE}|{_OPEN}|\b(?:i(?:'d| would|'ll| can| could)? (?:work|go|move|live|look|search)|open|happy|also|now)\b",
    re.IGNORECASE,
)
# Verbs that the rules for a profile do not know: a profile is not ignored, a condition is.
_DROPPED = re.compile(
    r"\b(?:ignore|lift|relax|waive|cancel|never ?mind|nvm|disregard|skip|loosen|leave out|forget(?: about)?|"
    r"scratch|scrap|drop|take back|undo|changed? my mind)\s+(?:(?:about|on)\s+)?"
    r"(?:what i said about\s+)?(?P<what>[^.;!?,]{2,80})",
    re.IGNORECASE,
)
_FIGURE_K = re.compile(r"\b(\d{1,4})\s?k\b", re.IGNORECASE)
_HELD_BACK = re.compile(r"\b(?:don'?t|do not|never|not|didn'?t|won'?t)\s*(?:please\s*)?$", re.IGNORECASE)


def loosened(sentence: str, held: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """Those of ``held`` that the user may no longer insist on. Negations, and the very thing that is required ("remote
    is fine", where remote is a must), lift nothing.
    """
    found = [
        *_dropped(sentence, held),
        *_moot(sentence, held),
        *(as_new(fact) for fact in held if _is_lifted(sentence, fact)),
    ]
    return tuple(dict.fromkeys(found))


def _is_lifted(sentence: str, fact: ProfileFact) -> bool:
    match fact.key:
        case "remote":
            return _remote_lifted(sentence, fact.value)
        case "location":
            return _anywhere(sentence, fact) or _made_light_of(_CALLED["location"], sentence)
        case "salary_min":
            return bool(_LOWER_PAY.search(sentence) or _NO_MINIMUM.search(sentence)) or _made_light_of(
                _CALLED["salary_min"], sentence
            )
        case "exclude_term" | "exclude_company" | "stated":
            return fact.key != "stated" and _welcomed(_value(fact.value), sentence)
        case key if key in _CALLED:
            return _welcomed(_CALLED[key], sentence) or _made_light_of(_CALLED[key], sentence)
        case _:
            return False


def _remote_lifted(sentence: str, value: str) -> bool:
    if value == "only" and re.search(rf"\b{_HOME}(?:{_NOT_A_MUST})", sentence, re.IGNORECASE):
        return True
    other = _SITE if value == "only" else rf"(?:{_HOME}|hybrid)"
    return _welcomed(other, sentence) or _welcomed(r"either(?: way)?|both", sentence)


def _welcomed(thing: str, sentence: str) -> bool:
    """Whether it says that ``thing`` would do."""
    for match in re.finditer(rf"\b{thing}{_FINE}", sentence, re.IGNORECASE):
        if not _BY_NOW.search(_clause_before(sentence, match.start())) and not _NOT_SO.search(
            match.group().replace("not a problem", "")
        ):
            return True
    also = rf"{_ADDED}{thing}\b[^.;!?]{{0,30}}\b(?:too|as well|again|also)\b"
    for match in re.finditer(also, sentence, re.IGNORECASE):
        if not _NOT_SO.search(_clause_before(sentence, match.start())):
            return True
    for match in re.finditer(rf"\b{_OPEN}\s+(?:[\w'-]+\s+){{0,6}}?{thing}\b", sentence, re.IGNORECASE):
        before = _clause_before(sentence, match.start())
        if not _BY_NOW.search(before) and not re.search(r"\b(?:not|never|only)\b", _inner(match.group())):
            return True
    return False


def _inner(text: str) -> str:
    """Without the negations that are part of being open: "not fussy about", "do not mind"."""
    return re.sub(r"not (?:fussy|picky|bothered|worried|strict)|do not|don'?t", "", text, flags=re.IGNORECASE)


def _made_light_of(thing: str, sentence: str) -> bool:
    """Whether it says that ``thing`` does not count, or not any more."""
    if re.search(rf"\b{thing}{_IRRELEVANT}", sentence, re.IGNORECASE):
        return True
    careless = (
        r"\b(?:(?:do not|don'?t|no longer) (?:really |actually )?(?:mind|care (?:about|whether|if|where))|"
        r"not (?:fussy|picky|bothered|worried|strict) about|"
        rf"flexible (?:on|about|with)|relaxed about)\s+(?:[\w'-]+\s+){{0,4}}?{thing}\b"
    )
    return re.search(careless, sentence, re.IGNORECASE) is not None


def _anywhere(sentence: str, fact: ProfileFact) -> bool:
    match = _ANYWHERE.search(sentence)
    if (
        match is None
        or _NOT_SO.search(sentence[: match.start()].replace("not fussy", ""))
        or "only" in sentence.casefold()
    ):
        return False
    if match["place"] and match["place"].casefold() not in fact.value.casefold():
        return False
    return _WELCOME.search(sentence) is not None


def _dropped(sentence: str, held: Sequence[ProfileFact]) -> Iterator[NewFact]:
    for match in _DROPPED.finditer(sentence):
        if _HELD_BACK.search(sentence[: match.start()]):
            continue
        target = _FIGURE_K.sub(lambda figure: f"{int(figure[1]) * 1000}", match["what"])
        yield from forgotten(target, held)


def _moot(sentence: str, held: Sequence[ProfileFact]) -> Iterator[NewFact]:
    """What was stated in words alone and is no longer needed."""
    stated = [fact for fact in held if fact.key == "stated"]
    for match in _MOOT.finditer(sentence) if stated else ():
        yield from forgotten(match["thing"], stated)


def _value(value: str) -> str:
    """A pattern of an excluded thing in either number."""
    stem = value.casefold().removesuffix("ies").removesuffix("y").removesuffix("s") if len(value) > 4 else value
    return rf"(?:the )?{re.escape(stem)}\w*(?: (?:jobs?|roles?|work|companies|shifts?))?"


def _clause_before(sentence: str, at: int) -> str:
    start = max(sentence.rfind(mark, 0, at) for mark in (",", ";", " but ", " and ")) + 1
    return sentence[start:at]
