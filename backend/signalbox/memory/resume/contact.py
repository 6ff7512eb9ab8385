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

_AT: Final = r"(?:@|\(at\)|\[at\]|\{at\}|<at>)"
_DOT: Final = r"(?:\(dot\)|\[dot\]|\{dot\}|<dot>|\(punkt\))"
_EMAIL: Final = re.compile(
    rf"(?:mailto:)?[\w.+%'-]{{1,64}}(?:\s?{_DOT}\s?[\w+%'-]{{1,64}}){{0,3}}\s?{_AT}\s?[\w-]{{1,63}}"
    rf"(?:(?:\.|\s?{_DOT}\s?)[\w-]{{1,63}}){{1,4}}"
    r"|\b(?-i:[a-z\d._+-]{1,64} at [a-z\d-]{1,63}(?: dot [a-z\d-]{2,63}){1,3})\b",
    re.IGNORECASE,
)
_LINK: Final = re.compile(
    r"(?:https?://|www\.)[^\s|,;)\]>]+|(?<![\w@.])(?:[\w-]{1,63}\.){0,4}(?:linkedin\.com|github\.com|github\.io|gitlab\.com|"
    r"xing\.com|behance\.net|dribbble\.com|medium\.com|stackoverflow\.com|twitter\.com|x\.com|facebook\.com|"
    r"instagram\.com|bitbucket\.org|kaggle\.com|huggingface\.co|codepen\.io|bsky\.app|linktr\.ee|about\.me|orcid\.org|"
    r"researchgate\.net|calendly\.com|notion\.site|tiktok\.com|youtube\.com|youtu\.be)(?:/[^\s|,;)\]>]*)?"
    r"|(?<![\w@.])(?:t|wa|m|telegram|signal)\.me/[^\s|,;)\]>]+"
    # A page of a site; "ASP.net/C#" and "Node.js/React" are none.
    r"|(?<![\w@.])(?!asp\.|ado\.|vb\.)(?:[\w-]{1,63}\.){1,4}(?:com|org|net|io|dev|me|de|at|ch|fr|it|es|nl|uk|eu|co|ai|app)"
    r"/[^\s|,;)\]>]{2,}",
    re.IGNORECASE,
)
_ENDS_PIECE: Final = r"(?=\s*(?:$|[|•·,;()]))"
_BEGINS_PIECE: Final = r"(?:^|(?<=[|•·,;]))\s*"
_MESSENGER: Final = re.compile(
    r"(?<!\w)(?:skype|telegram|discord|wechat|whats ?app|threema|viber|icq)(?: ?(?:id|name|user(?:name)?|handle))?"
    rf"\s*[:@]\s*@?[\w.:#+-]{{2,40}}{_ENDS_PIECE}",
    re.IGNORECASE,
)
_HANDLE: Final = re.compile(
    rf"{_BEGINS_PIECE}(?:(?:github|gitlab|linked-?in|xing|twitter|x|instagram|mastodon|bluesky|facebook|medium|kaggle|signal|"
    rf"web(?:site)?|blog|homepage|portfolio|url)\s*:\s*@?[\w./@-]{{2,60}}|@[\w.-]{{2,30}}(?:@[\w.-]{{3,60}})?){_ENDS_PIECE}",
    re.IGNORECASE,
)
# Alone between separators. With a capital it may be an employer: "Booking.com"; between commas, a tool.
_SITE: Final = r"(?:[a-z0-9-]{1,63}\.){1,3}[a-z]{2,12}"
_DOMAIN: Final = re.compile(rf"(?:^|(?<=[|•·]))\s*{_SITE}(?=\s*(?:$|[|•·]))")
_DOMAIN_AMONG_CONTACT: Final = re.compile(rf"{_BEGINS_PIECE}{_SITE}{_ENDS_PIECE}")
_NO_DOMAIN: Final = re.compile(r"\.(?:js|ts|py|md|txt|csv|pdf|docx?|sql|sh)$|^(?:(?:asp|ado|vb)\.net|socket\.io)$")
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
_AGE: Final = re.compile(
    r"\b\d{2}[- ]years?[- ]old\b|\b\d{2} jahre alt\b|\bâgée? de \d{2} ans\b|\b\d{2} años de edad\b", re.IGNORECASE
)
_DAY: Final = (
    r"(?:\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?(?:\d{4}|\d{2})\b|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|"
    r"\d{1,2}(?:st|nd|rd|th|er|º)?\.?\s+(?:de\s+|of\s+)?[^\W\d_]{3,10}\.?,?\s+(?:de\s+)?(?:19|20)\d\d\b|"
    r"[^\W\d_]{3,10}\.?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?(?:19|20)\d\d\b|(?:19|20)\d\d\b)"
)
_BORN: Final = (
    r"(?:date (?:and place )?of birth|birth ?(?:date|day)|d\.?o\.?b\.?|born|geburts(?:datum|tag)|geb\.|geboren|"
    r"n[ée]e?(?:\(e\))?\s+(?:le|en)|date de naissance|nacid[oa](?:\(a\))?|fecha de nacimiento|nat[oa]\s+(?:il|nel)|"
    r"data di nascita|geboortedatum)"
)
_ON: Final = r"(?:\s*[:,–-]\s*|\s+(?:on|in|am|le|el|il|op|the)\s+(?:the\s+)?|\s+)"
_BIRTH: Final = re.compile(
    rf"(?P<said>\b(?:was|am|wurde|bin|suis|fui)\s+(?:born|geboren|n[ée]e?|nacid[oa]))(?:\s+(?:in|at|à|en)\s+[^\W\d_][\w'-]+)?"
    rf"{_ON}{_DAY}"
    rf"|(?<!\w){_BORN}{_ON}{_DAY}"
    r"(?:\s{0,2}[,(]?\s{0,2}(?:in|at|à|en|a|te)\s+[^\W\d_][\w'-]+(?:[ /-](?-i:[A-ZÀ-Ý])[\w'-]+)?\)?)?"
    r"(?:,\s*(?:ledig|verheiratet|geschieden|verwitwet|single|unmarried|married|divorced|célibataire|mariée?))?"
    r"|(?<![\w*])\*\s?\d{1,2}\.\s?\d{1,2}\.\s?(?:19|20)\d\d\b(?:,?\s+in\s+[^\W\d_][\w'-]+)?",
    re.IGNORECASE,
)
_PHOTO: Final = re.compile(r"^\W*(?:photo|foto|photograph|picture|passport photo)\W*$", re.IGNORECASE)
_KINDS_OF_STREET: Final = (
    r"street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|close|way|place|pl|square|sq|terrace|"
    r"crescent|gardens|row|grove|parkway|pkwy|highway|hwy"
)
_STREET: Final = re.compile(
    rf"(?:(?:flat|apt\.?|apartment|unit|suite)\s*#?\w{{1,5}},?\s+)?\b\d{{1,5}}[a-z]?,?\s+"
    rf"(?:[^\W\d][\w'.-]*\s+){{1,4}}?(?:{_KINDS_OF_STREET})\b\.?(?:,?\s*(?:flat|apt\.?|apartment|unit|suite|#)\s*#?\w{{1,5}})?"
    r"|\b[^\W\d][\w.-]{0,40}(?:straße|strasse|str\.|weg|platz|allee|gasse|laan|straat|gatan|vej)\s*\d{1,4}\s?[a-z]?\b"
    r"|\b\d{1,4}\s?[a-z]?,?\s+[^\W\d][\w.-]{0,40}(?:straße|strasse|weg|platz|allee|gasse|laan|straat|gatan|vej)\b"
    r"|\b(?:calle|rue|via|rua|avenida|c/)\s+(?:[^\W\d][\w'.-]*\s+){0,4}[^\W\d][\w'.-]*,?\s*(?:n[º°o.]*\s*)?\d{1,4}\b"
    r"|\b\d{1,4}(?:\s?(?:bis|ter))?,?\s+rue\s+(?:[^\W\d][\w'.-]*\s*){1,5}"
    r"|\bp\.?\s?o\.?\s+box\s+\d+",
    re.IGNORECASE,
)
_POSTCODE: Final = re.compile(
    r"\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|(?<=[A-Z]{2})\s+\d{5}(?:-\d{4})?\b|\b\d{5}(?=\s+[A-ZÀ-Ý][a-zß-ÿ])|"
    r"\b(?:[A-Z]-)?\d{4,5}(?=\s+[A-ZÀ-Ý][a-zß-ÿ]+\s*$)"
)
# Whatever it is called, when a postcode stands in the same line.
_HOUSE: Final = re.compile(
    rf"{_BEGINS_PIECE}\d{{1,4}}[a-z]?,?\s+[A-ZÀ-Ý][\w'.-]{{0,40}}(?:\s+[A-ZÀ-Ý][\w'.-]{{0,40}}){{0,3}}(?=,)"
    r"|[A-ZÀ-Ý][\w'.-]{0,40}(?:\s+[A-ZÀ-Ý][\w'.-]{0,40}){0,3}\s+\d{1,4}\s?[a-z]?(?=,\s*(?:[A-Z]-)?\d{4,5}\s)"
)
_STREET_NAME: Final = re.compile(
    rf"(?:\s(?:{_KINDS_OF_STREET})\.?|(?:straße|strasse|str\.|weg|platz|allee|gasse|laan|straat|gatan|vej))$"
    r"|^(?:rue|via|calle|avenida|rua|p\.?\s?o\.?\s+box)\s",
    re.IGNORECASE,
)
_PIECES: Final = re.compile(r"\s*[|•·]\s*")
_CONTACT_PARTS: Final = words_in("contact kontakt links social details personal persönliche dati datos")
_FILE_SUFFIX: Final = re.compile(r"\.[A-Za-z]{1,5}[0-9]?$")
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
    of_contact = False
    for number, line in enumerate(lines):
        if heading := heading_of(line):
            of_contact = heading.section == "other" and not _CONTACT_PARTS.isdisjoint(heading.text.casefold().split())
        text = _without_private(line.text, seen)
        text = redacted(text, seen, in_head=of_contact or number < max(head, _NAME_IN_HEAD), name=name)
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
    text = _note(_MESSENGER, text, "link", seen)
    if _BIRTH.search(text):
        seen["private"] = None
        text = _BIRTH.sub(lambda match: match["said"] or " ", text)
    text = _PHONE.sub(lambda match: _phone(match, seen), text)
    text = _note(_AGE, text, "private", seen)
    if in_head:
        text = _note(_HANDLE, text, "link", seen)
        domain = _DOMAIN if text == before else _DOMAIN_AMONG_CONTACT
        text = domain.sub(lambda match: _domain(match, seen), text)
    if in_head or _STREET.match(text.strip(_EDGES)):
        if _POSTCODE.search(text):
            text = _note(_HOUSE, text, "street", seen)
        text = _note(_STREET, text, "street", seen)
        text = _POSTCODE.sub(" ", text)
    if name:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    if text == before:
        return text
    return _tidied(text)


