"""Finds what reaches or identifies a person in any text (e-mail, phone, account and ID numbers, streets), and takes it
out: for prompts and logs. Pure.

What a number is follows from its own rules (numbering plans, check digits) or the word before it; a number that is
only long is left alone: pay, years, ids of postings and versions are what this product talks about.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from phonenumbers import Leniency, PhoneNumberMatch, PhoneNumberMatcher

ContactKind = Literal["email", "phone", "card", "account", "id", "street"]

SHOWN: Final[dict[ContactKind, str]] = {
    "email": "[e-mail address]",
    "phone": "[phone number]",
    "card": "[card number]",
    "account": "[account number]",
    "id": "[ID number]",
    "street": "[street address]",
}
# Whose national spelling is looked for; a number with + and a country code is found wherever it is from.
_REGIONS: Final = ("GB", "US", "DE", "FR", "ES", "IN")
# Longer texts are looked through in parts, so that the time grows with the length alone. They overlap by more than
# anything looked for is long; each part has what begins in it, away from its edges.
_PART: Final = 20_000
_EDGE: Final = 500
_SPLIT: Final = 100
_TRIES: Final = 200
_AT: Final = r"(?:@|\s?(?:\(at\)|\[at\]|\{at\}|<at>)\s?)"
_DOT: Final = r"(?:\.|\s?(?:\(dot\)|\[dot\]|\{dot\}|<dot>)\s?)"
_EMAIL: Final = re.compile(
    rf"(?<![\w.+-])[\w.+%'-]{{1,64}}{_AT}[\w-]{{1,63}}(?:{_DOT}[\w-]{{1,63}}){{0,3}}{_DOT}[^\W\d_]{{2,24}}(?![\w@])",
    re.IGNORECASE,
)
# Spelled out, as people do who know that programs read along. "At example.com" alone is where one works.
_SPELLED: Final = re.compile(
    rf"(?<![\w.+-])[\w+%'-]{{1,32}}(?:(?:\.| dot )[\w+%'-]{{1,32}}){{0,3}}(?:{_AT}| at )(?!(?:the|an?) )[\w-]{{1,63}}"
    r"(?:(?:\.| dot )[\w-]{1,63}){0,2} dot "
    r"(?:com|org|net|edu|gov|info|io|dev|ai|me|eu|uk|de|fr|es|it|nl|be|ch|at|ie|pl|se|in|us|ca|au)(?![\w@])",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE)
_CARD: Final = re.compile(
    r"(?<![\w.,-])(?:\d{13,19}|\d{4}(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{3})?|"
    r"\d{4}(?P<space>[ -])\d{6}(?P=space)\d{5})(?![\w-]|[ .,]\d)"
)
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_SSN: Final = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_NINO: Final = re.compile(
    r"(?<!\w)(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?!\w)"
)
_NAMED_ID: Final = re.compile(
    r"\b(?:passport|(?:national )?id(?:entity)?(?: card)?|national insurance|ni|social security|ssn|tax(?:payer)?|tin|"
    r"nino|driv(?:er'?s|ing) licen[cs]e|aadhaar|pan|nhs|steuer-?id|dni|nie|personal(?:ausweis)?)"
    r"(?: (?:no\.?|nr\.?|number|card|code|id)){1,2}(?: is|:|=|\s#)*\s{0,3}"
    r"(?P<id>(?=[A-Z\d -]*\d)[A-Z\d](?:[ -]?[A-Z\d]){4,17})(?!\w)",
    re.IGNORECASE,
)
# Words that need no "number" behind them: six digits or more then are one.
_DOCUMENT: Final = re.compile(
    r"\b(?:passport|ssn|social security|national insurance|nino|aadhaar|dni|nie|tin)(?: is|:|=|\s#)*\s{0,3}"
    r"(?P<id>\d{3}[ -]?\d{2}[ -]?\d{4}|\d{4} \d{4} \d{4}|[A-Z]{0,3}(?=(?:[A-Z]?\d){6})[A-Z\d]{6,14})(?!\w)",
    re.IGNORECASE,
)
_NAMED_PHONE: Final = re.compile(
    r"\b(?:phone|tel(?:ephone|efon)?|mobile|cell(?:phone)?|handy|fax|whats ?app|signal|my number|call me (?:on|at)|"
    r"(?:reach|text|ring|phone) me (?:on|at))(?: (?:no\.?|number|is|me))*\s*[:.#=]*\s*"
    r"(?P<phone>(?:\+|\()?\d(?:[\s().\-–/]{0,2}\d){6,14})(?![\w%])",
    re.IGNORECASE,
)
_STREETS: Final = (
    r"Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Close|Place|Square|Terrace|Crescent|Gardens|Row|"
    r"Grove|Parkway|Highway|Mews"
)
# A house number, names with a capital, and what streets are called: "5 years at Wall Street" is none.
_STREET: Final = re.compile(
    rf"(?<![\w.,£$€-])(?:(?:Flat|Apt\.?|Apartment|Unit|Suite) ?#?\w{{1,5}},? )?\d{{1,5}}[A-Za-z]?,? "
    rf"(?:[A-Z][\w'’.-]* ){{1,4}}(?:{_STREETS})\b"
    r"|(?<!\w)[A-ZÄÖÜ][\wäöüß.-]{1,40}(?:(?: S|s)tra(?:ß|ss)e|[Ss]tr\.|weg|platz|allee|gasse|laan|straat)"
    r" ?\d{1,4}[a-z]?(?!\w)"
    r"|(?<!\w)\d{1,4}(?: ?(?:bis|ter))?,? rue (?:(?:de|du|des|la|le|les|d'|l')? ?)*[A-ZÀ-Ý][\w'’-]*"
    r"(?: [A-ZÀ-Ý][\w'’-]*){0,3}"
    r"|(?<!\w)P\.? ?O\.? Box \d+",
)
# Behind a street only: alone, it may be how a place is searched for.
_POSTCODE: Final = re.compile(
    r",?\s{1,2}(?:[A-Z][\w'’-]*,? ){0,3}(?P<code>[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]{2} \d{5}(?:-\d{4})?)(?!\w)"
)
# What a run of digits is when such a word stands before it, whatever a numbering plan says.
_NO_PHONE_BEFORE: Final = re.compile(
    r"(?:[£$€₹¥]|\b(?:usd|eur|gbp|inr|chf|rs\.?|salary|pay(?:s|ing)?|earn(?:s|ing)?|budget|job|posting|vacancy|ref(?:erence)?|"
    r"req(?:uisition)?|id|isbn|issn|ticket|order|invoice|version|v|port|year|years|from|between))"
    r"(?: (?:id|no\.?|number|code|of|is))*\s*[:#=]?\s*$",
    re.IGNORECASE,
)
_NO_PHONE_AFTER: Final = re.compile(
    r"\s*(?:%|[£$€₹¥]|(?:k|m|eur|usd|gbp|inr|chf|euros?|dollars?|pounds?|employees|people)\b)", re.IGNORECASE
)
_DATES: Final = re.compile(
    r"(?:19|20)\d\d\D{0,3}(?:\d\d\D)?(?:\D{0,3})(?:19|20)\d\d|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:\D.*)?|"
    r"(?:\d{1,3}[.,' ])+\d{3}"
)
_DOTTED: Final = re.compile(r"\d{1,3}(?:\.\d{1,5}){2,}")
# What may stand between the digits of one phone number, of which none is shorter than seven digits.
_GAP: Final = r"[-x‐-―−ー－-／\s\u00ad\u200b\u2060()（）［］.\[\]/~⁓∼～]{0,4}"
_DIGITS: Final = re.compile(rf"[+＋(（\[［]{{0,2}}{_GAP}\d(?:{_GAP}[+＋]?\d)*")
_SHORTEST: Final = 7
_BLOCK: Final = re.compile(r"[(（]?\d+")
# How far around digits a number's brackets, extension and the letters beside it reach.
_AROUND: Final = 30


@dataclass(frozen=True, slots=True)
class ContactData:
    """``text[start:end]`` is of that kind."""

    kind: ContactKind
    start: int
    end: int


def find_contact_data(text: str) -> tuple[ContactData, ...]:
    """What was found, in order and without overlaps."""
    plain = _plain(text)
    found: list[ContactData] = []
    begin = 0
    while True:
        part = plain[begin : begin + _PART]
        last = begin + _PART >= len(plain)
        since = begin + _EDGE if begin else 0
        until = len(plain) if last else begin + _PART - _EDGE
        for each in _of_part(part):
            start, end = begin + each.start, begin + each.end
            if since <= start < until and (not found or found[-1].end <= start):
                found.append(ContactData(each.kind, start, end))
        if last:
            return tuple(found)
        begin += _PART - 2 * _EDGE


def _of_part(text: str) -> list[ContactData]:
    taken: list[ContactData] = []
    for found in _all(text):
        if not any(found.start < other.end and other.start < found.end for other in taken):
            taken.append(found)
    return sorted(taken, key=lambda each: each.start)


def _plain(text: str) -> str:
    """The same length, in the letters that the rules know: no width or form of a character hides it."""
    if text.isascii():
        return text
    return "".join(char if char.isascii() else _narrow(char) for char in text)


@lru_cache(maxsize=4_096)
def _narrow(char: str) -> str:
    told = unicodedata.normalize("NFKC", char)
    return told if len(told) == 1 else char


def without_contact_data(text: str) -> str:
    """``text`` with a word in brackets in place of each piece of contact data."""
    parts: list[str] = []
    at = 0
    for found in find_contact_data(text):
        parts += [text[at : found.start], SHOWN[found.kind]]
        at = found.end
    return "".join([*parts, text[at:]])


def ends_without_contact_data(text: str, head: int, tail: int) -> tuple[str, str]:
    """``head`` characters of the beginning and ``tail`` of the end of a longer text, without contact data. It is looked
    for a little beyond the cuts, and not in between: a long text takes no longer than a short one.
    """
    begin = without_contact_data(text[: head + _EDGE])
    end = without_contact_data(text[-tail - _EDGE :])
    # What the outer cut may have parted is left out, however much shorter the rest has become.
    return begin[: min(head, len(begin) - _SPLIT)], end[max(len(end) - tail, _SPLIT) :]


def _all(text: str) -> Iterator[ContactData]:
    """In order of certainty: of two that overlap the first one counts."""
    if "@" in text or "at" in text.lower():
        yield from (ContactData("email", *match.span()) for match in _EMAIL.finditer(text))
        if " dot " in text.lower():
            yield from (ContactData("email", *match.span()) for match in _SPELLED.finditer(text))
    links = [match.span() for match in _LINK.finditer(text)]
    if not any(char.isdigit() for char in text):
        return
    for found in _numbers(text):
        if not any(start <= found.start < end for start, end in links):
            yield found
    for match in _STREET.finditer(text):
        code = _POSTCODE.match(text, match.end())
        yield ContactData("street", match.start(), code.end() if code else match.end())


def _numbers(text: str) -> Iterator[ContactData]:
    for match in _IBAN.finditer(text):
        if _is_iban(match.group()):
            yield ContactData("account", *match.span())
    for match in _NAMED_ID.finditer(text):
        yield ContactData("id", *match.span("id"))
    for match in _DOCUMENT.finditer(text):
        yield ContactData("id", *match.span("id"))
    for pattern in (_SSN, _NINO):
        yield from (ContactData("id", *match.span()) for match in pattern.finditer(text))
    for match in _CARD.finditer(text):
        if _is_card(match.group()):
            yield ContactData("card", *match.span())
    yield from (ContactData("phone", *match.span("phone")) for match in _NAMED_PHONE.finditer(text))
    yield from _phones(text)


def _phones(text: str) -> Iterator[ContactData]:
    """Matching numbering plans is dear: it is done only where digits stand that could be a number."""
    for start, end in _windows(text):
        part = text[start:end]
        if "+" in part or "＋" in part:
            for match in PhoneNumberMatcher(part, None, leniency=Leniency.POSSIBLE, max_tries=_TRIES):
                if not _NO_PHONE_AFTER.match(text, start + match.end):
                    yield _phone(match, start)
        for region in _REGIONS:
            for match in PhoneNumberMatcher(part, region, leniency=Leniency.STRICT_GROUPING, max_tries=_TRIES):
                if _is_dialled(match.raw_string, text, start + match.start, start + match.end):
                    yield _phone(match, start)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Where digits could be a phone number, with what stands around them; in order, none overlaps another."""
    begin, end = 0, -1
    for run in _DIGITS.finditer(text):
        if not _may_be_dialled(run.group()):
            continue
        if run.start() - _AROUND > end:
            if end >= 0:
                yield begin, end
            begin = _edge(text, max(0, run.start() - _AROUND), 1)
        end = _edge(text, min(len(text), run.end() + _AROUND), -1)
    if end >= 0:
        yield begin, end


