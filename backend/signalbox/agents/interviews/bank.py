"""Interview questions out of passages of guides: which lines are questions, which guide is on which work. Pure."""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from signalbox.agents.words.knowledge_text import Passage, bare, sections_of, subject_of
from signalbox.blocks import InterviewQuestion
from signalbox.retrieval.facts.role_words import stems

QuestionKind = Literal["opening", "behavioural", "role"]

# "- **Question?** A good answer ..."
_LISTED = re.compile(r"^\s*[-*+]\s+(?:\*\*)?(?P<question>[^?]+\?)(?:\*\*)?\s*(?P<hint>A good answer .+\.)\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?P<question>[\"“]?[^\W\d_].{12,200}\?)[\"”]?\s*$")
_SPOKEN = re.compile(
    r"^[\"“]?(?:can|could|would|will|do|did|does|have|has|are|is|was|were|what|why|how|when|where|which|who|tell|"
    r"describe|give|explain|if|walk)\b",
    re.IGNORECASE,
)
_OF_THE_PAST = re.compile(
    r"\b(?:a time|tell (?:me|us) about a|describe (?:a|an|the)|when did you|give (?:me |us )?an? (?:example|instance)|"
    r"have you ever|most (?:difficult|proud|challenging))\b",
    re.IGNORECASE,
)
# What a candidate asks of a guide, as against what an interviewer asks a candidate.
_OF_THE_READER = re.compile(
    r"\b(?:i|my|should you|if you|candidates?|interview\w*|employers?|recruiters?|hiring|certificates?)\b",
    re.IGNORECASE,
)

# A list of what to ask back is no list of what one is asked.
_ASKED_BACK: Final = re.compile(r"\bto ask\b|\bq ?& ?a\b|\bquestions about\b", re.IGNORECASE)
_OPENING: Final = re.compile(r"\bcommon interview questions\b", re.IGNORECASE)
_BEHAVIOURAL: Final = re.compile(r"\bbehaviou?ral|\bcompetency|\bSTAR\b", re.IGNORECASE)


class _Family(NamedTuple):
    """Work that the guides treat together: what to ask them for, a word of the guide's title, and how the words of such
    roles begin (a dot: the word ends there).
    """

    ask: str
    title: str
    beginnings: str


_FAMILIES: Final = (
    _Family(
        "data analysts and data scientists",
        "data",
        "data, analytics, machine learning, ml., statistic, business intelligence, bi.",
    ),
    _Family(
        "software developers",
        "software",
        "software, developer, programmer, fullstack, full stack, full-stack, backend, back-end, back end, frontend, "
        "front-end, front end, devops, site reliability, sre., qa., mobile engineer, web engineer, cloud engineer, "
        "platform engineer, python, java, ios., android, embedded, security engineer, solutions architect, cloud "
        "architect",
    ),
    _Family(
        "nurses and care workers",
        "nurs",
        "nurs, midwi, care., carer, caregiver, healthcare, health care, support worker, paramedic, physio",
    ),
    _Family("teaching and demonstration lessons", "teaching", "teach, lecturer, tutor, school, educat"),
    _Family(
        "customer service and retail",
        "customer service",
        "retail, cashier, barista, shop, store., customer, waiter, waitress, receptionist, call cent, sales assistant, "
        "bartender, front desk, cabin crew",
    ),
    _Family(
        "trades and apprenticeships",
        "trades",
        "electrician, plumb, carpent, joiner, mechanic., weld, bricklay, roofer, apprentic, plaster, painter, "
        "maintenance technician, service technician, fitter, machinist, builder, hvac, gas engineer, landscap, trades",
    ),
    _Family(
        "finance and accounting",
        "finance",
        "accountant, accounting, accounts, financ, audit, bookkeep, controller, tax., treasur, payroll, bank",
    ),
    _Family(
        "marketing and sales",
        "marketing",
        "market, sales., account executive, account manager, business develop, seo., copywrit, brand, content, public "
        "relations",
    ),
    _Family(
        "project managers",
        "project",
        "project, program manager, programme manager, scrum, delivery manager, product owner",
    ),
    _Family("case interviews", "case interview", "consult, strateg, business analyst"),
    _Family("managers and team leaders", "managers", "manager, team lead, head of, director, supervisor, lead., chief"),
)


