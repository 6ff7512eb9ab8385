"""What of a message is a search: without what it says of its writer, politeness and other asides. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.searching.languages import other_language, without_small_words
from signalbox.agents.searching.spelling import respelled
from signalbox.agents.words.several_roles import each_role
from signalbox.blocks import ProfileFact
from signalbox.memory.statements import own_words
from signalbox.memory.work_limits import company_size
from signalbox.retrieval.locations import find_places
from signalbox.retrieval.query import MAX_CHARS
from signalbox.retrieval.skills import SkillVocabulary

# Longer messages are pasted documents: their words are not mended, their sentences not told apart.
_LONGEST: Final = 1_000
_MOST_SKILLS: Final = 4

_ASKING: Final = (
    r"(?:please\s+|now\s+)?(?:can you\s+|could you\s+)?(?:find|show|search|look(?:ing)? for|list|get|give|what|which|"
    r"any|anything|are there|is there|do you have|i(?:'d| would) like|i(?:'m| am) looking|i want|i need)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_OWN_WORDS: Final = (
    r"i(?:'m|\s+am)\s+(?:currently\s+)?(?:an?\b|based|skilled|trained|qualified|good\s+at|experienced)|"
    r"i(?:'ve)?\s+(?:also\s+)?(?:know|speak|live|hold|got|have(?!\s+to\b))\b|"
    r"my\s+(?:\w+\s+)?(?:skills?|experience|background|certificates?|qualifications?)\b"
)
_CLAUSE = re.compile(
    rf"\s*(?:,|\s[-–—]\s|(?:,\s*)?\b(?:and|so|then|but)\b)\s*(?={_ASKING}|{_OWN_WORDS})", re.IGNORECASE
)
# "I'm a nurse looking for jobs in Leeds": who it is ends where what is looked for begins.
_SEEKS = re.compile(
    r"[\s,]+(?:and\s+|who(?:'s|\s+is)?\s+)?(?:currently\s+|now\s+|also\s+)?(?=(?:looking|searching|hunting|seeking|"
    r"(?<=who\s)wants?|(?<=and\s)wants?|(?<=who\s)needs?|(?<=and\s)needs?)\b)",
    re.IGNORECASE,
)
_OPENING: Final = (
    r"\W*(?:(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon)|ok|okay|so|well|and|but|btw|also|there|note|"
    r"remember|fyi|keep in mind|just so you know|that|please)\b\W*)*"
)
_ONLY_OPENS = re.compile(_OPENING, re.IGNORECASE)
_OF_ONESELF = re.compile(
    _OPENING
    + r"(?:i(?:'m|'ve| am| have| live| work| worked| used| can| speak| know| studied| just| moved| hold|m)\b|my )",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:look(?:ing)?|search(?:ing)?|hunting|want|need|interested|seek(?:ing)?|(?:would|'d) (?:like|love)|find|show|"
    r"prefer|only|jobs?|roles?|openings?|vacanc\w+|positions?|opportunit\w+|postings?)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    _OPENING + r"(?:(?:i(?:'m| am|m)|i work as|i(?:'ve| have) (?:been|worked as))\s+(?:currently\s+)?(?:an?|the)\s+|"
    r"i(?:'ve| have)(?: got| done| had)?\s+\d{1,2}\+?\s+(?:years?|yrs)(?:'s?)?(?:\s+of)?(?:\s+experience)?"
    r"\s+as\s+(?:an?\s+)?)"
    r"(?P<title>"
    r"(?:(?!\b(?:in|from|based|with|who|living|near|at|and|of \d|for|by|on|looking|seeking|searching|hunting|working|"
    r"currently)\b)[\w/&+#.'-]+\s*){1,5})",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"(?:,|\bwith|\bhaving|\bover|\band|\bi have|\bi've got|\bi've)?\s*\b(?:over |about |almost |more than )?"
    r"\d{1,2}\+?\s*(?:years?|yrs)\b(?:'|’)?(?:\s+of)?(?:\s+(?:work|working|professional))?(?:\s+experience)?"
    r"(?:\s+(?:in|as|at|on|of|with)\s+(?:an?\s+|the\s+)?[\w&/+.-]+)?",
    re.IGNORECASE,
)
# The writer's years are no words to search for, wherever they stand.
_EXPERIENCED = re.compile(
    r"\b(?:with|having)\s+(?:over\s+|about\s+|almost\s+|more than\s+|my\s+)?[1-9]\d?\+?\s*(?:years?|yrs)(?:'s?)?\s+"
    r"(?:of\s+)?(?:work(?:ing)?\s+|professional\s+|relevant\s+)?(?:experience|exp)\b",
    re.IGNORECASE,
)
_TIMES: Final = r"(?:hours?|hrs?|minutes?|mins?)(?:'s?)?"
_DISTANCE = re.compile(
    r"\b(?:within|under|less than|up to|no more than|max(?:imum)?|at most|inside)\s+(?:an?|half an|\d{1,3}|one|two)"
    rf"(?:[\s-]*(?:(?:miles?|km|kilomet\w+)\b|{_TIMES}\s+(?=(?:drive|commut|travel|train|journey|walk|ride|bus|by|of|"
    r"from|away)))(?:\s*(?:drive|driving|commute|commuting|travel(?:ling)?|train|journey|walk|ride|radius|distance|away|"
    r"by (?:car|train|bus|bike)))*)\s*(?P<of>(?:of|from|to)\s+)?(?P<me>(?:me|here|home|my (?:home|place|house)|"
    r"where i live|us)\b)?",
    re.IGNORECASE,
)
_NEAR_ME = re.compile(
    r"\b(?:close to|near|near to|around|local to|nearest)\s+(?:me|home|here|us|my (?:area|home|place|house|town|city)|"
    r"where i(?:'m| am| live)(?: based)?)\b|\bin (?:my|the|this) (?:area|town|city|region)\b|\baround here\b|"
    r"\bnear-?\s?by\b(?! [A-Z])|\bclose by\b|\blocally\b|\bround here\b",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"\b(?:sounds?|looks?|seems?) (?:really |very |pretty )?(?:good|great|nice|interesting|fine|perfect|fun|ok|cool)\b|"
    r"\b(?:is|are|would be|will be|works?) (?:also |both |just |quite |perfectly )?(?:fine|ok(?:ay)?|alright)"
    r"(?: too| as well)?\b|"
    r"\bfine(?=\W*(?:too|as well|with me|for me|by me)?\W*$)|"
    r"\b(?:ideally|preferably|by preference|if i can|either|though|tho|actually|"
    r"basically|honestly|if possible|perhaps|remember|where i live)\b(?!\s+or\b)",
    re.IGNORECASE,
)
# A second request behind the search is none of it; "jobs where I design and write software in London" has none.
_BESIDE = re.compile(
    r"(?:,|\band|\bthen)\s+(?:(?:also|then|afterwards)\s+){0,3}(?:(?:tell me|give me some)\b|"
    r"make me\s+(?:an?|the|my|some)\b|"
    r"help me\s+(?:to\s+)?(?:with|write|draft|apply|prepare|compare|choose|decide|pick)\b|"
    r"write\s+to\s+(?:them|him|her|the\s+(?:first|best|top))\b|"
    r"check\s+(?:if|whether|what|which|how much)\s+(?:they|it|any|ones?|of|pays?)\b|"
    r"(?:draft|write|check|look over)\s+(?:(?:me|us|my)\b|cover(?:ing)? letters?\b|"
    r"(?:letters?|e-?mails?)\s+(?:for|to)\s+(?:them|each|all|it|the\s+(?:first|best|top))\b|"
    r"(?:an?|the)\s+(?:\w+\s+){0,3}?(?:letters?|cv|r[ée]sum[ée]|e-?mails?|follow-?\s?ups?)\b)).*",
    re.IGNORECASE | re.DOTALL,
)
_FITTING = re.compile(
    r"\b(?:that|which)\s+(?:would\s+|might\s+|could\s+|will\s+)?(?:fits?|suits?|match(?:es)?)\b"
    r"(?!\s+(?:my|me|the|an?|with|in|into|out|around)\b)",
    re.IGNORECASE,
)
_MONTH: Final = (
    r"(?:(?:early|mid|late|the end of|(?:the )?(?:beginning|start) of|next|this|\d{1,2}(?:st|nd|rd|th)?(?: of)?)"
    r"[\s-]+){0,4}"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|apr|aug|sept?|"
    r"oct|nov|dec|spring|summer|autumn)\b(?:\s+\d{1,2}(?:st|nd|rd|th)?\b)?(?:,?\s+(?:19|20)\d\d\b)?"
    r"(?:\s+on(?:wards?)?\b)?"
)
_SOON: Final = (
    r"(?:(?:the\s+)?(?:next|this|coming)\s+(?:week|month|year|term)|tomorrow|asap|as soon as possible|immediately|now|"
    r"soon|(?:straight|right) away|(?:next\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
# When a job is to begin no posting is searched by.
_STARTS = re.compile(
    r"(?:,\s*)?\b(?:(?:and|that|which|can|could|would|to|i(?:'m|\s+am)|i)\s+){0,4}(?:start(?:ing|s)?|begin(?:ning|s)?|"
    rf"commencing|available|free)\s+(?:(?:in|on|from|by|around|at)\s+){{0,2}}(?:{_MONTH}|{_SOON})|"
    rf"(?:,\s*)?(?<!posted )(?<!published )(?<!advertised )(?<!listed )\b(?:from|as of|by|in)\s+{_MONTH}",
    re.IGNORECASE,
)
_HIRES = re.compile(
    r"\b(?:what|which|who|any|are there|list|show me|find me)\b\s*(?:companies|company|employers?|firms?|businesses)?"
    r"\s*(?:(?:that|which|who)\s+)?(?:is |are |'s |'re )?\b(?:hir(?:e|es|ing)|recruit(?:s|ing)?|employs?|"
    r"need(?:s|ing)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Request:
    """``text`` is what to read as a search. ``limits`` hold for it alone. ``read``: slips put right. ``language``: what
    it is written in, if not in English. ``distance``: it names one, which nobody here can measure. ``homeless``: it
    says "near me", and where that is is not known. ``starts``: when the job is to begin, in its words.
    """

    text: str
    limits: tuple[ProfileFact, ...] = ()
    read: tuple[tuple[str, str], ...] = ()
    language: str | None = None
    distance: bool = False
    homeless: bool = False
    starts: str | None = None


def read_request(message: str, home: str | None, vocabulary: SkillVocabulary) -> Request:
    """``home`` is where the writer is known to live: what "near me" means unless the message says otherwise."""
    if len(message) > _LONGEST:
        return Request(message[:MAX_CHARS])
    text = " ".join(message.replace("’", "'").split())
    language = other_language(text)
    spelled = respelled(text) if language is None else None
    text = spelled.text if spelled else without_small_words(text, language or "")
    text = _FITTING.sub(" ", _BESIDE.sub(" ", text))
    begins = _STARTS.search(text)
    text, lives = _request_alone(_STARTS.sub(" ", text), vocabulary)
    text, limits = _without_sizes(_HIRES.sub(" ", text), vocabulary)
    text, distance, from_home = _near(text, lives or home, _DISTANCE)
    text, near_me, _ = _near(text, lives or home, _NEAR_ME)
    return Request(
        " ".join(_CHAT.sub(" ", _EXPERIENCED.sub(" ", text)).split()),
        limits,
        spelled.read if spelled else (),
        language,
        distance,
        (near_me or from_home) and not (lives or home),
        begins[0].strip(" ,") if begins else None,
    )


def own_clauses(message: str) -> tuple[str, ...]:
    """The clauses in which the writer says who they are and what they can do, and asks for nothing."""
    if len(message) > _LONGEST:
        return ()
    return tuple(clause for clause in _clauses(" ".join(message.replace("’", "'").split())) if _is_own(clause))


def _clauses(text: str) -> list[str]:
    """What is asked and what is said of oneself, apart; a greeting that an introduction leaves behind is neither."""
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        for clause in _CLAUSE.split(sentence):
            called = _CALLED.match(clause)
            seeks = _SEEKS.search(clause, called.end("title") - 1) if called else None
            found += [clause[: seeks.start()], clause[seeks.end() :]] if seeks else [clause]
    return [clause for clause in found if not _ONLY_OPENS.fullmatch(clause)]


def _is_own(clause: str) -> bool:
    return _OF_ONESELF.match(clause) is not None and not _ASKS.search(clause)


def _request_alone(text: str, vocabulary: SkillVocabulary) -> tuple[str, str | None]:
    """The message without the sentences in which its writer says who they are, and where those say they live.

    Who asks for "jobs near me" after an introduction asks for their own line of work there.
    """
    clauses = _clauses(text)
    own = [clause for clause in clauses if _is_own(clause)]
    if not own:
        return text, None
    title, lives = _introduced(own, vocabulary)
    rest = ", ".join(clause.strip(" ,.;") for clause in clauses if clause not in own)
    if not _ASKS.search(rest) and not re.search(_ASKING, rest, re.IGNORECASE):
        stated = [_YEARS.sub(" ", clause) for clause in own]
        named = [f"{title} in {lives}" if lives else title] if title else stated
        return ", ".join(filter(None, [*named, rest])), lives
    if title is None and not _has_subject(rest):
        # Who names no work at all asks for work with what they can do.
        skills = [fact.value for each in own for fact in own_words(each, vocabulary) if fact.key == "skill"]
        known = [skill for skill in skills if vocabulary.canonical(skill)]
        title = " ".join((known or skills)[:_MOST_SKILLS]) or None
    places = find_places(_NEAR_ME.sub(" ", rest), vocabulary)[0]
    asked = rest if lives is None or places or re.search(r"\bremote", rest, re.IGNORECASE) else f"{rest} in {lives}"
    bare = _NEAR_ME.sub(" ", asked) if lives else asked
    return (f"{title} {bare}" if title and not _has_subject(rest) else bare), lives


def _introduced(clauses: Sequence[str], vocabulary: SkillVocabulary) -> tuple[str | None, str | None]:
    title = next(filter(None, map(_titles, clauses)), None)
    places = [place for each in clauses for place in find_places(_YEARS.sub(" ", each), vocabulary)[0]]
    return title, places[0] if places else None


def _titles(clause: str) -> str:
    """What it says its writer is, as a list where that is more than one thing."""
    matches = [match for one in each_role(clause) if (match := _CALLED.match(one))]
    return " or ".join(match["title"].strip(" ,.") for match in matches)


def _has_subject(request: str) -> bool:
    """Whether a request names work of its own: more than its asking words and "jobs"."""
    from_asking = re.sub(
        rf"{_ASKING}|{_NEAR_ME.pattern}|\b(?:jobs?|roles?|openings?|vacanc\w+|positions?|opportunit\w+|postings?|work|me|"
        r"there|are|is|some|for|the|out|now|please|around|available|could|can|should|would|i|do|in [A-Z]\w+|remote|"
        r"something|suitable|seeking|searching|hunting|looking|wants?|needs?|that|with|this|apply|to|fits?|suits?|suit)\b",
        " ",
        request,
        flags=re.IGNORECASE,
    )
    return re.search(r"[^\W\d_]{2,}", from_asking) is not None


def _without_sizes(text: str, vocabulary: SkillVocabulary) -> tuple[str, tuple[ProfileFact, ...]]:
    """How large companies must be is no word to search for."""
    found = list(company_size(text, vocabulary))
    for each in sorted(found, key=lambda one: -one.span[0]):
        text = f"{text[: each.span[0]]} , {text[each.span[1] :]}"
    return text, tuple(
        ProfileFact(fact_id="", kind="constraint", key=each.fact.key, value=each.fact.value) for each in found
    )


def _near(text: str, home: str | None, pattern: re.Pattern[str]) -> tuple[str, bool, bool]:
    """With "near me" as the place it means; "within ten miles of York" is near York. Also: whether ``pattern`` is in
    it, and whether it is the home that it counts from.
    """

    def placed(match: re.Match[str]) -> str:
        groups = match.groupdict()
        if groups.get("of") and not groups.get("me"):
            return "near "
        return f" in {home} " if home else " "

    match = pattern.search(text)
    groups = match.groupdict() if match else {}
    return pattern.sub(placed, text), match is not None, bool(match) and not (groups.get("of") and not groups.get("me"))
