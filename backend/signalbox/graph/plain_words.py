"""What is said of an application in so many words, where a title between the words misleads a classifier. Pure.

"I applied for Python Developer at Pinefold Labs" names a skill, a role and a company, and is news of an application.
"""

import re
from datetime import date
from typing import Final

from signalbox.agents.tracking.told import clauses, is_telling, told_in
from signalbox.graph.several import asks
from signalbox.memory.noteworthy import THING_MEANT

# Longer messages tell a story, or were pasted.
_MOST_WORDS: Final = 40
_MOST_OF_A_QUESTION: Final = 15
# What a message is for stands in its first words.
_HEAD: Final = 200
_OPENING: Final = (
    r"^\W*(?:(?:hi|hello|hey|ok|okay|so|and|also|now|well|update|news|good news|by the way|btw|fyi|just so you know|"
    r"today|yesterday|this morning|last (?:week|night|month)|please|pls|great|thanks)\b[\s,:.!–-]*)*"
)
_HAS_APPLIED = re.compile(
    _OPENING
    + r"(?:i(?:['’]ve|\s+have)?\s+)?(?:(?:just|now|already|also|finally|recently|actually|today|yesterday)\s+)*"
    r"(?:applied|(?:submitted|sent(?:\s+(?:off|in))?|put\s+in|handed\s+in)\s+(?:my|an|the)\s+application)\s+"
    r"(?:(?:today|yesterday|online|directly)\s+)?(?:for|to|at|with|as)\b"
    r"(?![^.,;!?]{0,30}\b(?:loan|mortgage|visa|permit|passport|citizenship|credit|card|benefits?|grant|scholarship|"
    r"university|college|school|course|degree|masters?|phd|membership)\b)",
    re.IGNORECASE,
)
# The list of applications, by the name that every answer of its agent gives it.
_TRACKER = re.compile(
    r"\b(?:my|the|your|our) (?:(?:job|career|application|applications) )?tracker\b"
    r"(?! (?:apps?|software|developer|jobs?|role|team|company|mortgage|fund)\b)",
    re.IGNORECASE,
)
_MY_APPLICATIONS = re.compile(
    _OPENING
    + r"(?:(?:can|could) (?:you|i) (?:please )?)?(?:please )?(?:(?:show|list|see|open|check|tell)(?: me)?(?: all)?"
    r"(?: of)? my (?:job )?applications|(?:what|which|where|how many)(?: \w+){0,2} (?:have|did|do) i (?:already )?"
    r"(?:appl(?:y|ied)|have (?:open|sent))(?: (?:to|for|at|with))?(?: so far| yet| already)?)\W*$",
    re.IGNORECASE,
)
_WISHES = re.compile(r"\b(?:want|need|wish|hope|like|love|dream)\b", re.IGNORECASE)
_ANSWERS: Final = frozenset({"interview", "rejected", "acknowledged", "withdrawn"})
_SENTENCE_END = re.compile(
    r"[.!;]+\s+|,?\s+(?:and|so|now)\s+(?=(?:now\s+|please\s+)?(?:find|show|search|look|write|draft|"
    r"prepare|help|give|tell|quiz)\b)",
    re.IGNORECASE,
)
_ASKS_FOR: Final = (
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|help\s+me\s+(?:to\s+)?|i(?:['’]d|\s+would)?\s+(?:like|want|need)"
    r"(?:\s+(?:you\s+)?to)?\s+|let['’]?s\s+|(?:please|pls)\s+)*"
)
_WRITES_AGAIN = re.compile(
    _OPENING + _ASKS_FOR + r"(?:(?:write|draft|send|compose|prepare|make|do|create|give|word|get)\b[^.?!\n]{0,40}?"
    r"|(?:an?|the|another)\s+(?:\w+\s+){0,2}?)?"
    r"\b(?:follow(?:ing)?[\s-]*up|chaser|reminder|nudge|status\s+(?:request|e-?mail|enquiry|inquiry|check))\b"
    r"(?=[^?!\n]{0,120}\b(?:my|our)\b[^?!\n]{0,80}\bapplication\b|[^?!\n]{0,120}\bi\s+applied\b)",
    re.IGNORECASE,
)
_PLEASE: Final = r"(?P<asked>(?:can|could|would|will)\s+(?:you|u)\s+)?(?:(?:please|pls|also|just)\s+)*"
_OF_ONESELF: Final = r"(?:i|i'm|i've|i'd|i'll|im|ive|my|we|our)\b"
_TO_REMEMBER = re.compile(
    _OPENING + _PLEASE + rf"(?:remember that\s+(?!{THING_MEANT}\b|you\b)"
    r"|(?:remember|(?:make a |take )?note|(?:keep|bear) in mind|(?:don'?t|do not|never) forget)(?:\s*[:,]\s*|\s+)"
    rf"(?:(?:down\s+)?that\s+)?(?=(?:never|no)\b|{_OF_ONESELF}))",
    re.IGNORECASE,
)
# "Forget that I said it" is no wish to have a fact forgotten.
_TO_FORGET = re.compile(
    _OPENING
    + _PLEASE
    + r"(?:forget|delete|erase|remove)\s+(?:(?:the|my|that|your)\s+notes?\b|(?:(?:about\s+)?(?:the fact\s+)?that\s+)?"
    r"(?=(?:i|i'm|i've|im)\b|(?<=that )(?:my|we|our)\b)"
    r"(?!(?:i|i've|we)\s+(?:(?:just|ever|even|have)\s+)*(?:said|asked|told|mentioned|wrote|sent)\b))",
    re.IGNORECASE,
)
_ASKS_MORE = re.compile(
    r"(?:[.;!?,]|\b(?:and|then|so|but)\b)\s*(?:(?:and|then|so|now|please|pls|(?:can|could|would)\s+you)\s+)*"
    r"(?:find|show me|search|look for|write|draft|list|tell me|give me|help me|prepare|check|review|compare|quiz|"
    r"what|how|which|where|is|are|do|does)\b",
    re.IGNORECASE,
)


_LEAST_PAY = re.compile(
    _OPENING + r"i(?:['’]d|\s+would)?\s+(?:(?:really|now|also|just)\s+)*(?:want|need|like|have|must|expect|hope)\s+"
    r"(?:to\s+)?(?:(?:earn|make|get|be\s+paid|get\s+paid|be\s+on|be\s+earning)\s+)?(?:a\s+)?(?:at\s+least|no\s+less\s+than|"
    r"not\s+less\s+than|(?:a\s+)?minimum(?:\s+of)?|over|more\s+than)\s+[£$€]?\s?\d[\d,.]*\s?k?\b"
    r"(?:\s+(?:or\s+more|gbp|eur|usd|pounds|euros|dollars|an?|per|each|every|in|year|yearly|hour|month|day|week|annum|"
    r"before|after|tax|gross|net|now|please|at|minimum))*\W*$",
    re.IGNORECASE,
)
_ACCESS = re.compile(
    r"\b(?:deaf|hard of hearing|hearing (?:aids?|loss|loops?)|lip-?read\w*|captions?|captioned|captioning|blind|"
    r"partially sighted|visually impaired|screen ?readers?|wheelchair|step[- ]free|(?:sign[- ]language|bsl) "
    r"interpret\w*|guide dog|assistance dog|dyslexic|autistic|reasonable adjustments?)\b",
    re.IGNORECASE,
)


_COVER_LETTER = re.compile(
    _OPENING + _ASKS_FOR + r"(?:(?:write|draft|compose|create|prepare|make|do|generate|produce|give|get|need|want)\s+"
    r"(?:me\s+|us\s+)?(?:(?:an?|the|my|another|one|new|short|brief|good|formal|friendly|simple|great|quick|full|"
    r"one[- ]page|speculative|\d+[- ]word)\s+){0,4}|"
    r"(?:an?|another)\s+(?:(?:new|short|brief|good|formal|friendly|simple)\s+)*)"
    r"(?:cover(?:ing)?|motivation(?:al)?|application)\s+letters?\b(?!\s+(?:templates?|examples?|samples?|tips?|advice)\b)",
    re.IGNORECASE,
)
# A follow-up of what, the conversation tells.
_FOLLOW_UP = re.compile(
    _OPENING
    + _ASKS_FOR
    + r"(?:(?:write|draft|send|compose|prepare|make|do|create|give)\s+(?:me\s+|them\s+|him\s+|her\s+)?)?"
    r"(?:(?:an?|the|my|another|that|this)\s+)?(?:(?:short|polite|quick|friendly|nice|firm|kind|brief|gentle|new|good)\s+)*"
    r"follow(?:ing)?[\s-]*up(?:\s+(?:e-?mail|letter|message|note|mail|text))?"
    r"(?:\s+(?:now|please|pls|for me|to them|with them|then|about (?:it|that)|on (?:it|that)|"
    r"to (?:it|that)|today|again))*\W*$",
    re.IGNORECASE,
)
_TAKE_OFF: Final = (
    r"(?:delete|remove|erase|drop|scrap|clear|cancel|strike|cross(?:\s+(?:off|out))?|take(?:\s+(?:out|off|away))?|"
    r"get\s+rid\s+of)"
)
_OFF_THE_TRACKER = re.compile(
    _OPENING
    + _ASKS_FOR
    + _TAKE_OFF
    + r"\s+(?:(?:the|my|this|that|our|both|all(?:\s+(?:of\s+)?(?:my|the))?|last|first)\s+)*"
    r"(?:[\w'’&.-]+\s+){0,5}?(?:applications?|entr(?:y|ies))\b"
    r"(?![\s-]+(?:letters?|forms?|e-?mails?|mails?|drafts?|process|questions?|sections?|level|skills?|notes?|software)\b)",
    re.IGNORECASE,
)
_OFF_A_LIST = re.compile(
    _OPENING
    + _ASKS_FOR
    + _TAKE_OFF
    + r"\s+[^.?!\n]{1,60}?\s+(?:off|from|out\s+of)\s+(?:of\s+)?(?:the|my|your|this|that|our)\s+"
    r"(?:application\s+)?list\b\W*(?:please|now|again)?\W*$",
    re.IGNORECASE,
)


def asks_for_a_cover_letter(message: str) -> bool:
    """Whether it begins with the wish for one to be written."""
    return _COVER_LETTER.match(message[:_HEAD]) is not None


def asks_to_follow_up(message: str) -> bool:
    """Whether a follow-up is to be written and nothing says of what: "write a follow-up"."""
    words = message.split()
    return len(words) <= _MOST_OF_A_QUESTION and _FOLLOW_UP.match(" ".join(words)) is not None


def takes_off_the_tracker(message: str, *, tracker_shown: bool = False) -> bool:
    """Whether an application is to go from the tracker; a mere "list" is the tracker where that was shown last."""
    words = message.split()
    message = " ".join(words)  # blanks without number are no question
    if len(words) > _MOST_OF_A_QUESTION or len(message) > _HEAD:
        return False
    return _OFF_THE_TRACKER.match(message) is not None or (tracker_shown and _OFF_A_LIST.match(message) is not None)


def states_a_need(message: str) -> bool:
    """Whether it does nothing but say what its writer cannot do without: the least they would earn, access at work."""
    straight = message.replace("’", "'")
    if len(message.split()) > _MOST_WORDS or "?" in message or _ASKS_MORE.search(straight):
        return False
    if _LEAST_PAY.match(straight):
        return True
    own = re.search(rf"(?:^|[\s,;.]){_OF_ONESELF}", straight, re.IGNORECASE)
    return own is not None and _ACCESS.search(straight) is not None and not asks(message)


def is_about_the_profile(message: str) -> bool:
    """Whether it does nothing but tell what to remember, or to forget: "remember that ..." whatever comes behind it,
    "forget that I ...".
    """
    straight = message.replace("’", "'")
    match = _TO_REMEMBER.match(straight[:_HEAD]) or _TO_FORGET.match(straight[:_HEAD])
    if match is None or _ASKS_MORE.search(straight, match.end()):
        return False
    return not straight.rstrip().endswith("?") or match["asked"] is not None


def is_about_an_application(message: str) -> bool:
    """Whether the message does nothing but tell that its writer applied to a named employer, or asks for a letter that
    follows such an application up.
    """
    if len(message.split()) > _MOST_WORDS:
        return False
    if _WRITES_AGAIN.match(message):
        return True
    return _HAS_APPLIED.match(message) is not None and _only_tells(message)


def asks_for_the_tracker(message: str) -> bool:
    """Whether it is about the list of applications and little else, as "what's on my tracker?" is."""
    if len(message.split()) > _MOST_OF_A_QUESTION:
        return False
    return _TRACKER.search(message) is not None or _MY_APPLICATIONS.match(message) is not None


def tells_of_an_answer(message: str) -> bool:
    """Whether it does nothing but tell how a named employer answered an application: "I had an interview at Acme"."""
    if len(message.split()) > _MOST_OF_A_QUESTION or _ASKS_MORE.search(message) or _WISHES.search(message):
        return False
    if not _only_tells(message):
        return False
    told = told_in(message, date.min.replace(year=2000))
    return all(each.company and each.status in _ANSWERS for each in told)


def news_and_request(message: str) -> tuple[str, str] | None:
    """News of an application and what is asked for after it: "I applied for ... at .... Find me similar jobs"."""
    if len(message.split()) > _MOST_WORDS:
        return None
    for end in _SENTENCE_END.finditer(message):
        news, request = message[: end.start()], message[end.end() :]
        if asks(request) and is_about_an_application(news):
            return news, request
    return None


def _only_tells(message: str) -> bool:
    if "?" in message or asks(message) or not all(is_telling(clause) for clause in clauses(message)):
        return False
    return any(told.company for told in told_in(message, date.min.replace(year=2000)))
