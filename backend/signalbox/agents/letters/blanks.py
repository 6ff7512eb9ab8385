"""The [blanks] of a draft: which are open, what a message fills in, and the draft with it. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from signalbox.blocks import EmailDraft
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in

LONGEST: Final = 4_000
_LONGEST_VALUE: Final = 600
_BLANK = re.compile(r"\[[^\[\]]+\]")
_LABEL = re.compile(
    r"(?:^|[\n;,.]|\band\b)[ \t]*(?:[-*•][ \t]*)?(?:(?:please|fill in|put|set) )*"
    r"(?:`?\[(?P<exact>[^\[\]\n]{2,90})\]`?[ \t]*(?:[:=]|\bis\b|->|→)"
    r"|(?P<loose>[^\[\]:=\n;,.]{2,60}?)[ \t]*[:=])[ \t]*",
    re.IGNORECASE,
)
_SMALL: Final = words_in("the a an my your our his her their of one two or if you to and in with that")
_LEAVE_OUT = re.compile(
    r"(?:^|[\n;,.]|\band\b)\s*(?:(?:please|then|just|can you|ok)[\s,]+)*"
    r"(?:leave|take|cut|drop|skip|remove|delete)\b(?:\s+out)?\s+(?P<what>.{2,90}?)(?:\s+out)?\s*(?=[.;!\n]|$)",
    re.IGNORECASE,
)
_THE_REST = re.compile(
    r"(?:(?:all|everything|the|those|these|other|others|rest|remaining|open|blanks?|placeholders?|ones?|of|them|else|"
    r"still|is|that|sentences?|with|in)\s*)+",
    re.IGNORECASE,
)
_ABOUT_BLANKS = re.compile(r"\b(?:rest|blanks?|placeholders?|others?|open)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?![^\[]*\])")
_SIGNATURE = re.compile(r"(?:your|my) name", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Filling:
    """``values`` by blank; ``dropped``: blanks whose sentences are to go."""

    values: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.values or self.dropped)

    def then(self, later: "Filling") -> "Filling":
        kept = {blank: value for blank, value in self.values.items() if blank not in later.dropped}
        values = {**kept, **later.values}
        dropped = tuple(blank for blank in self.dropped if blank not in later.values)
        return Filling(values, tuple(dict.fromkeys((*dropped, *later.dropped))))


def open_in(*texts: str) -> tuple[str, ...]:
    """Every [blank], once, in reading order."""
    return tuple(dict.fromkeys(_BLANK.findall("\n".join(texts))))


def filling_in(message: str, blanks: Sequence[str]) -> Filling:
    """What ``message`` says of ``blanks``: "[your name]: Ada", "reason = I use your maps", "leave out the rest"."""
    dropped: list[str] = []

    def taken(match: re.Match[str]) -> str:
        named = _left_out(match["what"], blanks)
        dropped.extend(named)
        return "\n" if named else match.group()

    message = re.sub(r"[ \t]+", " ", re.sub(r"\s*\n\s*\n\s*", "\n\n", message[:LONGEST].strip()))
    message = _LEAVE_OUT.sub(taken, message)
    found = [(match, blank) for match in _LABEL.finditer(message) if (blank := _meant(match, blanks)) is not None]
    values: dict[str, str] = {}
    for number, (match, blank) in enumerate(found):
        end = found[number + 1][0].start() if number + 1 < len(found) else len(message)
        value = _value(message[match.end() : end])
        if value and blank not in values:
            values[blank] = value
    return Filling(values, tuple(dict.fromkeys(blank for blank in dropped if blank not in values)))


def filled(draft: EmailDraft, filling: Filling) -> EmailDraft:
    """The draft with what is known in it; a blank that cannot go (a name to sign with) stays."""
    body = draft.body
    for blank in filling.dropped:
        body = _without(body, blank)
    body = _with(body, filling.values)
    subjects = [_with(subject, filling.values) for subject in (draft.subject, *draft.subjects)]
    told = [subject for subject in subjects if not open_in(subject)]
    subject = subjects[0] if subjects[0] in told or not told else told[0]
    if filling.dropped and told:
        subjects = told
    offered = tuple(dict.fromkeys(subjects)) if draft.subjects else ()
    return draft.model_copy(
        update={
            "subject": subject,
            "body": body,
            "subjects": offered,
            "placeholders": open_in(body, subject),
            "evidence": tuple(each for each in draft.evidence if each.claim in body),
        }
    )


def filled_before(history: Sequence[PastMessage], agent: str) -> Filling:
    """What was filled in since the agent's last draft that was written from scratch."""
    whole = Filling()
    blanks: tuple[str, ...] = ()
    for past in history:
        if past.role == "user":
            said = filling_in(past.content, blanks) if blanks else Filling()
            whole = whole.then(said) if said or not _starts_anew(past.content) else Filling()
        elif past.agent == agent:
            for block in past.blocks:
                if block.get("type") == "email_draft":
                    blanks = (*blanks, *open_in(str(block.get("body")), str(block.get("subject"))))
    return whole


