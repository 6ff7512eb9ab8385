"""Mends a letter that the user wrote: salutation and close, small slips, length, and what it claims. Pure.

The words stay the user's: sentences are kept or dropped, never reworded.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.agents.letters.claims import unsupported_claims
from signalbox.agents.letters.form import parted_below, with_postscript
from signalbox.agents.letters.length import MENDED_FLOOR, shorter_by
from signalbox.agents.letters.plan import LetterPlan, mentions, says, without_paragraphs
from signalbox.agents.letters.text import aside_lines, salutation, signature
from signalbox.agents.letters.wish import PAGE_WORDS
from signalbox.agents.words.phrases import counted, listed

_SALUTATION = re.compile(
    r"^\s*(?:(?:dear|hello|hi|good (?:morning|day))\b[^\n,:]{0,70}[,:]?|to whom(?:soever)? it may concern[,:]?)",
    re.IGNORECASE,
)
_IMPERSONAL = re.compile(
    r"^(?:to whom|dear sirs?\b(?! or)|dear sir/madam|dear madam/sir|dear (?:hr|hiring manager|recruiter))",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    r"\n?\s*(?P<bye>yours (?:sincerely|faithfully|truly)|sincerely(?: yours)?|(?:kind|best|warm) regards|regards|"
    r"best wishes|"
    r"many thanks|with kind regards)\s*,?\s*(?P<name>\n?[^\n]{0,60})?\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“A-Za-z\[])")
_PHRASES: Final = (
    "i am writing to", "team player", "hard working", "hard-working", "hardworking", "think outside the box",
    "go-getter", "passionate", "dynamic", "results-driven", "synergy", "detail-oriented", "fast learner",
    "quick learner", "perfect fit", "perfect candidate", "ideal candidate", "dream job", "always been fascinated",
    "always wanted", "i believe i", "i feel that", "proven track record", "excellent communication",
    "to the next level", "esteemed", "thirst for", "punctual", "give 110", "self-starter", "i am confident that",
)  # fmt: skip
_APOLOGY = re.compile(
    r"\b(?:sorry|unfortunately|although i (?:do not|don't|have no)|despite my lack|i know (?:that )?i (?:do not|"
    r"don't|lack))\b",
    re.IGNORECASE,
)
_SLIPS: Final = (
    (re.compile(r"(?<![\w'’])i(?=(?:['’](?:m|ve|d|ll))?(?![\w'’.]))"), "I"),
    (re.compile(r"\bI am agree\b"), "I agree"),
    (re.compile(r"\b(\w{2,}) \1\b", re.IGNORECASE), r"\1"),
    (re.compile(r"[ \t]{2,}"), " "),
    (re.compile(r" +([,.;:!?])"), r"\1"),
    (re.compile(r"!{2,}"), "!"),
    (re.compile(r"\bI wait your answer\b"), "I look forward to your answer"),
    (re.compile(r"\b(l|L)ooking forward to hear\b"), r"\1ooking forward to hearing"),
    (re.compile(r"\blook forward to hear\b"), "look forward to hearing"),
    (re.compile(r"\binformations\b"), "information"),
    (re.compile(r"\bexpierence\b", re.IGNORECASE), "experience"),
    (re.compile(r"\brecieve"), "receive"),
    (re.compile(r"\bresponsable\b"), "responsible"),
    (re.compile(r"\boppurtunity\b", re.IGNORECASE), "opportunity"),
    (re.compile(r"\bteh\b"), "the"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mended:
    """``changes`` in words, ``dropped`` sentences, ``weak`` phrases still in it, ``claims`` that no fact supports."""

    body: str
    changes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


def mend(letter: str, plan: LetterPlan, evidence: Sequence[str]) -> Mended:
    """The letter with what is plainly wrong put right, cut to the length asked for."""
    changes: list[str] = []
    letter, below = parted_below(letter)
    hello, body, bye = _parted(letter, plan, changes)
    slipped = _without_slips(body)
    if slipped.split() != body.split():
        changes.append("small slips of typing and grammar")
    parts = [_sentences(paragraph) for paragraph in re.split(r"\n\s*\n", slipped.strip()) if paragraph.strip()]
    dropped: list[str] = []
    if plan.cut:
        left = without_paragraphs(parts, plan.cut)
        dropped += [sentence for part in parts if part not in left for sentence in part]
        parts = left
        changes.append(f"the {listed(plan.cut)} paragraph is gone")
    if plan.without:
        dropped += _taken(parts, lambda sentence: mentions(sentence, plan.without))
    limit = _limit(letter, plan)
    if limit is not None:
        dropped += _cut(parts, limit - len(" ".join((hello, bye, *below)).split()))
    if dropped and not plan.cut:
        changes.append(f"{counted(len(dropped), 'sentence')} taken out")
    if tailored := _tailored(plan, "\n".join(" ".join(p) for p in parts)):
        parts.insert(max(1, len(parts) - 1), [tailored])
        changes.append("one sentence on what the posting asks for and you have")
    if added := _added(plan, "\n".join(" ".join(p) for p in parts)):
        parts.insert(max(1, len(parts) - 1), added)
        changes.append("what you asked me to mention")
    text = "\n\n".join([hello, *(" ".join(part) for part in parts if part), bye])
    for said in below:
        text = with_postscript(text, said)
    low = text.casefold()
    return Mended(
        body=text,
        changes=tuple(changes),
        dropped=tuple(dropped),
        weak=tuple(phrase for phrase in _PHRASES if phrase in low),
        claims=unsupported_claims("\n".join(" ".join(part) for part in parts), evidence)[:10],
    )


def _parted(letter: str, plan: LetterPlan, changes: list[str]) -> tuple[str, str, str]:
    """Salutation, body and close, the first and the last put right."""
    text = letter.strip().strip('"“”').strip()
    match = _SALUTATION.match(text)
    hello = match.group().strip().rstrip(",:") + "," if match else salutation(plan)
    body = text[match.end() :].lstrip(" ,:\n") if match else text
    if match is None or _IMPERSONAL.match(hello) or plan.post.person:
        if hello != salutation(plan):
            changes.append(f"the salutation is now “{salutation(plan)}”")
        hello = salutation(plan)
    close = _CLOSE.search(body)
    if close is None:
        changes.append("a close and a signature were missing")
        return _capital(hello), _capital(body), signature(plan)
    signed = (close["name"] or "").strip(" ,\n.")
    name = plan.signature or signed or plan.background.name or "[your name]"
    if plan.signature and plan.signature != signed:
        changes.append(f"it is signed {plan.signature}")
    bye = _capital(close["bye"].strip())
    named = not re.match(r"dear (?:sir|madam|hiring|team)", hello, re.IGNORECASE)
    if bye == "Yours faithfully" and named:
        bye = "Yours sincerely"
        changes.append("“Yours faithfully” is now “Yours sincerely”, which goes with a name")
    return _capital(hello), _capital(body[: close.start()].rstrip()), f"{bye},\n{name}"


def _without_slips(body: str) -> str:
    # Lines that were broken for a screen are one paragraph.
    body = re.sub(r"(?<=\S)[ \t]*\n(?=\S)", " ", body)
    for pattern, right in _SLIPS:
        body = pattern.sub(right, body)
    return re.sub(r"(?<=[.!?] )[a-z]", lambda match: match.group().upper(), body)


def _sentences(paragraph: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.split(" ".join(paragraph.split())) if sentence.strip()]


def _taken(parts: list[list[str]], unwanted: Callable[[str], bool]) -> list[str]:
    gone = [sentence for part in parts for sentence in part if unwanted(sentence)]
    there = set(gone)
    for part in parts:
        part[:] = [sentence for sentence in part if sentence not in there]
    return gone


def _limit(letter: str, plan: LetterPlan) -> int | None:
    words = len(letter.split())
    if plan.max_words is not None:
        return plan.max_words
    if plan.steps < 0:
        return max(MENDED_FLOOR, int(words * shorter_by(plan.steps)))
    return PAGE_WORDS if words > PAGE_WORDS + 50 else None


def _cut(parts: list[list[str]], limit: int) -> list[str]:
    """Drop the weakest sentences until ``limit`` words are left; the first sentence stays, and one more."""
    places = [(p, s) for p, part in enumerate(parts) for s in range(len(part))]
    words = sum(len(parts[p][s].split()) for p, s in places)
    weakest = sorted(places[1:], key=lambda place: (_weakness(parts[place[0]][place[1]]), place), reverse=True)
    gone: dict[tuple[int, int], str] = {}
    for p, s in weakest[:-1]:
        if words <= limit:
            break
        gone[p, s] = parts[p][s]
        words -= len(parts[p][s].split())
    for p, part in enumerate(parts):
        part[:] = [sentence for s, sentence in enumerate(part) if (p, s) not in gone]
    return list(gone.values())


def _weakness(sentence: str) -> float:
    """How little is lost without it: stock phrases and apologies most, figures and names least."""
    low = sentence.casefold()
    stock = sum(phrase in low for phrase in _PHRASES)
    concrete = 2 * bool(re.search(r"\d", sentence)) + min(
        2, len(re.findall(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+", sentence))
    )
    asks = bool(re.search(r"\b(?:interview|conversation|hear from you|meet)\b", low))
    return 2 * stock + 2 * bool(_APOLOGY.search(sentence)) - concrete - 2 * asks + 0.01 * len(sentence.split())


def _added(plan: LetterPlan, body: str) -> list[str]:
    """What was to be mentioned and does not stand there yet: the writer's own words, and what is known of them."""
    lines = (line.text for line in aside_lines(plan) if line.rank == 0)
    unsaid = [what for what in plan.mention if not mentions(body, (what,))]
    wanted = (text for text in lines if mentions(text, unsaid))
    return [text for text in dict.fromkeys((*plan.told, *wanted)) if text not in body]


def _tailored(plan: LetterPlan, body: str) -> str:
    unsaid = [skill for skill in plan.post.held if not says(body, skill)]
    return f"Of what your advertisement asks for, I also bring {listed(unsaid[:3])}." if unsaid else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
