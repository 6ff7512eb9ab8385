"""Finds the employers and the post that a clause of a message names. Pure.

It would rather find nothing than take a title, a town or a day for an employer: the agent can ask.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from signalbox.memory.applications import TrackedApplication
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.facts.companies import name_key
from signalbox.retrieval.places import gazetteer

_CAP: Final = r"(?:St\.|(?:[A-ZÀ-Þ]|\d{1,2}(?=[A-Z-]))[\w'’+-]*(?:[.&](?=\w)[\w'’+-]*)*)"
# Bounded, so that a page of capitals costs no more than its length.
NAME: Final = rf"{_CAP}(?:\s+(?:(?:&|\+|of the|of|de|du|van|von|der|del|al)\s+)?{_CAP}){{0,6}}"
NAMES: Final = rf"{NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){NAME}){{0,5}}"
_VERB: Final = (
    r"(?:reject\w*|turned|said|invit\w+|offer\w*|wants?|called|rang|replied|answered|wrote|confirmed|made|got back|has|"
    r"have|haven'?t|hasn'?t|never|still|ghosted|shortlisted|declined|refused|acknowledged|is|are|went|passed)\b"
)
_ALSO: Final = r"(?:just |finally |also |both |all )?"
SUBJECT: Final = rf"{NAMES}\s+{_ALSO}{_VERB}"
_SUBJECTS = re.compile(
    rf"(?:^|[.!,:–-]\s*|\b(?:and|but|then|so|also|that|because)\s+)(?P<names>{NAMES})"
    rf"(?=\s+(?:(?:recruiter|hr|hr team|team|people|hiring manager|manager)\s+)?{_ALSO}{_VERB})"
)
_ANCHORED = re.compile(
    r"\b(?P<before>(?i:to|at|with|by|from|for|applied in|rejected in|selected in|interview in|chase|chasing|nudge|"
    r"remind|ping|log|track|add|contact|e-?mail|thank|tell|message|follow up|call|withdraw from|about|mark|set|"
    r"update|move|put|record))\s+(?:(?i:the|my|up)\s+)?"
    rf"(?P<name>{NAME})"
)
_NEXT = re.compile(
    r"(?:,|;|(?i:\band\b|\bplus\b|\bthen\b)|\+)\s*(?:(?i:and|also|then)\s+)?(?:(?i:to|at|with|by|from|for)\s+)?"
    rf"(?:(?i:the)\s+)?(?P<name>{NAME})"
)
# Indian English: "applied for fresher in Infosys".
_IN = re.compile(
    r"\b(?i:applied|selected|rejected|interview)\s+(?:(?i:for)\s+[\w ]{2,50}?\s)?(?<!job )(?<!role )(?<!jobs )"
    rf"(?<!work )(?i:in)\s+(?P<name>{NAME})"
)
# Behind its employer's name: "Monzo's recruiter".
_THEIRS = re.compile(
    r"\s+(?:recruiters?|hr|team|people|final|first|second|hiring|offer|rejection|interview|process|decision|answer|job|"
    r"role|application|one)\b",
    re.IGNORECASE,
)
_THING: Final = r"(?:one|job|role|position|post|application|interview|offer|rejection|vacancy)"
_DESCRIBED = re.compile(rf"\b(?i:the|my|that)\s+(?P<name>{NAME})(?:['’]s)?\s+{_THING}\b")
_LOWER = re.compile(
    r"\b(?P<before>to|at|with|by|from|chase|nudge|remind)\s+(?P<the>the\s+)?"
    r"(?P<name>[a-zß-ÿ][\w'’&.-]*(?:\s+[a-zß-ÿ&][\w'’&.-]*){0,4})",
)
_LOWER_NEXT = re.compile(
    r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:(?:to|at|with|by|from)\s+)?(?P<the>the\s+)?"
    r"(?P<name>[a-zß-ÿ][\w'’&.-]*(?:\s+[a-zß-ÿ&][\w'’&.-]*){0,4})(?!\s*me\b)"
)
_LOWER_SUBJECT = re.compile(
    r"^(?:(?:and|but|so|then|also|update:?)\s+)*(?P<the>the\s+)?(?P<name>[a-zß-ÿ][\w'’&.-]*(?:\s+[a-zß-ÿ&][\w'’&.-]*){0,2}?)"
    r"\s+(?:has\s+|have\s+|just\s+|finally\s+)*(?:reject\w*|invited|offered|ghosted|turned|shortlisted|declined)\s+me\b"
)
# Verbs after which a name in small letters is an employer.
_TELLS = re.compile(
    r"\b(?:appl(?:y|ied|ying|ication)|aplied|cv|resume|résumé|interview\w*|reject\w*|turned|offer\w*|chaser?|nudge|"
    r"remind(?:er)?|withdr\w+|job|note|letter|feedback|position|role|invit\w+|heard|shortlist\w*|ghosted)\b",
    re.IGNORECASE,
)
_NOT_NAMES: Final = words_in(
    """i i'm i've i'd i'll they they've he she we it it's the a an my his her their our your you hr monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august september october
    november december christmas easter please no yes thanks thank should set mark log write draft still and what which
    when how why where who any update application applications linkedin indeed got just been was were also have had has
    heard nothing applied sent submitted rejected again today yesterday tomorrow then great sad bad good news finally
    never not another yet so well ok okay hi hello hey unfortunately sadly luckily actually sorry cv resume send make
    show chase nudge remind withdraw add track record note put change move remove delete after before if but or for to
    at with from by in on as is are do does did can could will would may might this that there these those ugh wow oh
    hooray yay is it's that's interview interviewed interviews offer offered invited ghosted turned dear re fyi btw
    last next one both all each every some job jobs role position post team recruiter manager he's she's let's
    follow reply ask tell help give maybe monzo's"""
) - {"monzo's"}  # fmt: skip
# Common words that name no employer, even behind "to the".
_NO_EMPLOYER: Final = words_in(
    """be become do get it them that this there those these all both several many some any lots loads jobs job role
    roles position positions post places companies company employer employers firm business everything various other
    others another more my his her their our your me you us him a an one two three four five six night home least last
    once first second third next final same team recruiter recruiters manager agency hr work ask say see know hear
    the oldest newest latest longest quiet silent chase write send follow make find look apply interview interviews
    offer offers e-mail email mail phone post
    vacancy advert ad posting them. anyone someone anybody everyone each every what which who whom whoever late
    no none nothing people person letter note feedback time day week month round panel stage reply answer news
    half nearly almost about over around just only even being having getting working doing you've i've i'm linkedin
    indeed it's decide confirm chaser reminder make it's university's today tomorrow yesterday monday tuesday
    wednesday thursday friday saturday sunday"""
)
_LOWER_STOP: Final = words_in(
    """as for on in at by with from to and but or two three four five six seven eight nine ten a an the last this
    these those yesterday today tomorrow monday tuesday wednesday thursday friday saturday sunday about over around
    since because via through who which that is was are were has have had i i've i'm they they've he she we if so again
    after before ago weeks week days day months month back then just also still heard nothing no not never got
    when while where now please earlier later recently politely nicely soon january february march april may june july
    august september october november december rejected invited asking ask it my me saying thanking until till"""
)
_POSTS: Final = words_in("job role position post vacancy opening internship gig placement apprenticeship traineeship")
_NO_COMPANY_TAIL: Final = words_in("scheme programme program internship apprenticeship role job position post grade")
# Firms of two names that people join by "and"; elsewhere "and" parts two employers.
_SECOND_HALVES: Final = words_in(
    """sons son spencer noble johnson partners co company young gamble barrett general nephew lyle whitney toubro
    mahindra associates brothers daughters mccaffrey"""
)
# Employers whose names end as occupations do.
_LIKE_OCCUPATIONS: Final = words_in("uber guardian pfizer tinder docker zapier kier biffa bunzl premier")
_POST_BEHIND = re.compile(r"\s+(?:role|position|post|vacancy|opening)\b", re.IGNORECASE)
_ACRONYMS: Final = words_in("nhs bbc ibm bt hsbc kpmg pwc tcs hmrc dhl ups sap bmw ey aws dwp gsk itv b&q m&s")
# Words too general to stand for one employer alone.
_GENERAL: Final = words_in(
    """the st saint royal city new bank university national hospital school office council general care group united
    first north south east west international british global health job data"""
)
_SHORTEST: Final = 3
_MOST_WORDS: Final = 7


