"""The rules that read single facts out of one sentence about oneself. Pure; one function a kind of fact.

Each yields what it found with the stretch of the sentence that said it; a sentence's rest is the caller's affair.
How someone wants to work is read in ``work_wishes``.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Final

from signalbox.memory.found import Found, HeldParts, Rule, Span, found, held_clauses
from signalbox.memory.profile import Kind
from signalbox.memory.skill_lists import is_list, listed_beside
from signalbox.memory.words import NUMBER, number_of, words_in
from signalbox.memory.work_limits import company_size, level_floor, only_place
from signalbox.memory.work_wishes import relocation, remote, salary, work_time
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.terms import title_level

_YEARS: Final = re.compile(
    rf"(?<![\w.,])(?:(?P<years>{NUMBER})(?:\.\d)?(?:\s*(?:[-–]|to)\s*\d{{1,2}})?\s*\+?\s*(?:years?|yrs?|yers?|yoe)|"
    rf"a decade)\b",
    re.IGNORECASE,
)
_MOST_TITLES: Final = 6
# Whoever names more has pasted a list.
_MOST_YEARS: Final = 12
# How far before a number of years the words are looked for that say what they were.
_NEAR: Final = 120
_EXPERIENCE = re.compile(
    r"['’]?\s*(?:of\s+)?(?:[\w/-]+\s+){0,3}?exp(?:er\w*)?\b"
    r"|\s+(?:as(?! (?:of|well|soon|long|far|i|we|my|it|per)\b)|in|of(?! age)|"
    r"on(?! (?:an? |the |my )?(?:\w+ )?(?:leave|visa|benefits|bench|probation|sabbatical|"
    r"dole)))\b"
    r"|\s+(?!(?:travell?|liv|study|learn|look|rais|wait|car|be|go|hav|hop)ing)[a-z]{3,12}ing\b",
    re.IGNORECASE,
)
# What was not work; and what follows a number of years that is only one station of several.
_NO_EXPERIENCE = re.compile(
    r"\b(?:liv(?:e|ed|ing)|stay\w*|stud(?:ied|ying)|married|prison|university|college|school|ago)\b", re.IGNORECASE
)
_STATION = re.compile(
    rf"\b(?:then|after that|before that|and)\s+(?:another\s+)?{NUMBER}\b(?!\s?(?:k|days?|kids|children|"
    rf"languages?)\b)",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"\b(?:out of (?:work|the (?:work ?force|job market|game|loop)|a job|employment)|unemployed|jobless|off (?:work|"
    r"sick)|"
    r"(?:not|n't|never|haven'?t|without) (?:been )?(?:work(?:ed|ing)?|(?:a )?job|had a job)|between jobs|"
    r"(?:career|employment) (?:break|gap)|gap(?: of)?|sabbatical|(?:maternity|paternity|parental|sick|carer'?s) leave|"
    r"at home|stay[- ]at[- ]home|house(?:wife|husband)|homemaker|rais(?:ed|ing)|car(?:ed|ing) for|carer for|"
    r"look(?:ed|ing) after|job ?less|away from work|retired|ill(?:ness)?|recovering)\b",
    re.IGNORECASE,
)
_GAP_AFTER = re.compile(
    r"\s*(?:of\s+)?(?:(?:a|an|my|as a|as an|on a|on|in|long|full[- ]time)\s+)*(?:out of (?:work|the work ?force)|"
    r"unemploy\w+|"
    r"rais(?:ing|ed)|caring for|looking after|(?:career|employment)?[- ]?(?:break|gap)\b|at home|sabbatical|"
    r"(?:maternity|paternity|parental|sick) leave|stay[- ]at[- ]home|homemaker|house(?:wife|husband)|"
    r"being (?:a )?(?:mum|mom|"
    r"dad|parent|carer)|off (?:work|sick)?|carer for|(?:mum|mom|dad|parent)\b|with (?:my|the) (?:kids|children)|"
    r"job ?(?:hunting|less|searching)|away from)",
    re.IGNORECASE,
)
_LANGUAGES: Final = (
    "Arabic|Bengali|Bulgarian|Cantonese|Catalan|Chinese|Croatian|Czech|Danish|Dutch|English|Estonian|Farsi|Finnish|"
    "Flemish|French|Gaelic|German|Greek|Gujarati|Hebrew|Hindi|Hungarian|Icelandic|Indonesian|Irish|Italian|Japanese|"
    "Korean|Latvian|Lithuanian|Malay|Mandarin|Norwegian|Persian|Polish|Portuguese|Punjabi|Romanian|Russian|Serbian|"
    "Slovak|Slovenian|Somali|Spanish|Swahili|Swedish|Tagalog|Tamil|Telugu|Thai|Turkish|Ukrainian|Urdu|Vietnamese|Welsh"
)
_LANGUAGE_NAMES: Final = frozenset(_LANGUAGES.split("|"))
_CERTIFICATES: Final = (
    r"PMP|PRINCE2|CISSP|CISM|CISA|CEH|OSCP|CCNA|CCNP|CKA|CKAD|CPA|ACCA|CIMA|CFA|CELTA|TEFL|NCLEX(?:-RN)?|IELTS|TOEFL|"
    r"(?:(?:[Cc]lass [A-C] )?CDL(?: [Cc]lass [A-C])?)|HGV(?: [Cc]lass [12])?|LGV|RGN|RN|LPN|AAT|SIA|PGCE|TOGAF|CeMAP|"
    r"CSCS|ITIL|NEBOSH|IOSH|TESOL|QTS|PSM I{1,3}|CSM|Security\+|SC clearance|DV clearance|security clearance"
)
_NOT_AN_OCCUPATION: Final = words_in(
    """learner mother father brother sister daughter user lover newcomer beginner believer gamer smoker driver's
    student person winter summer member foreigner outsider teenager former better never other matter
    human man woman"""
)
_NOT_NOW: Final = words_in("not never former ex retired aspiring future no just still")
_OCCUPATION = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ian|ant|eur|man|woman|yst)|nurse|chef|cook|clerk|architect|scientist|assistant|agent|"
    r"executive|lead|staff|midwife|physio|therapist|paralegal|bookkeeper|lawyer|pilot|paramedic|medic|mechanic|"
    r"analyst|intern|apprentice|"
    r"consultant|operative|guard|attendant|specialist|technician|representative|associate|official|counsel|"
    r"sparky|electrician|president|"
    r"head)s?",
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
    r"|\b(?:(?:years?|yrs?)'?(?:(?: of)? exp\w*)? as\b|i am|i'?m|im|i work as|i'?ve been|i have been|"
    r"working as|"
    r"i'?m working as)\s+(?:currently\s+)?(?:an?\s+)?"
    r"(?P<held>[^\n]{3,80})",
    re.IGNORECASE,
)
# A title that opens the message with no verb: "Nurse in Leeds", "Data analyst, 4 years".
_BARE_TITLE = re.compile(
    r"^\W*(?:an?\s+)?(?P<bare>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*){0,3}?)(?=\s+(?:in|from|based|here|with)\b|\s*,)",
    re.IGNORECASE,
)
_BARE_TITLE_PROOF = re.compile(rf"\bhere\b(?=\W|$)|{_YEARS.pattern}", re.IGNORECASE)
_NOT_BARE: Final = words_in(
    """my the our his her their your no any for this that every some not never i we add if as ich je sono soy ik"""
)
_NAME = re.compile(
    r"\b(?:my name(?:'s| is)|(?P<call>(?:just |please )?call me)|i am called|i'm called|i go by)\s+"
    r"(?P<name>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,2})",
    re.IGNORECASE,
)
_NOT_A_NAME: Final = words_in(
    """and but or i i'm from in at on with not please thanks back later crazy if when whenever tomorrow today a an the
    by any as so old-fashioned picky what whatever about for to only my now is sometime anytime before after"""
)
_PLACE_LEAD = re.compile(
    r"(?P<wish>\b(?:prefer(?:red)? (?:locations?|places?|cit(?:y|ies))(?: to| is| are|:)?|only jobs in|"
    r"only (?:work )?in)"
    r"|(?P<loose>\bonly\s+(?:(?!or\b)\w+\s+){0,5}?in|"
    r"\b(?:looking for|want|need|seeking)\s+(?:\w+\s+){0,3}?(?:jobs?|work|roles?|"
    r"positions?) in)"
    r"|\bset my (?:preferred )?locations? to)\s+"
    r"|(?:\b(?:i|we)(?: now| currently)? (?:live|reside)(?: now)? (?:in|near|close to|around|outside)|"
    r"(?:^|\b(?:and|but)\s+)(?:(?:now|currently|also)\s+)?(?:live|living|based) (?:in|near)|"
    r"^(?:(?:just|recently|have|now) )*(?:re)?(?:moved|located) (?:back )?to|"
    r"\b(?:change|make) (?:it|that) (?:back )?to|\b(?:i(?:'m| am|"
    r"m) (?:now |currently )?living (?:in|near)|(?:i(?:'m| am|m) )?(?:now |currently )?"
    r"based (?:in|near|out of)|(?:i'?ve|i have|i|we|we'?ve)(?: just)? (?:re)?(?:moved|"
    r"located) (?:from [\w ]{2,30} )?(?:back )?to|"
    r"my (?:loca\w*|home(?: town)?|city|town|(?:new )?ad+ress) (?:is|=)(?: now)?(?: in)?|i(?:'m| am|"
    r"m) (?:now )?in))\s+",
    re.IGNORECASE,
)
_PLACE_END = re.compile(
    r"\s*(?:[.;!?()]|\b(?:not|with|for|and i|but|these|now|since|please|so|from now|because|instead|from|"
    r"last (?:week|month|year)|recently)\b|, (?:and|"
    r"but|so|not|je)\b)"
    r".*$",
    re.IGNORECASE | re.DOTALL,
)
_OF_THE_WRITER = re.compile(r"(?:I|I'm|I've|My|We)\b")  # a capital letter that starts no place
_NOT_A_PLACE = re.compile(
    r"(?:an?|my|the|your|this|need|love|charge|between|debt|school|college|university|transition|touch|favou?r|"
    r"hr|it)\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\b(?:this (?:week|weekend|month)|today|tonight|tomorrow|until|for (?:a|the) (?:few|couple|day|week)|on holiday|"
    r"visiting)\b",
    re.IGNORECASE,
)
# Between a title and "in Leeds": then the place is one of the past, or a wish.
_ELSEWHERE = re.compile(
    r"\b(?:worked|trained|studied|was|were|spent|born|grew|degree|university|college|lived|used to|looking|want\w*|"
    r"seek\w*|moving|willing|would|will|like|hop\w+|jobs?|clients?|from|never|not|before|interested)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\b(?:speak|fluent|mother tongue|native|bilingual|(?<=\w )speaking|speaker|languages?|plus|conversational|"
    r"[ABC][12])\b",
    re.IGNORECASE,
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
    r"experienced?|experiance|exp|background in|certified|speciali[sz]e\w*|expert|(?:can|i) (?:code|program|"
    r"write|do|build)|i (?:mainly|mostly|also) (?:do|use|write)|"
    r"add|put|"
    r"years? of|have|i've|i'm an?|i am an?|developer|engineer|picked up|finished|taught myself|comfortable|degree|"
    r"qualified)\b",
    re.IGNORECASE,
)


def name(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    match = _NAME.search(sentence)
    if not match:
        return
    words = list(itertools.takewhile(lambda word: word.casefold() not in _NOT_A_NAME, match["name"].split()))
    # "Call me Sam tomorrow": behind a capital only capitals go on.
    if words and words[0][0].isupper():
        words = [words[0], *itertools.takewhile(lambda word: word[0].isupper(), words[1:])]
    if not words or (match["call"] and words[0].islower() and len(words) > 1):
        return
    said = " ".join(words)
    yield found("fact", "name", said, (match.start(), match.start("name") + len(said)))


def title(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """A job title held, or aimed at (a preference), and the level it states."""
    for match in _title_leads(sentence):
        group = "wanted" if match["target"] else "held"
        text = _TITLE_END.sub("", match[group]).strip(" '\"“”")
        words = text.split()
        if not words or len(words) > 5 or not is_occupation(words):
            continue
        span = (match.start(), match.start(group) + len(text))
        yield found("preference" if match["target"] else "fact", "title", text, span)
        if level := title_level(text):
            yield found("fact", "seniority", level[0], span)
        return
    if bare := _bare_title(sentence):
        yield found("fact", "title", bare["bare"], bare.span())
        if level := title_level(bare["bare"]):
            yield found("fact", "seniority", level[0], bare.span())


def _title_leads(sentence: str) -> Iterator[re.Match[str]]:
    """The first few. One may begin in what another would take for its title, as in "I'm from Pune and I'm a nurse"."""
    at = 0
    for _ in range(_MOST_TITLES):
        if not (match := _TITLE.search(sentence, at)):
            return
        yield match
        at = match.start("wanted" if match["target"] else "held")


def _bare_title(sentence: str) -> re.Match[str] | None:
    match = _BARE_TITLE.match(sentence)
    if not match or match["bare"].split()[0].casefold() in _NOT_BARE or not is_occupation(match["bare"].split()):
        return None
    place = re.match(r"\s+(?:based )?(?:in|from)\s+", sentence[match.end() :])
    if place and gazetteer().pattern.match(sentence, match.end() + place.end()):
        return match
    return match if _BARE_TITLE_PROOF.search(sentence, match.end()) else None


def years(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    """Years of experience, only where one number is the whole story: two stations in one sentence do not add up."""
    said = list(itertools.islice(_YEARS.finditer(sentence), _MOST_YEARS))
    matches = [match for match in said if not _is_gap(sentence, match)]
    if not matches or len(said) == _MOST_YEARS:
        return
    first = matches[0]
    before = sentence[max(0, first.start() - _NEAR) : first.start()]
    told = _EXPERIENCE.match(sentence, first.end())
    been = re.search(
        r"\b(?:i'?ve been|i have been|worked|working)\b.*\bfor\s+(?:about |over |nearly |almost )?$",
        before,
        re.IGNORECASE,
    )
    total = re.search(r"\btotal\s+(?:of\s+)?$", before, re.IGNORECASE)
    plainly = told and re.search(r"exp", told.group(), re.IGNORECASE)
    no_whole = _NO_EXPERIENCE.search(sentence) or _STATION.search(sentence, first.end())
    if no_whole and not (plainly and len(matches) == 1):
        return
    if (told or been) and (len(matches) == 1 or total or been):
        number = number_of(first["years"]) if first["years"] else 10
        yield found("fact", "years", str(number), (first.start(), told.end() if told else first.end()))


def _is_gap(sentence: str, years: re.Match[str]) -> bool:
    """Whether these were years without work: "out of work for 5 years", "5 years raising my kids"."""
    start = max(0, years.start() - _NEAR)
    head = re.split(r"[,;]", sentence[start : years.start()])[-1]
    tail = re.split(r"[,;]", sentence[years.end() : years.end() + _NEAR])[0]
    return _GAP.search(head) is not None or _GAP_AFTER.match(tail) is not None


def location(sentence: str, vocabulary: SkillVocabulary) -> Iterator[Found]:
    """Where someone lives (a fact) or wants to work (a preference, or a constraint when said with "only")."""
    match = _PLACE_LEAD.search(sentence)
    if not match:
        yield from _place_behind_title(sentence, vocabulary)
        return
    text = _PLACE_END.sub("", sentence[match.end() :]).strip(" ,")
    parts = [part.strip() for part in re.split(r",|\band\b|\bor\b", text) if part.strip()]
    more = itertools.takewhile(lambda part: _is_place(part) and not _OF_THE_WRITER.match(part), parts[1:6])
    places = [*parts[:1], *more]
    if _FOR_NOW.search(sentence, match.end()) and re.search(
        r"(?:'m|am|im)(?: now)? in\s+$", match.group(), re.IGNORECASE
    ):
        return
    if not places or len(places[0].split()) > 4 or (_NOT_A_PLACE.match(text) and not _is_known(places[0])):
        return
    lead = match.group().casefold()
    if re.match(r"change|make", lead) and gazetteer().find(places[0]) is None:
        return
    if match["loose"] and gazetteer().find(places[0]) is None:
        return
    if re.search(r"(?:i'm|i am|im)(?: now)? in\s+$", lead) and not _is_place(places[0]):
        return
    kind: Kind = (
        "constraint"
        if "only" in lead
        else "preference"
        if match["wish"] or match["loose"] or "set my" in lead
        else "fact"
    )
    value = ", ".join(_spelled(place) for place in places)
    end = sentence.index(places[-1], match.end()) + len(places[-1])
    yield found(kind, "location", value, (match.start(), end))


def _place_behind_title(sentence: str, vocabulary: SkillVocabulary) -> Iterator[Found]:
    """Where a title is held, as in "a nurse in Leeds": a known place that nothing puts in the past."""
    held = next((each for each in title(sentence, vocabulary) if each.fact.kind == "fact"), None)
    if held is None:
        return
    for match in re.finditer(r"\b(?:in|near)\s+", sentence[held.span[1] :], re.IGNORECASE):
        start = held.span[1] + match.start()
        place = gazetteer().pattern.match(sentence, held.span[1] + match.end())
        if place and vocabulary.canonical(place.group()) is None:
            if not _ELSEWHERE.search(sentence[held.span[1] : start]):
                yield found("fact", "location", _spelled(place.group()), (start, place.end()))
            return


def languages(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    said = _SPEAKS.search(sentence)
    if not said:
        return
    held = HeldParts(sentence)
    for match in _LANGUAGE.finditer(sentence):
        if match.start("language") not in held:
            continue
        level = match["level"] or ("basic" if match["bit"] else _level_before(sentence, match.start()))
        spelled = match["language"].capitalize()
        value = f"{spelled} ({level.upper() if len(level) == 2 else level.lower()})" if level else spelled
        yield found("fact", "language", value, (min(said.start(), match.start()), match.end()))


def certificates(sentence: str, _: SkillVocabulary) -> Iterator[Found]:
    held = HeldParts(sentence)
    taken: list[Span] = []
    for match in _HAS_CERTIFICATE.finditer(sentence):
        if match.start("what") in held:
            taken.append(match.span())
            yield found("fact", "certificate", match["what"], match.span())
    for match in _KNOWN_CERTIFICATE.finditer(sentence):
        if match.start() in held and not any(start <= match.start() < end for start, end in taken):
            yield found("fact", "certificate", match.group(), match.span())


def skills(sentence: str, vocabulary: SkillVocabulary) -> Iterator[Found]:
    """Skills said to be had. What someone wants to learn, lacks or is tired of is none of theirs."""
    listed = not _HAS_SKILL.search(sentence)
    if listed and not is_list(sentence, vocabulary):
        return
    known: list[tuple[str, int, int]] = []
    for start, end in held_clauses(sentence):
        known += [(name, start + a, start + b) for name, a, b in vocabulary.spans(sentence[start:end], loose=True)]
    for skill, *span in known:
        if skill not in _LANGUAGE_NAMES:
            yield found("fact", "skill", skill, (span[0], span[1]))
    held = HeldParts(sentence)
    for other in listed_beside(sentence, known, vocabulary):
        names_work = other.name in _LANGUAGE_NAMES or is_occupation(other.name.split())
        if other.sure and other.span[0] in held and not names_work:
            yield found("fact", "skill", other.name, other.span)


RULES: Final[tuple[Rule, ...]] = (
    name, title, years, location, remote, relocation, salary, languages, certificates, skills, work_time,
    company_size, level_floor, only_place,
)  # fmt: skip


def is_occupation(words: list[str]) -> bool:
    """Whether they name what someone does for a living, and does today."""
    last = words[-1].casefold()
    if last.capitalize() in _LANGUAGE_NAMES:  # "I'm German"
        return False
    return last not in _NOT_AN_OCCUPATION and words[0].casefold() not in _NOT_NOW and bool(_OCCUPATION.fullmatch(last))


def _is_place(text: str) -> bool:
    return gazetteer().find(text) is not None or text[:1].isupper()


def _is_known(place: str) -> bool:
    return gazetteer().find(re.sub(r"^the\s+", "", place, flags=re.IGNORECASE)) is not None


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
        sentence[max(0, start - 40) : start],
        re.IGNORECASE,
    )
    if not before:
        return ""
    word = before[1].casefold()
    return "native" if word.startswith(("mother", "native")) else word
