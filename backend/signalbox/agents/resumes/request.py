"""What a message about a CV asks for, and the CV that is pasted in it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from signalbox.memory.conversation import PastMessage
from signalbox.memory.resume.model import Resume
from signalbox.memory.resume.text import read_text

Section = Literal["Contact", "Summary", "Experience", "Education", "Skills", "Layout"]
Kind = Literal["review", "bullet", "line", "summary", "section", "shorten", "advice", "apply"]

# Shorter than this is a line to mend, not a CV.
_LEAST_WORDS: Final = 18
_LONGEST_LINE: Final = 600
_LONG_LINE: Final = 12
_MOST_READ: Final = 1_500
_LONGEST_YES: Final = 80
_CV: Final = r"(?:cv|c\.v\.|r[ée]sum[ée]s?|resum\w*|reusme|resmue|curiculum|curriculum(?: vitae)?|lebenslauf)"
_ORDINALS: Final = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_BULLET: Final = re.compile(
    rf"\b(?:bullet(?: point)?s?|line|point)\s*(?:no\.?|number|#)?\s*(?P<digits>\d{{1,2}})\b|"
    rf"\bthe\s+(?P<word>{'|'.join(_ORDINALS)})\s+(?:bullet|line|point)\b",
    re.IGNORECASE,
)
# "The second one" is a bullet only while bullets are spoken of; else it is a posting.
_NEXT_ONE: Final = re.compile(rf"\bthe\s+(?P<word>{'|'.join(_ORDINALS)})\s+one\b", re.IGNORECASE)
_THIS_LINE: Final = re.compile(
    r"\b(?:bullet|bulet|line|sentence|phrase|improve|reword|rewrite|rephrase|numbers? in(?: this)?|stronger|"
    r"check|chek|fix|polish|say|put)\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"[\"“”«](?P<text>[^\"“”»]{8,4000})[\"”»]")
_BEHIND_COLON: Final = re.compile(r":\s*(?P<text>\S.{8,600})$", re.DOTALL)
_SUMMARY: Final = re.compile(
    r"\b(?:summary|profile (?:text|summary|section|statement)|personal (?:statement|profile)|objective|headline|"
    r"about (?:me )?(?:section|text)|opening)\b",
    re.IGNORECASE,
)
_SHORTEN: Final = re.compile(
    r"\b(?:shorten|cut|trim|condense|too long|to long|one page|1 page|single page|what else should go|fits? (?:on )?"
    r"(?:one|a) page|less (?:text|words))\b",
    re.IGNORECASE,
)
_WHAT_GOES: Final = re.compile(
    r"\bwhat (?:else )?(?:can|could|should|may|might|must) (?:i |we )?(?:go|be (?:cut|dropped|removed|left out)|"
    r"(?:cut|drop|remove|leave out|delete|strike)(?! the bullet))\b(?! into| in the| first| to )",
    re.IGNORECASE,
)
_FEW_WORDS: Final = 8
_REWRITE: Final = re.compile(
    r"^\W*(?:(?:and|now|then|please|ok(?:ay)?)\W+)*(?:(?:rewrite|shorten|improve|fix) )?(?:the |"
    r"my )?(?:summary|bullets?|"
    r"next bullet|next one|profile text)\W*$",
    re.IGNORECASE,
)
# "What can you tell from my CV?" wants it read.
_READS_MINE: Final = re.compile(
    rf"\bwhat (?:can|could|do|did|would|does)\b.{{0,30}}\b(?:tell|see|say|think|make|learn|read|know|get|"
    rf"gather|notice)\b"
    rf".{{0,30}}\b(?:from|in|of|about) (?:my|this|the) (?:\w+ )?{_CV}\b|"
    rf"\b(?:read|seen|looked at) my (?:\w+ )?{_CV}\b",
    re.IGNORECASE,
)
_SECTIONS: Final[tuple[tuple[Section, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(rf"\b(?:{pattern})", re.IGNORECASE))
    for name, pattern in cast(
        "tuple[tuple[Section, str], ...]",
        (
            ("Education", r"educat\w*|studies|degree (?:part|section)|school (?:part|section)"),
            ("Skills", r"skills? (?:part|section|list)|(?:the|my) skills\b(?! (?:am|i|do))|list of skills"),
            (
                "Experience",
                r"(?:experience|employment|work(?: history)?|jobs?) (?:part|section|history)|bullet(?: point)?s",
            ),
            ("Layout", r"layout|format(?:ting)?|order|structure|length"),
            ("Contact", r"contact (?:details?|data|part|section)"),
        ),
    )
)
_APPLY: Final = re.compile(
    r"^\W*(?:yes|yep|sure|ok(?:ay)?|go ahead|please)?\W*(?:(?:and |please )?(?:apply|make|do|change|go ahead)\b.{0,40}"
    r"(?:changes?|that|it|those|them)?(?: to (?:the|my) cv)?(?: then| please)?)?\W*$",
    re.IGNORECASE,
)
_REVIEW: Final = re.compile(
    r"\b(?:review|check|look|feedback|fedback|critique|roast|tear|proofread|rate|mark|score|improve|polish|fix|tips?|"
    r"wrong|dodgy|weak|good enough|ready|opinion|hard look|once over|go (?:over|through)|tailor|adapt|match|fit|"
    r"keywords?|missing|lack)\b",
    re.IGNORECASE,
)
_GENERAL: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|hi|hello|one question|question)\W+)*(?:should|shall|do|does|must|is|are|how|what|which|where|"
    r"when|why|one page|bold|photo|in my country|explain)\b"
    r"|\bhow (?:to|(?:do|should|can) i)\b|^\W*(?:\S+\s+){0,8}\S+\s+or\s+[^?]{1,30}\?\W*$",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|ok|please)\W+)*(?:can|could|would|will)\s+(?:you|u)\b(?!\s+(?:explain|tell))|"
    r"\bhere(?:'s| is) my\b|^\W*is (?:it|that|this)\b(?! (?:better|ok|okay|fine|bad|wrong) (?:to|for|if|when))|"
    r"\btoo? long\?",
    re.IGNORECASE,
)
_MINE: Final = re.compile(rf"\b(?:my|this|the|ur)\s+(?:\w+ )?{_CV}\b|\b{_CV} (?:i|attached)\b", re.IGNORECASE)
_LEAD: Final = re.compile(
    rf"\b(?:{_CV}|review|check|feedback|look at|here(?:'s| is| are)|improve|section)\b", re.IGNORECASE
)
_MOST_LEAD_WORDS: Final = 40


@dataclass(frozen=True, slots=True)
class Ask:
    """``words``: the message without what is pasted in it. ``line``: a single line that was given to be mended."""

    kind: Kind
    words: str
    pasted: Resume | None = None
    line: str = ""
    bullet: int | None = None
    section: Section | None = None
    shorter: bool = False


def ask_of(message: str, history: Sequence[PastMessage]) -> Ask:
    """What ``message`` asks for: a pasted CV counts first, then a line, a part of the CV, a question, else a review."""
    words, pasted = split_pasted(message)
    if pasted is not None:
        return Ask("review", words, pasted)
    # What is asked stands at the start: nobody hides a request behind thousands of characters.
    message = message[:_MOST_READ]
    shorter = _SHORTEN.search(message) is not None
    if line := _line_given(message):
        words = message.replace(line, " ")
        summary = _SUMMARY.search(words) is not None and len(line.split()) > _LONG_LINE
        return Ask("summary" if summary else "line", words, line=line, shorter=shorter)
    if (number := _bullet_number(message, history)) is not None:
        return Ask("bullet", message, bullet=number)
    return _of_whole(message, history, shorter=shorter)


def goes_on(message: str) -> bool:
    """A few words that only a review of a CV can have left open."""
    if len(message.split()) > _FEW_WORDS:
        return False
    return any(rule.search(message) for rule in (_WHAT_GOES, _BULLET, _REWRITE))


def _of_whole(message: str, history: Sequence[PastMessage], *, shorter: bool) -> Ask:
    question = _is_question(message)
    if _WHAT_GOES.search(message):
        return Ask("shorten", message, shorter=True)
    section = next((name for name, pattern in _SECTIONS if pattern.search(message)), None)
    if _SUMMARY.search(message) and not question:
        kind: Kind = "summary"
    elif history and len(message) <= _LONGEST_YES and _APPLY.match(message):
        kind = "apply"
    elif question:
        kind = "advice"
    elif section is not None:
        kind = "section"
    else:
        kind = "shorten" if shorter else "review"
    return Ask(kind, message, section=section if kind == "section" else None, shorter=shorter)


def split_pasted(message: str) -> tuple[str, Resume | None]:
    """The request in ``message``, and the CV that is pasted behind or before it."""
    quoted = _QUOTED.search(message)
    if quoted and (resume := _resume(quoted["text"])):
        return message.replace(quoted.group(), " "), resume
    lead, rest = _lead(message)
    if resume := _resume(rest):
        return lead, resume
    return message, None


def pasted_before(history: Sequence[PastMessage]) -> Resume | None:
    """The newest CV that the user pasted earlier in the conversation."""
    for past in reversed(history):
        if past.role == "user" and (resume := split_pasted(past.content)[1]):
            return resume
    return None


def _lead(message: str) -> tuple[str, str]:
    """The words that introduce a pasted text, and the text."""
    first, mark, rest = message.strip().partition("\n")
    if mark and len(first.split()) <= _MOST_LEAD_WORDS and _LEAD.search(first) and _is_said(first):
        return first, rest
    head, mark, rest = message.partition(":")
    if mark and len(head.split()) <= _MOST_LEAD_WORDS and _LEAD.search(head) and _is_said(head):
        return head, rest
    return "", message


def _is_said(line: str) -> bool:
    """A request, and no heading of the CV itself."""
    return any(word.islower() for word in line.split()) and len(line.split()) > 2


def _resume(text: str) -> Resume | None:
    """``text`` as a CV if it is one: dated jobs beside sections or other jobs, and hardly a sentence about oneself."""
    if len(text.split()) < _LEAST_WORDS:
        return None
    resume = read_text(text).resume
    dated = [job for job in resume.work if job.start or job.end]
    known = set(resume.sections) - {"other"}
    told = len(re.findall(r"\b(?:I|I'm|I've|my|me)\b", text)) / len(text.split())
    if told > 0.06 or (text.count("?") > 1 and len(text.split()) < 150):
        return None
    if len(known) >= 3 or (len(known) >= 2 and (dated or resume.skills or resume.education)):
        return resume
    titled = [job for job in dated if job.title or job.company]
    return resume if len(titled) >= 2 or (titled and any(job.highlights for job in titled)) else None


def _line_given(message: str) -> str:
    quoted = _QUOTED.search(message)
    if quoted and len(quoted["text"]) <= _LONGEST_LINE and len(quoted["text"].split()) > 2:
        return quoted["text"].strip()
    behind = _BEHIND_COLON.search(message)
    if behind and _THIS_LINE.search(message[: behind.start()]) and len(message[: behind.start()].split()) <= 20:
        return behind["text"].strip()
    return ""


def _bullet_number(message: str, history: Sequence[PastMessage]) -> int | None:
    if match := _BULLET.search(message):
        return int(match["digits"]) if match["digits"] else _ORDINALS[match["word"].casefold()]
    spoken_of = bool(history) and re.search(r"\bbullet\b", history[-1].content[:400], re.IGNORECASE) is not None
    if history and history[-1].agent == "resume_review" and spoken_of and (next_one := _NEXT_ONE.search(message)):
        return _ORDINALS[next_one["word"].casefold()]
    return None


def _is_question(message: str) -> bool:
    """A question about CVs, or how to do something; "is my CV ok?" asks for a review."""
    if not _GENERAL.search(message) or _REQUEST.search(message) or _READS_MINE.search(message):
        return False
    if re.match(r"\W*(?:is|are|does)\b", message, re.IGNORECASE) and (_MINE.search(message) or _REVIEW.search(message)):
        return False
    return not (re.match(r"\W*(?:what(?:'s| is)|which|is there)\b", message, re.IGNORECASE) and _REVIEW.search(message))
