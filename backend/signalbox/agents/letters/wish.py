"""Reads what a message wants of a letter: its kind, its post, its length, its tone and what is to be in it. Pure."""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from signalbox.agents.letters.background import without_own_sentences
from signalbox.agents.letters.form import beside_postscript, is_form, postscript_asked, refuses_postscript
from signalbox.agents.letters.pasted import pasted_in, tidied, words_before
from signalbox.agents.letters.target import target_named

Kind = Literal["letter", "speculative", "internal", "answer", "email", "mended"]
Tone = Literal["formal", "friendly", "plain"]

PAGE_WORDS: Final = 350


@dataclass(frozen=True, slots=True)
class LetterWish:
    """None and empty: the message does not say. ``steps``: how many times shorter (below 0) or longer. ``mention`` and
    ``without`` are in the user's words. ``cut``: which paragraphs are to go. ``learn``: say that
    one is keen to learn what is missing. ``change``: from another line of work. ``told``: sentences of the writer's on
    themselves, to be added. ``form``: what this message wants of the text's form alone. ``postscript``: what is to
    stand in one; ``no_postscript``: there is to be none. ``now``: what this message alone says, where it changes an
    earlier request.
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
    signature: str | None = None
    told: tuple[str, ...] = ()
    form: tuple[str, ...] = ()
    postscript: str | None = None
    no_postscript: bool = False
    now: "LetterWish | None" = None

    @property
    def asks_only_length(self) -> bool:
        """Whether it wants it shorter or longer and nothing else."""
        return self.steps != 0 and replace(self, steps=0, now=None) == LetterWish()

    @property
    def asks_only_form(self) -> bool:
        """Whether all that it wants is what a letter's text does not hold, such as a font."""
        return bool(self.form) and replace(self, form=(), now=None) == LetterWish()

    @property
    def asks_only_postscript(self) -> bool:
        asks = self.postscript is not None or self.no_postscript
        return asks and replace(self, form=(), postscript=None, no_postscript=False, now=None) == LetterWish()

    @property
    def asks_only_language(self) -> bool:
        return self.language is not None and replace(self, language=None, now=None) == LetterWish()


