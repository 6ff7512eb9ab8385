"""What lies outside a careers assistant, what its guides may be asked, and where others must be asked. Pure."""

import re
from typing import Final, Literal

Outside = Literal[
    "weather", "cooking", "arithmetic", "translation", "news", "travel", "health", "money", "code", "fun", "devices",
    "shopping", "facts",
]  # fmt: skip
Careful = Literal["legal", "visa", "medical", "quit"]

_OUTSIDE: Final[tuple[tuple[Outside, str], ...]] = (
    ("weather", "weather|forecast|rain(?:ing|y)?|temperature|sunny|snow(?:ing)?|humid"),
    ("cooking", "recipes?|cook(?:ing)?|bake|baking|ingredients?|calories?|meals?|dinner|lunch|restaurants?|food|eat"),
    (
        "arithmetic",
        (
            r"\d+\s*(?:[-+*/x×÷^]|plus|minus|times|divided by)\s*\d+|square root|calculate|equations?|algebra|math\w*|"
            "convert|how many (?:inches|ounces|cups|feet|metres|meters|miles|pounds)|percent of"
        ),
    ),
    ("translation", "translate|how do (?:you|i) say .+ in|in (?:spanish|french|german|italian|japanese|chinese)"),
    ("news", r"news|headlines?|election|president|politic\w*|stocks?|scores?|match|game|football|sports?"),
    ("travel", "flights?|hotels?|vacation|holiday|passport|airport|directions?|traffic|gas station|train times?"),
    (
        "money",
        (
            r"bank(?:ing)?|account balance|credit card|loan|mortgage|transfer|bills?|crypto\w*|bitcoin|invest\w*|"
            "exchange rate"
        ),
    ),
    ("code", "write (?:me )?(?:a |some )?(?:code|program|script|function)|debug|compile|regex"),
    ("fun", "jokes?|poems?|story|song|music|movies?|film|riddle|horoscope|sing|lyrics|trivia|fun fact"),
    (
        "devices",
        (
            "alarm|timer|remind(?:er)?|lights?|volume|phone call|call (?:my|mom|dad)|text "
            "(?:my|mom|dad)|thermostat|battery|wi-?fi|bluetooth|screen|camera"
        ),
    ),
    ("shopping", "buy|order (?:me|a|some)|shopping|price of|cost of|cheapest|sells?|amazon|shop for"),
)
_OUTSIDE_RULES: Final = tuple((name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for name, words in _OUTSIDE)
CANNOT: Final[dict[Outside, str]] = {
    "weather": "I cannot look up the weather",
    "cooking": "I cannot help with food and cooking",
    "arithmetic": "I am no good for calculations and conversions",
    "translation": "I do not translate",
    "news": "I have no news, markets or sports",
    "travel": "I cannot plan or book travel",
    "health": "I cannot give medical advice",
    "money": "I cannot help with banking or investments",
    "code": "I do not write or debug programs",
    "fun": "I am not made for jokes, stories and games",
    "devices": "I cannot control devices, calls or reminders",
    "shopping": "I cannot help with shopping",
    "facts": "That is outside what I can help with",
}

# Without one of these a question is not about work, however near a guide may seem.
_OF_WORK = re.compile(
    r"\b(?:jobs?|careers?|work(?:ing|place|load|s)?|employ\w*|unemploy\w*|interview\w*|cvs?|r[eé]sum[eé]s?|"
    r"curriculum vitae|cover letters?|recruit\w*|headhunt\w*|linkedin|hir(?:e|ed|ing)|boss(?:es)?|managers?|"
    r"colleagues?|co-?workers?|salar\w*|wages?|pay(?: rise| range)|raise|promot(?:ion|ed)|job offers?|counter-?offers?|"
    r"notice|resign\w*|probation|redundan\w+|laid off|severance|references?|referees?|apprentice\w*|internships?|"
    r"graduates?|vacanc\w+|openings?|adverts?|postings?|appl(?:y|ied|ications?|icants?|ying)|reject\w*|ghosted|"
    r"network(?:ing)?|portfolio|remote (?:work|jobs?|roles?|positions?|team)|(?:work|working|jobs?) remotely|"
    r"hybrid (?:work|jobs?)|home office|from home|freelanc\w+|self-employed|overtime|skills?|certificat\w+|"
    r"gap in my|ats|onboarding|first day|ninety days|90 days|quit(?:ting)?|scams?|assessment cent\w+|star method|"
    r"elevator pitch|trade union|"
    r"occupation|profession\w*|work permits?|visas?|unfair(?:ly)? dismiss\w*|non-?compete|fired|sacked|negotiat\w+)\b|"
    r"\b(?:they|he|she|interviewers?|the panel|hr) (?:ask(?:ed|s)?|wants? to know|wanted to know)\b|"
    r"\b(?:pregnan\w*|maternity|paternity|parental leave|sick leave|discriminat\w+|harass\w+|bullied|bullying|"
    r"(?:employment|work|zero-hours|my|the) contracts?|unpaid|minimum wage|working hours|night shifts?|breaks? at)\b|"
    r"\bwhat (?:does|do) (?:an? )?[\w -]{3,40} (?:do|earn)\b|\b(?:become|becoming) an?\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|^(?:\W*(?:so|and|ok|well|hi|hello|please|hey)\W+)*(?:how|what|which|when|where|why|who|should|can|could|do|"
    r"does|is|are|am|will|would|tips?|advice|explain|tell me|give me|any|i need (?:advice|help|tips))\b",
    re.IGNORECASE,
)

_ADVICE = re.compile(
    r"\b(?:how|what) (?:do|should|can|could|must|to|would) (?:i|we|one|say|do|tell)\b|\bmy rights\b", re.IGNORECASE
)

_CAREFUL: Final[tuple[tuple[Careful, re.Pattern[str]], ...]] = (
    (
        "visa",
        re.compile(
            (
                r"\b(?:visas?|work permits?|sponsor(?:ship|ed|s)?|immigra\w+|right to work|green card|h-?1b|"
                r"residence permit|blue card)\b"
            ),
            re.IGNORECASE,
        ),
    ),
    (
        "legal",
        re.compile(
            r"\b(?:legal(?:ly)?|illegal|law(?:s|ful|suit|yer)?|sue|suing|court|tribunal|unfair\w*|because i(?:'m| am|"
            r" was) (?:pregnant|disabled|too old|a woman|gay|black|foreign)|unfair(?:ly)? dismiss\w*|wrongful\w*|"
            r"discriminat\w+|harass\w+|rights|unpaid wages|breach|non-?compete|contract(?:ual)?|whistle-?blow\w*|"
            r"severance|allowed to (?:ask|fire|sack|monitor|read))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "medical",
        re.compile(
            r"\b(?:doctor|medic(?:al|ine|ation)|diagnos\w+|pregnan\w+|disab\w+|illness|sick(?: leave| note)?|anxiety|"
            r"depress\w+|burn-?out|burn(?:t|ed) out|therap\w+|adhd|autis\w+|surgery|maternity)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "quit",
        re.compile(
            r"(?<!how )\b(?:should|shall|is it (?:ok|okay|time|wise|a good idea)|thinking (?:of|about)|when to|"
            r"tempted to)\b.{0,30}\b(?:quit|quitting|resign\w*|leave|leaving|hand in|walk out|accept|take the|"
            r"change careers?|go back)\b",
            re.IGNORECASE,
        ),
    ),
)
ASK: Final[dict[Careful, str]] = {
    "legal": (
        "Law differs by country and contract, so I cannot tell you where you stand. A trade union, a public employment "
        "advice service or an employment lawyer can; bring your contract and the dates."
    ),
    "visa": (
        "Visa and work-permit rules differ by country and change, so I cannot tell you what applies. The country's "
        "official immigration site, its embassy or a registered immigration adviser can; an employer's HR can say "
        "whether they sponsor."
    ),
    "medical": (
        "I cannot judge anything medical. Please talk to your doctor, and at work to occupational health, HR or a "
        "trade union about leave and adjustments."
    ),
    "quit": (
        "That is your decision, and I do not know enough of your life to make it. Before you act, look at your notice "
        "period and savings, and talk to somebody who knows you: a mentor, a careers adviser or someone at home."
    ),
}


def outside(message: str) -> Outside:
    """What a message that is not about work is about."""
    return next((name for name, rule in _OUTSIDE_RULES if rule.search(message)), "facts")


def careful(message: str) -> Careful | None:
    """The kind of advice that a program must leave to others."""
    return next((name for name, rule in _CAREFUL if rule.search(message)), None)


def about_work(message: str) -> bool:
    """The message speaks of work or of applying for it: the guides may be asked."""
    return _OF_WORK.search(message) is not None


def asks(message: str) -> bool:
    return _ASKS.search(message) is not None


def seeks_advice(message: str) -> bool:
    """Bad news told with a question in it: what to do, how to say it."""
    return _ADVICE.search(message) is not None
