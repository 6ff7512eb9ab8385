"""The [blanks] of a draft: which are open, what a message fills in, and the draft with it. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from signalbox.agents.letters.named import only_a_name, own_name
from signalbox.agents.letters.sending import and_sent
from signalbox.agents.words.phrases import without_command
from signalbox.blocks import EmailDraft
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in

LONGEST: Final = 4_000
# What the writer signs with; a blank in every draft whose writer has told no name.
SIGNATURE: Final = "[your name]"
_LONGEST_VALUE: Final = 600
_MOST_WORDS_OF_AN_ANSWER: Final = 60
_OF_A_NAME: Final = frozenset({SIGNATURE, "[recipient's name]", "[name]", "[company]"})
_BLANK = re.compile(r"\[[^\[\]]+\]")
_LABEL = re.compile(
    r"(?:^|[\n;,.]|\band\b)[ \t]*(?:[-*•][ \t]*)?(?:(?:please|fill in|put|set) )*"
    r"(?:`?\[(?P<exact>[^\[\]\n]{2,90})\]`?[ \t]*(?:[:=]|\bis\b|->|→)"
    r"|(?P<loose>[^\[\]:=\n;,.]{2,60}?)[ \t]*[:=])[ \t]*",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?:^|[\n;,.]|\band\b)[ \t]*(?P<loose>(?:(?:the|my|your|their|our|his|her)\s+)?[^\[\]:=\n;,.]{2,50}?)\s+"
    r"(?:is|are|was)\s+",
    re.IGNORECASE,
)
# "The reason is too long" speaks of what stands there.
_JUDGED = re.compile(
    r"(?:too|not|wrong|right|fine|good|ok|okay|great|bad|missing|unclear|very|an? bit|still|already|there|here|nice|"
    r"perfect|long|short|boring|weak|strange|odd|unknown|optional|open|empty|what|who|none|no|in|on|up|left|gone)\b",
    re.IGNORECASE,
)
_ANOTHERS_NAME = re.compile(r"(?:his|her|their|the (?:other|person|recipient)(?:'s)?) name", re.IGNORECASE)
_SMALL: Final = words_in("the a an i my your our his her their of one two or if you to and in with that")
_LEAVE_OUT = re.compile(
    r"(?:^|[\n;,.]|\band\b)\s*(?:(?:please|then|just|can you|ok)[\s,]+)*"
    r"(?P<verb>leave|take|cut|drop|skip|remove|delete|omit|ignore|without)\b(?:\s+out)?\s+(?P<what>.{2,90}?)(?:\s+out)?\s*(?=[.;!\n]|$)",
    re.IGNORECASE,
)
_THE_REST = re.compile(
    r"(?:(?:all|everything|it|the|those|these|other|others|rest|remaining|open|blanks?|placeholders?|ones?|of|them|else|"
    r"still|is|that|sentences?|with|in)\s*)+",
    re.IGNORECASE,
)
_ABOUT_BLANKS = re.compile(r"\b(?:rest|blanks?|placeholders?|others?|open)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?![^\[]*\])")
_OPTIONAL = re.compile(r"\bif you (?:want|like|wish)\b", re.IGNORECASE)
_SIGNED = re.compile(r"(\n|[.!?] )(?:[^\s\[\]]+ ){0,4}[^\s\[\]]+$")
_GREETING = re.compile(r"(?:hi|hello|dear)\b[^.!?]*?,(?=\s)", re.IGNORECASE)


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


def needed_in(draft: EmailDraft) -> tuple[str, ...]:
    """The open blanks that cannot be left out: a name to sign with, what the mail is about, a subject."""
    every = open_in(draft.body, draft.subject)
    return filled(draft, Filling(dropped=every)).placeholders


def filling_in(message: str, blanks: Sequence[str], *, known: Sequence[str] = (), answers: bool = False) -> Filling:
    """What ``message`` says of ``blanks``: "[your name]: Ada", "reason = I use your maps", "leave out the rest".

    ``known``: blanks that were open earlier and may be filled in anew. ``answers``: it follows what was said of the
    draft, so that "the reason is ...", "I'm Ada" and, for the only blank, a bare "Ada Roe" speak of it as well.
    """
    dropped: list[str] = []

    def taken(match: re.Match[str]) -> str:
        named = _left_out(match["what"], blanks, loosely=answers and match["verb"].casefold() == "leave")
        dropped.extend(named)
        return "\n" if named else match.group()

    message = re.sub(r"[ \t]+", " ", re.sub(r"\s*\n\s*\n\s*", "\n\n", message[:LONGEST].strip()))
    answers = answers and not starts_anew(message) and len(message.split()) <= _MOST_WORDS_OF_AN_ANSWER
    message = _LEAVE_OUT.sub(taken, message)
    every = tuple(dict.fromkeys((*blanks, *known))) if answers else tuple(blanks)
    values: dict[str, str] = {}
    if answers and (told := own_name(message)) is not None:
        name, (start, end) = told
        values[SIGNATURE] = name
        message = f"{message[:start]}\n\n{message[end:]}"
    values = {**_labelled(message, every, _LABEL), **values}
    if answers and not values and not message.endswith("?"):
        values = _labelled(message, every, _IS)
    if answers and not values and len(blanks) == 1 and blanks[0] in _OF_A_NAME and (bare := only_a_name(message)):
        values = {blanks[0]: bare}
    return Filling(values, tuple(dict.fromkeys(blank for blank in dropped if blank not in values)))


def _labelled(message: str, blanks: Sequence[str], label: re.Pattern[str]) -> dict[str, str]:
    found = [(match, blank) for match in label.finditer(message) if (blank := _meant(match, blanks)) is not None]
    values: dict[str, str] = {}
    for number, (match, blank) in enumerate(found):
        end = found[number + 1][0].start() if number + 1 < len(found) else len(message)
        value = _value(message[match.end() : end])
        if value and blank not in values and not (label is _IS and _JUDGED.match(value)):
            values[blank] = value
    return values


def filled(draft: EmailDraft, filling: Filling, before: Filling | None = None) -> EmailDraft:
    """The draft with what is known in it; a blank that cannot go (a name to sign with) stays. ``before``: what was
    filled in earlier, for values that are told anew.
    """
    had = open_in(draft.body, draft.subject, *draft.subjects)
    anew = {blank: value for blank, value in filling.values.items() if blank not in had}
    old = before.values if before is not None else {}
    subjects = [
        _told_anew(_with(subject, filling.values), anew, old)
        for subject in dict.fromkeys((draft.subject, *draft.subjects))
    ]
    if filling.dropped:
        subjects = _fewest(filling.dropped, [_phrases_without(subject, filling.dropped) for subject in subjects])
    subject = next((subject for subject in subjects if not open_in(subject)), subjects[0])
    body = _told_anew(_with(draft.body, filling.values), anew, old)
    for blank in filling.dropped:
        if blank not in subject:
            body = _without(body, blank)
    if SIGNATURE in anew:
        body = _signed(body, anew[SIGNATURE])
    return draft.model_copy(
        update={
            "subject": subject,
            "body": body,
            "subjects": tuple(dict.fromkeys(subjects)) if draft.subjects else (),
            "placeholders": open_in(body, subject),
            "evidence": tuple(each for each in draft.evidence if each.claim in body),
        }
    )


def _fewest(dropped: Sequence[str], subjects: Sequence[str]) -> list[str]:
    """The subjects with the fewest blanks that are to go."""
    counts = [sum(blank in subject for blank in dropped) for subject in subjects]
    return [subject for subject, count in zip(subjects, counts, strict=True) if count == min(counts)]


def _told_anew(text: str, anew: Mapping[str, str], old: Mapping[str, str]) -> str:
    """With the new values in the place of the old ones; the name to sign with has a place of its own."""
    for blank, value in anew.items():
        if blank != SIGNATURE and (before := old.get(blank, "").rstrip(" .!?")):
            parts = re.split(rf"(?<!\w){re.escape(before)}(?!\w)", text)
            text = value.rstrip(" .!?").join(parts)
    return text


def _signed(body: str, name: str) -> str:
    """What stands below the last line break of a mail, or behind the last sentence of a note, is its signature."""
    signed = _SIGNED.search(body)
    return f"{body[: signed.start()]}{signed[1]}{name}" if signed else body


def filled_before(history: Sequence[PastMessage], agent: str) -> Filling:
    """What was filled in since the agent's last draft that was written from scratch."""
    whole = Filling()
    for past, said in _told(history, agent):
        if past.role == "user":
            whole = whole.then(said) if said or not starts_anew(past.content) else Filling()
    return whole