def _starts_anew(message: str) -> bool:
    return re.search(r"\b(?:write|draft|compose|ask|e-?mail (?:to|the))\b", message, re.IGNORECASE) is not None


def _meant(match: re.Match[str], blanks: Sequence[str]) -> str | None:
    label = match["exact"] or match["loose"] or ""
    return _blank_named(label, blanks)


def _blank_named(label: str, blanks: Sequence[str]) -> str | None:
    """The blank of that wording; else the only one that has all its words."""
    said = " ".join(label.casefold().replace("’", "'").split())
    same = [b for b in blanks if b[1:-1].casefold() in {said, said.replace("my ", "your "), f"your {said}"}]
    if same:
        return same[0]
    words = set(re.findall(r"[\w'-]+", said)) - _SMALL
    with_all = [b for b in blanks if words and words <= set(re.findall(r"[\w'-]+", b.casefold()))]
    return with_all[0] if len(with_all) == 1 else None


def _left_out(what: str, blanks: Sequence[str]) -> list[str]:
    """The blanks that "leave out ..." speaks of."""
    what = what.strip(" `.,")
    if _THE_REST.fullmatch(what) and _ABOUT_BLANKS.search(what):
        return list(blanks)
    parts = re.split(r"\s*(?:,|\band\b)\s*(?![^\[]*\])", what)
    named = (_blank_named(part.strip(" `[]"), blanks) for part in parts)
    return [blank for blank in named if blank is not None]


def _value(text: str) -> str:
    text = re.sub(r"(?:[\s,;]|\band\b)+$", "", text)
    # What follows on a line of its own is said to us.
    text = re.split(r"\n\s*\n|\n(?=(?:and |then |please |leave |send |thanks))", text.strip(), maxsplit=1)[0]
    text = " ".join(text.split()).strip('`"“” ')[:_LONGEST_VALUE]
    return "" if _BLANK.search(text) else text


def _with(text: str, values: Mapping[str, str]) -> str:
    for blank, value in values.items():
        # A sentence needs no second full stop.
        for end in ".!?":
            text = text.replace(blank + end, value.rstrip(" .!?") + end)
        text = text.replace(blank, value)
    return text


def _without(body: str, blank: str) -> str:
    """Without the sentences that hold ``blank``; a greeting loses the name, a signature stays."""
    if _SIGNATURE.fullmatch(blank[1:-1]):
        return body
    paragraphs = body.split("\n\n")
    if blank in paragraphs[0] and paragraphs[0].rstrip().endswith(","):
        paragraphs[0] = "Hello,"
    kept = [" ".join(s for s in _SENTENCE_END.split(p) if blank not in s) if blank in p else p for p in paragraphs]
    # A greeting and a signature alone are no letter.
    shorter = [paragraph for paragraph in kept if paragraph.strip()]
    return "\n\n".join(shorter) if len(shorter) > 2 else "\n\n".join(paragraphs)