@dataclass(frozen=True, slots=True)
class Mention:
    """An employer named at ``start`` to ``end`` of a clause; ``name`` is the tracker's spelling if it is on it."""

    name: str
    start: int
    end: int


def mentions_in(clause: str, known: Sequence[str] = ()) -> tuple[Mention, ...]:
    """Employers in the order named. ``known``: employers on the tracker, found by shorter names as well."""
    found: list[Mention] = []
    for mention in (*_known_in(clause, known), *_new_in(clause)):
        if not any(mention.start < other.end and other.start < mention.end for other in found):
            found.append(mention)
    found += [m for m in _lower_in(clause) if not any(m.start < o.end and o.start < m.end for o in found)]
    found.sort(key=lambda mention: mention.start)
    return tuple(mention for mention in found if not _is_person(clause, mention, found))


def same_employer(one: str, other: str) -> bool:
    """Whether the two are names of one employer, one maybe the shorter."""
    first, second = _key(one), _key(other)
    return first == second or first.startswith(f"{second} ") or second.startswith(f"{first} ")


def described_by(message: str, applications: Sequence[TrackedApplication]) -> list[TrackedApplication]:
    """Applications that "the hospital", "for the planner job" or the like describes, by words of employer or title."""
    found = []
    for match in re.finditer(r"\b(?:the|my|that|for|to|at)\s+((?:[\w'’&-]+\s*){1,4})", message, re.IGNORECASE):
        words = [word for word in name_key(match[1]).split() if word not in _NO_EMPLOYER]
        for size in range(len(words), 0, -1):
            if matching := [a for a in applications if _has_words(a, words[:size])]:
                found += matching
                break
    return list(dict.fromkeys(found))


