"""Finds contact and private data in the lines of a CV, takes it out, and notes which kinds there were. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from signalbox.memory.resume.dates import find_stretch
from signalbox.memory.resume.lines import Line, heading_of, section_named
from signalbox.memory.resume.model import ContactKind
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer

_EMAIL: Final = re.compile(
    r"(?:mailto:)?[\w.+%'-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.IGNORECASE
)
_LINK: Final = re.compile(
    r"(?:https?://|www\.)[^\s|,;)\]>]+|(?<![\w@.])(?:[\w-]+\.)*(?:linkedin\.com|github\.com|github\.io|gitlab\.com|"
    r"xing\.com|behance\.net|dribbble\.com|medium\.com|stackoverflow\.com|twitter\.com|x\.com|facebook\.com|"
    r"instagram\.com)(?:/[^\s|,;)\]>]*)?",
    re.IGNORECASE,
)
# Digits with what may stand between them; how many there must be is counted.
_PHONE: Final = re.compile(r"(?<![\w.,/€$£])(?:\+|00|\()?\d[\d\s().\-–/]{5,22}\d(?![\w%])")
_LEAST_DIGITS: Final = 7
_MOST_DIGITS: Final = 15
# As many without any sign or blank are rather an amount, unless there are this many.
_BARE_DIGITS: Final = 10
_CONTACT_LABEL: Final = re.compile(
    r"(?<!\w)(?:e-?mail|mail|phone|tel(?:ephone|efon|éfono)?|mobile?|mob|cell|handy|fax|linked-?in|github|gitlab|web(?:site)?|"
    r"url|portfolio|skype|whatsapp|contact|address|adresse|anschrift|direcci[óo]n|indirizzo)\s*[:.#]*\s*(?=$|[|,;•·()])",
    re.IGNORECASE,
)
_PRIVATE: Final = re.compile(
    r"^\W*(?:date (?:and place )?of birth|place of birth|birth ?(?:date|day|place)|born(?: on| in)?|d\.?o\.?b\.?|age|"
    r"nationality|citizenship|marital status|family status|civil status|religion|gender|sex|children|"
    r"passport(?: no\w*)?|"
    r"id number|national insurance(?: number)?|social security(?: number)?|ssn|father'?s name|mother'?s name|"
    r"geburts(?:datum|ort|tag)|geboren(?: am)?|staatsangehörigkeit|familienstand|konfession|"
    r"fecha de nacimiento|nacionalidad|estado civil|date de naissance|nationalité|data di nascita|nazionalità|"
    r"geboortedatum|nationaliteit)\b\s*(?:[:\-–]|\d|\b(?:in|on|am)\b)",
    re.IGNORECASE,
)
_AGE: Final = re.compile(r"\b\d{2}[- ]years?[- ]old\b", re.IGNORECASE)
_PHOTO: Final = re.compile(r"^\W*(?:photo|foto|photograph|picture|passport photo)\W*$", re.IGNORECASE)
_KINDS_OF_STREET: Final = (
    r"street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|close|way|place|pl|square|sq|terrace|"
    r"crescent|gardens|row|grove|parkway|pkwy|highway|hwy"
)
_STREET: Final = re.compile(
    rf"(?:(?:flat|apt\.?|apartment|unit|suite)\s*#?\w{{1,5}},?\s+)?\b\d{{1,5}}[a-z]?,?\s+"
    rf"(?:[^\W\d][\w'.-]*\s+){{1,4}}?(?:{_KINDS_OF_STREET})\b\.?(?:,?\s*(?:flat|apt\.?|apartment|unit|suite|#)\s*#?\w{{1,5}})?"
    r"|\b[^\W\d][\w.-]{0,40}(?:straße|strasse|str\.|weg|platz|allee|gasse|laan|straat|gatan|vej)\s*\d{1,4}\s?[a-z]?\b"
    r"|\b(?:calle|rue|via|rua|avenida|c/)\s+(?:[^\W\d][\w'.-]*\s+){0,4}[^\W\d][\w'.-]*,?\s*(?:n[º°o.]*\s*)?\d{1,4}\b"
    r"|\b\d{1,4}(?:\s?(?:bis|ter))?,?\s+rue\s+(?:[^\W\d][\w'.-]*\s*){1,5}"
    r"|\bp\.?\s?o\.?\s+box\s+\d+",
    re.IGNORECASE,
)
_POSTCODE: Final = re.compile(
    r"\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|(?<=[A-Z]{2})\s+\d{5}(?:-\d{4})?\b|\b\d{5}(?=\s+[A-ZÀ-Ý][a-zß-ÿ])|"
    r"\b(?:[A-Z]-)?\d{4,5}(?=\s+[A-ZÀ-Ý][a-zß-ÿ]+\s*$)"
)
_NAME_LABEL: Final = re.compile(r"^\s*(?:full |first |last )?name\s*[:–-]\s*(?P<name>.+)$", re.IGNORECASE)
_AFTER_NAME: Final = re.compile(r"\s*\|\s*|(?<=\w),\s|\s[-–—•·]\s|\s{2,}")
_NAME_WORD: Final = re.compile(r"(?:[^\W\d_][\w'’.-]*|[A-Z]\.)")
_TITLE_OF_PAGE: Final = re.compile(
    r"^\W*(?:(?:curriculum vitae|lebenslauf|curriculum|c\.?v\.?|r[ée]sum[ée]|europass)\W*)+(?:of\b|von\b|–|-|:)?\s*",
    re.IGNORECASE,
)
_NO_NAME: Final = words_in(
    """engineer developer manager analyst designer nurse teacher assistant consultant director architect scientist
    driver officer senior junior lead head chief specialist technician accountant student graduate intern administrator
    coordinator executive representative supervisor representative the and for with of in at my i am a an
    software data product project marketing sales business customer service hello hi please review cv resume here is
    dear check page contact details team ltd inc gmbh university college school"""
)
_PARTICLES: Final = words_in("de da di del della van von der den la le el bin ibn al du dos")
_ODD_EMAIL: Final = re.compile(
    r"(?:sexy|hot|cute|babe|baby|princess|queen|king|angel|devil|killer|gamer|ninja|rockstar|party|crazy|lover|"
    r"bunny|dragon|wolf|kitty|sweet|420|666|xxx|69)",
    re.IGNORECASE,
)
_NAME_IN_HEAD: Final = 6
_EDGES: Final = " |,;:•·-–—/()<>\t"


@dataclass(frozen=True, slots=True)
class Cleaned:
    lines: list[Line]
    contact: tuple[ContactKind, ...]
    name: str = ""


def without_contact(lines: Sequence[Line]) -> Cleaned:
    """``lines`` without e-mail addresses, phone numbers, links, streets, private data and the writer's name."""
    seen: dict[ContactKind, None] = {}
    head = next((number for number, line in enumerate(lines) if _begins_section(line)), len(lines))
    name, lines = _name_of(lines, head)
    kept: list[Line] = []
    if name:
        seen["name"] = None
    for number, line in enumerate(lines):
        if _PRIVATE.match(line.text):
            seen["private"] = None
        elif _PHOTO.match(line.text):
            seen["photo"] = None
        else:
            text = redacted(line.text, seen, in_head=number < max(head, _NAME_IN_HEAD), name=name)
            if text:
                kept.append(line if text == line.text else replace(line, text=text))
    return Cleaned(kept, tuple(seen), name)


