"""Reads what a message says of its writer: facts to keep and facts to forget. Pure, by rules, nothing stored here.

What is durable and no rule understands is kept word for word as a note: dropping it would be a lie to the writer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.events import ProfileFact
from signalbox.memory.profile import SINGLE, Kind, NewFact
from signalbox.memory.statement_rules import RULES, Found, Span
from signalbox.retrieval.skills import SkillVocabulary

MAX_NOTE: Final = 500
MAX_CHARS: Final = 8_000
MAX_FACTS: Final = 40


@dataclass(frozen=True, slots=True)
class Statements:
    """``unknown``: what the writer wants forgotten and the profile does not hold, in their words."""

    add: tuple[NewFact, ...] = ()
    remove: tuple[NewFact, ...] = ()
    unknown: tuple[str, ...] = ()
    forget_all: bool = False


_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_QUESTION = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|also|then|well)[, ]+)*(?:how|what(?! you have)|whats|what's|when|where|which|who|whom|why|can|could|"
    r"should|do|does|did|is|are|am i|would|will|shall|have you|has)\b",
    re.IGNORECASE,
)
_LATE_QUESTION = re.compile(
    r"[,;–-]\s*(?:(?:and|but|so|then)\s+)*(?=(?:how|what|which|where|who|when|why|can|could|should|do|does|is|are)\b)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:^|[,;:]\s*|\s+)(?:and\s+|then\s+|but\s+|with that in mind\W+)*\b(?:then\s+)?(?:tell me|show me(?!\s+jobs)|find me|"
    r"let's|redo|rewrite|draft|write (?:to|me|a|the)|help me|give me|search for|look for|check|quiz me|what is|what's)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|thanks?|thank you|thx|cheers|morning|good (?:morning|evening|afternoon)|ok|okay|yes|yep|no|"
    r"sure|great|cool|please|a few things have changed|some background|so you know who you're dealing with|all|again|"
    r"search|with|that|it|this|save|keep|add|note|stick|put|on|my|profile|in mind|for|everything|we|do|here|so|about me|me|now|"
    r"remember|before|go on|change|some|things|a lot|very much|there|since we last talked|last|we|talked|small change|for the record)\b\W*)+$",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:forget|delete|erase|remove|clear|wipe)\b(?:[^.?!]{0,30}\b(?:everything|it all|all of it|"
    r"all (?:that |of )?(?:you know|my (?:data|facts|info\w*|details|profile)))|\s+(?:my|the) (?:whole |entire )?profile)\b"
    r"|\bforget (?:all )?about me\b|\bforget me\b",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"(?<!don't )(?<!dont )(?<!not )(?<!never )\b(?:forget|remove|delete|erase|drop|clear|scrap|take)\b\s+(?:that\s+)?"
    r"(?:about\s+)?(?P<what>[^.;!?]+)",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"\b(?:no longer|(?:don't|do not|doesn't) \w+(?: \w+)? any ?more|not any ?more|"
    r"never (?:worked|studied|lived|been|was)(?: in| at| for)?)\b(?P<what>[^.;!?]*)"
    r"|\bnot (?P<where>[^.;!?,]+?) any ?more\b",
    re.IGNORECASE,
)
_TAKEN_OFF = re.compile(r"\s*\b(?:off|from|out of)\s+(?:my|the|your)\b.*$", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(r",\s*(?:i|it|that|because|since|as|please|thanks?)\b.*$", re.IGNORECASE)
_FILLER: Final = frozenset(
    ["a", "about", "all", "am", "any", "anything", "as", "at", "be", "been", "for", "from", "have", "i", "i'm", "in", "interested", "is", "it", "know", "my", "of", "on", "our", "profile", "stored", "that", "the", "these", "this", "to", "want", "wanted", "with", "work", "working", "you", "your", "please", "me", "jobs", "job", "roles"]
)
_NAMED_KEYS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"salar\w+|pay|minimum|wage", ("salary_min", "currency")),
    (r"loca\w+|city|town|where i live|address|place", ("location",)),
    (r"skills?", ("skill",)),
    (r"languages?", ("language",)),
    (r"certificat\w+|licen[cs]es?|tickets?", ("certificate",)),
    (r"remote", ("remote",)),
    (r"name", ("name",)),
    (r"(?:job )?title|role|occupation|profession", ("title", "seniority")),
    (r"seniority|level", ("seniority",)),
    (r"years?|experience", ("years",)),
    (r"compan(?:y|ies)|employers?", ("exclude_company",)),
    (r"exclusions?|exclude\w*|blocked|constraints?|limits?", ("exclude_term", "exclude_company")),
    (r"notes?", ("note",)),
    (r"working time|work time|hours|part[ -]?time|full[ -]?time", ("work_time",)),
    (r"travel", ("exclude_term",)),
)
_EXCLUDED = re.compile(
    r"\b(?:(?:never|don'?t|do not|stop)\s+(?:ever\s+)?(?:show(?:ing)?|suggest(?:ing)?|recommend(?:ing)?|send(?:ing)?|"
    r"offer(?:ing)?|bring(?:ing)? up)(?:\s+me)?|exclude|block|hide|avoid|blacklist|"
    r"i\s+(?:don'?t|do not|won'?t|will not|can'?t|cannot|can not|never|refuse to)\s+(?:ever\s+)?(?:want(?:\s+to)?\s+)?"
    r"(?:(?:work|be)\s+(?=in|at|for|with|on)|(?:work|do)\s+(?=(?:any )?(?:nights?|weekends?|shifts?|on-call|overtime|travel)))|"
    r"i'?m done with|nothing in|nothing with|never again (?:any(?:thing)? )?with)"
    r"\s*(?P<what>[^.;!?]{2,120})",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"(?:^|[,;]\s*|\band\s+|\bwith\s+|\bplus\s+|\balso\s+|\bplease\s+)no\s+(?P<what>[a-z][\w-]*(?:[ -][\w-]+){0,2}?)"
    r"(?=\s*(?:$|[,.;!]|\band\b|\bor\b|\bplease\b|\bfor me\b|\bfrom now\b))",
    re.IGNORECASE,
)
_NOT_A_THING = re.compile(
    r"(?:longer|more|thanks?|problem|idea|worries|need|preference|matter|degree|experience|car|licen[cs]e|way|one|rush|"
    r"remote|questions?|changes?|clue|children|kids)\b",
    re.IGNORECASE,
)
_OBJECT_LEAD = re.compile(
    r"^(?:(?:any(?!thing but)|more|the|me|to|from|company|companies|all|anything|jobs?|roles?|postings?|positions?|work|ads?|offers?|"
    r"at|in|for|by|with|that (?:need|require|involve|are)|which (?:need|require|involve)|requiring|involving|on|called)\s+)+",
    re.IGNORECASE,
)
_OBJECT_END = re.compile(
    r"\s*(?:,\s*(?:please|save|i|it|so|because|remember|ever|again|in-house|forgot|cant|can't|no matter)\b.*|\b(?:again|any ?more|ever|please|from now on|"
    r"because|since|for me|though|pls|with you)\b.*|\s(?:jobs?|roles?|postings?|positions?|companies|firms|(?<!shift )(?<!night )work|industry|sector|stuff)\s*)$",
    re.IGNORECASE,
)
_CONDITIONED = re.compile(
    r"\b(?:more than|fewer than|less than|over|under|unless|except|if|without|a week|that)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_][\w'’+#.-]*")
_EMPTY_WORDS: Final = frozenset(
    ["i", "i'm", "i've", "i'd", "im", "ive", "a", "an", "the", "my", "me", "mine", "we", "our", "and", "or", "but", "so", "then", "to", "of", "in", "on", "at", "for", "with", "from", "by", "as", "is", "are", "was", "be", "been", "am", "have", "has", "had", "do", "did", "does", "that", "this", "these", "those", "it", "its", "it's", "now", "please", "pls", "also", "just", "btw", "fyi", "note", "add", "put", "save", "set", "remember", "profile", "skills", "skill", "list", "can", "you", "your", "yes", "no", "not", "any", "only", "up", "down", "out", "about", "here", "there", "hi", "hello", "work", "working", "job", "jobs", "role", "roles", "thanks", "again", "new", "currently", "still", "know", "make", "them", "he", "she", "they", "some", "change", "since", "last", "one", "me,", "too", "experience", "learned", "learnt", "time", "told", "years", "year", "yrs", "want", "minimum", "salary", "live", "moved", "based", "speak", "fluent", "bit", "little", "name", "title", "location", "target"]
)
_REST_FOR_A_NOTE: Final = 3


def read(message: str, profile: Sequence[ProfileFact], vocabulary: SkillVocabulary) -> Statements:
    """What ``message`` adds to the profile and takes from it. Questions and requests in it say nothing.

    Takes any text and never raises; of a pasted document only the first thousands of characters are read.
    """
    text = message[:MAX_CHARS].replace("’", "'")
    if _ALL.search(text):
        return Statements(remove=tuple(_as_new(fact) for fact in profile), forget_all=True)
    add: list[NewFact] = []
    remove: list[NewFact] = []
    unknown: list[str] = []
    for sentence in sentences(text):
        gone, missing, wholly = _removals(sentence, profile)
        remove += gone
        unknown += missing
        if not wholly:
            add += _additions(sentence, vocabulary)
    add = _last_of_each(add)[:MAX_FACTS]
    return Statements(
        tuple(add), tuple(dict.fromkeys(f for f in remove if not _said(f, add))), tuple(dict.fromkeys(unknown))
    )


def own_words(message: str, vocabulary: SkillVocabulary) -> tuple[NewFact, ...]:
    """Only what rules understand of ``message``: for agents that use it in passing and store nothing."""
    facts = [fact for s in sentences(message[:MAX_CHARS].replace("’", "'")) for fact in _additions(s, vocabulary)]
    return tuple(_last_of_each([fact for fact in facts if fact.key != "note"]))


def sentences(text: str) -> Iterator[str]:
    """The statements in ``text``: sentences without questions, requests and small talk."""
    for part in _SENTENCE.split(text):
        sentence = part.strip()
        if sentence.endswith("?") or _QUESTION.match(sentence):
            if not sentence.endswith("?") or not (split := list(_LATE_QUESTION.finditer(sentence))):
                continue
            sentence = sentence[: split[0].start()].strip()
            if _QUESTION.match(sentence):
                continue
        sentence = _REQUEST.sub("", sentence).strip(" ,")
        if sentence and not _SMALL_TALK.match(sentence):
            yield sentence


def forgotten(target: str, profile: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """The facts of ``profile`` that "forget ``target``" means: by value first, else by what they are about."""
    words = " ".join(word for word in target.casefold().split() if word.strip(",.") not in _FILLER)
    if not words:
        return ()
    by_value = [fact for fact in profile if _mentions(words, fact.value.casefold())]
    if not by_value:
        keys = {
            key
            for pattern, keys in _NAMED_KEYS
            if re.search(rf"\b(?:{pattern})\b", target, re.IGNORECASE)
            for key in keys
        }
        by_value = [fact for fact in profile if fact.key in keys]
    return tuple(_as_new(fact) for fact in by_value)


def _removals(sentence: str, profile: Sequence[ProfileFact]) -> tuple[list[NewFact], list[str], bool]:
    """Facts to retire, what was not there to retire, and whether the sentence says nothing else."""
    if match := _FORGET.search(sentence):
        what = _AFTERTHOUGHT.sub("", match["what"])
        off = _TAKEN_OFF.search(what)
        if match.group().casefold().startswith("take") and not off:
            return [], [], False
        target = _TAKEN_OFF.sub("", what).strip(" ,")
        found = forgotten(target, profile) or (forgotten(what, profile) if off else ())
        return list(found), [] if found else [target], bool(found) or what == match["what"]
    if match := _NO_LONGER.search(sentence):
        found = forgotten(match["where"] or match["what"], profile)
        return list(found), [], bool(found)
    return [], [], False


def _additions(sentence: str, vocabulary: SkillVocabulary) -> list[NewFact]:
    facts: list[NewFact] = []
    spans: list[Span] = []
    for fact, span in _exclusions(sentence):
        facts.append(fact)
        spans.append(span)
    # What an exclusion or a certificate has claimed is not also a skill: "PMP" is one thing.
    claimed = list(spans)
    for rule in RULES:
        for found in rule(sentence, vocabulary):
            if any(start <= found.span[0] < end for start, end in claimed) or _is_implied(found, sentence, spans):
                continue
            facts.append(found.fact)
            spans.append(found.span)
            if found.fact.key == "certificate":
                claimed.append(found.span)
    if not facts or len(_rest(sentence, spans)) >= _REST_FOR_A_NOTE:
        facts.append(NewFact("fact", "note", sentence[:MAX_NOTE]))
    return facts


def _is_implied(found: Found, sentence: str, spans: Iterable[Span]) -> bool:
    """A skill that is only read into a title: "pharmacist" says "Pharmacy", but the writer did not."""
    start, end = found.span
    in_title = any(first <= start and end <= last for first, last in spans)
    return found.fact.key == "skill" and in_title and found.fact.value.casefold() not in sentence[start:end].casefold()


def _exclusions(sentence: str) -> Iterator[tuple[NewFact, Span]]:
    """What must never be shown. A condition no filter can test ("fewer than 50 employees") is left to be a note."""
    matches = [*_EXCLUDED.finditer(sentence), *_NO_THING.finditer(sentence)]
    for match in matches:
        what = match["what"]
        if _NOT_A_THING.match(what) or _CONDITIONED.search(what):
            continue
        company = bool(re.match(r"(?:(?:any|the|jobs?|roles?|work|anything|postings?|from|me)\s+)*(?:compan(?:y|ies)|at|from|for)\b",
                                what, re.IGNORECASE))  # fmt: skip
        for part in re.split(r",|\bor\b|\band\b|\bnor\b", _OBJECT_END.sub("", what)):
            thing = _OBJECT_END.sub("", _OBJECT_LEAD.sub("", part.strip() + " ").strip()).strip(" '\"")
            if not thing or len(thing.split()) > 4:
                continue
            is_company = thing[0].isupper() and not thing.isupper() and (company or _names_employer(match.group()))
            key, kind = ("exclude_company" if is_company else "exclude_term"), "constraint"
            yield _fact(kind, key, thing if is_company else thing.casefold()), match.span()


def _names_employer(text: str) -> bool:
    return re.match(r"(?:exclude|block|hide|avoid|blacklist)\b", text, re.IGNORECASE) is not None


def _fact(kind: str, key: str, value: str) -> NewFact:
    kinds: dict[str, Kind] = {"constraint": "constraint", "preference": "preference"}
    return NewFact(kinds.get(kind, "fact"), key, value)


def _rest(sentence: str, spans: Iterable[Span]) -> list[str]:
    """The words of the sentence that no rule has accounted for and that say something."""
    bare = list(sentence)
    for start, end in spans:
        bare[start:end] = " " * (min(end, len(bare)) - start)
    return [word for word in _WORD.findall("".join(bare)) if word.casefold() not in _EMPTY_WORDS]


def _last_of_each(facts: Sequence[NewFact]) -> list[NewFact]:
    """Without repetitions; of a key that holds one value, the one said last."""
    kept: dict[tuple[str, str], NewFact] = {}
    for fact in facts:
        kept[(fact.key, "" if fact.key in SINGLE else fact.value.casefold())] = fact
    return list(kept.values())


def _said(fact: NewFact, add: Iterable[NewFact]) -> bool:
    return any(fact.key == new.key and fact.value.casefold() == new.value.casefold() for new in add)


def _mentions(words: str, value: str) -> bool:
    """One stands in the other as whole words."""
    shorter, longer = sorted((words, value), key=len)
    return bool(shorter) and re.search(rf"(?<!\w){re.escape(shorter)}(?!\w)", longer) is not None


def _as_new(fact: ProfileFact) -> NewFact:
    return NewFact(fact.kind, fact.key, fact.value)
