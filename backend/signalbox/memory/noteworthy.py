"""Which sentences are worth a note: true beyond today, said of the writer, no question, errand or mood. Pure."""

import re
from typing import Final

from signalbox.memory.words import words_in

_WRITER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|ive|we)\b", re.IGNORECASE)
WORD = re.compile(r"[^\W_][\w'’+#.-]*")
EMPTY_WORDS: Final = words_in(
    """i i'm i've i'd im ive a an the my me mine we our and or but so then to of in on at for with from by as is
    are was be been am have has had do did does that this these those it its it's now please pls also just btw
    fyi note add put save set remember profile skills skill list can you your yes no not any only up down out
    about here there hi hello work working job jobs role roles thanks again new currently still know make them
    he she they some change since last one me, too experience learned learnt time told years year yrs want
    minimum salary live moved based speak fluent bit little name title location target"""
)
CLAUSE = re.compile(r"[,;]\s*(?:and\s+|but\s+)?|\s+(?:and|but|-|–)\s+")
# Behind "remember that": what is pointed at, as against what is told.
THING_MEANT: Final = (
    r"(?:job|one|company|role|post(?:ing)?|ad|advert|time|list|letter|e-?mail|message|question|answer|offer|position|"
    r"for (?:me|later|next time)|too|please|and|in mind)"
)
_LEAST_NOTE: Final = 3
# A sentence that goes on for longer is a pasted list.
_LONGEST: Final = 600
# What is over by tomorrow is not worth a note.
_PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend)|right now|weather|lol|"
    r"haha)\b",
    re.IGNORECASE,
)
_MOODS: Final = (
    r"(?:tired|hungry|bored|happy|sad|sorry|fine|good|great|busy|back|ready|done|confused|lost|(?:not |un)sure|sure|"
    r"curious|"
    r"ok|okay|stuck|stressed|worried|scared|terrified|afraid|nervous|anxious|overwhelmed|frustrated|fed up|sick|"
    r"excited|"
    r"depressed|down|"
    r"hopeless|desperate|struggling|clueless|panicking|gutted|exhausted|knackered|angry|upset|lonely|useless|"
    r"demotivated|"
    r"burn(?:t|ed) out|at a loss|in a (?:rut|panic)|losing (?:hope|heart)|freaking out|not (?:ok|okay|good|happy))"
)
_MOOD = re.compile(
    r"\bfeel(?:ing|s)?\b|\bfelt\b"
    rf"|\bi(?:'m| am|m|'ve been| have been)\s+(?:(?:so|very|really|just|not|a bit|a little|quite|pretty|too|still|"
    rf"totally|"
    rf"getting|kind of|kinda|completely|rather)\s+)*{_MOODS}\b(?!\s+(?:at|with|in|on)\b)"
    r"|\b(?:scared|terrified|afraid|worried|nervous|anxious) (?:that|of|about|nobody|no one|i|to|they)\b"
    r"|\b(?:no|not a) (?:idea|clue)\b|\bdon'?t know (?:what|where|how|if|whether|who|why|anymore)\b|\bsucks?\b|"
    r"\b(?:job (?:hunt\w*|search\w*)|it|this|life|everything) is (?:so |too |really |very )?(?:hard|tough|exhausting|"
    r"awful|"
    r"tiring|a nightmare|horrible)\b|\bhate (?:my (?:job|boss|manager|life|work|team|company|colleagues)|mondays|"
    r"this|it|everything)\b|\bi wish\b|\bfingers crossed\b|\bi give up\b",
    re.IGNORECASE,
)
# "Wat about Berlin", "any good", "it looks nice": of something else, or a question in all but its mark.
_FRAGMENT = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|or|well|then|hmm|also)\b\W*)*(?:w?h?[aou]t|whta|waht|wht|wats|whats|hw|how|hows|"
    r"why|y|"
    r"any|anything|anyone|or|is|are|it|its|it's|that|that's|thats|this|these|those|they|there|theirs|which|where|"
    r"when|who)\b",
    re.IGNORECASE,
)
# An errand with nobody in it but the assistant.
_ERRAND = re.compile(
    r"^\W*(?:(?:and|then|please|pls|now|ok|also)\s+)*(?:find|search|show|list|give|get|look|tell|write|make|create|"
    r"help|compare|"
    r"apply|send|prepare|draft|explain|suggest|recommend|check|review|rate|translate|drop|start|open|run|go|stop|"
    r"undo|redo|"
    r"delete|forget|remove)\b(?!\s*,)",
    re.IGNORECASE,
)
# A request in the shape of a statement.
_WISHED_FOR = re.compile(
    r"^\W*(?:i(?:'m| am|'d|m)?\s+)?(?:(?:really|just|currently|also|would|now)\s+)*(?:need|want|looking for|after|"
    r"hope|hoping|"
    r"like)\s+(?:(?:a|an|any|some|new|better|another|different|my|your|you|to (?:find|get|have))\s+)*"
    r"(?:(?:\w+ ){0,2}(?:jobs?|work|roles?|career)|help|advice|can help)\b(?:\W+\w+){0,3}\W*$"
    r"|\bthe (?:first|second|third|last|next|other) one\b",
    re.IGNORECASE,
)
# Said to the assistant, not of the writer.
_TO_ASSISTANT = re.compile(
    r"^\W*(?:thanks?|thank you|thx|ty|cheers|you(?:'re| are)?|u|sorry|wrong)\b(?! (?:can|may|should|could|must|"
    r"need)\b)|"
    r"\bthat'?s (?:all )?(?:wrong|incorrect|not (?:right|true))\W*$|\bnot what i (?:asked|meant|said|want(?:ed)?)\b",
    re.IGNORECASE,
)


def without_mood(sentence: str) -> str:
    """Without the clauses that say how the writer feels: a mood is no fact."""
    if len(sentence) > _LONGEST or not _MOOD.search(sentence):
        return sentence
    return ", ".join(clause for clause in CLAUSE.split(sentence) if clause and not _MOOD.search(clause))


def is_lasting(sentence: str, *, whole: bool) -> bool:
    """Whether a sentence no rule has read is worth its place: no scrap, and true longer than this week."""
    least = _LEAST_NOTE if whole else 2 * _LEAST_NOTE
    sentence = sentence[:_LONGEST]
    if _PASSING.search(sentence) or _ERRAND.match(sentence) or _TO_ASSISTANT.search(sentence):
        return False
    if _WISHED_FOR.search(sentence):
        return False
    if _FRAGMENT.match(sentence) and not _WRITER.search(sentence):
        return False
    if not any(word.casefold() in EMPTY_WORDS for word in WORD.findall(sentence)):
        return False  # not a sentence of English
    return len(re.findall(r"[^\W_]+", sentence)) >= least
