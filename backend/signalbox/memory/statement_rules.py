"""The rules that read single facts out of one sentence about oneself. Pure; one function a kind of fact.

Each yields what it found with the stretch of the sentence that said it; a sentence's rest is the caller's affair.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from signalbox.memory.profile import Kind, NewFact
from signalbox.memory.words import words_in
from signalbox.retrieval.pay import PayWish, find_pay
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import title_level

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    fact: NewFact
    span: Span


Rule = Callable[[str, SkillVocabulary], Iterator[Found]]

_NUMBER_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBER: Final = rf"\d{{1,2}}|{'|'.join(_NUMBER_WORDS[1:])}"
_YEARS: Final = rf"(?P<years>{_NUMBER})\s*\+?\s*(?:years?|yrs?|yers?|yoe)\b"
_LANGUAGES: Final = (
    "Arabic|Bengali|Bulgarian|Cantonese|Catalan|Chinese|Croatian|Czech|Danish|Dutch|English|Estonian|Farsi|Finnish|"
    "Flemish|French|Gaelic|German|Greek|Gujarati|Hebrew|Hindi|Hungarian|Icelandic|Indonesian|Irish|Italian|Japanese|"
    "Korean|Latvian|Lithuanian|Malay|Mandarin|Norwegian|Persian|Polish|Portuguese|Punjabi|Romanian|Russian|Serbian|"
    "Slovak|Slovenian|Somali|Spanish|Swahili|Swedish|Tagalog|Tamil|Telugu|Thai|Turkish|Ukrainian|Urdu|Vietnamese|Welsh"
)
_LANGUAGE_NAMES: Final = frozenset(_LANGUAGES.split("|"))
_CERTIFICATES: Final = (
    r"PMP|PRINCE2|CISSP|CISM|CISA|CEH|OSCP|CCNA|CCNP|CKA|CKAD|CPA|ACCA|CIMA|CFA|CELTA|TEFL|NCLEX(?:-RN)?|IELTS|TOEFL|"
    r"CSCS|ITIL|NEBOSH|IOSH|TESOL|QTS|PSM I{1,3}|CSM|Security\+|SC clearance|DV clearance|security clearance"
)
_NOT_AN_OCCUPATION: Final = words_in(
    """learner mother father brother sister daughter user lover newcomer beginner believer gamer smoker driver's
    student person winter summer member foreigner outsider teenager former better never other matter"""
)
_OCCUPATION = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ian|ant|eur|man|woman|yst)|nurse|chef|cook|clerk|architect|scientist|assistant|agent|"
    r"executive|lead|staff|midwife|physio|therapist|paralegal|bookkeeper|lawyer|pilot|paramedic|medic|mechanic|"
    r"analyst|intern|apprentice|"
    r"consultant|specialist|technician|representative|associate|official|counsel|sparky|electrician|president|head)s?",
    re.IGNORECASE,
)
_TITLE_END = re.compile(
    r"\s*(?:[,.;:!?()]|\b(?:with|from|at|in|for|and|who|by|thinking|looking|moving|but|based|since|on|now|of \d|"
    r"working|living|trying|to|these|then|please|so|instead|as)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_TITLE = re.compile(
    r"(?P<target>\b(?:(?:target |desired |job )?(?:title|role) (?:to|is|as|=|should be)|want to be(?:come)?|"
    r"aiming (?:for|to be)|looking to (?:be|become)))\s*:?\s*(?:an? )?(?P<wanted>[^\n]{3,80})"
    r"|\b(?:i am|i'?m|im|i work as|i'?ve been|i have been|working as|i'?m working as)\s+(?:currently\s+)?(?:an?\s+)?"
    r"(?P<held>[^\n]{3,80})",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:my name(?:'s| is)|call me|i am called|i'm called)\s+(?P<name>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,2})",
    re.IGNORECASE,
)
_PLACE_LEAD = re.compile(
    r"(?P<wish>\b(?:prefer(?:red)? (?:locations?|places?|cit(?:y|ies))(?: to| is| are|:)?|only jobs in|"
    r"only (?:work )?in)"
    r"|\bset my (?:preferred )?locations? to)\s+"
    r"|(?:\b(?:i|we) live(?: now)? in|^live in|\b(?:change|make) (?:it|that) (?:back )?to|\b(?:i(?:'m| am|"
    r"m) (?:now |currently )?living in|(?:i(?:'m| am|m) )?(?:now |currently )?"
    r"based in|(?:i'?ve|i have|i|we|we'?ve)(?: just)? (?:re)?(?:moved|located) (?:back )?to|"
    r"my (?:loca\w*|home(?: town)?|city|town|(?:new )?ad+ress) (?:is|=)(?: now)?(?: in)?|i(?:'m| am|"
    r"m) (?:now )?in))\s+",
    re.IGNORECASE,
)
_PLACE_END = re.compile(
    r"\s*(?:[.;!?()]|\b(?:not|with|for|and i|but|these|now|since|please|so|from now|because|instead)\b|, (?:and|"
    r"but|so|not|je)\b)"
    r".*$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_A_PLACE = re.compile(
    (
        r"(?:an?|my|the|your|this|need|love|charge|between|debt|school|college|university|transition|touch|favou?r|"
        r"hr|it)\b"
    ),
    re.IGNORECASE,
)
_REMOTE_ONLY = re.compile(
    r"\b(?:(?:fully|100%|strictly|only)[ -]+remote(?: (?:only|jobs|work|roles))*|remote[ -](?:only|or nothing)|"
    r"only wfh|wfh only|"
    r"(?:i )?(?:only|must|need to|have to) (?:work(?:ing)? )?(?:be )?(?:remote(?:ly)?|from home)|"
    r"remote(?: work| jobs)? (?:is|are) a must)\b",
    re.IGNORECASE,
)
_REMOTE_NO = re.compile(
    r"\b(?:no remote(?: work| jobs| roles)?|not remote|(?:on[ -]?site|in[ -]office|office) only|only on[ -]?site)\b",
    re.IGNORECASE,
)
_REMOTE_LIKED = re.compile(
    r"\b(?:prefer(?:ably)?(?: to)?(?: work(?:ing)?)?|(?:i'd|i would) (?:rather|like to) work|ideally) "
    r"(?P<how>remote(?:ly)?|from home|hybrid|on[ -]?site)\b"
    r"|\b(?P<liked>remote|hybrid) preferred\b|\b(?P<only>hybrid)\b[^.;!?]*\b(?:or nothing|only)\b",
    re.IGNORECASE,
)
_HARD_PAY = re.compile(
    (
        r"\b(?:min(?:imum)?|at least|no less than|not less than|less than|nothing (?:under|below)|won'?t|need|must|"
        r"floor)\b"
    ),
    re.IGNORECASE,
)
_PAY = re.compile(
    r"\b(?:min(?:imum)?|salary|pay|paid|earn\w*|wage|income|at least|less than|nothing (?:under|below)|a year|"
    r"per (?:year|hour|day|month)|an hour|make (?:that|it)|floor|want|expect\w*|asking)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\b(?:speak|fluent|mother tongue|native|bilingual|languages?|plus|conversational|[ABC][12])\b", re.IGNORECASE
)
_LANGUAGE = re.compile(
    rf"(?P<bit>\b(?:a (?:bit|little) of|some|basic) )?(?<!\w)(?P<language>{_LANGUAGES})(?!\w)"
    r"(?:\s*[(,]?\s*(?P<level>[ABC][12]|native|fluent|basic|conversational)\b\)?)?",
    re.IGNORECASE,
)
_HAS_CERTIFICATE = re.compile(
    r"\b(?:have|has|i'?ve|got|passed|earned|hold|obtained|completed|finished|received|add|with)\s+"
    r"(?:(?:just|now|also|recently|got|my|an?|the|full|both)\s+)*"
    r"(?P<what>(?!(?:no|not|never)\b)[\w+#./-]+(?: [\w+#./-]+){0,3}? "
    r"(?:certificat(?:e|ion)|licen[cs]e|ticket|clearance|diploma|accreditation|badge))\b",
    re.IGNORECASE,
)
_KNOWN_CERTIFICATE = re.compile(rf"(?<!\w)(?:{_CERTIFICATES})(?!\w)")
_HAS_SKILL = re.compile(
    r"\b(?:know|knows|learn(?:ed|t)|use|using|work(?:ed|ing)? (?:mostly )?with|proficient|skilled|skills?|skils|"
    r"good at|"
    r"experienced?|experiance|exp|background in|certified|speciali[sz]e\w*|expert|(?:can|i) (?:code|program|write)|"
    r"add|put|"
    r"have|i've|i'm an?|i am an?|developer|engineer|picked up|finished|taught myself|comfortable|degree|qualified)\b",
    re.IGNORECASE,
)
_LACKS_SKILL = re.compile(
    r"\b(?:want to learn|like to learn|learning|don'?t know|do not know|can'?t|cannot|never|no longer|not interested|"
    r"don'?t (?:have|want|like|use)|do not (?:have|want|like|use)|refuse|hate|no|wrong|without|avoid|exclude|tired of|"
    r"done with|want to (?:be|become|get into))\b",
    re.IGNORECASE,
)
_WORK_TIME = re.compile(
    rf"\b(?:part[ -]?time|full[ -]?time|permanent (?:contracts?|jobs?|roles?|positions?)|freelance|contract work|"
    rf"(?:{_NUMBER}) days? a week|(?:{_NUMBER})[ -]day weeks?)(?: only)?\b",
    re.IGNORECASE,
)
_WORK_TIME_MEANT = re.compile(
    (
        r"\b(?:only|looking|look|want|prefer|need|must|available|can|fine|open to|consider|remember)\b|^\W*(?:part|"
        r"full)[ -]?time\W*$"
    ),
    re.IGNORECASE,
)


def name(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    if (match := _NAME.search(sentence)) and match["name"].casefold() not in {"back", "later", "crazy"}:
        yield _found("fact", "name", match["name"], match.span())


def title(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """A job title held, or aimed at (a preference), and the level it states."""
    for match in _TITLE.finditer(sentence):
        group = "wanted" if match["target"] else "held"
        text = _TITLE_END.sub("", match[group]).strip(" '\"“”")
        words = text.split()
        if not words or len(words) > 5 or not _is_occupation(words):
            continue
        span = (match.start(), match.start(group) + len(text))
        yield _found("preference" if match["target"] else "fact", "title", text, span)
        if level := title_level(text):
            yield _found("fact", "seniority", level[0], span)
        return


def years(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """Years of experience, only where one number is the whole story: two stations in one sentence do not add up."""
    matches = list(re.finditer(_YEARS, sentence, re.IGNORECASE))
    if not matches:
        return
    first = matches[0]
    after = sentence[first.end() :]
    before = sentence[: first.start()]
    told = re.match(
        r"(?:['’]?\s*(?:of\s+)?(?:[\w/-]+\s+){0,3}?exp(?:er\w*)?\b|\s+(?:as an?|in|of)\b)", after, re.IGNORECASE
    )
    been = re.search(r"\b(?:i'?ve been|i have been|worked|working)\b.*\bfor\s+(?:about\s+)?$", before, re.IGNORECASE)
    total = re.search(r"\btotal\s+(?:of\s+)?$", before, re.IGNORECASE)
    if (told or been) and (len(matches) == 1 or total or been):
        word = first["years"].casefold()
        number = int(word) if word.isdigit() else _NUMBER_WORDS.index(word)
        end = first.end() + (told.end() if told else 0)
        yield _found("fact", "years", str(number), (first.start(), end))


def location(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """Where someone lives (a fact) or wants to work (a preference, or a constraint when said with "only")."""
    match = _PLACE_LEAD.search(sentence)
    if not match:
        return
    text = _PLACE_END.sub("", sentence[match.end() :]).strip(" ,")
    parts = [part.strip() for part in re.split(r",|\band\b|\bor\b", text) if part.strip()]
    places = [*parts[:1], *itertools.takewhile(_is_place, parts[1:6])]
    if not places or len(places[0].split()) > 4 or _NOT_A_PLACE.match(text):
        return
    lead = match.group().casefold()
    if re.match(r"change|make", lead) and gazetteer().find(places[0]) is None:
        return
    if re.search(r"(?:i'm|i am|im)(?: now)? in\s+$", lead) and not _is_place(places[0]):
        return
    kind: Kind = "constraint" if "only" in lead else "preference" if match["wish"] or "set my" in lead else "fact"
    value = ", ".join(_spelled(place) for place in places)
    end = sentence.index(places[-1], match.end()) + len(places[-1])
    yield _found(kind, "location", value, (match.start(), end))


def remote(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    if match := _REMOTE_NO.search(sentence):
        yield _found("constraint", "remote", "no", match.span())
    elif match := _REMOTE_ONLY.search(sentence):
        yield _found("constraint", "remote", "only", match.span())
    elif match := _REMOTE_LIKED.search(sentence):
        how = (match["how"] or match["liked"] or match["only"]).casefold()
        value = "preferred" if how.startswith(("remote", "from")) else "hybrid" if how == "hybrid" else "on-site"
        yield _found("preference", "remote", value, match.span())


def salary(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """The least pay, brought to a year, and its currency if one was named."""
    said = _PAY.search(sentence)
    wish = (find_pay(sentence) or _bare_minimum(sentence)) if said else None
    if not said or wish is None or wish.minimum is None:
        return
    kind: Kind = "constraint" if _HARD_PAY.search(sentence) else "preference"
    span = (min(said.start(), wish.spans[0][0]), max(said.end(), wish.spans[0][1]))
    yield _found(kind, "salary_min", f"{wish.minimum:.0f}", span)
    if wish.currency:
        yield _found("fact", "currency", wish.currency, span)


def _bare_minimum(sentence: str) -> PayWish | None:
    """A figure beside "minimum" alone; it is read as pay from 1,000 on, where nothing else is likely meant."""
    match = re.search(r"\b(?:minimum|floor|nothing (?:under|below))\D{0,8}(?=\d[\d,.]{3})", sentence, re.IGNORECASE)
    if not match:
        return None
    wish = find_pay(f"pay {sentence[match.end() :]}")
    start, end = match.span()
    return replace(wish, minimum=wish.minimum or wish.maximum, spans=((start, end + 8),)) if wish else None


def languages(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    said = _SPEAKS.search(sentence)
    if not said or _LACKS_SKILL.search(sentence):
        return
    for match in _LANGUAGE.finditer(sentence):
        level = match["level"] or ("basic" if match["bit"] else _level_before(sentence, match.start()))
        spelled = match["language"].capitalize()
        value = f"{spelled} ({level.upper() if len(level) == 2 else level.lower()})" if level else spelled
        yield _found("fact", "language", value, (min(said.start(), match.start()), match.end()))


def certificates(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    if _LACKS_SKILL.search(sentence):
        return
    taken: list[Span] = []
    for match in _HAS_CERTIFICATE.finditer(sentence):
        taken.append(match.span())
        yield _found("fact", "certificate", match["what"], match.span())
    for match in _KNOWN_CERTIFICATE.finditer(sentence):
        if not any(start <= match.start() < end for start, end in taken):
            yield _found("fact", "certificate", match.group(), match.span())


def skills(sentence: str, vocabulary: SkillVocabulary) -> Iterator[Found]:
    """Skills said to be had. What someone wants to learn, lacks or is tired of is none of theirs."""
    if not _HAS_SKILL.search(sentence):
        return
    for clause in re.finditer(r"[^,;]+(?:,(?! but\b| and i\b)[^,;]+)*", sentence):
        if not _LACKS_SKILL.search(clause.group()):
            for skill, start, end in vocabulary.spans(clause.group(), loose=True):
                if skill not in _LANGUAGE_NAMES:
                    yield _found("fact", "skill", skill, (clause.start() + start, clause.start() + end))


def work_time(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    match = _WORK_TIME.search(sentence)
    if match and _WORK_TIME_MEANT.search(sentence) and not re.search(r"\b(?:not|no|never)\b", sentence, re.IGNORECASE):
        kind: Kind = "constraint" if re.search(r"\bonly\b", sentence, re.IGNORECASE) else "preference"
        value = re.sub(r"\s+only$", "", match.group(), flags=re.IGNORECASE).casefold()
        yield _found(kind, "work_time", value, match.span())


RULES: Final[tuple[Rule, ...]] = (
    name, title, years, location, remote, salary, languages, certificates, skills, work_time,
)  # fmt: skip


def _found(kind: Kind, key: str, value: str, span: Span) -> Found:
    return Found(NewFact(kind, key, " ".join(value.split())), span)


def _is_occupation(words: list[str]) -> bool:
    last = words[-1].casefold()
    return last not in _NOT_AN_OCCUPATION and words[0].casefold() != "not" and bool(_OCCUPATION.fullmatch(last))


def _is_place(text: str) -> bool:
    return gazetteer().find(text) is not None or text[:1].isupper()


def _spelled(place: str) -> str:
    """The gazetteer's spelling of a known place, else as typed with a capital."""
    bare = re.sub(r"^the\s+", "", place)
    known = gazetteer().find(bare)
    if known:
        return known.name
    return bare if bare != bare.casefold() else bare.title()


def _level_before(sentence: str, start: int) -> str:
    before = re.search(
        r"\b(fluent|native|mother tongue is|mother tongue|native speaker of|conversational|basic)(?: in| is|:)?\s+$",
        sentence[:start],
        re.IGNORECASE,
    )
    if not before:
        return ""
    word = before[1].casefold()
    return "native" if word.startswith(("mother", "native")) else word
