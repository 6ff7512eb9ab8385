"""Says how good a letter is that was written here: what is open in it, what it shows, how long it is. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from signalbox.agents.letters.plan import MAX_WORDS, PLACEHOLDER
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import counted, listed, plain
from signalbox.blocks import CoverLetter

_FEW_BLANKS: Final = 3
_SHORT: Final = 110
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
# Years and what stands in brackets say when, not how much.
_WHEN = re.compile(r"\([^)]*\)|\b(?:19|20)\d\d\b|\b\d+ years? of experience\b")
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|dozens?|hundreds?|"
    r"thousands?|millions?|half|doubled|tripled)\b",
    re.IGNORECASE,
)
_OWN_REASON = re.compile(r"\[(?:one true, specific reason|one sentence on what (?:it|that) has to do with you)")


class Verdict(Facts):
    """``figures``: its sentences that tell of the writer with a number. ``shown``: how many of its claims rest on facts
    of the writer. ``own_reason``: it has no blank where the reason for this employer is to stand.
    """

    kind: str
    words: int
    blanks: tuple[str, ...]
    figures: tuple[str, ...]
    shown: int
    own_reason: bool
    unanswered: tuple[str, ...]


def verdict_on(letter: CoverLetter) -> Verdict:
    own = [each.claim for each in letter.evidence if each.source in {"cv", "profile", "message"}]
    return Verdict(
        kind=letter.kind,
        words=letter.words,
        blanks=letter.placeholders,
        figures=tuple(_figures(letter, own)),
        shown=len(own),
        own_reason=_OWN_REASON.search(letter.body) is None,
        unanswered=letter.left_out,
    )


def _figures(letter: CoverLetter, own: list[str]) -> Iterator[str]:
    for paragraph in letter.body.split("\n\n"):
        for sentence in _SENTENCE.split(" ".join(paragraph.split())):
            about_oneself = letter.kind == "mended" or any(claim.casefold() in sentence.casefold() for claim in own)
            if about_oneself and _NUMBER.search(_WHEN.sub("", PLACEHOLDER.sub("", sentence))):
                yield sentence


def verdict_text(verdict: Verdict) -> str:
    """In Markdown: the verdict, what is good, what is weak, and the one thing to do next."""
    good, weak = list(_good(verdict)), list(_weak(verdict))
    lines = [f"- **Good:** {each}" for each in good] + [f"- **Weak:** {each}" for each in weak]
    return "\n\n".join(filter(None, (f"**{_headline(verdict)}**", "\n".join(lines), _next(verdict))))


def _headline(verdict: Verdict) -> str:
    blanks = counted(len(verdict.blanks), "blank")
    if len(verdict.blanks) > _FEW_BLANKS:
        return f"Not yet: with {blanks} it is a frame, and no letter to send."
    if verdict.blanks:
        return f"Nearly: it holds together, but {blanks} {'is' if len(verdict.blanks) == 1 else 'are'} still open."
    if verdict.figures:
        return "Yes: it can go out once you have read it through."
    return "It is sound but plain: nothing in it shows a result."


def _good(verdict: Verdict) -> Iterator[str]:
    if verdict.figures:
        yield f"it shows a result with a number: “{plain(verdict.figures[0], 160)}”"
    if verdict.shown:
        rest = "rests" if verdict.shown == 1 else "rest"
        yield f"{counted(verdict.shown, 'claim')} in it {rest} on what I know of you."
    if _SHORT <= verdict.words <= MAX_WORDS:
        yield f"its length is right ({counted(verdict.words, 'word')}, under a page)."


def _weak(verdict: Verdict) -> Iterator[str]:
    if verdict.blanks:
        named = listed([f"`{blank}`" for blank in verdict.blanks[:_FEW_BLANKS]])
        more = len(verdict.blanks) - _FEW_BLANKS
        yield f"not filled in yet: {named}{f' and {more} more' if more > 0 else ''}."
    if not verdict.figures:
        yield "no result with a number; one figure says more than three adjectives."
    if not verdict.own_reason:
        yield "your own reason for wanting this employer is missing; without it the letter could go to anybody."
    if verdict.unanswered:
        asked = listed([plain(each) for each in verdict.unanswered])
        yield f"the posting also asks for {asked}, and it has no answer to that."
    if verdict.words < _SHORT and verdict.kind not in {"email", "answer"}:
        yield f"with {counted(verdict.words, 'word')} it is short; there is room for one more example."
    if verdict.words > MAX_WORDS:
        yield f"{counted(verdict.words, 'word')} are more than a page; most readers stop there."


def _next(verdict: Verdict) -> str:
    if not verdict.figures:
        return "Next: tell me one thing you did and what came of it, with a number (“I cut … by 20%, add that”)."
    if not verdict.own_reason:
        return "Next: tell me in one sentence why this employer, and put it where the blank is."
    return "Next: fill in what is open." if verdict.blanks else "Next: read it aloud once, then send it."