def town_of(place: str) -> str:
    """``place`` as far as it is a town, region or country: no street, no number of a house."""
    return ", ".join(part for each in place.split(",") if (part := _town(each.strip())))


def file_name_of(name: str) -> str:
    """The name of a file without addresses, numbers and dates of birth in it."""
    suffix = _FILE_SUFFIX.search(name)
    stem = name[: suffix.start()] if suffix else name
    spaced = stem.replace("_", " ")
    seen: dict[ContactKind, None] = {}
    left = redacted(redacted(stem, seen), seen) if redacted(stem, {}) != stem else redacted(spaced, seen)
    if not seen:
        return name
    return (left.strip(_EDGES + "_") or "CV") + (suffix.group() if suffix else "")


def _without_private(text: str, seen: dict[ContactKind, None]) -> str:
    """``text`` without the pieces that are nothing but private data or say that there is a picture."""
    pieces = _PIECES.split(text)
    kept: list[str] = []
    for piece in pieces:
        if _PRIVATE.match(piece):
            seen["private"] = None
        elif _PHOTO.match(piece):
            seen["photo"] = None
        else:
            kept.append(piece)
    return text if len(kept) == len(pieces) else " | ".join(kept)


def _town(part: str) -> str:
    if gazetteer().find(part):
        return part
    words = [word for word in part.split() if not any(char.isdigit() for char in word)]
    bare = " ".join(words)
    if bare != part and not gazetteer().find(bare) and part[:1].isdigit():
        return ""
    return "" if _STREET_NAME.search(bare) else bare


def _domain(match: re.Match[str], seen: dict[ContactKind, None]) -> str:
    if _NO_DOMAIN.search(match.group().strip()):
        return match.group()
    seen["link"] = None
    return " "


def _tidied(text: str) -> str:
    """What is left when something was taken out: no empty brackets, labels or separators."""
    text = _CONTACT_LABEL.sub(" ", " ".join(text.split()))
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
    if re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-]\d{4}|(?:19|20)\d\d[./-]\d\d[./-]\d\d", match.group().strip()):
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