def _has_words(application: TrackedApplication, words: Sequence[str]) -> bool:
    there = name_key(f"{application.company} {application.title}").split()
    return all(len(word) >= _SHORTEST and word in there for word in words)


def _key(name: str) -> str:
    return re.sub(r"^the ", "", name_key(name.replace("&", " and ")))


def _known_in(clause: str, known: Sequence[str]) -> Iterator[Mention]:
    tokens = [(name_key(m.group()), m.start(), m.end()) for m in re.finditer(r"[^\W_][\w'’.&-]*[\w]|[^\W_]|&", clause)]
    tokens = [(("and" if word == "" else word), start, end) for word, start, end in tokens]
    for name in sorted(known, key=len, reverse=True):
        words = _key(name).split()
        for size in range(len(words), 0, -1):
            if size < len(words) and (size == 1 and (words[0] in _GENERAL or len(words[0]) < _SHORTEST)):
                break
            for at in range(len(tokens) - size + 1):
                spoken = [_singular(token[0], word) for token, word in zip(tokens[at : at + size], words, strict=False)]
                if spoken != words[:size]:
                    continue
                start, end = tokens[at][1], tokens[at + size - 1][2]
                if _stands_for(clause, start, end, whole=size == len(words)):
                    yield Mention(name, start, end)


def _singular(spoken: str, word: str) -> str:
    """As with "Monzo's" (keyed "monzos"), said of Monzo."""
    return word if spoken == f"{word}s" else spoken


def _stands_for(clause: str, start: int, end: int, *, whole: bool) -> bool:
    """A short name is no other firm's longer one, and a word in small letters stands where names do."""
    if not whole and re.match(r"\s+(?:&\s+)?[A-ZÀ-Þ]", clause[end:]) and not re.match(r"\s+I\b", clause[end:]):
        return False
    if clause[start].isupper() or " " in clause[start:end]:
        return True
    before = clause[:start].rstrip()
    return not before or re.search(
        r"(?:\b(?:to|at|with|by|from|for|the|my|chase|nudge|remind|and|but|on|about|mark|set|of|or|actually)|[,.:;!?])$",
        before,
        re.IGNORECASE,
    ) is not None  # fmt: skip


def _new_in(clause: str) -> Iterator[Mention]:
    for match in _SUBJECTS.finditer(clause):
        for part in re.finditer(NAME, match["names"]):
            yield from _mention(clause, match.start("names") + part.start(), part.group())
    anchored: list[Mention] = []
    for_names: list[Mention] = []
    for match in _ANCHORED.finditer(clause):
        named = _mention(clause, match.start("name"), match["name"])
        if match["before"].casefold() == "for":
            for_names += [mention for mention in named if not _is_post(mention)]
        else:
            anchored += [mention for mention in named if not _POST_BEHIND.match(clause, mention.end)]
    for match in _DESCRIBED.finditer(clause):
        named = _mention(clause, match.start("name"), match["name"])
        anchored += [mention for mention in named if not _is_post(mention)]
    if not anchored and not for_names:
        anchored = [m for match in _IN.finditer(clause) for m in _mention(clause, match.start("name"), match["name"])]
    # "For Staff Nurse at St Brannoc's" names the post first.
    anchored = anchored or for_names
    yield from anchored
    if anchored:
        first = min(mention.end for mention in anchored)
        for match in _NEXT.finditer(clause, first):
            yield from _mention(clause, match.start("name"), match["name"])