def signed_before(history: Sequence[PastMessage], *agents: str) -> str:
    """The name that the conversation's drafts were last signed with, if one was filled in."""
    said = [filling.values for agent in agents for _, filling in _told(history, agent)]
    return next((values[SIGNATURE] for values in reversed(said) if SIGNATURE in values), "")


def _told(history: Sequence[PastMessage], agent: str) -> Iterator[tuple[PastMessage, Filling]]:
    """Each message with what it fills in of the draft before it."""
    blanks: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    last: str | None = None
    for past in history:
        said = Filling()
        if past.role == "user" and known:
            message = without_command(past.content)
            rest, _ = and_sent(message) or (message, None)
            said = filling_in(rest, blanks, known=known, answers=last == agent)
            if not said and starts_anew(past.content):
                known = ()
        elif past.role == "assistant":
            last = past.agent
            for draft in _drafts(past) if past.agent == agent else ():
                blanks = open_in(draft.body, draft.subject, *draft.subjects)
                known = tuple(dict.fromkeys((*known, *blanks, SIGNATURE)))
        yield past, said


def known_in(history: Sequence[PastMessage], agent: str) -> tuple[str, ...]:
    """All blanks that the agent's drafts have had, and the name to sign with."""
    drafts = [draft for past in history if past.agent == agent for draft in _drafts(past)]
    each = (blank for draft in drafts for blank in open_in(draft.body, draft.subject, *draft.subjects))
    return tuple(dict.fromkeys((*each, SIGNATURE)))


