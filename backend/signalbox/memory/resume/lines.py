"""The lines of a CV before their meaning is known: which are bullets, which are headings of what section. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from signalbox.memory.resume.dates import find_stretch
from signalbox.memory.resume.model import SectionName

MAX_CHARS: Final = 120_000
MAX_LINES: Final = 3_000
_LONGEST: Final = 2_000

_WORDINGS: Final[dict[SectionName, str]] = {
    "summary": (
        "summary|profile|about|about me|about you|objective|career objective|professional summary|career summary|"
        "executive summary|personal statement|personal profile|professional profile|career profile|summary statement|"
        "summary of qualifications|overview|introduction|intro|who i am|in short|mission|key facts|profil|kurzprofil|"
        "über mich|sobre mí|perfil|perfil profesional|profilo|resumen|à propos|profiel|highlights|career highlights"
    ),
    "work": (
        "experience|work experience|work|work history|employment|employment history|professional experience|"
        "career history|career|professional background|relevant experience|job history|positions held|"
        "relevant work experience|industry experience|previous experience|experience and achievements|jobs|"
        "professional history|my experience|where i have worked|berufserfahrung|beruflicher werdegang|werdegang|"
        "praktische erfahrung|expérience|expérience professionnelle|expériences professionnelles|"
        "experiencia|experiencia profesional|experiencia laboral|esperienze|esperienza|esperienze lavorative|"
        "esperienza lavorativa|werkervaring|internships|internship experience|practical experience|"
        "work and experience|experience summary|selected experience|military experience|military service"
    ),
    "education": (
        "education|academic background|education and training|academic qualifications|qualifications|studies|"
        "academic history|educational background|education and qualifications|education and certifications|schooling|"
        "training and education|degrees|academics|bildung|ausbildung|studium|formation|formations|formación|"
        "formación académica|educación|istruzione|istruzione e formazione|formazione|opleiding|opleidingen|schule"
    ),
    "skills": (
        "skills|technical skills|key skills|core skills|skill set|skillset|skills summary|core competencies|"
        "competencies|competences|expertise|areas of expertise|technologies|tech stack|tools|tools and technologies|"
        "technical proficiencies|proficiencies|technical expertise|professional skills|hard skills|soft skills|"
        "skills and tools|skills and abilities|abilities|strengths|key strengths|it skills|computer skills|"
        "digital skills|skills and technologies|relevant skills|other skills|additional skills|software|"
        "programming languages|skills and interests|skills and expertise|core strengths|kenntnisse|fähigkeiten|"
        "edv kenntnisse|it kenntnisse|kompetenzen|compétences|competencias|habilidades|competenze|vaardigheden|"
        "tech|tech skills|stack|"
        "technical summary|technical competencies|skills and competencies|skills and languages|languages and skills"
    ),
    "languages": (
        "languages|language skills|languages spoken|spoken languages|language|sprachen|sprachkenntnisse|langues|"
        "idiomas|lingue|talen"
    ),
    "certificates": (
        "certifications|certificates|licenses|licences|licenses and certifications|certifications and licenses|"
        "licences and certificates|certifications and training|training|courses|training and certifications|"
        "professional development|professional certifications|courses and certificates|accreditations|registration|"
        "professional qualifications|professional training|tickets|zertifikate|weiterbildung|weiterbildungen|"
        "zertifizierungen|fortbildung|certificaciones|cursos|certificazioni|corsi|certificaten|cursussen"
    ),
    "projects": (
        "projects|personal projects|key projects|selected projects|side projects|academic projects|portfolio|"
        "project experience|open source|open source projects|relevant projects|projekte|projets|proyectos|progetti|"
        "university projects|notable projects|projecten"
    ),
    "volunteering": (
        "volunteering|volunteer experience|volunteer work|volunteer|community|community service|"
        "voluntary work|community involvement|ehrenamt|bénévolat|voluntariado|volontariato|voluntary experience|"
        "extracurricular activities|activities|leadership and activities|leadership|engagement"
    ),
    "awards": (
        "awards|honors|honours|awards and honors|awards and honours|achievements|accomplishments|key achievements|"
        "honors and awards|honours and awards|scholarships|auszeichnungen|prizes|distinctions|recognition"
    ),
    "publications": "publications|papers|patents|talks|publications and talks|conference talks|veröffentlichungen",
    "interests": (
        "interests|hobbies|hobbies and interests|interests and hobbies|personal interests|other interests|hobbys|"
        "interessen|centres d'intérêt|intereses|interessi|personal|outside work"
    ),
    "references": "references|referees|referenzen|references available on request|recommendations|testimonials",
    "other": (
        "contact|contact details|contact information|contact info|personal details|personal information|personal data|"
        "additional information|other|other information|miscellaneous|memberships|affiliations|"
        "professional memberships|professional affiliations|persönliche daten|kontakt|driving licence|availability|"
        "details|links|social|datos personales|dati personali|sonstiges|weitere informationen|declaration"
    ),
}
_KIND_OF: Final[dict[str, SectionName]] = {
    wording: kind for kind, wordings in _WORDINGS.items() for wording in wordings.split("|")
}
_SPACED_KINDS: Final = {wording.replace(" ", ""): kind for wording, kind in _KIND_OF.items()}
_MARK = r"[•●○◦▪▫■□◆◇►▶▸‣⁃∙·➢➤✓✔✦★☆❖]|[-–—*+o>](?=\s)|\d{1,2}[.)](?=\s)"
_BULLET: Final = re.compile(rf"^\s*(?:{_MARK})\s*")
# How word processors write bullets in a symbol font.
_SYMBOLS: Final = str.maketrans(dict.fromkeys("\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf02d", "•"))
_HASHES: Final = re.compile(r"^\s*(#{1,6})\s+")
_EMPHASIS: Final = re.compile(r"(?<![\w*_])(\*\*\*|\*\*|__|\*|_)(?=\S)(.{1,200}?)(?<=\S)\1(?![\w*_])")
_MARKDOWN_LINK: Final = re.compile(r"!?\[([^\]]{0,200})\]\([^)\s]{0,500}\)")
_RULE: Final = re.compile(r"^[\s\-=_*~.|+:]{3,}$")
_WORDS_OF_HEADING: Final = re.compile(r"[^\w'’]+")
_LEAD_IN: Final = re.compile(r"^(?P<lead>[^:\n]{3,40}):\s+(?P<rest>\S.*)$")
_TABLE_CELL: Final = re.compile(r"^\s*\|(.+)\|\s*$")
_COLUMN_GAP: Final = re.compile(r"(?<=\S)(?: {4,}|\t+ *)(?=\S)")
_SPACED_OUT: Final = re.compile(r"^(?:\S ){3,}\S$")


@dataclass(frozen=True, slots=True)
class Line:
    """``level``: 1 to 6 if it is set as a heading (or -1: as plain text, which may still be one), 0 for what is none.
    ``after_blank``: a paragraph begins here.
    """

    text: str
    level: int = -1
    bullet: bool = False
    after_blank: bool = False


def lines_of(text: str) -> list[Line]:
    """Pasted or extracted text as lines, columns set side by side one after the other."""
    rows = [part for row in _clean(text[:MAX_CHARS]).split("\n")[:MAX_LINES] for part in _bounded(row)]
    if len([row for row in rows if row.strip()]) < 4:
        rows = [part for row in rows for part in _broken_up(row)]
    found: list[Line] = []
    blank = True
    for row in _unfolded(rows):
        if _RULE.match(row):
            blank = True
            continue
        line = _line(row, after_blank=blank)
        blank = line is None
        if line is not None:
            found.append(line)
    return found


def joined(lines: Sequence[Line]) -> list[Line]:
    """``lines`` with each bullet's wrapped rest put back to it."""
    found: list[Line] = []
    for line in lines:
        if found and _goes_on(found[-1], line):
            last = found[-1]
            glue = "" if last.text.endswith("-") and line.text[:1].islower() else " "
            found[-1] = replace(last, text=(last.text[:-1] if glue == "" else last.text) + glue + line.text)
        else:
            found.append(line)
    return found


