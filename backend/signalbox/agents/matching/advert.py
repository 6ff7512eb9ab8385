"""Finds the stretch of a message that is a posting, be it a page or a line, and what is left of the message. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from signalbox.memory.statement_rules import is_occupation
from signalbox.retrieval.pay import find_pay

_LONG: Final = 350
_LEAST_WORDS: Final = 4
_LEAST_QUOTED: Final = 8
_LEAST_PARTS: Final = 3
_LONGEST_TITLE_WORDS: Final = 7
_MOST_STARTS: Final = 6
# What is asked of a posting stands around it; a message of this length is searched for it, a longer one is a page.
_LONGEST_LINE: Final = 2_000
# A message that is a posting from its first word may still open with a question.
_QUESTION: Final = 120
SIGNS: Final = re.compile(
    r"\b(?:requirements?|responsibilit(?:y|ies)|about (?:the role|us|you)|we(?:'re| are) (?:looking|hiring|seeking)|"
    r"you will|you have|qualifications|what you(?:'ll| will) (?:do|bring)|must[- ]haves?|nice[- ]to[- ]haves?|"
    r"apply (?:now|by)|(?:title|company|salary|location)(?=:)|benefits|years?(?:'| of)? experience|essential|desirable|"
    r"a plus)\b",
    re.IGNORECASE,
)
# "Am I a fit for this? …", "Here is the advert: …": what stands before the posting.
_LEAD = re.compile(
    r"^(?P<lead>[^\n]{0,200}?(?:\?|:|\bbelow\b[^\n.:?]{0,40}[.?]?|"
    r"\b(?:this|here)\b[^\n:?.]{0,30}[.])\s*)(?=[\"“”'A-Z0-9\n*#])",
    re.DOTALL,
)
_QUOTED = re.compile(r"[\"“](?P<text>[^\"“”]{30,})[\"”]", re.DOTALL)
_ANNOUNCED = re.compile(
    r"\b(?:job description|jd|spec|advert|posting|vacancy|listing)\s*:\s*(?P<text>[^\"“”]{60,})$",
    re.IGNORECASE | re.DOTALL,
)
TALK: Final = re.compile(
    r"\b(?:i|i'm|i've|me|my|we|they|which|where|would|should|both|you)\b|^(?:the|both|one)\b", re.IGNORECASE
)
# A sentence of the user's own behind or before a posting.
_OWN = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine)\b|\b(?:what|how) do you (?:think|say|reckon)\b|"
    r"^\W*(?:should|worth|any good|thoughts|does (?:this|it|that)|is (?:this|it|that)|"
    r"(?:a |good )?(?:fit|match))\b[^.]*\?",
    re.IGNORECASE,
)
_JUDGE = re.compile(
    r"\b(?:fit|suit\w*|match|appl(?:y|ying)|chance|shot|qualif\w+|worth|good for me|right for me|eligible|think)\b",
    re.IGNORECASE,
)
# Where a posting in a line may start: behind a question, a colon or a dash.
_STARTS = re.compile(r"(?:[?:]|(?<=\s)[–—-])\s+(?=\S)|\b(?:ad|advert|posting|vacancy|listing|job|role|this)\.\s+(?=\S)")
_HERE = re.compile(
    r"\b(?:ads?|advert\w*|posting|post|listing|vacancy|job|role|position|opening|gig|offer|this|one|here|it|spec|"
    r"description|jd|apply\w*|worth|fit|suit|match|eligible|qualified|chance)\b",
    re.IGNORECASE,
)
_NOT_HERE = re.compile(
    r"\b(?:my|skills|i (?:know|have|can)|compare|rank|between|showed|first|second|third|fourth|fifth|last|others?|"
    r"number|find|search|show)\b|#\d",
    re.IGNORECASE,
)
_PROOF = re.compile(
    r"\b\d{1,2}\s*\+?\s*(?:-\s*\d+\s*)?(?:years?|yrs?)\b|\b(?:qualified|required|must|minimum|experience|certified|degree|"
    r"full[- ]time|part[- ]time|permanent|contract|shifts?|per (?:year|hour|annum|day)|p\.?a\.?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?](?=\s|$)|(?=\n|$))")
PART_END: Final = re.compile(r",|\s[-–—|·•/]\s")


def advert_in(message: str) -> tuple[str, str] | None:
    """The posting in ``message`` and the rest, or None where there is none."""
    signs = len(SIGNS.findall(message))
    if len(message) > _LONG and (signs >= 1 or message.count("\n") > 3):
        start = _lead_end(message)
        body, behind = _without_own(message[start:])
        return body.strip(' "“”\n'), f"{message[:start]} {behind}".strip() or message[:_QUESTION]
    if announced := _ANNOUNCED.search(message):
        body, behind = _without_own(announced["text"])
        return body.strip(), f"{message[: announced.start('text')]} {behind}".strip()
    quoted = _QUOTED.search(message)
    if quoted and len(quoted["text"].split()) >= _LEAST_QUOTED:
        text = quoted["text"].strip()
        return text, message.replace(text, " ")
    if len(message) <= _LONGEST_LINE and (line := _line_in(message)):
        return line
    if signs >= 2 and message.count("\n") >= 2:
        start = _lead_end(message)
        body, behind = _without_own(message[start:])
        return body.strip(), f"{message[:start]} {behind}".strip()
    return None


def _lead_end(message: str) -> int:
    """Where the posting starts: behind a question or "here it is:", but not behind a heading of its own."""
    lead = _LEAD.match(message)
    return lead.end() if lead and not SIGNS.search(lead["lead"]) else 0


def _without_own(text: str) -> tuple[str, str]:
    """``text`` up to the sentences at its end that its sender says of themselves or asks, and those."""
    spans = [match.span() for match in _SENTENCE.finditer(text)]
    cut = len(text)
    for start, end in reversed(spans[1:]):
        if not _OWN.search(text[start:end]):
            break
        cut = start
    return text[:cut], text[cut:]


def _line_in(message: str) -> tuple[str, str] | None:
    """A posting of one line: "Senior Accountant, Brightwater, Leeds. ACCA, 5+ years. Am I a fit?"."""
    starts = [match.end() for match in _STARTS.finditer(message)][:_MOST_STARTS]
    for start in starts:
        lead = message[:start]
        clause = re.split(r"[.!?\n]\s", lead.rstrip(" \n?:–—-."))[-1]
        body, behind = _own_cut(message[start:])
        if _HERE.search(clause) and not _NOT_HERE.search(clause) and _is_line(body, _LEAST_PARTS - 1):
            return body.strip(), f"{lead} {behind}"
    body, behind = _own_cut(message)
    title = PART_END.split(body)[0].split()
    proven = (_PROOF.search(body) or find_pay(body)) and _JUDGE.search(behind) and "\n" not in body.strip()
    if proven and _is_line(body, _LEAST_PARTS) and 0 < len(title) <= _LONGEST_TITLE_WORDS and is_occupation(title):
        return body.strip(), behind
    return None


def _own_cut(text: str) -> tuple[str, str]:
    """``text`` up to the first sentence of the user's own, and the rest."""
    for match in _SENTENCE.finditer(text):
        if _OWN.search(match.group()) or match.group().endswith("?"):
            # "Barber, Leeds, 2 years min?": the mark asks about the posting.
            if match.start() == 0 and match.group().endswith("?") and not _OWN.search(match.group()):
                continue
            return text[: match.start()], text[match.start() :]
    return text, ""


def _is_line(body: str, least_parts: int) -> bool:
    first = next((match.group() for match in _SENTENCE.finditer(body)), "")
    parts: Sequence[str] = [part for part in PART_END.split(body) if part.strip()]
    return (
        len(body.split()) >= _LEAST_WORDS
        and len(parts) >= least_parts
        and len(PART_END.split(first)) > 1
        and not TALK.search(first)
        and re.search(r"[^\W\d_]{3,}", parts[0]) is not None
    )
