"""Which letter a message asks for, and in which manner. Pure."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from signalbox.agents.tracking.told import clauses, is_telling, status_of

Letter = Literal["chaser", "thanks", "withdrawal", "feedback", "interview_reply", "later"]


@dataclass(frozen=True, slots=True)
class Manner:
    firmer: bool = False
    shorter: bool = False
    warmer: bool = False

    def with_(self, other: "Manner") -> "Manner":
        """Both; who asks for it warmer takes "firmer" back, and the other way round."""
        return Manner(
            firmer=other.firmer or (self.firmer and not other.warmer),
            shorter=other.shorter or self.shorter,
            warmer=other.warmer or (self.warmer and not other.firmer),
        )

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word in ("firmer", "shorter", "warmer") if getattr(self, word))

    def __bool__(self) -> bool:
        return self.firmer or self.shorter or self.warmer


_MOST_WORDS_OF_A_CHANGE: Final = 12
_WRITE = re.compile(
    r"\b(?:write|draft|word|compose|send|nudge|chaser|reminder|remind(?! me\b)|"
    r"follow[- ]?up (?:e-?mail|mail|note|message)|e-?mail|mail|note|message|letter|reply|respond|thank[- ]you|"
    r"how (?:do|can|should) i (?:nudge|ask|put it|reply|say|withdraw|decline|word)|how i can ask|"
    r"(?:ask|asking) (?:\w+ ){0,2}for|ask why|politely|another one|one for|thank (?:them|him|her))\b",
    re.IGNORECASE,
)
# A request to chase, as against the question whether to.
_CHASE = re.compile(
    r"^(?:(?:please|pls|ok|okay|yes|now|and|then|so|also|right|let'?s|help me(?: to)?|(?:can|could|would|will) you"
    r"(?: please)?|i(?:'d| would)? (?:want|like)(?: you)? to)[\s,]+)*"
    r"(?:chase|nudge|remind(?! me\b)|ping|prod|poke|follow[- ]?up (?:with|on)|hurry)\b(?! or\b)(?!\s+up\?)",
    re.IGNORECASE,
)
_ONLY_ASKS = re.compile(
    r"^(?:(?:so|and|but|ok|now|or)\s+)*(?:which|who|when|should|shall|is|are|do i|how (?:long|many|soon)|"
    r"what (?:now|does|do)|any|has|have|can i|may i)\b",
    re.IGNORECASE,
)
_WISHES = re.compile(r"^(?:\w+[\s,]+)?i(?:'d| would)? (?:want|need|like)\b", re.IGNORECASE)
_NO_REPLY = re.compile(r"\b(?:no|any|without an?) (?:reply|answer|response|word|message|e-?mail)\b", re.IGNORECASE)
_REFUSES = re.compile(r"\b(?:don'?t|do not|no need to|not)\s+(?:\w+\s+)?(?:write|draft|send)\b", re.IGNORECASE)
_LETTERS: Final[tuple[tuple[Letter, re.Pattern[str]], ...]] = (
    ("thanks", re.compile(r"\bthank[- ]?(?:you|s)\b.{0,30}\b(?:note|mail|e-?mail|message|letter)|\b(?:(?:thank|"
                          r"thanking) (?:them|him|her)|thank[- ]you after|say thanks|note of thanks)\b",
                          re.IGNORECASE)),
    ("withdrawal", re.compile(r"\b(?:withdraw|withdrawing|withdrawal|pull out|drop out|step back from|take my name)\b",
                              re.IGNORECASE)),
    ("feedback", re.compile(r"\b(?:feedback|why (?:they|i was)|what went wrong|for the reason)\b", re.IGNORECASE)),
    ("interview_reply", re.compile(r"\b(?:confirm|accept|reply to|answer)\b.{0,40}\b(?:interview|invit\w*|slot|"
                                   r"time)\b|\binvit\w+.{0,60}\breply\b|\bconfirm(?:ing)? (?:that )?i'?m coming\b",
                                   re.IGNORECASE)),
    ("later", re.compile(r"\b(?:move|reschedule|postpone|another (?:day|time|slot))\b", re.IGNORECASE)),
)  # fmt: skip
_FIRMER = re.compile(r"\b(?:firmer|firm|stronger|more (?:direct|insistent|assertive)|tougher)\b", re.IGNORECASE)
_SHORTER = re.compile(r"\b(?:shorter|shorten|brief(?:er)?|two lines|short|more concise|cut it)\b", re.IGNORECASE)
_WARMER = re.compile(
    r"\b(?:warmer|warm|friendlier|kinder|softer|nicer|gentler|more (?:friendly|polite|personal|human)|less "
    r"(?:formal|stiff|cold))\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"^\W*(?:(?:ok|okay|great|thanks|and|please|now|but|nice|good|hmm|can you|could you)[\s,.!]+)*(?:make (?:it|that|"
    r"this)|can it be|a bit|a little|much|slightly|too (?:long|cold|stiff|soft|formal)|shorter|firmer|warmer|"
    r"friendlier|softer|kinder|briefer|stronger|more|less|shorten|even|rewrite (?:it|that)|again)\b",
    re.IGNORECASE,
)


def letter_in(message: str) -> Letter | None:
    """The letter that a clause of ``message`` asks for."""
    parts = clauses(message)
    wanted = next((found for clause in parts if (found := _asked_in(clause)) is not None), None)
    if wanted != "chaser":
        return wanted
    # "Write to them and ask for feedback": the second clause says what for.
    return next((found for clause in parts if (found := _kind_in(clause)) and not is_telling(clause)), wanted)


def manner_in(message: str) -> Manner:
    too_long = re.search(r"\btoo long\b", message, re.IGNORECASE) is not None
    too_cold = re.search(r"\btoo (?:cold|stiff|formal)\b", message, re.IGNORECASE) is not None
    return Manner(
        firmer=_FIRMER.search(message) is not None or re.search(r"\btoo soft\b", message, re.IGNORECASE) is not None,
        shorter=_SHORTER.search(message) is not None or too_long,
        warmer=_WARMER.search(message) is not None or too_cold,
    )


def only_changes(message: str) -> bool:
    """Whether it asks for nothing but another manner of the last draft, as "shorter, please" does."""
    brief = len(message.split()) <= _MOST_WORDS_OF_A_CHANGE
    return brief and bool(manner_in(message)) and _CHANGES.match(message) is not None


def _asked_in(clause: str) -> Letter | None:
    if _REFUSES.search(clause):
        return None
    if _CHASE.match(clause):
        return "chaser"
    kind = _kind_in(clause)
    if kind == "withdrawal":
        return None if _ONLY_ASKS.match(clause) and not _WRITE.search(clause) else kind
    if is_telling(clause) and not _WISHES.match(clause) and _tells_how_it_stands(clause):
        return None
    if not _WRITE.search(clause) or _tells_of_one(clause) or _only_asks(clause):
        return None
    return kind or "chaser"


def _kind_in(clause: str) -> Letter | None:
    return next((name for name, pattern in _LETTERS if pattern.search(clause)), None)


def _tells_of_one(clause: str) -> bool:
    """As in "I e-mailed them twice", "note that down"."""
    return re.search(r"\b(?:wrote|e-?mailed|sent|told|replied|note (?:that|down)|got an? e-?mail|rang)\b", clause,
                     re.IGNORECASE) is not None  # fmt: skip


def _tells_how_it_stands(clause: str) -> bool:
    """As in "got the rejection mail", "no reply"."""
    return status_of(clause) not in {None, "applied"} or _NO_REPLY.search(clause) is not None


def _only_asks(clause: str) -> bool:
    """Whether to write, and not how."""
    return _ONLY_ASKS.match(clause) is not None and not re.search(r"\b(?:write|draft|word) (?:me|a|it|them)\b", clause)
