"""What a request for a letter comes to with those before it that it changes, and which posting it is about. Pure."""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Final

from signalbox.agents.letters.background import own_sentences, told_apart
from signalbox.agents.letters.before import advert_before, letters_asked
from signalbox.agents.letters.form import beside_postscript
from signalbox.agents.letters.pasted import pasted_in, tidied, words_before
from signalbox.agents.letters.target import target_named
from signalbox.agents.letters.wish import LetterWish, asks_for_more, read
from signalbox.agents.words.shown import job_meant
from signalbox.agents.words.shown_names import PASTED_ID
from signalbox.blocks import Job
from signalbox.memory.conversation import PastMessage
from signalbox.memory.statements import own_words
from signalbox.tools.vocabulary import packaged_vocabulary

_REFINES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|thanks|good|and|please|pls|now|but|nice|perfect|also|hmm|yes)\W+)*(?:can (?:it|"
    r"you make it|you cut)|"
    r"could (?:it|you make it)|make (?:it|that|this|the letter)|shorter|longer|less|more|in (?:german|french|"
    r"spanish|plain)|"
    r"not so|too|put|sign|address|mention|include|add|also|leave|take|remove|drop|without|cut|"
    r"another version|again|translate|max\w*|at most|under|no more|not more|up to|keep|same|use|"
    r"(?:re)?write (?:it|that|this)|e-?mail (?:version|form)|turn (?:it|that|this) into|as an?|"
    r"friendl\w*|formal\w*|plain|warmer|do (?:the same|another|it)|for the|the same|that last|say|i never said|"
    r"shorten (?:it|that)|lengthen|trim|half|one page|\d{2,3} words)\b",
    re.IGNORECASE,
)
_FRESH = re.compile(r"\b(?:write|draft|letter (?:for|to)|need a|new letter|generate|create|compose)\b", re.IGNORECASE)
_MOST_WORDS_OF_FORM: Final = 24
# So few words name nothing new.
_FEW_WORDS: Final = 6


def read_letter(message: str, history: Sequence[PastMessage]) -> tuple[LetterWish, Job | None]:
    """What is to be written, and the posting on the table that is meant. A request that only changes an earlier
    one ("shorter", "mention my German", "for the third one instead") keeps the rest of that.
    """
    read, job = _with_job(message, history)
    asked = letters_asked(history)
    if read.letter or not asked or not _only_changes(message, read, follows=True):
        return _with_advert(message, read, job, history)
    read = _with_told(message, read)
    moved = job is not None or read.company is not None or read.role is not None
    now = read
    again = False
    for place, (past, before) in enumerate(asked):
        earlier, meant = _with_job(past, before)
        changes = _only_changes(past, earlier, follows=place + 1 < len(asked))
        if changes:
            earlier = _with_told(past, earlier)
        elif not moved:
            earlier, meant = _with_advert(past, earlier, meant, before)
        again = True
        if moved:
            # For another post the form stays; company, role, person and what was pasted of the first do not.
            earlier = replace(earlier, company=None, role=None, person=None, posting=None)
        read = _filled(read, earlier)
        job = job or (None if moved else meant)
        if earlier.letter or not changes:
            break
        moved = moved or meant is not None
    return replace(read, now=now if again else None), job


def changes_form(message: str) -> bool:
    """Whether all that it asks is how the letter at hand is set, for a postscript or for some lines more."""
    if len(message.split()) > _MOST_WORDS_OF_FORM:
        return False
    wish = read(message)
    more = wish.asks_only_length and asks_for_more(message)
    return wish.asks_only_form or wish.asks_only_postscript or more


def _with_job(message: str, history: Sequence[PastMessage]) -> tuple[LetterWish, Job | None]:
    wish, job = read(message), job_meant(message, history)
    if job is None or wish.posting:
        return wish, None
    named = (wish.company or "").casefold()
    if (
        named
        and named not in job.company.casefold()
        and job.company.casefold() not in named
        and named not in job.title.casefold()
    ):
        return wish, None
    return replace(wish, company=job.company, role=job.title), job


def _with_told(message: str, wish: LetterWish) -> LetterWish:
    """What a change tells of the writer is to be added, whether it says "add that" or not."""
    message = tidied(message)
    asked = told_apart(beside_postscript(words_before(message, pasted_in(message))))
    facts = own_words(asked, packaged_vocabulary())
    known = [f.value for f in facts if f.kind == "fact" and f.key in {"skill", "language", "certificate"}]
    told = own_sentences(asked)
    named = [
        value for value in known if not any(value.casefold() in text.casefold() for text in (*told, *wish.mention))
    ]
    return replace(wish, told=told, mention=tuple(dict.fromkeys((*wish.mention, *named))))


def _with_advert(
    message: str, wish: LetterWish, job: Job | None, history: Sequence[PastMessage]
) -> tuple[LetterWish, Job | None]:
    """With the advert of an earlier message, where this one names no post of its own."""
    pasted_job = job is not None and job.job_id == PASTED_ID
    named = wish.company or wish.role or wish.posting or wish.letter
    if (job is not None or named) and not pasted_job:
        return wish, job
    advert = advert_before(message, history)
    if advert is None:
        return wish, None if pasted_job else job
    target = target_named("", advert.posting)
    company, role = advert.company or target.company, advert.role or target.role
    return replace(wish, posting=advert.posting, company=company, role=role), None


def _only_changes(message: str, wish: LetterWish, *, follows: bool) -> bool:
    """``follows``: there is an earlier request that it could change."""
    bare = wish.company is None and wish.role is None and wish.posting is None and wish.question is None
    if _REFINES.match(message) and not (wish.posting or wish.question):
        return True
    return bare and (follows or len(message.split()) <= _FEW_WORDS) and not _FRESH.search(message)


def _filled(wish: LetterWish, earlier: LetterWish) -> LetterWish:
    """``wish``, with what it leaves open taken from ``earlier``; what is to be in and out of the letter adds up."""
    gaps = {f.name: getattr(earlier, f.name) for f in fields(wish) if getattr(wish, f.name) is None}
    gaps.pop("postscript", None)
    return replace(
        wish,
        **gaps,
        steps=wish.steps + earlier.steps,
        mention=tuple(dict.fromkeys((*earlier.mention, *(m for m in wish.mention)))),
        without=tuple(dict.fromkeys((*earlier.without, *wish.without))),
        cut=(*earlier.cut, *wish.cut),
        told=tuple(dict.fromkeys((*earlier.told, *wish.told))),
        postscript=None if wish.no_postscript else wish.postscript or earlier.postscript,
        no_postscript=wish.no_postscript or (earlier.no_postscript and wish.postscript is None),
        learn=wish.learn or earlier.learn,
        change=wish.change or earlier.change,
    )
