"""Two requests in one message: where it parts, and which part comes first. Pure; who answers is not its matter.

A statement is no request, so only parts that ask for something count as parts.
"""

import re
from typing import Final

MOST_PARTS: Final = 3
# Longer messages tell a story; what is joined by "and" there is seldom a second request.
MOST_WORDS: Final = 70
FEWEST_WORDS: Final = 2

_JOINT = re.compile(
    r"(?:[.?!;]+|,)?\s*(?:\b(?:and|but|plus|also|then|after(?:wards| that)|as well as|once (?:that's|that is) done|"
    r"in addition|meanwhile|on top of that|so)\b[\s,]*)+|\s*[+&]\s+|[.?!;]+\s+|"
    r",\s+(?=(?:then|also|what|how|can|could)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:(?:please|pls|plz|so|ok|okay|now|just|maybe|first(?:ly)?|second(?:ly)?|next|finally|instead|thanks|hi|hello|"
    r"by the way|btw|quick question|one question|"
    r"before (?:that|this|you do(?: that| this)?)|beforehand|start (?:with|by)|to start(?: with)?|"
    r"with that in mind|for me|let's|lets|i(?:'d| would) (?:also )?(?:like|love|want)(?: you)? to|"
    r"i (?:also )?(?:want|need)(?: you)? to|i (?:also )?need|i (?:also )?want|help me(?: to)?|do me|give me|get me|"
    r"if (?:it|they|she|he|that|so|not|yes|no)\b(?: (?:does|do|did|is|are|says?|calls?|fits?|yes|no|so|n't|not)\b)*|"
    r"(?:can|could|would|will) you(?: please| also| maybe)*)[\s,]+)*"
    r"(?P<verb>find|look|search|show|list|check|compare|rate|rank|judge|score|tell|write|draft|do|make|prepare|prep|help|"
    r"fix|improve|review|polish|tidy|update|rewrite|redo|adjust|tailor|shorten|finish|message|email|e-mail|send|ask|"
    r"reply|respond|follow|chase|nudge|log|mark|record|track|save|note|remember|put|set|give|get|explain|quiz|drill|"
    r"test|practi[sc]e|rehearse|interview|research|dig|recommend|suggest|pick|create|add|remove|forget|delete|start|"
    r"go|see|let|outreach|someone|"
    r"(?:(?:an?|some|the|a few|proper|good|short)\s+)*(?:cover letter|interview questions|letter|cv|resume)|"
    r"skills|whether|what(?:'s|s|'re|'d)?|which|who|where|when|why|how|is|are|am|do|does|did|can|could|should|would|will|any)\b",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"^(?:but\s+)?(?:first(?:ly)?|before (?:that|you do|this)|beforehand|start (?:with|by)|to start)\b[\s,:]*(?=\S)",
    re.IGNORECASE,
)
# "Write to Acme and send it" is one request, to whoever writes.
_SENTENCE_END = re.compile(r"[.?!;]+\s+")
_SENDS_IT = re.compile(r"(?:please\s+)?(?:send|e-?mail|mail)\s+(?:it|this|that)\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(
    r"^(?:what|how|which|who|where|when|why|is|are|do|does|can|could|should|would|will)\b", re.IGNORECASE
)


def parts_of(message: str) -> tuple[str, ...]:
    """The requests of ``message`` in the order they should be served; one part when it does not fall apart.

    The text between two joints belongs to the request before it, so nothing that was said is lost.
    """
    text = " ".join(message.split())
    if len(text.split()) > MOST_WORDS:
        return (text,)
    parts: list[str] = []
    start = 0
    for joint in _JOINT.finditer(text):
        rest = text[joint.end() :]
        before = text[start : joint.start()]
        # What joins two words of one sentence begins no request because a later sentence does.
        following = _SENTENCE_END.split(rest, maxsplit=1)[0]
        if not before.strip() or not asks(following) or not asks(before) or _SENDS_IT.match(rest):
            continue
        parts.append(text[start : joint.start()].strip(" ,;"))
        start = joint.end()
    parts.append(text[start:].strip())
    if not 1 < len(parts) <= MOST_PARTS or any(len(part.split()) < FEWEST_WORDS for part in parts):
        return (text,)
    earlier = [part for part in parts if _EARLIER.match(part)]
    return tuple(earlier + [part for part in parts if part not in earlier])


def asks(text: str) -> bool:
    """Whether ``text`` begins like a request, or one of its sentences does."""
    sentences = re.split(r"[.?!;:]\s+|,\s+", text)
    return any(_ASKS.match(sentence.strip()) for sentence in sentences if sentence.strip())


def is_request(text: str) -> bool:
    """Whether the text as a whole asks for something, as against telling something ("What I did was ...")."""
    text = text.strip()
    return _ASKS.match(text) is not None and (text.endswith("?") or _QUESTION_WORD.match(text) is None)