_LIMIT = re.compile(r"\b(?P<words>\d{2,4})[- ]words?\b", re.IGNORECASE)
_PAGE = re.compile(r"\b(?:one|1|a single)[- ]pag(?:e|er)\b|\bon a page\b", re.IGNORECASE)
_HALF_PAGE = re.compile(r"\bhalf(?: an?| of an?)?[- ](?:a[- ])?(?:page|a4)\b", re.IGNORECASE)
_HALF_PAGE_WORDS: Final = 120
_LINES = re.compile(r"\b(?P<lines>\d{1,2}) lines\b", re.IGNORECASE)
_PARAGRAPHS = re.compile(r"\b(?:two|2) paragraphs\b", re.IGNORECASE)
_WORDS_A_LINE: Final = 12
_SHORTER = re.compile(
    r"\b(?:shorter|shrter|shorten|too long|cut (?:it|this|that) (?:down|back)|briefer|brief|short|concise|trim|"
    r"tighter|condense|half (?:as long|the length|of (?:it|that))|halve|in half|less text|fewer words)\b",
    re.IGNORECASE,
)
_LONGER = re.compile(r"\b(?:longer|more detail(?:ed)?|too short|expand|fuller|lengthen)\b", re.IGNORECASE)
# "Add two sentences" says how much, and not on what.
_ADDED = re.compile(
    r"\badd\s+(?:(?:an?|another|one|two|three|four|some|few|couple of|more|extra|short|new|\d{1,3})\s+){1,4}"
    r"(?:sentences?|lines?|paragraphs?|words)(?=(?:\s+(?:more|please|pls|to (?:it|the letter)|too|as well|now))*"
    r"(?:\s*$|\s*[,.;!?]|\s+and\b))",
    re.IGNORECASE,
)
_KEEN: Final = (
    r"(?:enthusias\w+|energetic|energy|upbeat|cheer\w+|passion\w*|excit\w+|livel\w+|positiv\w+|warmth|emotion\w*)\b"
)
_TONES: Final[tuple[tuple[Tone, re.Pattern[str]], ...]] = (
    ("friendly", re.compile(r"\b(?:less (?:formal|stiff)|not (?:so|too) formal|informal|friendl\w+|casual\w*|warm\w*|"
                            r"relaxed|personal|chill|lively)\b"
                            rf"|\b(?:more|bit|sounds?|sounding|some|add|really|extra|be)\s+(?:(?!less|too|not)\w+\s+)?{_KEEN}",
                            re.IGNORECASE)),
    ("formal", re.compile(r"\b(?:(?:more )?formal\w*|polite\w*|professional|respectful\w*|traditional|classic)\b",
                          re.IGNORECASE)),
    ("plain", re.compile(r"\b(?:plain\w*|simple\w*|straightforward|matter[- ]of[- ]fact|not poetic|no frills|"
                         r"less (?:gushing|desperate|flowery)|normal)\b"
                         rf"|\b(?:less|too|not (?:so|too|as|quite so)|without (?:the|so much))\s+{_KEEN}",
                         re.IGNORECASE)),
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
    r"\b(?P<verb>mention|include|add|work in|bring in|talk about|lead with|use|highlight|emphasi[sz]e|stress|put in|"
    r"say(?= (?:that )?(?:i|my)\b))\b\s+"
    r"(?:(?:that|about|something about|(?:an?|another|one|some|two|a few) (?:(?:short|new|whole|nice|good) )?"
    r"(?:line|sentence|word|paragraph|bit|section|part|piece)s? (?:on|about)|also|too)\s+)*"
    r"(?P<what>(?:i\s+)?(?:my|the|our|speak|have|am|know|can|a)?\s?[^,.;:!?\n]{2,80})",
    re.IGNORECASE,
)
# What one adds or uses may be of the text's form; what one mentions is told of oneself.
_SETS: Final = frozenset({"include", "add", "use", "put in", "work in"})
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
    r"\bas an? e-?mail\b|\be-?mail (?:version|form|text)\b|\b(?:into|in) an e-?mail\b|"
    r"\be-?mail (?:it|this|that) (?:to|for)\b",
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
_SIGN = re.compile(
    r"\bsign(?:ed)?(?: off)?(?:\s+(?:it|this|that|the letter|off))?"
    r"(?:\s+(?:with|as|by|from|using)(?:\s+(?:my )?(?:full |real |own )?name(?: is|,|:)?)?\s+"
    r"(?P<name>(?!(?:kind|best|warm|yours|sincerely|regards|my|the|a|it|love|something|less|more)\b)[^\W\d_][\w'’.-]*"
    r"(?:\s+(?!(?:please|pls|instead|and|not|at|in|too)\b)[^\W\d_][\w'’.-]*){0,2}))",
    re.IGNORECASE,
)
# "I work at Fabrikam and need a letter": that employer is not the one written to.
_MY_JOB = re.compile(
    r"\bI(?:'m| am|'ve been| have been)?(?: \w+){0,2}? (?:work|worked|working|employed)(?: \w+){0,4}? (?:at|for|with) "
    r"[^,.;!?\n]{2,40}?(?=\s+(?:and|but|so)\b|[,.;])",
    re.IGNORECASE,
)
# "Use my time at Fabrikam to apply to Bosch": what follows is the post.
_TO_APPLY = re.compile(
    r"\s+(?:to|when i|and|as i) (?:apply|join|write)\b.*$|\s+in (?:my|the) (?:application|letter)\b.*$", re.IGNORECASE
)
_ADDRESSED = re.compile(
    r"\b(?:address(?:ed)?|direct) (?:it )?to\s+(?P<who>(?:(?:Mr|Ms|Mrs|Dr|"
    r"Prof)\.?\s+)?[A-ZÀ-Þ][\w'’-]+(?:\s+[A-ZÀ-Þ][\w'’-]+){0,2})"
)


