"""Reads what a message wants written: to whom, where, about which post, on which channel and in which tone. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, Literal

from signalbox.agents.letters.asked import is_aside, without_sending
from signalbox.agents.words.phrases import without_command
from signalbox.agents.words.shown import job_meant, shown_jobs
from signalbox.blocks import Job
from signalbox.memory.conversation import PastMessage
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer

Channel = Literal["email", "note"]
Tone = Literal["formal", "friendly", "short"]
Purpose = Literal["role", "speculative", "referral", "chat", "reply", "second", "decline", "offer_no"]


@dataclass(frozen=True, slots=True)
class Outreach:
    """None: the message does not say. ``passed_over``: whose posting was pointed at while another company was named.
    ``max_words`` and ``language`` are what was asked for.
    """

    company: str | None = None
    role: str | None = None
    person: str | None = None
    channel: Channel | None = None
    tone: Tone | None = None
    purpose: Purpose | None = None
    max_words: int | None = None
    language: str | None = None
    passed_over: str | None = None


_CAP = r"[A-ZÀ-Þ][\w&'’-]*(?:\.(?=\w))?[\w&'’-]*"
_NAME = rf"{_CAP}(?:\s+(?:&\s+|of\s+|de\s+|van\s+|von\s+)?{_CAP}){{0,3}}"
_CONTACT = (
    r"(?:recruiters?|recuiter|headhunter|talent (?:lead|scout|partner|team)|hiring (?:manager|team)|manager|head|"
    r"cto|ceo|"
    r"cfo|vp|director|founder|owner|principal|partner|colleague|someone|people|hr|human resources|team|professor|lead)"
)
_COMPANY = re.compile(rf"\b(?:at|from|with|joining|join|for|in touch with)\s+(?:the\s+(?=[A-Z]))?(?P<company>{_NAME})")
_COMPANY_LOWER = re.compile(
    (
        rf"\b(?:{_CONTACT}|responsible\b.{{0,30}})\s+(?:at|from)\s+(?P<company>(?!(?:an?|the|my|this|that|his|her|"
        rf"their|our|your|some|any)\b)[\w&.-]+)"
    ),
    re.IGNORECASE,
)
_TO = re.compile(
    rf"\b(?:to|message|e-?mail|write|contact|for)\s+(?:(?P<honour>Mr|Ms|Mrs|Dr|Prof)\.?\s+)?(?P<who>{_NAME})"
)
_NAMED = re.compile(
    rf"\b(?:named|called|(?<!my )name(?:'s| is)|{_CONTACT},?)\s+(?P<who>{_CAP}(?:\s+{_CAP}){{0,2}})(?=[\s,.;:!?)]|$)"
)
# "Tell Globex no", "turn Globex down", "decline Globex's offer".
_TOLD = re.compile(
    rf"\b(?i:tell|telling|turn|turning|decline|declining|reject|rejecting|let)\s+(?i:down\s+)?(?P<company>{_NAME})"
    r"(?=\s+(?:no|down|know|that|i|I)\b|\s+offer|\W*$)"
)
_OF_AN_OFFER = re.compile(r"\boffer(?:ed|s)?\b", re.IGNORECASE)
_OF_A_MESSAGE = re.compile(r"\b(?:recruiter|headhunter|message|linked ?in|approach)", re.IGNORECASE)
# So far back an offer that was told of is the one that is declined.
_LOOK_BACK: Final = 8
_SUFFIX = re.compile(
    r"\b(?:gmbh|inc|ltd|llc|plc|ag|care|dairy|bank|group|labs?|studios?|health|partners|energy|systems|software|"
    r"university|"
    r"hospital|school|airlines?|foods?|hotels?|consulting|technologies|tech|solutions|services|media|games|capital)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\b(?:for|about|regarding)\s+(?:(?:the|an?|their|your|its|this|"
    r"that)\s+)?(?P<role>[\w/+#.&'-]+(?: [\w/+#.&'-]+){0,4}?)"
    r"\s+(?:role|position|job|post|internship|opening|vacancy|posting)\b",
    re.IGNORECASE,
)
_ROLE_AS = re.compile(
    r"\b(?:as an?|interested in)\s+(?P<role>[a-z][\w/+#-]*(?: [a-z][\w/+#-]*){0,3}?)"
    r"(?=\s+(?:at|in|with|for|and|role|position)\b|[,.;!?]|$)",
    re.IGNORECASE,
)
_NOT_A_ROLE: Final = words_in(
    """this that the a an any one some first second third possible new their his her my your"""
)
# A stretch with one of these in it is no title but half a sentence.
_NOT_IN_A_ROLE: Final = words_in(
    """i i'm am that it me my her his him for to a an the is are whether chat requesting about of"""
)
_NOT_A_NAME: Final = words_in(
    """i i'm i'd i've hr ceo cto cfo vp cv linkedin xing whatsapp instagram sales geschäftsführer their email
    e-mail english german french spanish dutch dm german january february march april may june july august
    september october november december"""
)
_A_CHANNEL = re.compile(
    r"(?:(?:linked ?in|short|formal|friendly)\s+)*(?:e-?mail|mail|note|message|dm|inmail|linked ?in|letter|"
    r"connection request)(?:\s+(?:instead|please|now|version|again))*",
    re.IGNORECASE,
)
_WORD_LIMIT = re.compile(r"\b(?P<words>\d{1,3})[- ]words?\b", re.IGNORECASE)
# German in "fluent in German" is something the writer can do and not what the draft is to be in.
_LANGUAGE = re.compile(
    r"(?:(?<!fluent )(?<!proficient )(?<!skills )(?<!experience )(?<!certificate )(?<!native )\b(?:in|into|auf)\s+"
    r"(?P<name>{0})(?=\W*$|[,.;!?]|\s+(?:please|instead|to|for|about|and|pls)\b)"
    r"|\b(?P<kind>{0})\s+(?:e-?mail|message|note|version|translation)\b)".format(
        "german|deutsch|french|français|spanish|español|italian|portuguese|dutch|polish|turkish|arabic|hindi|"
        "chinese|japanese|swedish|danish|norwegian|finnish|czech|russian|ukrainian|romanian|greek|hungarian|korean"
    ),
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"\b(?:linked ?in|linkdin|connection request|dms?|direct message|whatsapp|xing|inmail|\d{2,3} char\w*)\b",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"\be-?mails?\b|\bmails?\b", re.IGNORECASE)
_TONES: Final[tuple[tuple[Tone, re.Pattern[str]], ...]] = (
    ("friendly", re.compile((
        r"\b(?:less formal|not (?:so|too) formal|informal|friendl\w+|casual\w*|warm\w*|"
        r"relaxed)\b"
    ), re.IGNORECASE)),
    ("formal", re.compile((
        r"(?<!not the )\b(?:formal\w*|polite\w*|professional\w*|respectful\w*|"
        r"classy)\b"
    ), re.IGNORECASE)),
    ("short", re.compile(r"\b(?:short\w*|brief\w*|concise|two[- ]lines?|punchy|quick)\b", re.IGNORECASE)),
)  # fmt: skip
_PURPOSES: Final[tuple[tuple[Purpose, re.Pattern[str]], ...]] = (
    ("decline", re.compile((
        r"\b(?:declin\w+|turn(?:ing)?\b.{0,30}\bdown|not interested|say(?:ing)? no|tell(?:ing)?\b.{0,40}\bno\b(?! one)|"
        r"reject(?:ing)? (?:the|their|this|that|an?) offer|without burning)\b"
    ), re.IGNORECASE)),
    ("referral", re.compile(r"\b(?:referrals?|refer me|recommend me)\b", re.IGNORECASE)),
    ("second", re.compile((
        r"\b(?:never answered|no (?:answer|reply)|\ba second (?:one|message|mail|try)|wrote (?:to )?(?:her|him|"
        r"them))\b"
    ), re.IGNORECASE)),
    ("reply", re.compile((
        r"\b(?:messaged me|wrote to me|contacted me|reached out to me|repl(?:y|ying)|"
        r"e-?mailed me)\b"
    ), re.IGNORECASE)),
    ("chat", re.compile((
        r"\b(?:chat|coffee|informational|inside view|advice|\d+[- ]minutes?|pick (?:her|his|"
        r"their) brain)\b"
    ), re.IGNORECASE)),
    ("speculative", re.compile((
        r"\b(?:speculative\w*|no (?:posting|advert|vacancy|openings?|open positions?)|"
        r"any openings)\b"
    ), re.IGNORECASE)),
)  # fmt: skip
_REFINES = re.compile(
    r"^\W*(?:(?:ok|great|thanks|and|please|now|but|nice)\W+)*(?:can (?:it|you make it)|could (?:it|you make it)|"
    r"make it|make that|"
    r"shorter|longer|less|more|as an?|in a|not so|too|put|how would i say|what would the subject|the subject|"
    r"another|again|translate|max\w*|at most|under|no more than|not more than|up to|"
    r"rewrite|turn (?:it|that)|friendl|formal|shorten|too long|trim|cut (?:it|that)|half|e-?mail version)\b",
    re.IGNORECASE,
)


