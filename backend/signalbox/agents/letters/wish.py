"""Reads what a message wants of a letter: its kind, its post, its length, its tone and what is to be in it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, Literal

from signalbox.agents.letters.pasted import pasted_in, tidied, words_before
from signalbox.agents.letters.target import target_named
from signalbox.agents.words.phrases import without_command
from signalbox.agents.words.shown import job_meant
from signalbox.blocks import Job
from signalbox.memory.conversation import PastMessage

Kind = Literal["letter", "speculative", "internal", "answer", "email", "mended"]
Tone = Literal["formal", "friendly", "plain"]

PAGE_WORDS: Final = 350


@dataclass(frozen=True, slots=True)
class LetterWish:
    """None and empty: the message does not say. ``steps``: how many times shorter (below 0) or longer. ``mention`` and
    ``without`` are in the user's words. ``cut``: which paragraphs are to go. ``learn``: say that
    one is keen to learn what is missing. ``change``: from another line of work. ``now``: what this message
    alone says, where it changes an earlier request.
    """

    kind: Kind | None = None
    company: str | None = None
    role: str | None = None
    person: str | None = None
    tone: Tone | None = None
    max_words: int | None = None
    language: str | None = None
    question: str | None = None
    letter: str | None = None
    posting: str | None = None
    steps: int = 0
    mention: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    learn: bool = False
    change: bool = False
    now: "LetterWish | None" = None


_LIMIT = re.compile(r"\b(?P<words>\d{2,4})[- ]words?\b", re.IGNORECASE)
_PAGE = re.compile(r"\b(?:one|1|a single)[- ]pag(?:e|er)\b|\bon a page\b", re.IGNORECASE)
_HALF_PAGE = re.compile(r"\bhalf(?: a)?[- ]page\b", re.IGNORECASE)
_LINES = re.compile(r"\b(?P<lines>\d{1,2}) lines\b", re.IGNORECASE)
_PARAGRAPHS = re.compile(r"\b(?:two|2) paragraphs\b", re.IGNORECASE)
_WORDS_A_LINE: Final = 12
_SHORTER = re.compile(
    r"\b(?:shorter|shrter|shorten|too long|cut (?:it|this|that) (?:down|back)|briefer|brief|short|concise|trim|"
    r"tighter)\b",
    re.IGNORECASE,
)
_LONGER = re.compile(r"\b(?:longer|more detail(?:ed)?|too short|expand|fuller|lengthen)\b", re.IGNORECASE)
_TONES: Final[tuple[tuple[Tone, re.Pattern[str]], ...]] = (
    ("friendly", re.compile(r"\b(?:less (?:formal|stiff)|not (?:so|too) formal|informal|friendl\w+|casual\w*|warm\w*|"
                            r"relaxed|personal|chill|lively)\b", re.IGNORECASE)),
    ("formal", re.compile(r"\b(?:(?:more )?formal\w*|polite\w*|professional|respectful\w*|traditional|classic)\b",
                          re.IGNORECASE)),
    ("plain", re.compile(r"\b(?:plain\w*|simple\w*|straightforward|matter[- ]of[- ]fact|not poetic|no frills|"
                         r"less (?:gushing|desperate|flowery)|normal)\b", re.IGNORECASE)),
)  # fmt: skip
_LANGUAGES: Final = (
    "german|deutsch|french|français|spanish|español|italian|portuguese|dutch|polish|turkish|arabic|hindi|chinese|"
    "japanese|swedish|danish|norwegian|finnish|czech|russian|ukrainian|romanian|greek|hungarian|korean"
)
_LANGUAGE = re.compile(
    rf"(?:(?<!fluent )(?<!proficient )(?<!skills )(?<!experience )(?<!certificate )\b(?:in|into|"
    rf"auf)\s+(?P<name>{_LANGUAGES})"
    rf"(?=\W*$|[,.;!?]|\s+(?:please|instead|to|for|and|pls)\b)|\b(?P<kind>{_LANGUAGES})\s+(?:letter|cover letter|"
    rf"version|"
    rf"translation)\b)",
    re.IGNORECASE,
)
_MENTION = re.compile(
    r"\b(?:mention|include|add|work in|bring in|talk about|lead with|use|highlight|emphasi[sz]e|stress|put in|"
    r"say(?= (?:that )?(?:i|my)\b))\b\s+"
    r"(?:(?:that|about|something about|a (?:line|sentence|word) (?:on|about)|also|too)\s+)*"
    r"(?P<what>(?:i\s+)?(?:my|the|our|speak|have|am|know|can|a)?\s?[^,.;:!?\n]{2,80})",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:without|leave (?:out|off)|left out of|take out|remove|drop|delete|don'?t (?:mention|include|say|use)|"
    r"do not (?:mention|include|say|"
    r"use)|no mention of|not my|never say|skip)\b\s+(?:(?:the|part|bit|sentence|line|paragraph|about|on|that|any)\s+)*"
    r"(?P<what>(?:my\s+)?[^,.;:!?\n]{2,60})",
    re.IGNORECASE,
)
_NOT_A_THING: Final = re.compile(
    r"^(?:it|this|that|them|more|(?:i am |i'm )?(?:keen|willing|eager|happy|ready|open) to learn\b.*|"
    r"a (?:cover )?letter|cover letter|letter|me|for\b.*|to\b.*|in\b.*|my (?:cv|résumé|resume|"
    r"profile)(?: highlights)?|cv|resume|the (?:cv|letter|posting|ad|advert)|plain english|salary.*|"
    r"something|why\b.*|what\b.*|how\b.*|company|i (?:want|need|am applying)\b.*)$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:in (?:it|the|there|my|a)\b.*|to (?:it|the letter)\b.*|too|as well|please|pls|again|instead|"
    r"at the (?:top|start|end)\b.*|"
    r"and (?:make|add|mention|keep|write|cut|sign|then)\b.*|but\b.*|for (?:the|a|an|my|this) .*\b(?:job|role|"
    r"post|position|letter)\b.*)$",
    re.IGNORECASE,
)
_EDIT = re.compile(
    r"\b(?:cut|drop|remove|delete|lose|take out|leave out)\s+(?:out\s+)?the\s+(?P<which>first|second|third|"
    r"fourth|last)\s+"
    r"paragraph\b",
    re.IGNORECASE,
)
_LEARN = re.compile(
    r"\b(?:willing|keen|happy|eager|ready|open) to learn\b|\bi(?:'ll| will|'m| am)? (?:would like to |want to )?"
    r"learn(?:ing)? (?:it|them|what|the rest)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:career[- ]?chang\w*|chang\w+ (?:of )?careers?|switch\w* (?:career|from|field|into)|"
    r"mov\w+ (?:from .{2,40} )?into|"
    r"transition\w*|new field|retrain\w*|no experience in|different field|coming from)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”']([^\"“”\n]{6,300}?)[\"“”'](?=\W|$)")
_FORM = re.compile(
    r"\b(?:form|box|field|question|answer|screening|criteri(?:on|a)|supporting (?:statement|information)|"
    r"personal statement|essay|portal|in \d{2,4} (?:words|characters))\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\b(?P<q>(?:why (?:do|are|would|should|did|this|us|me)\b|what (?:makes|attracts|can|do|are|would)\b|"
    r"describe (?:a|an|your)\b|"
    r"tell us\b|give an example\b|how (?:do|would|have) you\b)[^\n\"“”?]{0,240}\??)",
    re.IGNORECASE,
)
_EMAIL = re.compile(
    r"\b(?:e-?mails?|mail)\b.{0,60}\b(?:attach\w*|with my (?:cv|application|letter)|accompan\w*|application|body|"
    r"cover(?:ing)? note|apply)\b|\b(?:(?:when|if) i attach|attachments?|apply by e-?mail|body of the e-?mail)\b|"
    r"\bas an? e-?mail\b",
    re.IGNORECASE,
)
_SPECULATIVE = re.compile(
    r"\b(?:speculative\w*|unsolicited|on spec|no (?:posting|advert|vacancy|opening|post)|"
    r"isn'?t (?:any )?(?:a )?(?:posting|advert|vacancy)|"
    r"initiativbewerbung|cold application|any openings)\b",
    re.IGNORECASE,
)
_INTERNAL = re.compile(
    r"\b(?:internal(?:ly)?|promotion|within my (?:company|firm|organi[sz]ation)|(?:at|in) my (?:current|"
    r"own) (?:company|employer|"
    r"firm)|i already work (?:there|here|for them)|transfer to)\b",
    re.IGNORECASE,
)
_REFINES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|thanks|good|and|please|pls|now|but|nice|perfect|also|hmm|yes)\W+)*(?:can (?:it|"
    r"you make it|you cut)|"
    r"could (?:it|you make it)|make (?:it|that|this|the letter)|shorter|longer|less|more|in (?:german|french|"
    r"spanish|plain)|"
    r"not so|too|put|sign|address|mention|include|add|also|leave|take|remove|drop|without|cut|"
    r"another version|again|translate|max\w*|at most|under|no more|not more|up to|keep|same|use|"
    r"rewrite (?:it|that)|turn (?:it|that|this) into|as an?|friendl\w*|formal\w*|plain|warmer|do (?:the same|another|"
    r"it)|for the|the same|that last|say|i never said|"
    r"shorten (?:it|that)|lengthen|trim|half|one page|\d{2,3} words)\b",
    re.IGNORECASE,
)
_FRESH = re.compile(r"\b(?:write|draft|letter (?:for|to)|need a|new letter|generate|create|compose)\b", re.IGNORECASE)
_MEND = re.compile(
    r"\b(?:fix|improve|check|proof\w*|correct|polish|edit|tailor|adapt|shorten|shrter|cut|trim|rewrite|redo|jazz|"
    r"unmid|tighten|warmer|better|"
    r"chekc|feedback|review|adjust|rework|here(?:'s| is) (?:my|the)|my (?:draft )?(?:cover(?:ing)? )?(?:letter|"
    r"leter))\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:address(?:ed)?|direct) (?:it )?to\s+(?P<who>(?:(?:Mr|Ms|Mrs|Dr|"
    r"Prof)\.?\s+)?[A-ZÀ-Þ][\w'’-]+(?:\s+[A-ZÀ-Þ][\w'’-]+){0,2})"
)


def read_letter(message: str, history: Sequence[PastMessage]) -> tuple[LetterWish, Job | None]:
    """What is to be written, and the posting on the table that is meant. A request that only changes an earlier
    one ("shorter", "mention my German", "for the third one instead") keeps the rest of that.
    """
    read, job = _with_job(message, history)
    if read.letter or not _only_changes(message, read):
        return read, job
    moved = job is not None or read.company is not None or read.role is not None
    now = read
    again = False
    for past, before in _earlier(history):
        earlier, meant = _with_job(past, before)
        again = True
        if moved:
            # For another post the form stays; company, role, person and what was pasted of the first do not.
            earlier = replace(earlier, company=None, role=None, person=None, posting=None)
        read = _filled(read, earlier)
        job = job or (None if moved else meant)
        if earlier.letter or not _only_changes(past, earlier):
            break
        moved = moved or meant is not None
    return replace(read, now=now if again else None), job


def read(message: str) -> LetterWish:
    """What this message alone says."""
    message = tidied(message)
    pasted = pasted_in(message)
    asked = words_before(message, pasted)
    target = target_named(_unquoted(asked), pasted.posting, pasted.letter)
    question = _question(asked)
    language, addressed = _LANGUAGE.search(asked), _ADDRESSED.search(asked)
    edit = _EDIT.search(asked)
    return LetterWish(
        kind=_kind(asked, question, pasted.letter),
        company=target.company,
        role=target.role,
        person=addressed["who"] if addressed else target.person,
        tone=next((name for name, pattern in _TONES if pattern.search(_unquoted(asked))), None),
        max_words=_limit(asked),
        language=(language["name"] or language["kind"]).capitalize() if language else None,
        question=question,
        letter=pasted.letter,
        posting=pasted.posting,
        steps=_steps(_unquoted(asked)),
        mention=_things(_MENTION, asked) if not question else (),
        without=_things(_WITHOUT, asked) if edit is None else (),
        cut=(edit["which"].casefold(),) if edit else (),
        learn=_LEARN.search(asked) is not None,
        change=_CHANGE.search(asked) is not None,
    )


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


def _kind(asked: str, question: str | None, letter: str | None) -> Kind | None:
    if letter:
        return "mended"
    if question:
        return "answer"
    if _SPECULATIVE.search(asked):
        return "speculative"
    if _EMAIL.search(asked):
        return "email"
    return "internal" if _INTERNAL.search(asked) else None


def _question(asked: str) -> str | None:
    """The question of a form that is to be answered."""
    quoted = next((m[1].strip() for m in _QUOTED.finditer(asked) if _is_question(m[1])), None)
    form = _FORM.search(_unquoted(asked))
    if quoted and (form or _QUESTION.match(quoted)):
        return quoted
    if not form:
        return None
    match = _QUESTION.search(asked)
    if match:
        return re.sub(r"\s+in (?:about |max(?:imum)? |under )?\d+ (?:words|characters).*$", "", match["q"].strip())
    statement = re.search(r"\b(?:supporting|personal) (?:statement|information)\b", asked, re.IGNORECASE)
    return statement.group().capitalize() if statement else None


def _is_question(quoted: str) -> bool:
    return len(quoted.split()) >= 3 and re.search(r"\bletter\b", quoted, re.IGNORECASE) is None


def _limit(asked: str) -> int | None:
    if match := _LIMIT.search(asked):
        return int(match["words"])
    if match := _LINES.search(asked):
        return int(match["lines"]) * _WORDS_A_LINE
    if _HALF_PAGE.search(asked):
        return PAGE_WORDS // 2
    if _PARAGRAPHS.search(asked):
        return 150
    return PAGE_WORDS if _PAGE.search(asked) else None


def _steps(asked: str) -> int:
    if _LONGER.search(asked):
        return 1
    if _SHORTER.search(asked):
        return -2 if re.search(r"\b(?:much|very|really|way) (?:short|brief)", asked, re.IGNORECASE) else -1
    return 0


def _things(pattern: re.Pattern[str], asked: str) -> tuple[str, ...]:
    found = []
    for match in pattern.finditer(asked):
        if pattern is _MENTION and _WITHOUT.search(asked[max(0, match.start() - 12) : match.end()]):
            continue
        what = _TAIL.sub("", match["what"].strip(" '\"“”")).strip()
        bare = re.sub(r"^(?:my|the|that|i (?:speak|have|know|am)|a|an|about)\s+", "", what, flags=re.IGNORECASE).strip()
        if len(bare) >= 2 and len(bare.split()) <= 8 and not _NOT_A_THING.match(what) and not _NOT_A_THING.match(bare):
            found.append(bare)
    return tuple(dict.fromkeys(found))


def _unquoted(asked: str) -> str:
    return _QUOTED.sub(" ", asked)


def _only_changes(message: str, wish: LetterWish) -> bool:
    bare = wish.company is None and wish.role is None and wish.posting is None and wish.question is None
    if _REFINES.match(message) and not (wish.posting or wish.question):
        return True
    return bare and len(message.split()) <= 6 and not _FRESH.search(message)


def _earlier(history: Sequence[PastMessage]) -> list[tuple[str, Sequence[PastMessage]]]:
    """The requests for letters so far, newest first, each with what lay before it."""
    asked = []
    for place, past in enumerate(history):
        answer = history[place + 1] if place + 1 < len(history) else None
        written = answer is not None and answer.role == "assistant" and answer.agent == "cover_letter"
        if past.role == "user" and (past.intent == "cover_letter" or written):
            asked.append((without_command(past.content), history[:place]))
    return asked[::-1]


def _filled(wish: LetterWish, earlier: LetterWish) -> LetterWish:
    """``wish``, with what it leaves open taken from ``earlier``; what is to be in and out of the letter adds up."""
    gaps = {f.name: getattr(earlier, f.name) for f in fields(wish) if getattr(wish, f.name) is None}
    return replace(
        wish,
        **gaps,
        steps=wish.steps + earlier.steps,
        mention=tuple(dict.fromkeys((*earlier.mention, *(m for m in wish.mention)))),
        without=tuple(dict.fromkeys((*earlier.without, *wish.without))),
        cut=(*earlier.cut, *wish.cut),
        learn=wish.learn or earlier.learn,
        change=wish.change or earlier.change,
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
