"""What a message about interviews asks for: questions, practice or advice; which role, company and stage. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.agents.interviews.bank import families_of
from signalbox.agents.skills.target import role_in
from signalbox.agents.words.profile_words import value_of
from signalbox.blocks import ProfileFact
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import NUMBER, number_of, words_in
from signalbox.tools.vocabulary import packaged_vocabulary

Want = Literal["questions", "practice", "ask_them", "expect", "answer", "star", "resume", "thank_you"]
Kind = Literal["behavioural", "role"]

MOST_QUESTIONS: Final = 12
DEFAULT_LIST: Final = 8
DEFAULT_PRACTICE: Final = 5
# A wish is said in a few sentences; a pasted page is not searched for one.
_MOST_CHARS: Final = 1_000

# The stages as they are called, and the words guides use for them.
_STAGES: Final[tuple[tuple[str, str], ...]] = (
    ("phone screen", r"(?:tele)?phone\b|\bscreening|\brecruiter (?:call|screen)|\bfirst call"),
    ("recorded video interview", r"\brecorded|\bone[- ]way|\bpre-?recorded"),
    ("video interview", r"\bvideo\b|\bzoom\b|\bteams (?:call|interview)|\bonline interview|\bon camera"),
    ("take-home task", r"\btake[- ]?home"),
    ("system design interview", r"\bsystems? design"),
    ("live coding interview", r"\blive coding|\bcoding (?:interview|test|task|challenge|round)|\bwhite ?board"),
    ("presentation", r"\bpresentation"),
    ("case interview", r"\bcase (?:interview|stud)"),
    ("trial shift", r"\btrial (?:shift|day)|\bwork trial"),
    ("group interview", r"\bgroup (?:interview|exercise|assessment)"),
    ("assessment centre", r"\bassessment (?:cent|day)|\baptitude|\bpsychometric"),
    ("demonstration lesson", r"\b(?:demo|demonstration|sample|trial) lesson"),
    ("panel interview", r"\bpanel\b"),
    ("final interview", r"\bfinal (?:round|stage|interview)|\b(?:second|2nd|third) (?:round|interview)"),
    ("technical interview", r"\btechnical (?:interview|round|screen|test)"),
)
_STAGE_RULES: Final = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _STAGES)
_BEHAVIOURAL = re.compile(r"\b(?:behaviou?ral|competenc\w+|values?[- ]based|soft skills?|situational)\b", re.IGNORECASE)
_TECHNICAL = re.compile(
    r"\b(?:technical|tech|coding|system design|clinical|subject|domain|hard skills?|role[- ]specific|sql|case)\b",
    re.IGNORECASE,
)

_RESUME = re.compile(
    r"\b(?:continue|resume|go on with|carry on with|back to|pick up|finish)\b.{0,25}\b(?:interview|practi[sc]e|"
    r"practi[sc]ing|mock|questions?|rehears\w+|where we)\b|^\W*(?:continue|go on|carry on|let'?s continue)\W*$",
    re.IGNORECASE,
)
_PRACTICE = re.compile(
    r"\bpracti[sc]e\b|\bpracti[sc]ing\b|\bmock\b|\brehears\w*|\b(?:quiz|drill|grill|interview|test) me\b|"
    r"\brole[- ]?play\b|\bsimulat\w+|"
    # What "they will ask me" is wanted as a list.
    r"(?<!they )(?<!he )(?<!she )(?<!will )(?<!would )(?<!could )(?<!might )(?<!they'll )(?<!they’ll )\bask me\b|"
    r"\bplay (?:the|an) interviewer|\b(?:be|act as) (?:the|an|my) interviewer|\btrain me\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\bthank[- ]?you (?:note|e-?mail|letter|message)|\bthank (?:them|her|him|the interviewer)", re.IGNORECASE
)
_ASK_THEM = re.compile(
    r"\bquestions?\b.{0,40}\b(?:(?:to|i|we|can|could|should|shall|for me to) ask|for (?:them|the (?:interviewer|panel|"
    r"employer|recruiter|hiring manager|manager|team)))\b(?! me)|\b(?:what|which) (?:\w+ ){0,3}(?:should|can|could|do|"
    r"to) (?:i )?ask\b|\bask (?:the )?(?:interviewer|panel|them|hiring manager|recruiter) (?:at|in|during|about)|"
    r"\breverse interview",
    re.IGNORECASE,
)
_STAR = re.compile(
    r"\bSTAR\b|\bstar (?:method|format|technique|answers?|story|stories|example)\b|\b(?:structure|shape|turn|tell|put|"
    r"write)\b.{0,40}\b(?:story|example|experience|achievement|bullet)s?\b.{0,30}\b(?:answer|interview|star)\b"
)
_ANSWER = re.compile(
    r"\bhow (?:do|should|would|can|could|might|shall|to|best to)\b.{0,12}\b(?:answer|respond|reply|explain|talk about|"
    r"handle|deal with|approach|tackle|describe|present|introduce|negotiate|bring up|address)\b|\bwhat (?:do|should|"
    r"can|shall|to) (?:i )?(?:say|answer|tell|reply)\b|\b(?:best|good|strong|sample|model|example) (?:answers?|"
    r"response)\b|\btell me about yourself\b|\b(?:my|greatest|biggest) weakness",
    re.IGNORECASE,
)
_EXPECT = re.compile(
    r"\bwhat (?:to|can i|should i|do i|will|would|might|does|happens?|is|are|rounds?|stages?|documents?|"
    r"questions? will)\b|\bhow (?:do|should|can|to|does|long|many|is)\b|\bwear\b|\bdress\b|\bbring\b|\bnervous\b|"
    r"\bnerves\b|\banxi\w+|\btips?\b|\badvice\b|\bset up\b",
    re.IGNORECASE,
)
_QUESTIONS = re.compile(
    r"\b(?:questions?|qs|what (?:will|would|might|could|do|are) they (?:\w+ )?ask|asked|quiz)\b", re.IGNORECASE
)
_PREPARE = re.compile(r"\b(?:prep\w*|ready|get through|ace|nail)\b", re.IGNORECASE)

_COUNT = re.compile(rf"\b(?P<number>{NUMBER})\s+(?:\w+[\s-]+){{0,4}}?questions?\b", re.IGNORECASE)
_FOR_ROLE = re.compile(
    r"\binterview(?:s|ing)?\s+(?:questions?\s+)?(?:[\w-]+\s+){0,3}?(?:for|as|to be(?:come)?)\s+(?:(?:an?|the|my|this|"
    r"that|being)\s+)*(?P<role>[^\W\d_][^,.;:!?\n]{1,60})",
    re.IGNORECASE,
)
_AS_ROLE = re.compile(
    (
        r"\b(?:questions?|practi[sc]e|mock|me|prepare|prep)\s+(?:for|as)\s+(?:an?|"
        r"the)\s+(?P<role>[^\W\d_][^,.;:!?\n]{1,60})"
    ),
    re.IGNORECASE,
)
_ROLE_END = re.compile(
    r"\s+(?:at|in|on|with|from|by|and|but|if|who|that|which|because|where|when|interviews?|roles?|jobs?|positions?|"
    r"posts?|tomorrow|today|tonight|next|this|please|pls|soon|coming|later|using|under|please|questions?|i|is|it|they|"
    r"will|monday|tuesday|wednesday|thursday|friday|saturday|sunday|vacancy|opening)\b.*$",
    re.IGNORECASE,
)
_BEFORE_INTERVIEW = re.compile(r"\b(?P<words>(?:[\w+#./&-]+\s+){1,6})(?:job\s+|role\s+)?interview", re.IGNORECASE)
_NOT_ROLE: Final = words_in(
    """a an the my this that your our their his her its some any for to of in on at with about from as and or do does
    did i me we you they it what which how when is are was be have has had got get getting give list show tell ask find
    need want like more few good best common typical usual likely top tricky hard tough easy prepare preparing prep
    practice practise practicing practising mock run let's lets start begin next upcoming coming first second third
    final last one two three four five six seven eight ten job work role position real possible sample example
    technical tech behavioural behavioral competency panel phone telephone video online zoom case group coding
    situational screening hr recruiter whiteboard take-home presentation star another quick short long big important
    before during after help please can could would should will questions question answer answers out through into
    having these those all face-to-face virtual continue resume stop the. interview so just really also then today
    tomorrow monday tuesday wednesday thursday friday ace nail pass survive failed fail bombed had mini full live
    gimme gimmie gonna wanna lemme pls plz u ur throw hit send shoot fire bring hello hey hi yo ok okay
    recorded stage round simulate rehearse conduct do doing"""
)
# How names of occupations end, those that end otherwise, and words of levels.
_OCCUPATION: Final = re.compile(
    r"\b(?!(?:other|number|another|whatever|super|proper|later|after|never|ever|either|rather|together|summer|winter|"
    r"paper|letter|answer|offer|career|better|power|for|or|poor|major|minor|moment|recent|different|current|present|"
    r"important|urgent|excellent|decent|instant|relevant|fast|list|exist|test|music|topic|basic|specific|public|"
    r"academic|civic)\b)"
    r"(?:[a-z-]{2,}(?:er|or|ist|ian|ant|ent|eer|yst|ect|ician|woman|sman|herd|wright)s?|nurse|chef|cook|clerk|guard|"
    r"maid|pilot|judge|attorney|barista|vet|doctor|medic|mechanic|surgeon|dean|coach|guide|host|hostess|steward|"
    r"stewardess|waitress|actress|secretary|executive|representative|apprentice|intern|trainee|lead|head|aide|au pair|"
    r"midwife|diplomat|model|monk|priest|crew|postman|fireman|police|army|navy|civil service|hospitality|law|"
    r"logistics|sales|tech|operations|[a-z]{4,}(?:ics|ology))\b",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:at|with|for|from|"
    r"by)\s+(?P<name>[A-Z][\w&'’.-]*(?:\s+(?:&\s+)?[A-Z][\w&'’.-]*){0,3})(?!\s+(?:[a-z]+\s+)?(?:role|job|position))"
)
_NO_COMPANY: Final = words_in(
    """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
    September October November December Zoom Teams Skype STAR HR Senior Junior Python Java SQL Data Software The I"""
)


@dataclass(frozen=True, slots=True)
class InterviewWish:
    """``role``, ``company`` and ``stage`` are empty where nothing tells them; ``number`` is None if none was named;
    ``named``: the role stands in the message itself.
    """

    want: Want
    text: str
    role: str = ""
    company: str = ""
    stage: str = ""
    kind: Kind | None = None
    number: int | None = None
    named: bool = False


def interview_wish(message: str, profile: Sequence[ProfileFact], history: Sequence[PastMessage]) -> InterviewWish:
    """What ``message`` wants; the role comes from it, else from the last interview talk, else from the profile."""
    text = " ".join(message.replace("’", "'").split())[:_MOST_CHARS]
    count = _COUNT.search(text)
    number = min(max(number_of(count["number"]), 1), MOST_QUESTIONS) if count else None
    said = _role(text)
    return InterviewWish(
        want=_want(text),
        text=text,
        role=said or _earlier(history) or value_of([f for f in profile if f.kind == "preference"], "title") or "",
        company=_company(text),
        stage=next((name for name, rule in _STAGE_RULES if rule.search(text)), ""),
        kind="behavioural" if _BEHAVIOURAL.search(text) else "role" if _TECHNICAL.search(text) else None,
        number=number,
        named=bool(said),
    )


def _want(text: str) -> Want:  # noqa: PLR0911 - one return a wish
    if _RESUME.search(text):
        return "resume"
    if _THANKS.search(text):
        return "thank_you"
    if _ASK_THEM.search(text) and not re.search(r"\bask me\b", text, re.IGNORECASE):
        return "ask_them"
    if _PRACTICE.search(text) and not re.search(r"\bhow (?:do|can|should) i practi[sc]e", text, re.IGNORECASE):
        return "practice"
    if _STAR.search(text):
        return "star"
    if _ANSWER.search(text):
        return "answer"
    if _COUNT.search(text) or (_QUESTIONS.search(text) and not re.match(r"^how (?:many|long)", text, re.IGNORECASE)):
        return "questions"
    if _EXPECT.search(text) and not _PREPARE.search(text):
        return "expect"
    if re.match(r"^(?:how|what)\b", text, re.IGNORECASE):
        return "expect"
    return "questions"


def _role(text: str) -> str:
    for pattern in (_FOR_ROLE, _AS_ROLE):
        if match := pattern.search(text):
            role = _trimmed(match["role"])
            if role:
                return role
    for match in _BEFORE_INTERVIEW.finditer(text):
        words: list[str] = []
        for word in reversed(match["words"].split()):
            if word.casefold().strip(".,") in _NOT_ROLE or "'" in word or word.isdigit():
                break
            words.insert(0, word)
        # "at Siemens interview": a company's name is not what one does there.
        if (
            words
            and _is_work(" ".join(words))
            and not (text[: match.end("words")].rstrip().endswith(" ".join(words)) and _is_company(text, words))
        ):
            return " ".join(words)
    return role_in(text) or ""


def _is_work(words: str) -> bool:
    """Words before "interview" name an occupation or a field of work, and are not just any words ("gimme")."""
    return bool(families_of(words) or _OCCUPATION.search(words) or packaged_vocabulary().extract(words, loose=True))


def _trimmed(role: str) -> str:
    role = _ROLE_END.sub("", role).strip(" '\"“”.")
    words = role.casefold().split()
    if not words or all(word in _NOT_ROLE for word in words) or len(words) > 6:
        return ""
    if len(words) == 1 and role[0].isupper() and role[1:].islower() and role in _NO_COMPANY:
        return ""
    return role


def _is_company(text: str, words: Sequence[str]) -> bool:
    name = " ".join(words)
    return re.search(rf"\b(?:at|with|my|the)\s+{re.escape(name)}\b", text) is not None and name[0].isupper()


def _company(text: str) -> str:
    for match in _COMPANY.finditer(text):
        name = match["name"].rstrip(".'’")
        if name.split()[0] not in _NO_COMPANY:
            return name
    return ""


def _earlier(history: Sequence[PastMessage]) -> str:
    """The role that was talked of last, by the typed results shown for it."""
    for past in reversed(history):
        for block in reversed(past.blocks):
            if block.get("type") in {"interview_questions", "interview_practice"} and block.get("role"):
                return str(block["role"])
            if block.get("type") == "skill_gap":
                return str(block["target"]).split(" at ")[0]
    return ""