def read_outreach(message: str, history: Sequence[PastMessage]) -> tuple[Outreach, Job | None]:
    """What is to be written, and the posting on the table that is meant. A request that only changes an earlier
    one ("shorter please") keeps the rest of that.
    """
    read, job = _with_job(message, history)
    if read.purpose == "decline" and _declines_offer(message, history):
        read = replace(read, purpose="offer_no")
    if not _only_changes(message, read):
        return read, job
    moved = read.company is not None
    for past, before in _earlier(history):
        earlier, meant = _with_job(past, before)
        if earlier.purpose == "decline" and _declines_offer(past, before):
            earlier = replace(earlier, purpose="offer_no")
        # A draft moved to another company keeps its form, not the post and the person of the first.
        read = _filled(read, Outreach(channel=earlier.channel, tone=earlier.tone) if moved else earlier)
        job = job or (None if moved else meant)
        if not _only_changes(past, earlier):
            break
        moved = moved or earlier.company is not None
    return read, job


def changes_draft(message: str, history: Sequence[PastMessage]) -> bool:
    """Whether the message only changes the draft before it."""
    return bool(_earlier(history)) and _only_changes(message, _read(message))


def names_addressee(message: str, history: Sequence[PastMessage]) -> bool:
    """Whether the message says to whom: a person, a company or a posting."""
    read, job = _with_job(message, history)
    return job is not None or read.company is not None or read.person is not None