def with_blanks(history: Sequence[PastMessage], agent: str, blanks: Iterable[str]) -> EmailDraft | None:
    """The newest draft in which all of ``blanks`` are open, if nothing but fillings has changed it since."""
    wanted, changed = set(blanks), False
    for past, said in reversed(list(_told(history, agent))):
        if past.role == "user":
            if changed and not said:
                return None
            changed = False
        elif past.agent == agent:
            for draft in _drafts(past)[::-1]:
                if wanted <= set(open_in(draft.body, draft.subject)):
                    return draft
                changed = True
    return None


def _drafts(past: PastMessage) -> list[EmailDraft]:
    return [EmailDraft.model_validate(block) for block in past.blocks if block.get("type") == "email_draft"]


def starts_anew(message: str) -> bool:
    """Whether it asks for a mail, and does not just speak of one."""
    return re.search(r"\b(?:write|draft|compose|ask|e-?mail (?:to|the))\b", message, re.IGNORECASE) is not None


def _meant(match: re.Match[str], blanks: Sequence[str]) -> str | None:
    groups = match.groupdict()
    return _blank_named(groups.get("exact") or groups["loose"] or "", blanks)


def _blank_named(label: str, blanks: Sequence[str]) -> str | None:
    """The blank of that wording; else the only one that has all its words."""
    said = " ".join(label.casefold().replace("’", "'").split())
    if _ANOTHERS_NAME.fullmatch(said):
        return next((blank for blank in blanks if blank in {"[recipient's name]", "[name]"}), None)
    same = [b for b in blanks if b[1:-1].casefold() in {said, said.replace("my ", "your "), f"your {said}"}]
    if same or said in {"my name", "your name"}:
        return same[0] if same else None
    words = _words(said) - _SMALL
    with_all = [b for b in blanks if words and words <= _words(b.casefold())]
    return with_all[0] if len(with_all) == 1 else None


def _words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in re.findall(r"[\w'-]+", text)}


def _left_out(what: str, blanks: Sequence[str], *, loosely: bool) -> list[str]:
    """The blanks that "leave out ..." speaks of. ``loosely``: "them" and "everything" are blanks too."""
    what = what.strip(" `.,")
    if _THE_REST.fullmatch(what) and (loosely or _ABOUT_BLANKS.search(what)):
        return list(blanks)
    parts = re.split(r"\s*(?:,|\band\b)\s*(?![^\[]*\])", what)
    named = (_blank_named(part.strip(" `[]"), blanks) for part in parts)
    return [blank for blank in named if blank is not None]


def _value(text: str) -> str:
    text = re.sub(r"(?:[\s,;]|\band\b)+$", "", text)
    # What follows on a line of its own is said to us.
    text = re.split(r"\n\s*\n|\n(?=(?:and |then |please |leave |send |thanks))", text.strip(), maxsplit=1)[0]
    text = " ".join(text.split()).strip('`"“” ')[:_LONGEST_VALUE]
    return "" if _BLANK.search(text) or not re.search(r"\w", text) else text


def _with(text: str, values: Mapping[str, str]) -> str:
    for blank, value in values.items():
        # A sentence needs no second full stop.
        for end in ".!?":
            text = text.replace(blank + end, value.rstrip(" .!?") + end)
        text = text.replace(blank, value)
    return text


def _without(body: str, blank: str) -> str:
    """Without the sentences that hold ``blank``; a greeting loses the name. A signature stays, and so does what the
    mail is about: the first paragraph is never taken away whole.
    """
    if blank == SIGNATURE:
        return body
    body = _phrases_without(body, [blank])
    if "\n\n" not in body:
        return _note_without(body, blank)
    greeting, *rest = body.split("\n\n")
    if blank in greeting and greeting.rstrip().endswith(","):
        greeting = "Hello,"
    kept = [_sentences_without(paragraph, blank) for paragraph in rest]
    return "\n\n".join([greeting, *filter(str.strip, kept)]) if kept[0].strip() and len(kept) > 1 else body


def _phrases_without(text: str, blanks: Iterable[str]) -> str:
    """Without what can go and leave its sentence whole: "the [title] position", "on [date]"."""
    for blank in blanks:
        this = re.escape(blank)
        text = re.sub(rf"\b(the ){this} (?=(?:position|role|job|post)\b)", r"\1", text, flags=re.IGNORECASE)
        text = re.sub(rf"(?:, which [^,.!?\[\]]{{1,30}})? (?:on|by) {this}", "", text)
        if _OPTIONAL.search(blank):
            text = re.sub(rf"[:,]\s*{this}(?=[.!?])", "", text)
    return text


def _note_without(note: str, blank: str) -> str:
    """Of the few sentences of a note two have to stay, and the name below them."""
    found = _GREETING.match(note)
    greeting, rest = (found.group(), note[found.end() :].strip()) if found else ("", note)
    kept = _sentences_without(rest, blank)
    if blank in greeting:
        greeting = "Hello,"
    if blank in rest and len(_SENTENCE_END.split(kept)) <= 2:
        return note
    return f"{greeting} {kept}".strip()


def _sentences_without(text: str, blank: str) -> str:
    return " ".join(each for each in _SENTENCE_END.split(text) if blank not in each) if blank in text else text