def _edge(text: str, at: int, step: int) -> int:
    """The next place that is not inside a word: half a number may be another one."""
    while 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum():
        at += step
    return at


def _may_be_dialled(run: str) -> bool:
    """Whether ``_is_dialled`` could hold for any part of the run, or it has a + and need not."""
    digits = sum(char.isdigit() for char in run)
    if digits < _SHORTEST:
        return False
    if "+" in run or "＋" in run:
        return True
    blocks = _BLOCK.findall(run)
    if len(blocks) >= 3 and digits >= 10:
        return True
    for block in blocks:
        if digits < _SHORTEST:
            return False
        if block[0] in "0(（":
            return True
        digits -= len(block)
    return False


def _phone(match: PhoneNumberMatch, offset: int) -> ContactData:
    """Without a bracket that was opened before it."""
    opened = match.raw_string.startswith("(") and ")" not in match.raw_string
    return ContactData("phone", offset + match.start + opened, offset + match.end)


def _is_dialled(raw: str, text: str, start: int, end: int) -> bool:
    """Whether digits that fit a national numbering plan are written as one dials, not as one counts."""
    if _NO_PHONE_BEFORE.search(text[max(0, start - 30) : start]) or _NO_PHONE_AFTER.match(text, end):
        return False
    if _DATES.fullmatch(raw.strip()) or _DOTTED.fullmatch(raw.strip()):
        return False
    if text[start - 1 : start] in {"-", "/", "_", "#", "="}:
        return False  # a part of an id
    parts = re.findall(r"\d+", raw)
    return raw.startswith(("0", "(")) or (len(parts) >= 3 and len("".join(parts)) >= 10)


def _is_card(digits: str) -> bool:
    """By the check digit of ISO/IEC 7812 and the first digit of what is in use."""
    figures = [int(char) for char in digits if char.isdigit()]
    if figures[0] not in {3, 4, 5, 6} or len(set(figures)) < 2:
        return False
    doubled = [
        figure if place % 2 == 0 else sum(divmod(2 * figure, 10)) for place, figure in enumerate(reversed(figures))
    ]
    return sum(doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """By the check digits of ISO 13616."""
    code = text.replace(" ", "")
    if not 15 <= len(code) <= 34:
        return False
    return int("".join(str(int(char, 36)) for char in code[4:] + code[:4])) % 97 == 1