def _goes_on(last: Line, line: Line) -> bool:
    if line.bullet or line.after_blank or line.level > 0 or last.level > 0 or len(last.text) > _LONGEST:
        return False
    if heading_of(line) or find_stretch(line.text):
        return False
    starts_low = line.text[:1].islower() or line.text[:1] in "(&+"
    ended = last.text.endswith((".", "!", "?", ":", ";"))
    if last.bullet:
        return starts_low or (len(last.text) >= 60 and not ended)
    return starts_low and not ended and len(last.text) >= 40 and not find_stretch(last.text)


@dataclass(frozen=True, slots=True)
class Heading:
    """``rest`` is what stands behind it on the same line ("Skills: Python, SQL")."""

    section: SectionName
    text: str
    rest: str = ""


def heading_of(line: Line) -> Heading | None:
    """The section that begins with ``line``, or None."""
    if line.level == 0:
        return None
    text = line.text.strip(" :|-–—_*#")
    if kind := section_named(text):
        # A bullet "Languages" lists a thing; "• Languages: …" still heads what follows it.
        return None if line.bullet and line.level < 1 else Heading(kind, text)
    if line.level > 0:
        return Heading("other", text) if line.level <= 2 and not line.bullet and not find_stretch(text) else None
    match = _LEAD_IN.match(line.text)
    if match and not line.bullet and (kind := section_named(match["lead"])):
        return Heading(kind, match["lead"].strip(), match["rest"])
    return None


