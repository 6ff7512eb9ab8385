"""Short e-mails about an offer: asking for more, or saying no. Pure.

They hold the figures, names and dates that the user named and no others; what is not known is a [placeholder].
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from signalbox.agents.pay.figures import Figure, figures_in
from signalbox.agents.pay.offers import OfferFact, compare
from signalbox.agents.turn import Facts
from signalbox.agents.words.phrases import listed, money, plain
from signalbox.memory.conversation import PastMessage
from signalbox.retrieval.places import gazetteer

Purpose = Literal["more", "no"]
Tone = Literal["plain", "firm", "warm"]

_MORE = re.compile(
    r"\b(?:more money|(?:ask|get|want|push|press|negotiat\w*|counter)\b[^.?!]{0,40}\b(?:more|higher|better|up)|"
    r"counter(?![ -]?offer from)(?:[ -]?offers?)?|(?:ask(?:ing)?|hold(?:ing)? out|go(?:ing)? back)\b[^.?!]{0,40}"
    r"\bfor \W{0,2}\d[\d.,]*k?|negotiat\w+)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:(?:tell|say|telling|saying)\b[^.?!]{0,40}\bno\b|turn(?:ing)?\b[^.?!]{0,30}\bdown|declin\w+|"
    r"reject(?:ing)?\b[^.?!]{0,30}\b(?:offer|them)|(?:say|tell)\b[^.?!]{0,20}\bno to)\b",
    re.IGNORECASE,
)
_WRITE = re.compile(
    r"\b(?:write|draft|word|compose|put together|give me)\b[^.?!]{0,30}\b(?:e-?mail|emial|mail|message|letter|it|reply|"
    r"answer|note|counter)\b|^\W*(?:an? |the )?(?:e-?mail|draft)\b",
    re.IGNORECASE,
)
_REVISIONS: Final = (
    (
        "firm",
        re.compile(
            r"\b(?:firmer|stronger|tougher|more (?:direct|assertive|firm|confident)|bolder|harder)\b", re.IGNORECASE
        ),
    ),
    (
        "warm",
        re.compile(
            r"\b(?:softer|warmer|friendlier|nicer|politer|gentler|more (?:polite|friendly|gentle|warm)|less (?:pushy|"
            r"firm|direct))\b",
            re.IGNORECASE,
        ),
    ),
    ("short", re.compile(r"\b(?:shorter|briefer|more concise|too long|cut it)\b", re.IGNORECASE)),
    ("long", re.compile(r"\b(?:longer|more detail(?:ed)?)\b", re.IGNORECASE)),
)
_MOST_REVISION_WORDS: Final = 8
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH: Final = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DEADLINE = re.compile(
    rf"\b(?:by|before|until|till)\s+(?P<day>(?:(?:this|next|the end of)\s+)?(?:{_DAY}|tomorrow|the week|"
    rf"(?:next )?week|tonight|noon)|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}|"
    rf"{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?i:ask|tell|telling|email|e-mail|at|from|with|to|write|counter|decline|down)\s+(?P<name>[A-Z][\w&'’-]*(?:\s+[A-Z][\w&'’-]*){0,3})"
)
_POINTS = re.compile(r"\b(?:them|it|they|him|her|this|that)\b|\bthe (?:offer|first|second|other)\b", re.IGNORECASE)
_OFFERED = re.compile(r"\b(?:offer(?:ed|s|ing)?|gave|proposed)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:offers?|versus|vs\.?)\b", re.IGNORECASE)
_MOST_PAST: Final = 12
_MOST_CHARS: Final = 1_000


class DraftFact(Facts):
    """``target`` and ``offered`` as the user named them. ``commits``: the text says at what figure it is accepted."""

    purpose: Purpose
    company: str | None
    subject: str
    body: str
    tone: Tone
    short: bool
    offered: str | None = None
    target: str | None = None
    deadline: str | None = None
    commits: bool = False
    below: bool = False
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Negotiation:
    """What is to be written, gathered from the messages since the offers were told."""

    purpose: Purpose
    company: str | None = None
    offered: Figure | None = None
    target: Figure | None = None
    deadline: str | None = None
    tone: Tone = "plain"
    short: bool = False


def negotiation_of(message: str, history: Sequence[PastMessage]) -> Negotiation | None:
    """The e-mail that the message asks for, or None. It names an employer, asks for a text, or changes the last one."""
    said = [past.content[:_MOST_CHARS] for past in history if past.role == "user"][-_MOST_PAST:]
    offers, since = _offers_told(said)
    before: Negotiation | None = None
    for text in said[since:]:
        before = _after(text, before, offers) or before
    message = message[:_MOST_CHARS]
    if _revises(message):
        return _revised(message, before) if before and drafted(history) else None
    if before is None and not offers and not _COMPANY.search(message) and not _WRITE.search(message):
        return None
    return _after(message, before, offers)


def drafted(history: Sequence[PastMessage]) -> bool:
    """The last answer drafted an e-mail about an offer."""
    last = history[-1] if history else None
    if last is None or last.role != "assistant" or last.agent != "salary":
        return False
    return any(block.get("type") == "email_draft" for block in last.blocks)


def revises(message: str, history: Sequence[PastMessage]) -> bool:
    return _revises(message) and drafted(history)


def _revises(message: str) -> bool:
    few = len(message.split()) <= _MOST_REVISION_WORDS
    return few and any(pattern.search(message) for _, pattern in _REVISIONS) and not figures_in(message)


def _offers_told(said: Sequence[str]) -> tuple[tuple[OfferFact, ...], int]:
    """The offers that the user told last, and the number of the message behind them."""
    for at in range(len(said) - 1, -1, -1):
        figures = [figure for figure in figures_in(said[at]) if not figure.extra]
        several = len(figures) > 1 and _SEVERAL.search(said[at])
        if several or (figures and _OFFERED.search(said[at]) and not _MORE.search(said[at])):
            offers = compare(said[at], figures).offers
            if any(offer.company for offer in offers):
                return offers, at + 1
    return (), 0


def _after(text: str, before: Negotiation | None, offers: Sequence[OfferFact]) -> Negotiation | None:
    """The negotiation as it stands after a message, or None if the message is about something else."""
    if before and _revises(text):
        return _revised(text, before)
    purpose: Purpose | None = "no" if _NO.search(text) else "more" if _MORE.search(text) else None
    named = _named(text, (*(offer.company for offer in offers), before.company if before else None))
    writes = _WRITE.search(text) is not None
    if purpose is None:
        if before is None or not (writes or (named and named != before.company)):
            return None
        purpose = before.purpose
    elif named is None and not writes and not (_POINTS.search(text) and (before or offers)):
        return None
    only = offers[0].company if len(offers) == 1 else None
    company = named or (before.company if before else only)
    same = before is not None and before.company == company
    figures = [figure for figure in figures_in(text) if not figure.extra]
    offered = next((_figure(offer) for offer in offers if offer.company == company), None)
    if len(figures) > 1 and _OFFERED.search(text):
        offered = figures[0]
    day = _DEADLINE.search(text)
    return Negotiation(
        purpose,
        company,
        offered or (before.offered if before and same else None),
        figures[-1] if figures else (before.target if before and same else None),
        _day(day["day"]) if day else (before.deadline if before and same else None),
        before.tone if before and same and before.purpose == purpose else "plain",
        before.short if before and same and before.purpose == purpose else False,
    )


def _day(text: str) -> str:
    """A day as it is written in a letter: Friday with a capital, whatever the message has."""
    words = text.split()
    small = {"the", "end", "of", "week", "noon", "tonight", "tomorrow", "next", "this"}
    return " ".join(word if word.casefold() in small else word[:1].upper() + word[1:] for word in words)


def _figure(offer: OfferFact) -> Figure:
    return Figure(offer.base, offer.currency, offer.stated, 0, 0)


def _named(text: str, known: Sequence[str | None]) -> str | None:
    """The employer that the message names: a known one, or a name where one would stand."""
    for name in filter(None, known):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            return name
    match = _COMPANY.search(text)
    written = re.sub(r"['’]s$", "", match["name"]) if match else ""
    return written if written and gazetteer().find(written) is None else None


def _revised(text: str, before: Negotiation) -> Negotiation:
    for change, pattern in _REVISIONS:
        if pattern.search(text):
            match change:
                case "firm" | "warm" as tone:
                    before = replace(before, tone=tone)
                case _:
                    before = replace(before, short=change == "short")
    return before


def draft_of(wish: Negotiation, name: str | None) -> DraftFact:
    """The e-mail. ``name``: the user's, for the signature."""
    currency = _shared_currency(wish)
    offered = _amount(wish.offered, currency)
    target = _amount(wish.target, currency)
    signed = name or "[your name]"
    lines = _declining(wish) if wish.purpose == "no" else _asking(wish, offered, target)
    body = "\n\n".join(["Dear [name],", *lines, f"Kind regards,\n{signed}"])
    below = bool(wish.target and wish.offered and wish.target.yearly <= wish.offered.yearly)
    return DraftFact(
        purpose=wish.purpose,
        company=wish.company,
        subject=f"Your offer: {'my answer' if wish.purpose == 'no' else 'the salary'}",
        body=body,
        tone=wish.tone,
        short=wish.short,
        offered=offered if wish.purpose == "more" else None,
        target=target if wish.purpose == "more" else None,
        deadline=wish.deadline,
        commits=wish.purpose == "more" and wish.tone == "firm",
        below=below,
        placeholders=tuple(dict.fromkeys(re.findall(r"\[[^\]\n]{1,80}\]", body))),
    )