def read(message: str) -> LetterWish:
    """What this message alone says."""
    message = tidied(message)
    pasted = pasted_in(message)
    whole = words_before(message, pasted)
    asked, adds = _ADDED.subn(" ", beside_postscript(whole))
    signed = _SIGN.search(asked)
    target = target_named(_on_the_post(_unquoted(asked)), pasted.posting, pasted.letter)
    question = _question(asked)
    language, addressed = _LANGUAGE.search(asked), _ADDRESSED.search(asked)
    edit = _EDIT.search(asked)
    return LetterWish(
        kind=_kind(asked, question, pasted.letter),
        company=pasted.company or target.company,
        role=pasted.role or target.role,
        person=addressed["who"] if addressed else target.person,
        tone=next((name for name, pattern in _TONES if pattern.search(_unquoted(asked))), None),
        max_words=_limit(asked),
        language=(language["name"] or language["kind"]).capitalize() if language else None,
        question=question,
        letter=pasted.letter,
        posting=pasted.posting,
        steps=_steps(_unquoted(asked)) or min(adds, 1),
        mention=_things(_MENTION, asked) if not question else (),
        without=_things(_WITHOUT, asked) if edit is None else (),
        cut=(edit["which"].casefold(),) if edit else (),
        learn=_LEARN.search(asked) is not None,
        change=_CHANGE.search(asked) is not None,
        signature=_name(signed["name"]) if signed else None,
        form=tuple(what for what in _things(_MENTION, asked, form=True) if not _says_how(what)),
        postscript=postscript_asked(whole),
        no_postscript=refuses_postscript(whole),
    )


def asks_for_more(message: str) -> bool:
    """Whether so and so many sentences more are wanted, whatever they say."""
    return _ADDED.search(message) is not None


def _on_the_post(asked: str) -> str:
    """Without what names companies and people other than those written to: one's past, and one's own name."""
    bare = _SIGN.sub(" ", _MY_JOB.sub(" ", without_own_sentences(asked)))
    for pattern in (_MENTION, _WITHOUT):
        for match in pattern.finditer(bare):
            what = _TO_APPLY.sub("", _TAIL.sub("", match["what"]))
            bare = bare.replace(what, " " * len(what), 1)
    return bare


def _name(signed: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in signed.split())


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
        return _HALF_PAGE_WORDS
    if _PARAGRAPHS.search(asked):
        return 150
    return PAGE_WORDS if _PAGE.search(asked) else None


def _steps(asked: str) -> int:
    if _LONGER.search(asked):
        return 1
    if _SHORTER.search(asked):
        return (
            -2
            if re.search(
                r"\b(?:much|very|really|way|a lot|far) (?:short|brief|too long)|\bhal(?:f|ve)\b", asked, re.IGNORECASE
            )
            else -1
        )
    return 0


def _things(pattern: re.Pattern[str], asked: str, *, form: bool = False) -> tuple[str, ...]:
    """What is to be in the letter or out of it: things told of the writer, or with ``form`` those of the text alone."""
    found = []
    for match in pattern.finditer(asked):
        if pattern is _MENTION and _WITHOUT.search(asked[max(0, match.start() - 12) : match.end()]):
            continue
        what = _TAIL.sub("", match["what"].strip(" '\"“”")).strip()
        bare = re.sub(r"^(?:my|the|that|i (?:speak|have|know|am)|a|an|about)\s+", "", what, flags=re.IGNORECASE).strip()
        names = len(bare) >= 2 and len(bare.split()) <= 8
        sets = pattern is not _MENTION or match["verb"].casefold() in _SETS
        if names and (sets and is_form(what)) == form and not _NOT_A_THING.match(what) and not _NOT_A_THING.match(bare):
            found.append(bare)
    return tuple(dict.fromkeys(found))


def _says_how(what: str) -> bool:
    """Whether it is of the tone or the length, which can be had."""
    return _steps(what) != 0 or any(pattern.search(f"more {what}") for _, pattern in _TONES)


def _unquoted(asked: str) -> str:
    return _QUOTED.sub(" ", asked)