def section_named(text: str) -> SectionName | None:
    """The kind of section that is called ``text``, in any case and with "&" for "and"."""
    if len(text) > 60:
        return None
    if _SPACED_OUT.match(text):
        return _SPACED_KINDS.get(text.replace(" ", "").casefold())
    key = _WORDS_OF_HEADING.sub(" ", text.replace("&", " and ").replace("/", " and ").casefold()).strip()
    return _KIND_OF.get(key) or _KIND_OF.get(key.replace("’", "'"))


def _bounded(row: str) -> Iterator[str]:
    """A row no longer than a long paragraph: patterns cost more than linear time in what they look at."""
    while len(row) > _LONGEST:
        cut = row.rfind(" ", _LONGEST // 2, _LONGEST)
        cut = cut if cut > 0 else _LONGEST
        yield row[:cut]
        row = row[cut:].lstrip()
    yield row


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n\n").translate(_SYMBOLS)
    text = unicodedata.normalize("NFKC", text.replace("\u2028", "\n").replace("\u2029", "\n\n"))
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char)[0] != "C")


def _line(row: str, *, after_blank: bool) -> Line | None:
    if cell := _TABLE_CELL.match(row):
        row = " | ".join(part.strip() for part in cell[1].split("|") if part.strip())
    hashes = _HASHES.match(row)
    text = row[hashes.end() :] if hashes else row
    mark = None if hashes else _BULLET.match(text)
    bullet = mark is not None and mark.group().strip() != ""
    text = text[mark.end() :] if mark and bullet else text
    text = _MARKDOWN_LINK.sub(r"\1", text)
    bare = _EMPHASIS.sub(r"\2", text)
    text = re.sub(r" {3,}", "  ", bare.replace("\t", "  ")).strip()
    if not text:
        return None
    return Line(text, len(hashes[1]) if hashes else -1, bullet, after_blank)


def _broken_up(row: str) -> Iterator[str]:
    """One long pasted line as several: before headings in capitals, before dates behind a full stop, at each end."""
    row = re.sub(r"\s*([•●▪■►➢✓])\s*", r"\n\1 ", row)
    row = re.sub(
        r"(?<![\w&])((?:[A-Z]{3,}(?: (?:&|AND|OF) | )?){1,4})(?=\s|:|$)",
        lambda m: f"\n{m[1].strip()}\n" if section_named(m[1]) else m[0],
        row,
    )
    row = re.sub(r"(?<=[.;])\s+(?=[A-Z(])|(?<=[.;])\s+(?=(?:19|20)\d\d\b)", "\n", row)
    # "2018 to 2022 Sales assistant …" in mid-line begins a job of its own.
    return (part.strip(" :") for part in row.split("\n") if part.strip(" :"))


def _unfolded(rows: Sequence[str]) -> list[str]:
    """Two columns side by side, left one first. Dates and places at the right margin are no column."""
    gaps = [(number, match.end()) for number, row in enumerate(rows) if (match := _COLUMN_GAP.search(row))]
    filled = sum(1 for row in rows if row.strip())
    if len(gaps) < 6 or len(gaps) < 0.35 * filled:
        return list(rows)
    (column, _), *_ = Counter(end for _, end in gaps).most_common(1)
    split = {number for number, end in gaps if abs(end - column) <= 2}
    rights = [rows[number][column - 2 :].strip() for number in split]
    if len(split) < 6 or sum(_is_margin(text) for text in rights) > len(rights) / 2:
        return list(rows)
    left, right = [], []
    for number, row in enumerate(rows):
        indent = len(row) - len(row.lstrip())
        if number in split:
            cut = max(match.start() for match in [_COLUMN_GAP.search(row)] if match)
            left.append(row[:cut])
            right.append(row[cut:].strip())
        elif indent >= column - 2 and row.strip():
            right.append(row.strip())
        else:
            left.append(row)
    return [*left, "", *right]


def _is_margin(text: str) -> bool:
    return find_stretch(text) is not None or bool(re.search(r"(?:19|20)\d\d", text)) or len(text) <= 3


def plain_text(lines: Iterable[Line]) -> str:
    """``lines`` as text: bullets with a dash, a blank line where a paragraph begins."""
    rows: list[str] = []
    for line in lines:
        if rows and line.after_blank:
            rows.append("")
        rows.append(f"- {line.text}" if line.bullet else line.text)
    return "\n".join(rows)