def _asking(wish: Negotiation, offered: str | None, target: str | None) -> list[str]:
    figure = target or "[the figure you ask for]"
    of = f" of {offered}" if offered else ""
    join = f" I would like to join {wish.company}." if wish.company and not wish.short else ""
    reason = "[One sentence on why: a result, a skill they need, or what others pay for this work.]"
    match wish.tone:
        case "firm":
            request = f"For this role I am asking for {figure}. At that figure I would accept."
        case "warm":
            request = f"I would be very glad if the salary could come up to {figure}. Do you see a way to do that?"
        case _:
            request = f"Before I accept, I would like to ask about the salary: could you offer {figure}?"
    lines = [f"Thank you for the offer{of}.{join}", request if wish.short else f"{request} {reason}"]
    if wish.deadline:
        lines.append(f"You asked for my answer by {wish.deadline}, so could you let me know before then?")
    elif not wish.short and wish.tone != "firm":
        lines.append("If the salary is fixed, I would be glad to talk about other parts of the offer.")
    return lines


def _declining(wish: Negotiation) -> list[str]:
    at = f" at {wish.company}" if wish.company else ""
    match wish.tone:
        case "firm":
            no = "I have decided not to accept it, and my decision is final."
        case "warm":
            no = "It was not an easy choice, but I have decided not to accept it."
        case _:
            no = "After careful thought I have decided not to accept it."
    lines = [f"Thank you for the offer of a place{at} and for the time you gave me. {no}"]
    if not wish.short:
        lines.append("I wish you and the team well, and I would be glad if our paths crossed again.")
    return lines