def _mention(clause: str, start: int, text: str) -> list[Mention]:
    """The name without the words around it that are none; with the second half of a firm of two names."""
    words = list(re.finditer(r"\S+", text))
    while words and words[0].group().casefold().strip("'’.") in _NOT_NAMES:
        words = words[1:]
    cut = next((n for n, word in enumerate(words) if n and word.group().casefold() in _NOT_NAMES - {"in", "on"}), None)
    words = words[:cut] if cut is not None else words
    while words and words[-1].group() in {"of", "&", "+", "the", "de"}:
        words = words[:-1]
    if not words:
        return []
    first, last = start + words[0].start(), start + words[-1].end()
    if second := re.match(rf"\s+and\s+({_CAP}(?:\s+{_CAP})*)", clause[last:]):
        head = second[1].split()[0].casefold()
        if head in _SECOND_HALVES or head == words[0].group().casefold() or " of " in clause[first:last]:
            last += second.end()
    name = clause[first:last]
    if name.endswith(("'s", "’s")) and _THEIRS.match(clause, last):
        name, last = name[:-2], last - 2
    return [Mention(name.strip("'’"), first, last)] if _is_employer(name) else []


def _is_employer(name: str) -> bool:
    words = name.split()
    if len(words) > _MOST_WORDS or not any(char.isalpha() for char in name):
        return False
    return gazetteer().find(name) is None and words[-1].casefold() not in _NO_COMPANY_TAIL


def _is_post(mention: Mention) -> bool:
    return mention.name.casefold() not in _LIKE_OCCUPATIONS and is_occupation(mention.name.split())


def _lower_in(clause: str) -> Iterator[Mention]:
    """Names in small letters, where the verb leaves no doubt that an employer follows."""
    if match := _LOWER_SUBJECT.search(clause):
        yield from _lowered(match, clause)
    if not _TELLS.search(clause):
        return
    for at in (match.start() for match in re.finditer(r"\b(?:to|at|with|by|from|chase|nudge|remind)\s", clause)):
        if match := _LOWER.match(clause, at):
            yield from _lowered_list(match, clause)


def _lowered_list(match: re.Match[str], clause: str) -> Iterator[Mention]:
    """A name, and those that a comma or "and" adds to it."""
    found = list(_lowered(match, clause))
    yield from found
    while found and (more := _LOWER_NEXT.match(clause, found[-1].end)):
        found = list(_lowered(more, clause))
        yield from found


def _lowered(match: re.Match[str], clause: str) -> Iterator[Mention]:
    words = list(re.finditer(r"\S+", match["name"]))
    size = next((n for n, word in enumerate(words) if word.group().strip(".") in _LOWER_STOP), len(words))
    # "marks and spencer" is one firm.
    if words[size : size + 1] and words[size].group() == "and" and words[size + 1 : size + 2]:
        size += 2 if words[size + 1].group().strip(".,") in _SECOND_HALVES else 0
    kept = [word.group().strip(".") for word in words[:size]]
    if not kept or kept[0].casefold() in _NO_EMPLOYER or not _POSTS.isdisjoint(kept) or _is_title(kept):
        return
    end = match.start("name") + words[size - 1].end()
    name = " ".join(kept)
    if re.match(r"[\s]+(?:job|role|position|post)\b", clause[end:]) or gazetteer().find(name) is not None:
        return
    spelled = f"the {name}" if match["the"] else " ".join(_spelled(word) for word in kept)
    yield Mention(spelled, match.start("name"), end)


def _is_title(words: list[str]) -> bool:
    return words[-1] not in _LIKE_OCCUPATIONS | _SECOND_HALVES and is_occupation(words)


def _spelled(word: str) -> str:
    if word in _ACRONYMS:
        return word.upper()
    return word if word in {"of", "and", "the", "de"} else word[:1].upper() + word[1:]


def _is_person(clause: str, mention: Mention, others: Sequence[Mention]) -> bool:
    """As "Sarah" in "from Sarah at Acme"."""
    between = [clause[mention.end : other.start] for other in others if other.start > mention.end]
    return any(re.fullmatch(r"\s+(?:at|from|of)\s+(?:the\s+)?", text) for text in between)