def redacted(text: str, seen: dict[ContactKind, None], *, in_head: bool = False, name: str = "") -> str:
    """``text`` without contact data; which kinds there were is added to ``seen``."""
    before = text
    for match in _EMAIL.finditer(text):
        seen["email"] = None
        if _ODD_EMAIL.search(match.group().partition("@")[0]):
            seen["odd_email"] = None
    text = _EMAIL.sub(" ", text)
    text = _note(_LINK, text, "link", seen)
    text = _PHONE.sub(lambda match: _phone(match, seen), text)
    text = _note(_AGE, text, "private", seen)
    if in_head or _STREET.match(text.strip(_EDGES)):
        text = _note(_STREET, text, "street", seen)
        text = _POSTCODE.sub(" ", text)
    if name:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    if text == before:
        return text
    return _tidied(text)


def _tidied(text: str) -> str:
    """What is left when something was taken out: no empty brackets, labels or separators."""
    text = _CONTACT_LABEL.sub(" ", text)
    text = re.sub(r"\(\s*\)|\[\s*\]|<\s*>", " ", text)
    text = re.sub(r"(?:\s*[|•·;,]\s*){2,}", " | ", text)
    text = " ".join(text.split()).strip(_EDGES) if not text.rstrip().endswith(".") else " ".join(text.split())
    return text if re.search(r"\w", text) else ""


def _note(pattern: re.Pattern[str], text: str, kind: ContactKind, seen: dict[ContactKind, None]) -> str:
    if pattern.search(text) is None:
        return text
    seen[kind] = None
    return pattern.sub(" ", text)


def _phone(match: re.Match[str], seen: dict[ContactKind, None]) -> str:
    digits = sum(char.isdigit() for char in match.group())
    if not _LEAST_DIGITS <= digits <= _MOST_DIGITS or find_stretch(match.group()):
        return match.group()
    if re.fullmatch(r"(?:19|20)\d\d.*(?:19|20)\d\d", match.group().strip()):
        return match.group()
    if re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-]\d{4}", match.group().strip()):
        return match.group()
    if re.fullmatch(r"\d{1,3}(?:[,.\s]\d{3})+", match.group().strip()) and not match.group().startswith("0"):
        return match.group()  # an amount: 1 200 000
    if match.group().isdigit() and not match.group().startswith("0") and digits < _BARE_DIGITS:
        return match.group()
    seen["phone"] = None
    return " "


def _begins_section(line: Line) -> bool:
    heading = heading_of(line)
    return heading is not None and (heading.section != "other" or line.level < 1)


def _name_of(lines: Sequence[Line], head: int) -> tuple[str, list[Line]]:
    """The writer's name where the CV opens with it, and the lines without it."""
    rest = list(lines)
    for number, line in enumerate(lines[: max(head, 1)][:_NAME_IN_HEAD]):
        label = _NAME_LABEL.match(line.text)
        text = label["name"] if label else _TITLE_OF_PAGE.sub("", line.text)
        first = _AFTER_NAME.split(text, maxsplit=1)[0].strip()
        if _is_name(first):
            left = text.replace(first, "", 1).strip(_EDGES)
            rest[number : number + 1] = [replace(line, text=left, level=-1)] if left else []
            return _spelled(first), rest
        if not text.strip():
            continue
        if not _EMAIL.search(text) and not _PHONE.search(text):
            break
    return "", rest


def _is_name(text: str) -> bool:
    words = text.split()
    if not 2 <= len(words) <= 5 or len(text) > 50 or section_named(text) or gazetteer().find(text):
        return False
    if not all(_NAME_WORD.fullmatch(word.rstrip(",")) for word in words):
        return False
    if any(word.casefold().strip(".,") in _NO_NAME for word in words):
        return False
    return all(word[0].isupper() or word in _PARTICLES for word in words)


def _spelled(name: str) -> str:
    return " ".join(word.capitalize() if len(word) > 2 else word for word in name.split()) if name.isupper() else name
