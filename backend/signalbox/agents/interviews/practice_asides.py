"""What is said beside a practice interview: questions and requests that are no answer, and words that return to it.

Pure. Who serves an aside is not decided here.
"""

import re
from typing import Final

# An answer may hold a question; a message of nothing but one or two short ones is none.
_ASIDE_WORDS: Final = 30
_RETURN_WORDS: Final = 12

_LEAD: Final = re.compile(
    r"^\W*(?:(?:by the way|btw|wait|hold on|hang on|one (?:moment|second|sec)|sorry|quick question|"
    r"(?:a |one )?question|before (?:that|i answer|we go on)|actually|also|and|but|so|ok(?:ay)?|hey|"
    r"hm+|well|no|please|just|"
    r"out of curiosity|first|i mean)\b[\s,.:;!–-]*)+",
    re.IGNORECASE,
)
_SENTENCES: Final = re.compile(r"[.!;]")
_QUESTION: Final = re.compile(
    r"^(?:what|how|which|who|where|when|why|is|are|do|does|did|can|could|should|would|will|may|am|any)\b.*"
    r"\?$",
    re.IGNORECASE,
)
# Without a question mark: it must ask for something that the assistant has.
_ASKED_PLAINLY: Final = re.compile(
    r"^(?:(?:what(?:'s| is| are| does| do)|how (?:much|long|many)|which|who(?:'s| is)|where (?:is|are|do|can)|"
    r"when (?:is|are|do|does)) (?:i|you|they|it|that|this|there|the|a|an|my|is|does|do|are|would|should|jobs?|skills?|"
    r"companies)\b|(?:do|can|could|will|should|would) (?:i|you|they)\b|(?:is|are|does) (?:i|you|they|it|that|this|"
    r"there)\b)",
    re.IGNORECASE,
)
# "Who I would ask first" and "what I did was" tell something.
_TOLD: Final = re.compile(
    r"^(?:what|how|which|who|where|when|why) (?:i|we|my|our|it|they) (?:\w+ly )?(?:did|do|would|had|have|was|were|am|"
    r"usually|always|learned|learnt|found|like|want|try|wanted)\b|^(?:when|where|why) (?:i|we|the|my|our|a|an)\b",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"^(?:(?:can|could|would|will) (?:you|u)|i(?:'d| would) (?:like|love)(?: you)? to|i (?:want|need) (?:you )?to|"
    r"let's|lets|now)?\s*(?:please )?(?:find|search|show|list|look for|look up|write|draft|review|check|tell me|"
    r"explain|remember|forget|add|remove|save|track|log|mark|update|compare|research|give me|go back to|"
    r"switch to)\b.{0,60}\b(?:jobs?|postings?|vacanc\w+|openings?|roles?|cvs?|r[eé]sum[eé]s?|"
    r"(?:cover )?letters?|e-?mails?|notes?|profile|"
    r"salar\w*|pay|wages?|compan(?:y|ies)|employers?|applications?|skills?|search|follow-?up|interviewer|question)\b",
    re.IGNORECASE,
)
_OF_THE_QUESTION: Final = re.compile(
    r"\bwhat (?:do|did) (?:you|u|they) mean\b|\bwhat does (?:that|this|it|the question)\b.{0,20}\bmean\b|"
    r"\b(?:explain|rephrase|clarify|reword) (?:the|this|that|your) question\b|"
    r"\b(?:don't|do not|didn't|did not) (?:understand|get) (?:the|this|that|your) question\b",
    re.IGNORECASE,
)
_PRACTICE: Final = (
    r"(?:(?:the|my|our|that|this) )?(?:(?:mock|practi[sc]e) )*(?:interview|practi[sc]e|questions?|practi[sc]ing)"
)
_RETURNS: Final = re.compile(
    rf"^\W*(?:(?:ok(?:ay)?|thanks?|thank you|now|let'?s|please|so|and|then|right|alright|great|can we|i want to|"
    rf"i'd like to|we can)[\s,.!]+)*(?:(?:continue|resume|go on|carry on|proceed|pick up)(?: (?:with )?(?:it|"
    rf"{_PRACTICE}|where we (?:left|stopped)(?: off)?|practi[sc]ing))?|(?:(?:get|go|going|come|coming|"
    rf"head) )?(?:back|return) to "
    rf"(?:{_PRACTICE}|where we were)|where were we|(?:skip|repeat)(?: (?:it|that|the|this|that one|this one|the "
    rf"question|that question|this question))?|(?:the )?next question|what was (?:the|my|our) (?:last )?question(?: "
    rf"again)?|ask me the (?:question|next question|next one)(?: again)?|(?:stop|end|finish|quit) (?:the )?{_PRACTICE})"
    r"(?:[\s,]+(?:now|please|then|thanks))*\W*$",
    re.IGNORECASE,
)
_VERDICT: Final = (
    r"(?:so |and |then )?(?:how (?:did|have|am|was|were) (?:i|my answers?|it|that)(?: \w+)?(?: (?:so far|overall|in "
    r"total|altogether|in general|in all))?|how(?:'d| did) (?:i|it|that) (?:do|go)(?: (?:overall|so far))?|what (?:was|"
    r"is|'s) (?:my|the) (?:score|result|verdict|feedback|summary)(?: (?:overall|so far))?|(?:give me|show me|can i "
    r"have|sum up|what about) (?:my|the|a|an) (?:overall |final )?(?:summary|feedback|verdict|result|review)|overall "
    r"(?:feedback|verdict|summary|impression)|how am i doing(?: (?:so far|overall))?)"
)
_ASKS_VERDICT: Final = re.compile(rf"^\W*(?:ok(?:ay)?[\s,]+)?{_VERDICT}(?: please)?\W*$", re.IGNORECASE)
_STOPS_FOR_VERDICT: Final = re.compile(
    rf"^\W*(?:ok(?:ay)?[\s,]+|please )?(?:stop|enough|that'?s (?:it|enough|all)|i(?:'m| am) done|let'?s stop|finish|"
    rf"end)(?: (?:it|here|now|the (?:interview|practi[sc]e)))?[\s,.!;–-]+(?:and )?{_VERDICT}\W*$",
    re.IGNORECASE,
)


def is_aside(message: str) -> bool:
    """The message asks the assistant something or for something, and answers no interview question."""
    text = " ".join(message.replace("’", "'").split())
    if not text or len(text.split()) > _ASIDE_WORDS:
        return False
    bare = _LEAD.sub("", text)
    if _OF_THE_QUESTION.search(bare) or _REQUEST.match(bare):
        return True
    if _TOLD.match(bare):
        return False
    asked = bare.endswith("?") and _QUESTION.match(bare) is not None
    return asked or (not _SENTENCES.search(bare) and _ASKED_PLAINLY.match(bare) is not None)


def asks_meaning(message: str) -> bool:
    """What the interviewer's question means is asked."""
    return _OF_THE_QUESTION.search(message.replace("’", "'")) is not None


def returns(message: str) -> bool:
    """Words that can only mean the practice interview, also when another agent spoke since."""
    text = " ".join(message.replace("’", "'").split())
    return len(text.split()) <= _RETURN_WORDS and (
        _RETURNS.match(text) is not None or _STOPS_FOR_VERDICT.match(text) is not None
    )


def asks_verdict(message: str) -> bool:
    """How the answers were is asked, with nothing else."""
    return _ASKS_VERDICT.match(" ".join(message.replace("’", "'").split())) is not None


def stops_for_verdict(message: str) -> bool:
    return _STOPS_FOR_VERDICT.match(" ".join(message.replace("’", "'").split())) is not None
