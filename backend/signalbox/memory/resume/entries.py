"""Jobs, degrees and projects: which lines of a section belong together, and which part of their heads is what. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from signalbox.memory.resume.dates import Stretch, find_moment, find_stretch
from signalbox.memory.resume.lines import Line
from signalbox.memory.resume.model import Certificate, EducationItem, Project, WorkItem
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer

MAX_ENTRIES: Final = 40
MAX_HIGHLIGHTS: Final = 40
_LONGEST_HEAD: Final = 160
_LONGEST_EXTRA: Final = 60
_MOST_HEAD_WORDS: Final = 14

_TITLE_WORDS: Final = words_in(
    """manager engineer developer analyst designer nurse teacher assistant consultant director architect
    scientist driver officer head chief lead leader specialist technician accountant administrator coordinator
    co-ordinator executive representative supervisor intern internship trainee apprentice volunteer tutor
    lecturer professor researcher fellow associate partner founder co-founder cofounder owner freelancer
    freelance contractor chef cook waiter waitress barista bartender cashier clerk receptionist secretary
    paralegal lawyer solicitor attorney counsel electrician plumber carpenter joiner mechanic welder operator
    operative labourer laborer worker picker packer guard cleaner housekeeper caretaker porter carer caregiver
    midwife doctor physician surgeon dentist pharmacist therapist physiotherapist paramedic vet programmer
    tester dba devops sre qa writer editor journalist copywriter translator interpreter photographer illustrator
    animator producer buyer planner merchandiser recruiter trainer coach instructor librarian curator pilot
    captain steward attendant agent broker banker teller auditor bookkeeper controller treasurer cfo ceo cto coo
    cmo vp president strategist marketer salesperson advisor adviser ambassador foreman surveyor estimator
    inspector lifeguard sergeant lieutenant corporal student entwickler entwicklerin ingenieur ingenieurin
    leiter leiterin mitarbeiter mitarbeiterin berater beraterin praktikant praktikantin werkstudent ingénieur
    développeur responsable ingeniero desarrollador gerente impiegato cameriere buchhalter buchhalterin
    sachbearbeiter sachbearbeiterin kaufmann kauffrau verkäufer verkäuferin pfleger pflegerin krankenschwester
    lehrer lehrerin techniker technikerin koch köchin fahrer fahrerin assistent assistentin vendeur vendeuse
    serveur serveuse infirmier infirmière comptable contable enfermera enfermero camarero camarera profesor
    profesora infermiere commesso commessa cuoco verpleegkundige medewerker"""
)
_DEGREE: Final = re.compile(
    r"(?<!\w)(?:b\.?\s?sc|b\.?\s?a|b\.?\s?eng|b\.?\s?tech|b\.?\s?com|b\.?\s?ed|bba|bfa|ll\.?b|"
    r"m\.?\s?sc|m\.?\s?a|m\.?\s?eng|mba|mphil|m\.?\s?ed|ll\.?m|ph\.?\s?d|pgce|pgdip|hnd|hnc|btec|nvq|gcses?|"
    r"a[- ]levels?|bachelor\w*|master\w*|doctor\w*|diplom\w*|degree|associate of|associate'?s|foundation|honou?rs|"
    r"abitur|ausbildung|licence|baccalaur\w+|laurea|licenciatura|grado|certificate|high school|secondary school|"
    r"apprenticeship|ged|o[- ]levels?|highers|"
    r"leaving certificate|minor|major|staatsexamen|matura|bootcamp)(?!\w)",
    re.IGNORECASE,
)
_SCHOOL: Final = re.compile(
    r"\b(?:universit\w+|college|school|institut\w*|academ\w+|hochschule|universidad|lyc[ée]e|gymnasium|polytechnic\w*|"
    r"akademie|faculty|politecnico|tu [A-Z]\w+|fh [A-Z]\w+|campus|bootcamp|conservatoire|seminary)\b",
    re.IGNORECASE,
)
_COMPANY: Final = re.compile(
    r"\b(?:ltd|limited|inc|llc|llp|plc|gmbh|ag|kg|s\.?a\.?|s\.?r\.?l\.?|b\.?v\.?|corp(?:oration)?|co|company|"
    r"group|holdings?|"
    r"hospital|clinic|bank|council|nhs|trust|university|college|school|hotel|restaurant|caf[ée]|bakery|garage|agency|"
    r"studio|labs?|partners|solutions|systems|technologies|services|consulting|foundation|ministry|"
    r"department of|city of|airlines|supermarket|store|shop|church|charity|institute|museum|theatre|factory|farm|"
    r"cent(?:er|re)|medical|kanzlei|praxis|klinik|verein)\b\.?",
    re.IGNORECASE,
)
_SUFFIX: Final = re.compile(
    r"^(?:ltd|limited|inc|llc|llp|plc|gmbh|corp|co|s\.?a|b\.?v|jr|sr|phd|md|rn)\b\.?$", re.IGNORECASE
)
_STRONG: Final = re.compile(r"\s+[•·]\s+|\s+[–—-]{1,2}\s+|\s{2,}|\s+@\s+|\s+at\s+(?=[A-Z\d])|\s*\|\s*")
_REGION: Final = re.compile(r"^[A-Z]{2}(?:\s+\d{5})?$")
_REMOTE: Final = re.compile(r"^(?:fully |100% )?(?:remote|hybrid|on-?site|home ?office)\b", re.IGNORECASE)
_EDGES: Final = " ,;|·•–—-:()[]\t"
_ROLE_LABEL: Final = re.compile(
    r"^(?:role|title|position|job title|company|employer|organi[sz]ation|client)\s*:\s*", re.IGNORECASE
)
_LABELLED: Final = re.compile(r"^[^\W\d_][\w /&+-]{1,28}:\s+\S")
# What heads the bullets of one job, not a section of the CV.
_INNER_HEADING: Final = re.compile(
    r"^(?:key |main |selected |my )?(?:responsibilities|duties|tasks|achievements|accomplishments|highlights|role|"
    r"responsibilities and achievements|results)(?: include[sd]?)?\s*:?$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Entry:
    """Lines that belong together. ``heads`` are what stands before the bullets, less the dates."""

    heads: list[str] = field(default_factory=list)
    stretch: Stretch | None = None
    highlights: list[str] = field(default_factory=list)
    began_with_head: bool = False


def entries_of(lines: Sequence[Line], *, moments: bool = False) -> list[Entry]:
    """The entries of a section in its order. ``moments``: one date alone dates an entry, too."""
    lines = _unbulleted(lines, moments=moments)
    found: list[Entry] = []
    for line in lines:
        if _INNER_HEADING.match(line.text):
            continue
        stretch = None if line.bullet else _dates(line, moments=moments)
        entry = found[-1] if found else None
        if line.bullet and entry is not None:
            entry.highlights.append(line.text)
        elif stretch is not None:
            rest = _without(line.text, stretch)
            if entry is None or entry.stretch or entry.highlights:
                entry = Entry(began_with_head=bool(rest))
                found.append(entry)
            else:
                entry.began_with_head = True
            entry.stretch = stretch
            if rest:
                entry.heads.append(rest)
        elif entry is not None and (not _is_head(line) or _is_note(line)):
            entry.highlights.append(line.text)
        elif entry is None or _begins(entry, line):
            found.append(Entry([line.text]))
        else:
            entry.heads.append(line.text)
    return [entry for entry in found if entry.heads or entry.highlights or entry.stretch][:MAX_ENTRIES]


def _dates(line: Line, *, moments: bool) -> Stretch | None:
    """The dates of a head; a sentence that mentions years is none."""
    stretch = find_stretch(line.text)
    if stretch is None and moments:
        stretch = find_moment(line.text)
    if stretch is None:
        return None
    rest = _without(line.text, stretch)
    return stretch if len(rest) <= _LONGEST_HEAD and len(rest.split()) <= _MOST_HEAD_WORDS else None


def _is_head(line: Line) -> bool:
    text = line.text
    if line.level > 0:
        return True
    long = len(text) > 90 or len(text.split()) > _MOST_HEAD_WORDS - 2
    sentence = text.endswith((".", "!", ";")) and not _SUFFIX.match(text.split()[-1]) and len(text.split()) > 2
    return not long and not sentence and not text[:1].islower()


def _is_note(line: Line) -> bool:
    """A line on the job with a label of its own, as "Tech: Ruby, Rails"."""
    return _LABELLED.match(line.text) is not None and not _ROLE_LABEL.match(line.text)


def _begins(entry: Entry, line: Line) -> bool:
    if entry.highlights or line.level > 0:
        return True
    if entry.stretch is None:
        return len(entry.heads) >= 3
    if not entry.heads:
        return False
    return line.after_blank or len(entry.heads) >= 3 or (entry.began_with_head and len(entry.heads) >= 2)


def _unbulleted(lines: Sequence[Line], *, moments: bool) -> list[Line]:
    """Where every line is a bullet, those with dates (or all, if dates are few) are entries, not what was done."""
    if not lines or not all(line.bullet for line in lines):
        return list(lines)
    dated = [bool(_dates(line, moments=moments)) for line in lines]
    if not any(dated) and not moments:
        return list(lines)
    return [Line(line.text, bullet=not (has or moments)) for line, has in zip(lines, dated, strict=True)]


def _without(text: str, stretch: Stretch) -> str:
    start, end = stretch.at
    joined = text[:start].rstrip(_EDGES) + "  " + text[end:].lstrip(_EDGES + ".")
    bare = re.sub(r"\(\s*\)", "", joined).strip(_EDGES + ".")
    return f"{bare})" if bare.count("(") > bare.count(")") else bare


# -- what the parts of a head are


def work_items(lines: Sequence[Line]) -> tuple[WorkItem, ...]:
    return tuple(_work_item(entry) for entry in entries_of(lines))


def _work_item(entry: Entry) -> WorkItem:
    parts, location = _parts(entry.heads, names_title)
    titles = [part for part in parts if names_title(part)]
    titles.sort(key=lambda part: bool(_COMPANY.search(part)))
    title = titles[0] if titles else ""
    others = [part for part in parts if part != title]
    if not title and len(others) > 1:
        title = next((part for part in others if not _COMPANY.search(part)), others[0])
        others.remove(title)
    company = next((part for part in others if not names_title(part)), others[0] if others else "")
    stretch = entry.stretch
    # "Registered Nurse, ICU": what is neither title nor employer belongs to the title.
    extra = [part for part in others if part != company]
    title = ", ".join([title, *extra]) if title and len(", ".join(extra)) <= _LONGEST_EXTRA else title
    return WorkItem(
        title=title,
        company=company,
        location=location,
        start=stretch.start if stretch else None,
        end=stretch.end if stretch else None,
        current=stretch.current if stretch else False,
        highlights=tuple(entry.highlights[:MAX_HIGHLIGHTS]),
    )


def education_items(lines: Sequence[Line]) -> tuple[EducationItem, ...]:
    items = []
    for entry in entries_of(lines, moments=True):
        parts, _ = _parts(entry.heads, lambda part: _SCHOOL.search(part) is not None)
        schools = [part for part in parts if _SCHOOL.search(part)]
        degrees = [part for part in parts if _DEGREE.search(part) and part not in schools[:1]]
        if not degrees and len(schools) > 1:
            degrees = [part for part in schools if _DEGREE.search(part)]
        school = next((part for part in schools if part not in degrees[:1]), "")
        rest = [part for part in parts if part not in {school, *degrees[:1]}]
        degree = degrees[0] if degrees else rest.pop(0) if rest else ""
        if not school and rest:
            school = rest.pop(0)
        stretch = entry.stretch
        items.append(
            EducationItem(
                degree=degree,
                institution=school,
                start=stretch.start if stretch else None,
                end=stretch.end if stretch else None,
                current=stretch.current if stretch else False,
                highlights=tuple([*rest, *entry.highlights][:MAX_HIGHLIGHTS]),
            )
        )
    return tuple(items)


def projects(lines: Sequence[Line]) -> tuple[Project, ...]:
    if lines and all(line.bullet for line in lines):
        return tuple(_project_of_line(line.text) for line in lines[:MAX_ENTRIES])
    return tuple(
        Project(
            name=" – ".join(entry.heads) or (entry.highlights[0] if entry.highlights else ""),
            start=entry.stretch.start if entry.stretch else None,
            end=entry.stretch.end if entry.stretch else None,
            highlights=tuple(entry.highlights[:MAX_HIGHLIGHTS] if entry.heads else entry.highlights[1:MAX_HIGHLIGHTS]),
        )
        for entry in entries_of(lines)
    )


def _project_of_line(text: str) -> Project:
    name, mark, rest = re.sub(r"\s+[–—-]\s+", ": ", text, count=1).partition(": ")
    if mark and len(name.split()) <= 8:
        return Project(name=name, highlights=(rest,) if rest else ())
    return Project(name=text)


def certificates(lines: Sequence[Line]) -> tuple[Certificate, ...]:
    found: list[Certificate] = []
    for line in lines[:MAX_ENTRIES]:
        names = [part.strip(_EDGES + ".") for part in re.split(r"[,;]\s+", line.text)]
        if len(names) > 1 and all(name.isupper() and len(name.split()) < 3 for name in names):
            found += [Certificate(name=name) for name in names]  # "ACLS, BLS"
        elif (item := _certificate(line.text)).name:
            found.append(item)
    return tuple(found[:MAX_ENTRIES])


def _certificate(text: str) -> Certificate:
    stretch = find_stretch(text) or find_moment(text)
    rest = _without(text, stretch) if stretch else text.strip(_EDGES + ".")
    name, *more = (part.strip(_EDGES) for part in re.split(r"\s+[|•·]\s+|\s+[–—-]\s+|\s{2,}|,\s+(?=[A-Z])", rest))
    issuer = ", ".join(part for part in more if part)
    return Certificate(name=name, issuer=issuer, date=stretch.end if stretch else None)


def _parts(heads: Sequence[str], parts_at: Callable[[str], bool]) -> tuple[list[str], str]:
    """The pieces of the heads, and the place among them. At commas only what ``parts_at`` tells apart is parted."""
    parts: list[str] = []
    location = ""
    for piece in _pieces(heads):
        words, place = _less_place(piece, parts_at)
        location = location or place
        parts += words
    return list(dict.fromkeys(part for part in parts if part)), location


def _pieces(heads: Sequence[str]) -> Iterator[str]:
    for head in heads:
        for piece in _STRONG.split(_ROLE_LABEL.sub("", head)):
            if text := piece.strip(" ,;|·•–—-:\t"):
                yield text


def _less_place(piece: str, parts_at: Callable[[str], bool]) -> tuple[list[str], str]:
    """``piece`` parted at its commas where that parts a title from a company, less the place at its end."""
    commas = [part.strip() for part in piece.split(",") if part.strip()]
    place: list[str] = []
    while len(commas) > 1 and is_place(commas[-1]):
        place.insert(0, commas.pop())
    if place and len(commas) == 1 and gazetteer().find(commas[0]):  # "Chicago, IL"
        return [], ", ".join([*commas, *place])
    if len(commas) == 1 and not place and is_place(commas[0]) and not names_title(commas[0]):
        return [], commas[0]
    if len(commas) == 2 and place and _REGION.match(place[0]):  # a town nobody knows: "Acme, Smallville, TX"
        place.insert(0, commas.pop())
    merged: list[str] = []
    for part in commas:
        if merged and _SUFFIX.match(part):
            merged[-1] += f", {part}"
        else:
            merged.append(part)
    apart = {parts_at(part) for part in merged}
    if len(apart) == 2 and (len(merged) == 2 or parts_at is not names_title):
        return merged, ", ".join(place)
    return [", ".join(merged)], ", ".join(place)


def is_place(text: str) -> bool:
    bare = text.strip(" .()")
    return bool(_REGION.match(bare) or _REMOTE.match(bare)) or gazetteer().find(bare) is not None


def names_title(text: str) -> bool:
    """Whether ``text`` says what somebody does for a living."""
    words = [word.strip(".,()/&").casefold() for word in re.split(r"[\s/]+", text) if word.strip(".,()/&")]
    if not words or len(words) > _MOST_HEAD_WORDS:
        return False
    if any(word in _TITLE_WORDS or word.removesuffix("s") in _TITLE_WORDS for word in words):
        return True
    return len(words) <= 4 and not _COMPANY.search(text) and is_occupation(words)
