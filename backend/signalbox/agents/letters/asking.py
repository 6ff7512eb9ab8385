"""Tells what a message about letters is: a request for one, a question on how they are written or on how good the
last one is, or no word on letters at all. Pure.
"""

import re
from typing import Final

from signalbox.agents.letters.wish import LetterWish
from signalbox.retrieval.places import gazetteer

_MEND = re.compile(
    r"\b(?:fix|improve|check|proof\w*|correct|polish|edit|tailor|adapt|shorten|shrter|cut|trim|rewrite|redo|jazz|"
    r"unmid|tighten|warmer|better|"
    r"chekc|feedback|review|adjust|rework|here(?:'s| is) (?:my|the)|my (?:draft )?(?:cover(?:ing)? )?(?:letter|"
    r"leter))\b",
    re.IGNORECASE,
)

_ADVICE = re.compile(
    r"^\W*how to (?:finish|start|end|sign)\b|^\W*(?:(?:hi|hey|so|ok|and|but|btw|"
    r"quick question)\W+)*(?:should (?:i|my|the)|is it (?:wise|ok|okay|"
    r"correct|good|bad|necessary|true)|"
    r"is a cover|how (?:long|lnog|formal\w*|do (?:i|you) (?:address|start|begin|end|sign|finish|mention|explain)|"
    r"to (?:finish|start|end|sign))|"
    r"do (?:ppl|people|i (?:address|need|have to)|employers|recruiters|you think)|where in the letter|"
    r"what (?:goes|should (?:the|my|i)|do i (?:say|put|write))|"
    r"which (?:of my|salutation)|does (?:it|a|the)|are cover letters|who do i address|when (?:do|should) i|"
    r"what(?:'s| is) (?:a|the) (?:difference|structure|point))\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:write|draft|make|do|give) (?:me|it|one|the|a|my)\b.{0,40}\bletter\b|\bhelp me (?:write|answer|put)\b",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"^\W*draft\b|\b(?:write|start|draft (?:me|an?|the|my|it)|need an?|new|generate|create|compose|make me|"
    r"do (?:me )?a|help me)\b",
    re.IGNORECASE,
)
_OWN_LETTER = re.compile(
    r"\b(?:my|this|the|his|her)\s+(?:[\w-]+\s+){0,2}(?:letter|leter|lettre|motivationsschreiben|anschreiben|"
    r"statement)\b|\bmine(?:'s| is)\b",
    re.IGNORECASE,
)


def is_advice(message: str, wish: LetterWish) -> bool:
    """Whether the message asks how letters are written, rather than for one."""
    if wish.letter or wish.posting or wish.question or _REQUEST.search(message):
        return False
    return _ADVICE.match(message) is not None


def lacks_letter(message: str) -> bool:
    """Whether the message wants a letter mended that it does not bring."""
    return _OWN_LETTER.search(message) is not None and _MEND.search(message) is not None and not _ANEW.search(message)


# "Is it good?" asks for a verdict on what was written; a longer question asks how letters are written.
_MOST_WORDS_OF_A_VERDICT: Final = 14
_JUDGE = re.compile(
    r"^\W*(?:(?:so|ok|okay|and|but|hm+|honestly|be honest|thanks|well)\W+)*"
    r"(?:(?:is|was) (?:it|this|that|(?:the|my|this) letter) (?:actually |really |even |now )?(?:any |a )?"
    r"(?:good|ok|okay|fine|strong|convincing|decent|bad|ready|too long|too short|enough|letter)\b|"
    r"(?:what|wat) do you (?:think|make)(?: (?:of|about) (?:it|this|that|(?:the|my) letter))?\W*$|"
    r"how good is (?:it|this|that|the letter)|how (?:can|could|would) (?:it|this|i|you) (?:be )?"
    r"(?:improve\w*|better|make it better)|would you (?:send|read) (?:it|this|that)|"
    r"(?:rate|judge|critique|critici[sz]e|assess|review) (?:it|this|that|the letter)|"
    r"what(?:'s|’s| is) (?:wrong|missing|weak|bad|good)\b.{0,20}$|"
    r"any (?:feedback|thoughts)\b|"
    r"(?:your |an? )?honest (?:opinion|feedback|verdict)|will (?:it|this) (?:do|work))",
    re.IGNORECASE,
)
_PLACE_ASKED = re.compile(
    r"^\W*(?:(?:and|or|ok|what about|how about|also|anything|same|now)\s+)*(?:in|near|around|outside)\s+"
    r"(?P<place>[^\W\d][\w .'’-]{1,40}?)(?:\s+(?:instead|too|please|then|as well))?\W*$",
    re.IGNORECASE,
)


def asks_for_verdict(message: str) -> bool:
    """Whether the message asks how good the letter is that was written."""
    return len(message.split()) <= _MOST_WORDS_OF_A_VERDICT and _JUDGE.search(message) is not None


def place_asked(message: str) -> str | None:
    """The place of "and in Boston?", which goes on with a search and says nothing of a letter."""
    match = _PLACE_ASKED.match(message)
    return match["place"] if match and gazetteer().find(match["place"]) is not None else None
