"""What a message wants forgotten, found in the profile. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.profile import NewFact
from signalbox.memory.words import words_in
from signalbox.memory.work_wishes import lifts_remote

_ALL = re.compile(
    r"\b(?:forget|delete|erase|remove|clear|wipe)\b(?:[^.?!]{0,30}\b(?:everything|it all|all of it|"
    r"all (?:that |of )?(?:you know|my (?:data|facts|info\w*|details|profile)))|\s+(?:my|the) (?:whole |"
    r"entire )?profile)\b"
    r"|\bforget (?:all )?about me\b|\bforget me\b",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"(?<!don't )(?<!dont )(?<!not )(?<!never )\b(?:forget|remove|delete|erase|drop|clear|scrap|"
    r"take)\b\s+(?:that\s+)?"
    r"(?:about\s+)?(?P<what>[^.;!?]+)",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"\bno longer\b|\b(?:don't|dont|do not|doesn't|does not|isn't|is not|aren't|are not|"
    r"not)\b[^.;!?,]{1,60}?\bany ?more\b|"
    r"\bnot any ?more\b",
    re.IGNORECASE,
)
_NEVER_DID = re.compile(
    r"\bnever (?:worked|studied|lived|been|was)(?: in| at| for)?\b(?P<what>[^.;!?]*)|"
    r"\b(?:i )?(?:don't|dont|do not) (?:really |actually )?know (?P<unknown>[^.;!?,]{1,60})|"
    r"\b(?:stopped|quit|gave up) (?:using|doing|learning) (?P<stopped>[^.;!?,]{1,60})|"
    r"\b(?:don't|dont|do not) live in (?P<place>[^.;!?,]{1,60})",
    re.IGNORECASE,
)
_ALLOWED = re.compile(
    r"\b(?:unblock|allow|you (?:can|may) show me|want to see)\s+(?P<back>[^.;!?,]{1,60}?)(?: again| now)?\s*$"
    r"|^(?P<fine>[^.;!?,]{1,60}?) (?:is|are) (?:ok|okay|fine|allowed|all right|alright)(?: with me)?"
    r"(?: again| now)?(?: please)?\W*$",
    re.IGNORECASE,
)
_TAKEN_OFF = re.compile(r"\s*\b(?:off|from|out of)\s+(?:my|the|your)\b.*$", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(r",\s*(?:i|it|that|because|since|as|please|thanks?)\b.*$", re.IGNORECASE)
_FILLER: Final = words_in(
    """a about all am any anything as at be been for from have i i'm in interested is it know my of on our
    profile stored that the these this to want wanted with work working you your please me jobs job roles
    no not longer any anymore more don't dont do doesn't does isn't isnt aren't are need needs must have has only
    live lives speak use so but now really actually require required requirement looking be"""
)
# Their values are codes, in which nobody's words are to be looked for.
_CODED: Final = frozenset({"remote", "relocation", "office_days"})
_NAMED_KEYS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"company size|(?:number of )?employees|headcount", ("company_size_min", "company_size_max")),
    (r"least level", ("seniority_min",)),
    (r"(?:office days|days in the office)", ("office_days",)),
    (r"salar\w+|pay|minimum|wage", ("salary_min", "currency")),
    (r"loca\w+|city|town|where i live|address|place", ("location",)),
    (r"skills?", ("skill",)),
    (r"languages?", ("language",)),
    (r"certificat\w+|licen[cs]es?|tickets?", ("certificate",)),
    (r"remote(?:ly)?|wfh|from home|hybrid|(?<!in )(?:the )?office(?! days)", ("remote",)),
    (r"name", ("name",)),
    (r"(?:job )?title|role|occupation|profession", ("title", "seniority")),
    (r"seniority|(?<!least )level", ("seniority",)),
    (r"years?|experience", ("years",)),
    (r"compan(?:y|ies)(?! size)|employers?", ("exclude_company",)),
    (r"exclusions?|exclude\w*|blocked|constraints?|limits?", ("exclude_term", "exclude_company")),
    (r"notes?", ("note",)),
    (r"working time|work time|hours|part[ -]?time|full[ -]?time", ("work_time",)),
    (r"relocat\w*", ("relocation",)),
    (r"travel", ("exclude_term",)),
)


def wants_all_forgotten(text: str) -> bool:
    return _ALL.search(text) is not None


def forgotten(target: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The facts of ``profile`` that "forget ``target``" means: by value first, else by what they are about."""
    words = " ".join(word for word in target.casefold().split() if word.strip(",.") not in _FILLER)
    if not words:
        return ()
    by_value = [fact for fact in profile if fact.key not in _CODED and _mentions(words, fact.value.casefold())]
    if not by_value:
        keys = {
            key
            for pattern, keys in _NAMED_KEYS
            if re.search(rf"\b(?:{pattern})\b", target, re.IGNORECASE)
            for key in keys
        }
        by_value = [fact for fact in profile if fact.key in keys]
    return tuple(as_new(fact) for fact in by_value)


def removals(sentence: str, profile: Sequence[ProfileFact]) -> tuple[list[NewFact], list[str], bool]:
    """Facts to retire, what was not there to retire, and whether the sentence says nothing else."""
    if match := _FORGET.search(sentence):
        what = _AFTERTHOUGHT.sub("", match["what"])
        off = _TAKEN_OFF.search(what)
        if match.group().casefold().startswith("take") and not off:
            return [], [], False
        target = _TAKEN_OFF.sub("", what).strip(" ,")
        found = forgotten(target, profile) or (forgotten(what, profile) if off else ())
        return list(found), [] if found else [target], bool(found) or what == match["what"]
    if lifts_remote(sentence) and (held := [as_new(fact) for fact in profile if fact.key == "remote"]):
        return held, [], True
    if _NO_LONGER.search(sentence):
        clauses = [part for part in re.split(r"[.;!?,]", sentence) if _NO_LONGER.search(part)]
        found = forgotten(clauses[0] if clauses else sentence, profile)
        return list(found), [], bool(found)
    found = _allowed(sentence, profile) or _not_had(sentence, profile)
    return list(found), [], bool(found)


def _allowed(sentence: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """What is excluded and may be shown again."""
    match = _ALLOWED.search(sentence)
    found = forgotten(match["back"] or match["fine"], profile) if match else ()
    return tuple(fact for fact in found if fact.key.startswith("exclude"))


def _not_had(sentence: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """What is stored and was never true, or is over."""
    match = _NEVER_DID.search(sentence)
    if not match:
        return ()
    found = forgotten(next((each for each in match.groups() if each), ""), profile)
    key = "location" if match["place"] else "skill"
    return found if match["what"] else tuple(fact for fact in found if fact.key == key)


def _mentions(words: str, value: str) -> bool:
    """One stands in the other as whole words."""
    shorter, longer = sorted((words, value), key=len)
    return bool(shorter) and re.search(rf"(?<!\w){re.escape(shorter)}(?!\w)", longer) is not None


def as_new(fact: ProfileFact) -> NewFact:
    return NewFact(fact.kind, fact.key, fact.value)