def _rule(beginnings: str) -> re.Pattern[str]:
    words = (re.escape(word.strip()).replace(r"\.", r"\b") for word in beginnings.split(","))
    return re.compile(rf"\b(?:{'|'.join(words)})", re.IGNORECASE)


_FAMILY_RULES: Final = tuple((_rule(beginnings), ask, title) for ask, title, beginnings in _FAMILIES)
_MOST_FAMILIES: Final = 2


def families_of(role: str) -> tuple[tuple[str, str], ...]:
    """What to ask the guides for about ``role``, with a word of the title that such a guide has; at most two."""
    found = [(ask, title) for rule, ask, title in _FAMILY_RULES if rule.search(role)]
    return tuple(found[:_MOST_FAMILIES])


def rank_of(passage: Passage, role: str, skills: Sequence[str] = ()) -> int | None:
    """How near the passage is to the work of ``role``, 0 the nearest: by the guide's title, or by naming the role or
    one of ``skills`` in its headings. None: it is on other work.
    """
    where = f"{passage.title} {passage.heading}"
    for rank, (_, title) in enumerate(families_of(role)):
        if title in passage.title.casefold():
            return rank
    wanted = stems(role) if role else frozenset()
    if wanted and wanted <= stems(where):
        return _MOST_FAMILIES
    # A page with a question for its title seldom names its subject there.
    words = (f"{where} {passage.text}" if passage.title.rstrip().endswith("?") else where).casefold()
    named = any(re.search(rf"(?<!\w){re.escape(skill.casefold())}(?!\w)", words) for skill in skills)
    return _MOST_FAMILIES + 1 if named else None


def kind_of(passage: Passage, question: str) -> QuestionKind:
    if _OPENING.search(passage.title):
        return "opening"
    if _BEHAVIOURAL.search(passage.title) or _OF_THE_PAST.search(question):
        return "behavioural"
    return "role"


def questions_in(passage: Passage) -> tuple[InterviewQuestion, ...]:
    """The questions that an interviewer may ask, as the passage lists them, with what it says of a good answer."""
    found: list[tuple[str, str]] = []
    if _ASKED_BACK.search(passage.title):
        return ()
    for section in sections_of(passage):
        if not _ASKED_BACK.search(section.heading):
            found += _lines(section)
    return tuple(_question(passage, question, hint) for question, hint in found)


def _lines(passage: Passage) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    asked = "question" in f"{passage.title} {passage.heading}".casefold()
    heading = passage.heading.rsplit(" > ", 1)[-1].strip()
    for line in passage.text.splitlines():
        if match := _LISTED.match(line):
            found.append((match["question"].strip(), match["hint"] or ""))
        elif asked and (match := _ITEM.match(line)):
            question = bare(match["question"]).strip('"“”')
            if _SPOKEN.match(question) and not _OF_THE_READER.search(question):
                found.append((question, ""))
    if not found and _is_page_of(passage, heading) and not _OF_THE_READER.search(passage.title):
        # A handbook of questions has a page for each, with its answer below.
        found.append((bare(passage.title), ""))
    return found


def same(one: str, other: str) -> bool:
    """Two questions that would be felt to be the same."""
    first, second = subject_of(one), subject_of(other)
    if not first or not second:
        return one.casefold() == other.casefold()
    return len(first & second) / min(len(first), len(second)) >= 0.8


def _is_page_of(passage: Passage, heading: str) -> bool:
    """The page has a question for its title, and this is its beginning."""
    title = passage.title.strip()
    return title.endswith("?") and _SPOKEN.match(title) is not None and heading in {"", "Answer", title}


def _question(passage: Passage, question: str, hint: str) -> InterviewQuestion:
    kind = kind_of(passage, question)
    why = {
        "opening": f"Listed as common in most interviews in “{passage.title}”.",
        "behavioural": f"Asks for a real example; listed in “{passage.title}”.",
        "role": f"Listed for this kind of work in “{passage.title}”.",
    }[kind]
    return InterviewQuestion(
        question=question, why=why, hint=hint, kind=kind, basis="guide", citation_ids=(passage.passage_id,)
    )
