"""Reads how postings are to be judged: by what, side by side or one, and which requirement is asked about. Pure."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.agents.matching.places import asks_whether_there
from signalbox.retrieval.skills import SkillVocabulary

Criterion = Literal["fit", "pay", "newest", "nearest", "level"]
Aspect = Literal[
    "remote", "employment", "office", "pay", "place", "posted", "asks", "duties", "benefits", "link", "company"
]
Form = Literal["rank", "compare", "explain", "eligible", "tell", "list", "sift", "apply", "save"]
Length = Literal["first", "some", "all"]

# What is asked stands at the start; what follows is a pasted document.
_LONGEST: Final = 2_000
_BEST: Final = r"(?:best|most|highest|higher|more|better|top)"
_CRITERIA: Final[tuple[tuple[Criterion, re.Pattern[str]], ...]] = (
    (
        "pay",
        re.compile(
            r"\b(?:lowest|least|worst|badly)[\s-]+(?:paid|paying|pay|salary)\b|\bpays?\s+(?:(?!at\b)\w+\s+)?(?:least|worst|less)\b|"
            rf"\bpays?\s+(?:\w+\s+)?{_BEST}\b|\b{_BEST}[\s-]+(?:paid|paying|pay|salary|salaries|money|wage)\b|"
            r"\bby (?:the )?(?:pay|salary|money|wages?)\b|\b(?:earn|make)s?\s+(?:the\s+)?most\b|\bmost money\b|"
            r"\bwhat (?:do|does) (?:\w+ )?"
            r"(?:they|it|each|these|those)(?: \w+)? pay\b",
            re.IGNORECASE,
        ),
    ),
    (
        "newest",
        re.compile(
            r"\b(?:newest|newer|more recent|most recent|latest|freshest|posted (?:last|most recently)|by date|"
            r"oldest)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "nearest",
        re.compile(
            r"\b(?:nearest|closest(?! to (?:my|what) (?:skil|exper|profile|background))|shortest commute|by distance|"
            r"clos(?:e|er) to (?:me|home|where i live|my (?:home|place|house|town))|nearer|how far|furthest|farthest|"
            r"closer(?=\W*$|\W+(?:one|job|of|from)\b)|commut\w+|"
            r"near(?:est|by)? (?:to )?(?:me|home|where i live))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "level",
        re.compile(
            r"\b(?:most senior|more senior|more junior|highest level|by (?:level|seniority)|most junior)\b",
            re.IGNORECASE,
        ),
    ),
)
_COMPARE = re.compile(
    r"\b(?:compare|comparison|side by side|versus|vs\.?|differ\w*|stack up|table|trade-?offs?|pros and cons)\b|"
    r"\bbetween\b.{0,80}\band\b",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"\b(?:why|explain|how (?:did|do|is|was)\b.{0,30}\bscor\w+|score|scored|percentage|match %|%|"
    r"break(?:down| it down)|"
    r"how come|reason)\b",
    re.IGNORECASE,
)
_ELIGIBLE = re.compile(
    r"\b(?:eligib\w+|qualif\w+|requirements?|requirments?|rule (?:me )?out|rules me out|kill(?:s)? it|stop me|"
    r"deal[- ]?breaker|chance|shot|over-?qualified|under-?qualified|too (?:senior|junior|old|inexperienced)|"
    r"enough (?:experience|years)|(?:still )?apply|(?:do|does) (?:i|my)\b.{0,40}\b(?:meet|match|enough)|plausible|"
    r"lack\w*|missing|haven'?t got|don'?t have|without)\b",
    re.IGNORECASE,
)
_WORST = re.compile(
    r"\b(?:worst|least|less|lowest|badly|oldest|most junior|more junior|furthest|farthest|cheapest)\b", re.IGNORECASE
)
# A whole ranking is asked for, not its first.
_WHOLE = re.compile(
    r"\b(?:all|every(?:thing| one)?|each|whole|full|complete|entire|rank(?:ing|ed)?|sort(?:ed)?|order(?:ed)?|list|"
    r"by (?:pay|salary|money|date|level|seniority|distance)|they pay|these pay|those pay|"
    r"how much do (?:they|these|those))\b",
    re.IGNORECASE,
)
_APPLY = re.compile(
    r"^\W*(?:(?:please|pls|ok|okay|so|now|just|then|can|could|would|will|you|go ahead and|i want you to|"
    r"i'd like you to)\s+)*(?:apply|submit|send (?:off |in )?(?:my|an|the) (?:application|cv|resume|résumé))\b|"
    r"\b(?:apply|submit)\b[^.?!]{0,60}\b(?:for me|on my behalf)\b|\bhow (?:do|can|would|should) i apply\b",
    re.IGNORECASE,
)
_SAVE = re.compile(
    r"^\W*(?:(?:please|pls|ok|okay|great|nice|now|and|just|then|can|could|would|you|"
    r"i(?:'d| would)? (?:want|like) (?:you )?to)[\s,]+)*"
    r"(?:save|bookmark|star|favou?rite|pin|shortlist|keep|put aside|remember)\s+"
    r"(?:it|this|that|them|these|those|(?:the |number |no\.? |nr\.? |#)?(?:\w+ )?"
    r"(?:one|ones|job|jobs|posting|postings|role|position|vacancy|\d{1,2}|first|second|third|fourth|fifth|"
    r"sixth|seventh|eighth|ninth|tenth|last|all|two|three))"
    r"(?:\s+(?:for (?:me|later|now)|please|too|down|somewhere|to (?:my|the) (?:list|favou?rites|bookmarks)|"
    r"in (?:my|the) (?:list|favou?rites)))*\W*$",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\b(?:show|give|list|see|repeat|display|print|bring)\b.{0,25}"
    r"\b(?:list|jobs|postings|results|ones|them|those|these|lot)\b.{0,12}\bagain\b|"
    r"^\W*(?:the )?(?:list|results)(?: again)?(?: please)?\W*$|"
    r"\b(?:show|give|let) me (?:see )?(?:the |that )(?:whole |full |entire )?list\b|"
    r"\b(?:back to|repeat) the (?:list|results)\b|\bwhat was (?:on|in) the list\b|"
    r"^\W*(?:what|which)(?: (?:jobs|ones|postings))? (?:are|were) (?:these|those|they)\W*$|"
    r"\bwhich (?:jobs|ones|postings) (?:did|have) you (?:show|found|find|shown)\b",
    re.IGNORECASE,
)
_TELL = re.compile(
    r"\b(?:tell me|more|details?|info|information|describe|description)\b|"
    r"\bwhat(?:'s| is|s) (?:it|this|that|(?:the )?\w+(?: one| job| posting)?)(?: all)? about\b|\bopen (?:the|number)\b|"
    r"\bshow me (?:the (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)|number|#)|"
    r"\bwhat kind of (?:job|work|role)\b|\bwhat is (?:the )?(?:first|second|third|fourth|fifth|last)\b",
    re.IGNORECASE,
)
# Words that ask for a verdict, whatever else is asked.
_JUDGES = re.compile(
    r"\b(?:fit|fits|suit\w*|match(?:es)?|chance|shot|worth|should i|right for me|good for me|eligib\w+|qualif\w+|"
    r"do i (?:have(?! to)|meet)|apply)\b",
    re.IGNORECASE,
)
_LACKED = re.compile(
    r"\b(?:without|missing|lack(?:ing|s)?|no|haven'?t(?: got)?|have not(?: got)?|don'?t (?:have|know)|"
    r"do not (?:have|know)|"
    r"never (?:used|done))\b",
    re.IGNORECASE,
)


_NEEDED = re.compile(
    r"\b(?:need\w*|requir\w*|must|matter\w*|important|enough|rule[sd]? (?:me )?out|essential|"
    r"insist|deal[- ]?breaker|necessary)\b",
    re.IGNORECASE,
)


# Questions that one line of the posting answers.
_ASPECTS: Final[tuple[tuple[Aspect, re.Pattern[str]], ...]] = (
    (
        "office",
        re.compile(r"\b(?:in|at|from|to) the office\b|\boffice days\b|\bdays? on[- ]?site\b|\bhybrid\b", re.IGNORECASE),
    ),
    (
        "remote",
        re.compile(r"\bremote(?:ly)?\b(?! (?:ones?|jobs?|roles?))|\bfrom home\b|\bhome office\b", re.IGNORECASE),
    ),
    (
        "employment",
        re.compile(
            r"\b(?:full|part)[- ]?time\b|\bpermanent\b|\bfixed[- ]term\b|\bfreelance\b|\bcontract\b|"
            r"\btemporary\b|\binternship\b|\bemployment type\b",
            re.IGNORECASE,
        ),
    ),
    ("pay", re.compile(r"\bpays?\b|\bsalary\b|\bhow much\b|\bpaid\b|\bwages?\b", re.IGNORECASE)),
    (
        "place",
        re.compile(
            r"\bwhere(?:'s|s)?(?: exactly)? (?:is|are|would|it|the|this|that)\b|\bwhich (?:city|town|country)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "posted",
        re.compile(
            r"\bwhen was\b.*\bposted\b|\bhow old\b|\bstill open\b|\bdeadline\b|\bcloses?\b|"
            r"\bclosing date\b|\bapply by\b",
            re.IGNORECASE,
        ),
    ),
    (
        "asks",
        re.compile(
            r"\bwhat\b.{0,40}\b(?:ask|asks|asking|require|requires|need|needs|want|wants|"
            r"look(?:ing)?) ?(?:for)?\b(?!.*\b(?:i|my)\b)|"
            r"\b(?:what|which|list)\b.{0,20}\b(?:requirements?|qualifications?|skills?)\b(?!.*\b(?:i|my|missing)\b)|"
            r"\b(?:its|their|the) requirements\b",
            re.IGNORECASE,
        ),
    ),
    (
        "duties",
        re.compile(
            r"\bwhat (?:would|will|do) i (?:be )?do(?:ing)?\b|\b(?:duties|tasks|responsibilities)\b|"
            r"\bwhat(?:'s| is) the work\b|\bday[- ]to[- ]day\b",
            re.IGNORECASE,
        ),
    ),
    (
        "benefits",
        re.compile(r"\bbenefits?\b|\bperks?\b|\bholidays?\b|\bpension\b|\bannual leave\b|\bbonus\b", re.IGNORECASE),
    ),
    (
        "company",
        re.compile(r"\b(?:which|what|whose) (?:company|employer|firm)\b|\bwho is it (?:with|for)\b", re.IGNORECASE),
    ),
    ("link", re.compile(r"\blinks?\b|\burl\b|\bwebsite\b|\bweb ?page\b|\bwhere (?:do|can) i apply\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class MatchWish:
    """``turned``: the other end of the criterion is asked for (the oldest, the most junior). ``asked_skills`` are
    requirements the message names; ``lacks`` tells that the writer says they do not have them. ``about``: what of a
    single posting is asked for. ``length``: how much of a ranking. ``judges``: a verdict is asked for.
    """

    criterion: Criterion = "fit"
    form: Form = "rank"
    turned: bool = False
    asked_skills: tuple[str, ...] = ()
    lacks: bool = False
    about: tuple[Aspect, ...] = ()
    length: Length = "some"
    judges: bool = True


def read_match_wish(message: str, vocabulary: SkillVocabulary, *, several: bool) -> MatchWish:
    """How ``message`` wants postings judged; ``several``: it means more than one."""
    message = message[:_LONGEST]
    criterion: Criterion = next((name for name, pattern in _CRITERIA if pattern.search(message)), "fit")
    skills = tuple(vocabulary.extract(message, loose=True))
    lacks = _LACKED.search(message) is not None
    turned = criterion != "fit" and _WORST.search(message) is not None
    about = () if several else tuple(name for name, test in _ASPECTS if test.search(message))
    if not several and "place" not in about and asks_whether_there(message):
        about = (*about, "place")
    form = _form(message, about, several=several, skills=bool(skills))
    asks = form == "eligible" and (lacks or _NEEDED.search(message) is not None)
    length: Length = "all" if _WHOLE.search(message) else "some" if criterion == "fit" else "first"
    judges = not about or _JUDGES.search(message) is not None
    about = () if form in {"explain", "apply", "list", "save"} else about
    return MatchWish(criterion, form, turned, skills if asks else (), lacks, about, length, judges)


def wants_list(message: str) -> bool:
    """The list on the table is asked for again, as it was."""
    return _LIST.search(message[:_LONGEST]) is not None


def _form(message: str, about: tuple[Aspect, ...], *, several: bool, skills: bool) -> Form:
    if _SAVE.match(message):
        return "save"
    if several:
        return "list" if wants_list(message) else "compare" if _COMPARE.search(message) else "rank"
    if _APPLY.search(message) or _EXPLAIN.search(message):
        return "apply" if _APPLY.search(message) else "explain"
    if "asks" not in about and (_ELIGIBLE.search(message) or skills):
        return "eligible"
    return "tell" if not about and _TELL.search(message) and not _JUDGES.search(message) else "rank"