def _declines_offer(message: str, history: Sequence[PastMessage]) -> bool:
    """Whether it is an offer of a job that is turned down, and not a recruiter's message."""
    if _OF_AN_OFFER.search(message):
        return True
    if _OF_A_MESSAGE.search(message):
        return False
    said = [past.content for past in history if past.role == "user"][-_LOOK_BACK:]
    return _TOLD.search(message) is not None or any(map(_OF_AN_OFFER.search, said))


def _only_changes(message: str, read: Outreach) -> bool:
    bare = read.company is None and read.role is None and read.person is None
    return _REFINES.match(message) is not None or (bare and len(message.split()) <= 4)


def _with_job(message: str, history: Sequence[PastMessage]) -> tuple[Outreach, Job | None]:
    read, job = _read(message), job_meant(message, history)
    if job is None:
        return read, None
    if _elsewhere(read, job):
        theirs = next((shown for shown in shown_jobs(history) if not _elsewhere(read, shown)), None)
        if theirs is None:
            return replace(read, passed_over=job.company), None
        job, read = theirs, replace(read, passed_over=job.company)
    return replace(read, company=job.company, role=job.title, purpose=read.purpose or "role"), job


def _elsewhere(read: Outreach, job: Job) -> bool:
    """Whether the message names a company that is not the posting's."""
    named, theirs = (read.company or "").casefold(), job.company.casefold()
    if named in (read.role or "").casefold() or named in job.title.casefold():
        return False
    return named not in theirs and theirs not in named


def _read(message: str) -> Outreach:
    person, honour, company = addressee_of(message)
    role, advertised = role_of(message)
    purpose = next((name for name, pattern in _PURPOSES if pattern.search(message)), None)
    limit, language = _WORD_LIMIT.search(message), _LANGUAGE.search(message)
    return Outreach(
        company=company,
        role=role,
        person=f"{honour} {person}" if honour and person else person,
        channel="note" if _NOTE.search(message) else "email" if _EMAIL.search(message) else None,
        tone=next((name for name, pattern in _TONES if pattern.search(message)), None),
        purpose=purpose or ("role" if advertised else None),
        max_words=int(limit["words"]) if limit else None,
        language=(language["name"] or language["kind"]).capitalize() if language else None,
    )


def addressee_of(message: str) -> tuple[str | None, str | None, str | None]:
    """Person, form of address and company. One name alone is a company unless something makes it a person."""
    lower = _COMPANY_LOWER.search(message)
    company = next((m["company"] for m in _COMPANY.finditer(message) if _is_name(m["company"])), None)
    told = _TOLD.search(message)
    if company is None and told and _is_name(told["company"]):
        company = re.sub(r"['’]s?$", "", told["company"])
    company = company or (lower["company"].capitalize() if lower and lower["company"].islower() else None)
    named = _NAMED.search(message)
    if named and _is_name(named["who"]) and named["who"] != company:
        return named["who"], None, company
    for match in _TO.finditer(message):
        who = match["who"]
        if not _is_name(who) or who == company:
            continue
        if match["honour"] or (company and not _SUFFIX.search(who)):
            return who, match["honour"], company
        return None, None, company or who
    return None, None, company


def role_of(message: str) -> tuple[str | None, bool]:
    """A title, and whether the message speaks of a post of that title."""
    for pattern in (_ROLE, _ROLE_AS):
        for match in pattern.finditer(message):
            if _A_CHANNEL.fullmatch(match["role"]):
                continue
            words = match["role"].split()
            while words and words[0].casefold() in _NOT_A_ROLE:
                words = words[1:]
            if words and len(" ".join(words)) >= 2 and _NOT_IN_A_ROLE.isdisjoint(map(str.casefold, words)):
                return " ".join(words), pattern is _ROLE
    return None, False


def _is_name(text: str) -> bool:
    return text.split(maxsplit=1)[0].casefold() not in _NOT_A_NAME and gazetteer().find(text) is None


def _earlier(history: Sequence[PastMessage]) -> list[tuple[str, Sequence[PastMessage]]]:
    """The requests for drafts so far, newest first, each with what lay before it."""
    asked = []
    for place, past in enumerate(history):
        answer = history[place + 1] if place + 1 < len(history) else None
        drafted = answer is not None and answer.role == "assistant" and answer.agent == "cold_email"
        said = without_command(past.content)
        if past.role == "user" and (past.intent == "cold_email" or drafted) and not is_aside(said, history[:place]):
            asked.append((without_sending(said), history[:place]))
    return asked[::-1]


def _filled(read: Outreach, earlier: Outreach) -> Outreach:
    """``read``, with what it leaves open taken from ``earlier``."""
    gaps = {f.name: getattr(earlier, f.name) for f in fields(read) if getattr(read, f.name) is None}
    return replace(read, **gaps)