def _shared_currency(wish: Negotiation) -> str | None:
    return next((each.currency for each in (wish.target, wish.offered) if each and each.currency), None)


def _amount(figure: Figure | None, currency: str | None) -> str | None:
    """A figure as it goes into a letter: in full, and by the hour if it was named so."""
    if figure is None:
        return None
    return figure.text if figure.hourly else money(figure.yearly, figure.currency or currency)


def draft_text(draft: DraftFact) -> str:
    to = f" to {plain(draft.company)}" if draft.company else ""
    what = "that says no" if draft.purpose == "no" else "that asks for more"
    style = listed([*([draft.tone] if draft.tone != "plain" else []), *(["short"] if draft.short else [])])
    parts = [f"Here is {f'a {style} ' if style else 'an '}e-mail{to} {what}."]
    if draft.offered or draft.target:
        parts.append("It names only the figures you gave me.")
    if draft.below:
        parts.append(f"Mind that {draft.target} is not more than the {draft.offered} they offer.")
    if draft.purpose == "more" and draft.target is None:
        parts.append("Say how much you want to ask for (“asking for 66k”), and I put it in.")
    if draft.commits:
        parts.append("It says that you would accept at that figure: send it only if you would.")
    if draft.deadline and draft.purpose == "more":
        parts.append(f"Send it well before {draft.deadline}, so that they have time to answer.")
    if draft.purpose == "no":
        parts.append("You need not say why, nor where you go instead.")
    if draft.placeholders:
        parts.append(f"Fill in {listed([f'`{blank}`' for blank in draft.placeholders])}.")
    changes = {"firm": "“softer”", "warm": "“firmer”"}.get(draft.tone, "“firmer”")
    parts.append(f"Say {changes} or “{'longer' if draft.short else 'shorter'}” to change it.")
    return " ".join(parts)
