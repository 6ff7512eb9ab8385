"""Which post at which company a request for a letter names, read from the request and from a pasted posting. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from signalbox.agents.letters.outreach import addressee_of, role_of
from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in
from signalbox.retrieval.places import gazetteer
from signalbox.tools.vocabulary import packaged_vocabulary


@dataclass(frozen=True, slots=True)
class Target:
    company: str | None = None
    role: str | None = None
    person: str | None = None


_POST: Final = (
    r"(?:role|position|job|jbo|post|vacancy|opening|internship|apprenticeship|traineeship|placement|programme|program|"
    r"gig|ad|advert|posting)"
)
_WORDS: Final = r"[\w/+#.&'-]+(?: [\w/+#.&'-]+)"
_A: Final = r"(?:an?\s+|the\s+|this\s+|my\s+)?"
_PART: Final = r"[A-ZÀ-Þ][\w&'’-]*(?:\.(?=\w)[\w&'’-]*)*"
_NAME: Final = rf"{_PART}(?: (?:of |and |& )?{_PART})"
_ROLES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_POST} (?:of|as|is for|is|for)\s+{_A}(?P<role>{_WORDS}{{0,4}})",
        rf"\b(?:apply(?:ing)?|application) (?:to be|as|for)\s+{_A}(?P<role>{_WORDS}{{0,4}})",
        rf"\b(?:letter|leter|statement)\b[^.\n]{{0,25}}?\b(?:for|4|as)\s+{_A}(?P<role>{_WORDS}{{0,4}})",
        rf"\b(?:the|an?|their|this)\s+(?P<role>{_WORDS}{{0,4}}?)\s+{_POST}\b",
        rf"(?:^|[,:;]\s*)(?P<role>{_WORDS}{{0,3}}?)\s+(?:job|role|post|position)\b",
    )
)
_END = re.compile(
    r"\s+(?:at|in|with|for|from|and|that|which|who|please|pls|plz|using|where|near|on|to|is|but|so|because|as|"
    r"of my|job|role|"
    r"position|post|vacancy|opening|ad|advert|posting|by|application)\b.*$",
    re.IGNORECASE,
)
_NO_ROLE: Final = words_in(
    """this that the a an any one some it me my your their first second third fourth fifth last best top job role
    position post cover covering letter application them him her us new same following next 1st 2nd 3rd work ad advert
    company speculative internal i we you what here there posting listing description saved advertised
    attached pasted posted sent gave showed software jobs someone speling spelling grammar"""
)
_NO_COMPANY: Final = words_in(
    """we they it you i our the this that he she us here there phd mba cv hr english german french spanish monday
    tuesday wednesday thursday friday saturday sunday"""
)
# So many words of a letter name the post.
_OPENING: Final = 45
_AT = re.compile(rf"\b(?:at|with|join(?:ing)?)\s+(?:the\s+)?(?P<company>{_NAME}{{0,3}})")
_LEVELS: Final = words_in(
    "senior junior lead head principal chief staff deputy assistant associate graduate trainee mid"
)
_TAIL_OF_NAME = re.compile(r"['’]s?$")
_LEADS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^\s*(?i:company|employer|organi[sz]ation|arbeitgeber)\s*:\s*(?P<company>[^\n]{2,60})$",
        rf"^[^\n]{{3,60}}?(?:\bat|[–—|-])\s+(?P<company>{_NAME}{{0,4}})",
        rf"\b(?P<company>{_NAME}{{0,4}}) (?:is|are) (?:looking for|hiring|seeking|recruiting)",
        rf"\b(?:[Aa]bout|[Jj]oin|[Aa]t) (?P<company>(?!(?:[Uu]s|[Tt]he|[Yy]ou|[Oo]ur|[Tt]his)\b){_NAME}{{0,3}})",
    )
)
_TITLES: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"^\s*(?:job title|title|position|role|post|stelle)\s*:\s*(?P<role>[^\n]{2,60})$",
        rf"\b(?:looking for|hiring|seeking|recruiting)\s+(?:an?\s+|our next\s+)?(?P<role>{_WORDS}{{0,4}})",
        rf"\bas (?:our|an?|the)\s+(?:new\s+)?(?P<role>{_WORDS}{{0,3}})",
    )
)


def target_named(asked: str, posting: str | None = None, letter: str | None = None) -> Target:
    """Company, role and person as far as the words tell them; the request's own words come before the posting's."""
    person, honour, company = addressee_of(asked)
    company = next((m["company"] for m in _AT.finditer(asked) if _is_name(m["company"])), None) or company
    role = _role(asked)
    if role:
        front, rest = _split(role)
        if front and (company is None or company in role or front in company or company in front):
            company = company if company and front in company and company not in role else front
        role = rest
    if company and role and company.casefold() == role.casefold():
        company = None
    if posting:
        company = company or _first(_LEADS, "company", posting)
        role = role or _title_of(posting)
    if letter and not role:
        own = target_named(" ".join(letter.split()[:_OPENING]))
        company, role = company or own.company, own.role
    return Target(company, role, f"{honour} {person}" if honour and person else person)


def _role(asked: str) -> str | None:
    named, _ = role_of(asked)
    candidates = [named] if named else []
    candidates += [match["role"] for pattern in _ROLES for match in pattern.finditer(asked)]
    for candidate in candidates:
        words = _END.sub("", f"{candidate} ".strip()).strip(" .'").split()
        while words and words[0].casefold() in _NO_ROLE:
            words = words[1:]
        words = [word for word in words if word]
        if words and _NO_ROLE.isdisjoint(map(str.casefold, words)) and len(" ".join(words)) >= 2:
            return _TAIL_OF_NAME.sub("", " ".join(words))
    return None


def _split(role: str) -> tuple[str | None, str | None]:
    """``Museum of London assistant`` is a company and a role, ``Lego`` a company, ``UX designer`` a role."""
    words = role.split()
    capital = 0
    while capital < len(words) and (
        words[capital][:1].isupper()
        or (
            capital
            and words[capital] in {"of", "&", "and", "de"}
            and words[capital + 1 : capital + 2]
            and words[capital + 1][:1].isupper()
        )
    ):
        capital += 1
    front, rest = " ".join(words[:capital]), " ".join(words[capital:])
    if not front or not _is_company(words[:capital], rest):
        return None, role
    return _TAIL_OF_NAME.sub("", front), rest or None


def _is_company(front: list[str], rest: str) -> bool:
    name = " ".join(front)
    if name.casefold() in _NO_COMPANY:
        return False
    if packaged_vocabulary().extract(name) or gazetteer().find(name) is not None or front[0].casefold() in _LEVELS:
        return False
    if is_occupation(front):
        return False
    return not (rest and len(name) <= 3 and name.isupper())


def _is_name(name: str) -> bool:
    return bool(name) and name.split(maxsplit=1)[0].casefold() not in _NO_COMPANY and gazetteer().find(name) is None


def _first(patterns: tuple[re.Pattern[str], ...], group: str, text: str) -> str | None:
    for pattern in patterns:
        for match in pattern.finditer(text):
            name = match[group].strip(" .,-–|")
            if _is_name(name):
                return name
    return None


def _title_of(posting: str) -> str | None:
    for pattern in _TITLES:
        for match in pattern.finditer(posting):
            words = _END.sub("", match["role"]).split()
            size = next((n for n in range(len(words), 0, -1) if is_occupation(words[:n])), 0)
            if size:
                return " ".join(words[:size])
    first = posting.strip().splitlines()[0].strip(" #*-") if posting.strip() else ""
    head = re.split(r"\s+(?:at|[–—|-])\s+|,|\(", first)[0].strip()
    return head if head and len(head.split()) <= 6 and is_occupation(head.split()) else None
