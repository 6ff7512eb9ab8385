"""Which of the things people say to an assistant a message is. Pure, by rules, the first that fits."""

import re
from typing import Final, Literal

from signalbox.agents.talk.care import in_crisis
from signalbox.memory.forgetting import (
    asks_how_to_forget,
    wants_all_erased,
    wants_all_forgotten,
    wants_resume_erased,
    wants_undone,
)

Topic = Literal[
    "command",
    "crisis",
    "bad_news",
    "know_me",
    "tell_me",
    "my_rules",
    "forget_all",
    "erase_all",
    "how_to_forget",
    "profile_change",
    "no_specialist",
    "catalogue",
    "sources",
    "privacy",
    "identity",
    "cost",
    "languages",
    "upload",
    "human",
    "capabilities",
    "complaint",
    "discouraged",
    "what_wrong",
    "scam",
    "hard_time",
    "thanks",
    "goodbye",
    "greeting",
    "acknowledged",
    "unclear",
    "foreign",
    "knowledge",
    "statement",
    "out_of_scope",
]

_SEARCH: Final = (
    r"(?:applications?|applying|job (?:search|hunt)|rejections?|search(?:ing)?|interviews?|cvs?|r[eé]sum[eé]s?)"
)
_RULE_WORDS: Final = r"(?:rules?|filters?|limits|restrictions|constraints|exclusions)"
_THANK_YOU_NOTE: Final = re.compile(r"\bthank[- ]you (?:note|e-?mail|letter|message|card)s?\b", re.IGNORECASE)
_PATTERNS: Final[tuple[tuple[Topic, str], ...]] = (
    (
        "scam",
        (
            r"\b(?:scam\w*|fraud\w*|too good to be true)\b"
            r"|\b(?:(?:to|must|should i|have me) pay|paid|fees?|deposit|money|transfer|euros?|dollars?|pounds?|"
            r"bank (?:details|account|login)|gift "
            r"cards?|passport|whatsapp|telegram|without (?:an |any )?interview)\b.{0,120}\b(?:is (?:it|this|that) "
            r"(?:a )?(?:real|legit\w*|true|genuine|fake|safe|normal|ok|okay)|(?:can|should) i trust|legit\w*)"
            r"|\b(?:asks?|asked|asking|wants?|have|has|must|need) (?:me )?(?:to )?(?:pay|send|transfer)\b.{0,60}\b(?:"
            r"training|equipment|visa|before (?:i|the job|starting)|to get (?:the|a) job|background check|uniform)\b"
        ),
    ),
    (
        "what_wrong",
        (
            r"\bwhat(?:'s| am| are| is) (?:i |we )?(?:doing|going) wrong\b|\bwhat am i (?:missing|doing) here\b|"
            r"\bwhy (?:do i|am i) (?:keep|always|never|only)\b.{0,20}\b(?:reject\w*|ghost\w*|get (?:no|any)|fail\w*)|"
            r"\bwhy (?:does|do|will|is) (?:nobody|no ?one|no employer|no company)\b.{0,20}\b(?:hire|hiring|reply|call|"
            r"answer|want|invite|respond)|\bwhy (?:can't|don't|do not|am i not) (?:i )?(?:get|getting) (?:any |an )?(?:"
            r"interviews?|replies|answers|offers?|job)\b"
        ),
    ),
    (
        "discouraged",
        (
            rf"\b(?:give|giving|gave) up\b.{{0,80}}\b{_SEARCH}\b|\b{_SEARCH}\b.{{0,80}}\b(?:give|giving) up\b|"
            r"\b(?:\d{2,4}|hundreds of|dozens of|so many|countless) (?:job )?(?:applications|cvs|rejections)\b.{0,40}\b"
            r"(?:nothing|no|none|zero|not (?:a|one)|without|silence|still)\b|"
            r"\b(?:feel(?:ing|s)? like|want to|about to|ready to) (?:giving|give) up(?=\W*$|\s*[,.;!]| "
            r"(?:on|with) (?:it|this|everything|looking|applying|my))|"
            r"\b(?:keep|keeps|always) (?:getting|being) (?:rejected|ghosted|rejections|turned down)\b|"
            r"\b(?:nobody|no one|no employer) (?:ever )?(?:replies|answers|calls (?:me )?back|writes back|responds)\b"
        ),
    ),
    (
        "bad_news",
        (
            r"\b(?:(?:got|been|was|were|am|i'm|being|just|getting) (?:just )?(?:fired|sacked|laid off|let go|"
            r"made redundant|dismissed)|(?:fired|sacked|dismissed) me|let me go|laid me off|lost my job|"
            r"(?:didn't|did not|didnt) get the job|(?:got|was|been) rejected|made redundant)\b"
        ),
    ),
    (
        "my_rules",
        (
            rf"\b(?:what|which|wat|whats|what's) (?:\w+ ){{0,2}}{_RULE_WORDS} (?:do|have|did|are|is) (?:you|u|i|we)\b"
            r"(?! (?:have|need) to\b)(?:\W+\w+){0,3}\W+(?:have|hold|keep|kept|set|got|use|using|apply\w*|follow\w*|"
            r"stored?|"
            r"saved?|know|made|remember)\b"
            rf"|\b(?:what|which) (?:\w+ ){{0,2}}{_RULE_WORDS} are (?:set|active|on|in place|stored|saved|there)\b"
            rf"|\b(?:what are|what's|whats|what r|show|list|see|tell me|read me)(?: me)? (?:all )?(?:my|"
            rf"your) (?:\w+ )?{_RULE_WORDS}"
            r"(?=\W*$| (?:for|about|on) me\b)"
            rf"|\b(?:do i have|have i (?:got|set)|are there) any (?:\w+ )?{_RULE_WORDS}(?=\W*$| (?:set|for me|on)\b)"
            r"|\bwhat (?:have (?:i|you)|did i|do you|are you) (?:\w+ ){0,2}?(?:exclud\w*|block\w*|hid(?:e|ing|den)|"
            r"filter\w*)\b"
        ),
    ),
    (
        "know_me",
        (
            r"\bwhat (?:do you|d'you|have you|did you) (?:know|remember|store\w*|sa?ve\w*|ke?pt?|got|have)\b.*\b(?:me|"
            r"my|i)\b"
            r"|\b(?:show|list|see|read)\b.{0,12}\bmy (?:whole |entire )?profile\b|\bwho am i\b|\bwhat(?:'s|"
            r" is) (?:in )?my profile\b"
            r"|\bremember me\b|\bdo you (?:know|remember) (?:who i am|things|anything)\b|\bremind me what we\b"
        ),
    ),
    ("tell_me", r"\bwhat (?:should|can|could|do) i (?:need to )?tell you\b|\bwhat do you (?:want|need) to know\b"),
    (
        "catalogue",
        (
            r"\bhow many (?:jobs|postings|vacancies|openings)\b|\b(?:real|fake|sample|fictional)\b.{0,20}\b(?:jobs?|"
            r"postings?|vacanc\w+)\b"
            r"|\b(?:jobs?|postings?|vacanc\w+)\b.{0,20}\b(?:real|fake|made up|fictional)\b"
        ),
    ),
    (
        "sources",
        (
            r"\bwhere (?:did|do|does) (?:you|that|this|it|they)\b.*\b(?:from|get|come)\b|\b(?:your|the) sources?\b|"
            r"\bmaking (?:this|it) up\b"
        ),
    ),
    (
        "privacy",
        (
            r"\b(?:private|privacy|gdpr|my data|confidential|who can (?:read|see)|data (?:kept|stored|protection)|"
            r"delete my account|"
            r"(?:are you going to|will you) (?:still |also )?(?:remember|keep|save|store) (?:all |"
            r"any of )?(?:this|that|it|"
            r"what)|kept|sell my|send my (?:cv|data|profile|resume)|temporary chat|do you (?:store|save|keep|share))\b"
        ),
    ),
    (
        "identity",
        (
            r"\b(?:who|what) are you\b|\bwho made you\b|\bare you (?:a |an |the )?(?:real|robot|bot|human|ai|person|"
            r"chatgpt|alive)\b"
            r"|\byou are a robot\b|\bwhich model\b|\bwhat model\b|\bhow do(?:es)? (?:you|this) work\b|"
            r"\bhow it functions\b|\bu alive\b"
            r"|\bare (?:you|there) (?:a )?(?:chatbot|humans?)|\byour name\b|\bwhat is this (?:app\w*|chat|site)\b|"
            r"\breal man or\b"
        ),
    ),
    ("human", r"\b(?:talk|speak|chat) to (?:a |an )?(?:human|person|someone|advis\w+|agent)\b"),
    (
        "cost",
        (
            r"\b(?:free to use|is (?:this|ths|it) free|(?:you|this|it) cost|paid plan|pay somthing|subscription|"
            r"do i have to pay)\b"
        ),
    ),
    (
        "upload",
        (
            r"\b(?:upload|attach|send you)\b.{0,20}\b(?:pdf|file|cv|resume|document)\b|\bapp for\b|\b(?:iphone|"
            r"android) app\b"
        ),
    ),
    (
        "languages",
        (
            r"\b(?:other|which|what) languages?\b|\bversion in \w+|\bspeak (?:german|french|spanish|hindi|english)\b|"
            r"\b(?:(?:you|u) (?:also )?(?:speak|understand|know|talk|write|read)|(?:answer|reply|chat|write|talk)"
            r"(?: to me)? in) (?:german|deutsch|french|spanish|italian|polish|turkish|"
            r"arabic|hindi|"
            r"portuguese|dutch|russian|ukrainian|chinese|english)\b(?! (?:jobs?|teacher|courses?|cv|letter))"
        ),
    ),
    (
        "capabilities",
        (
            r"\b(?:what|whta|wat) (?:else )?can (?:you|u) (?:do|help)|\bwhat (?:do you|are you able to) (?:do|offer)\b|"
            r"\bwhat (?:is|are) (?:this|you) for\b"
            r"|\bcan you help(?: me)?\W*$|^\W*help\W*$|\bhow (?:can|could) you help\b|\bwhta can u do\b|"
            r"\bwhat are your (?:features|skills)\b"
            r"|\bthings can i ask\b|\bgetting started\b|\bhow do i (?:use|start)\b"
        ),
    ),
    (
        "complaint",
        (
            r"\b(?:not very helpful|useless|that's rude|so slow|stop (?:sending|asking)|you(?:'re| are) (?:bad|stupid|"
            r"rude|annoying|repeating)|wrong answer|"
            r"that's annoying|complain|not what i meant|all wrong|answers take)\b"
        ),
    ),
    (
        "hard_time",
        (
            r"\b(?:feel(?:ing)? (?:a bit |so |very |really )?(?:low|down|sad|lost|awful|terrible|miserable|worthless)|"
            r"(?:i am|i'm|im) (?:a bit |so |very |really )?(?:sad|desperate|heartbroken|miserable|crying)|"
            r"nobody wants (?:to hire )?me|i hate mondays|quick rant|"
            r"depress\w*|hopeless|"
            r"burn(?:t|ed) out|can(?:'t|not|t) do (?:this|it) any ?more|driving (?:me|us) up the wall|(?:give|"
            r"giving) up)\b"
        ),
    ),
    (
        "thanks",
        (
            r"\b(?!thank[- ]you (?:notes?|e-?mails?|letters?|messages?|cards?)\b)(?:thanks?|thank you|thx|thanx|"
            r"cheers|ta for|danke|merci|gracias|thnks|appreciate|i got the job)\b|"
            r"^\W*ta\b"
        ),
    ),
    (
        "goodbye",
        (
            r"\b(?:good ?night|bye|goodbye|see you|talk (?:tomorrow|later)|bonne nuit|done for today|that's all|"
            r"that is all|i'll leave you)\b"
        ),
    ),
    (
        "greeting",
        (
            r"^\W*(?:hi|hii+|hello|hey+|yo|hiya|howdy|good (?:morning|afternoon|evening|day)|guten (?:tag|abend|"
            r"morgen)|namaste|"
            r"bonjour|hola|[¡]?buenas|ciao|salut|moin|merhaba|hallo|helo|sup|morning|u alive)\b|\bonly saying hello\b"
        ),
    ),
    (
        "acknowledged",
        (
            r"^\W*(?:(?:ok(?:ay)?|great|cool|nice|good|fine|sure|haha|lol|good one|no thanks|never mind|nevermind|"
            r"not now|maybe later|will do|"
            r"i'm good|i'll do it myself|yes|no|yep|nope|alright|perfect|got it|i see|maybe|interesting|"
            r"fair enough|that makes sense|makes sense|noted|good to know|stop|leave it|forget it|then|hahaha|wow|"
            r"i'll do that)\b\W*)+$|^\W*(?:👍|🙏|😂|😊)+\W*$|^\W*never mind\b|^\W*no thanks\b"
        ),
    ),
    (
        "unclear",
        (
            r"^[\W\d_]*$|^\W*(?:hmm+|test|[a-z]{1,2}|\?+|ping|zzz+|[bcdfghjklmnpqrstvwxz]{5,})\W*$|"
            r"^\W*(?:asdf|sdfg|qwer|wert|zxcv|hjkl|jkl|uiop)\w*(?:\W+(?:asdf|sdfg|qwer|wert|zxcv|hjkl|jkl|uiop)\w*)*\W*$|"
            r"^(?:foo bar|blah|lorem ipsum)\b"
        ),
    ),
)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[A-Za-zªºµ\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+")
_RULES: Final = tuple((topic, re.compile(pattern, re.IGNORECASE)) for topic, pattern in _PATTERNS)


def topic_of(message: str) -> Topic:
    """What the message is about; anything unknown is out of scope."""
    if in_crisis(message):
        return "crisis"
    if message.lstrip().startswith("/"):
        return "command"
    text = " ".join(message.replace("’", "'").split())[:2_000]
    if topic := _of_the_profile(text):
        return topic
    if _in_another_script(text):
        return "foreign"
    # Thanks or a greeting in front of a real question do not answer it.
    for topic, pattern in _RULES:
        match = pattern.search(text)
        if match and not (topic in {"thanks", "greeting", "goodbye"} and _asks_more(text)):
            return topic
    return "out_of_scope"


def _in_another_script(text: str) -> bool:
    """Most of its letters are none of the Latin alphabet."""
    letters = "".join(_LETTERS.findall(text))
    foreign = len(_LATIN.sub("", letters))
    return foreign > 1 and 2 * foreign > len(letters)


def thank_you_note(message: str) -> bool:
    """A note of thanks is to be written, which is no thanks to the assistant."""
    return _THANK_YOU_NOTE.search(message) is not None


def _of_the_profile(text: str) -> Topic | None:
    """What is to be forgotten or brought back; a question about it changes nothing."""
    if asks_how_to_forget(text):
        return "how_to_forget"
    if wants_all_erased(text):
        return "erase_all"
    if wants_all_forgotten(text):
        return "forget_all"
    return "profile_change" if wants_resume_erased(text) or wants_undone(text) else None


def _asks_more(text: str) -> bool:
    return len(text.split()) > 6 and text.rstrip().endswith("?")
