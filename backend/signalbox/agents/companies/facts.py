"""What is known of a company, each fact with its source and date, and what no source tells. Pure."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal

from signalbox.agents.companies.ask import Topic
from signalbox.agents.turn import Facts
from signalbox.agents.words.guides import GuideFacts
from signalbox.agents.words.phrases import counted, money
from signalbox.blocks import CompanyFact, CompanyProfile, Job
from signalbox.events import Citation
from signalbox.retrieval.facts.companies import CompanyRecord, regions_for
from signalbox.retrieval.facts.company_jobs import EmployerPostings

Outcome = Literal[
    "told", "nothing", "unavailable", "several", "near", "no_company", "listed", "none_listed", "list_unavailable",
    "no_source", "method", "shown", "none_shown", "compared",
]  # fmt: skip
Looked = Literal["found", "nothing", "unavailable", "not_asked"]

POSTINGS_SOURCE: Final = "Postings in the catalogue"
_OLD: Final = timedelta(days=365)
_LONGEST: Final = 320
_MOST_TECHNOLOGIES: Final = 12
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")

# What a topic is called when nothing is known of it, and the labels of the facts that answer it.
TOPICS: Final[dict[Topic, tuple[str, tuple[str, ...]]]] = {
    "culture": ("the culture or what it is like to work there", ()),
    "layoffs": ("layoffs", ()),
    "funding": ("funding, results or stability", ("Funding",)),
    "owners": ("who owns or runs it", ()),
    "people": ("people who work there", ()),
    "training": ("training and promotion", ()),
    "benefits": ("benefits", ("Benefits",)),
    "competitors": ("its competitors", ()),
    "diversity": ("diversity", ()),
    "news": ("recent news", ()),
    "legitimacy": ("whether it is trustworthy", ()),
    "size": ("how many people it employs", ("Size",)),
    "age": ("when it was founded", ("Founded",)),
    "offices": ("where its offices are", ("Offices", "Places in postings")),
    "products": ("what it makes", ("What it does", "Industry")),
    "pay": ("what it pays", ("Pay in postings",)),
    "region": ("where it hires", ("Hires in", "Places in postings")),
    "hiring": ("whether it is hiring", ("Postings",)),
    "remote": ("its rules on remote work", ("Remote policy", "Remote work", "Remote in postings")),
    "technology": ("its technology", ("Technology", "Skills in postings")),
}


class Known(Facts):
    """One fact: ``text`` under ``label``, as ``source`` says it."""

    label: str
    text: str
    source: str
    as_of: date | None
    source_id: str
    url: str | None


class Listed(Facts):
    """A company of a list, in a few words."""

    company_id: str
    name: str
    region: str | None
    remote_policy: str | None
    technologies: tuple[str, ...]
    source: str
    as_of: date | None
    url: str | None


class OnList(Facts):
    """A company of the postings on the table and their numbers in the list."""

    name: str
    places: tuple[int, ...]
    sample: bool


class CompanyFacts(Facts):
    """All that the reply may claim. ``answers`` are labels of the facts asked for; ``unknown`` what nobody told.
    ``on_list``: the companies of the list on the table, ``real_only`` without the fictional ones; ``after_empty``: the
    newest search found nothing. ``sides``: two companies to compare. ``hires_there``: whether its record says that it
    hires in ``place``. ``pointed``: the posting that the company was pointed at by, and its pay.
    """

    outcome: Outcome
    name: str = ""
    records: Looked = "not_asked"
    postings: Looked = "not_asked"
    known: tuple[Known, ...] = ()
    answers: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    old: bool = False
    sample: bool = False
    open_postings: int = 0
    others: tuple[str, ...] = ()
    companies: tuple[Listed, ...] = ()
    total: int = 0
    conditions: tuple[str, ...] = ()
    place: str | None = None
    none_on_record: bool = False
    site: str | None = None
    on_list: tuple[OnList, ...] = ()
    real_only: bool = False
    after_empty: bool = False
    sides: tuple["CompanyFacts", ...] = ()
    hires_there: bool | None = None
    pointed: str = ""
    pointed_pay: str = ""
    guides: GuideFacts | None = None


def known_of(
    records: Sequence[CompanyRecord], kinds: Sequence[EmployerPostings], today: date, *, in_part: bool = False
) -> tuple[Known, ...]:
    """Facts of the company's records, then of its postings; ``in_part``: there are more than were read."""
    return tuple(
        [each for record in records for each in _of_record(record)]
        + [each for kind in kinds for each in _of_postings(kind, today, in_part=in_part)]
    )


def _of_record(record: CompanyRecord) -> list[Known]:
    size = size_text(record.size_min, record.size_max)
    texts: list[tuple[str, str | None]] = [
        ("What it does", shortened(record.description)),
        ("Size", size),
        ("Founded", str(record.founded) if record.founded else None),
        ("Hires in", record.region),
        ("Remote policy", record.remote_policy),
        ("Technology", ", ".join(record.technologies[:_MOST_TECHNOLOGIES])),
        *((fact.label, shortened(fact.text)) for fact in record.facts if fact.label != "Technology"),
        ("Website", record.site),
        ("Careers page", record.careers_url),
    ]
    return [
        Known(
            label=label, text=text, source=record.source, as_of=record.as_of, source_id=record.company_id,
            url=record.url,
        )
        for label, text in texts
        if text
    ]  # fmt: skip


def _of_postings(kind: EmployerPostings, today: date, *, in_part: bool) -> list[Known]:
    total = kind.postings
    texts = [
        ("Postings", _how_many(kind, today, in_part=in_part)),
        ("Roles in postings", "; ".join(f"{title} ({n})" if n > 1 else title for title, n in kind.titles)),
        ("Places in postings", "; ".join(f"{place} ({n})" if n > 1 else place for place, n in kind.places)),
        ("Remote in postings", _remote(kind)),
        ("Pay in postings", "; ".join(_pay(kind))),
        (
            "Skills in postings",
            ", ".join(f"{skill} ({n / total:.0%})" for skill, n in kind.skills) if total > 1 else "",
        ),
    ]
    source = "Fictional sample postings" if kind.sample else f"{POSTINGS_SOURCE} ({', '.join(kind.sources)})"
    return [
        Known(label=label, text=text, source=source, as_of=kind.newest, source_id=kind.newest_id, url=kind.newest_url)
        for label, text in texts
        if text
    ]  # fmt: skip


def _how_many(kind: EmployerPostings, today: date, *, in_part: bool) -> str:
    what = "fictional sample posting" if kind.sample else "posting"
    text = counted(kind.postings, what)
    if in_part:
        text = f"at least {text} (only a part of them was read)"
    if kind.closed:
        text += f", {kind.closed:,} past the closing date"
    if kind.newest:
        text += f", the newest of {day_text(kind.newest)}"
        if today - kind.newest > _OLD:
            text += ", which is over a year ago"
    return text


def _remote(kind: EmployerPostings) -> str:
    if not kind.remote and not kind.on_site:
        return ""
    silent = kind.postings - kind.remote - kind.on_site
    text = f"{kind.remote:,} of {kind.postings:,} say remote, {kind.on_site:,} on site"
    return f"{text}, {silent:,} do not say" if silent else text


def _pay(kind: EmployerPostings) -> list[str]:
    spans = []
    for span in kind.pay:
        text = f"{money(round(span.low), span.currency)}–{money(round(span.high), span.currency)} a year"
        text += f" in {counted(span.postings, 'posting')}"
        if span.hourly:
            text += f" ({span.hourly:,} of them by the hour, counted at 2,080 hours)"
        spans.append(text)
    return spans


def on_list(jobs: Sequence[Job], *, real_only: bool) -> tuple[OnList, ...]:
    """The companies of a list of postings, in its order."""
    places: dict[str, list[int]] = {}
    samples: dict[str, bool] = {}
    for place, job in enumerate(jobs, start=1):
        places.setdefault(job.company, []).append(place)
        samples[job.company] = samples.get(job.company, True) and job.sample
    return tuple(
        OnList(name=name, places=tuple(numbers), sample=samples[name])
        for name, numbers in places.items()
        if not (real_only and samples[name])
    )


def hires_in(place: str, known: Sequence[Known]) -> bool | None:
    """Whether the region on record holds ``place``; None where no region is on record."""
    region = next((each.text for each in known if each.label == "Hires in"), None)
    if region is None:
        return None
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", region, re.IGNORECASE) for name in regions_for(place))


def size_text(low: int | None, high: int | None) -> str | None:
    if low is None and high is None:
        return None
    if low is None or high is None:
        return f"{low:,} people or more" if low is not None else f"up to {high:,} people"
    return f"{low:,} people" if low == high else f"{low:,}–{high:,} people"


def shortened(text: str) -> str:
    """The first sentences, as many as fit."""
    line = " ".join(text.split())
    if len(line) <= _LONGEST:
        return line
    ends = [match.end() for match in _SENTENCE_END.finditer(line, 0, _LONGEST)]
    return line[: ends[-1]] if ends and ends[-1] > _LONGEST // 4 else line[: _LONGEST - 1].rstrip() + "…"


def answers_to(topics: Sequence[Topic], known: Sequence[Known]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels that answer what was asked, and what nothing answers, in words."""
    labels = {each.label for each in known}
    answers = dict.fromkeys(label for topic in topics for label in TOPICS[topic][1] if label in labels)
    unknown = [TOPICS[topic][0] for topic in topics if not labels.intersection(TOPICS[topic][1])]
    return tuple(answers), tuple(dict.fromkeys(unknown))


def is_old(records: Sequence[CompanyRecord], today: date) -> bool:
    newest = max((record.as_of for record in records if record.as_of), default=None)
    return newest is not None and today - newest > _OLD


def profile_event(facts: CompanyFacts) -> CompanyProfile:
    return CompanyProfile(
        company=facts.name,
        facts=tuple(
            CompanyFact(
                fact=each.text, source=each.source, as_of=each.as_of, label=each.label, source_id=each.source_id,
                url=each.url,
            )
            for each in facts.known
        ),
        unknown=facts.unknown,
        sample=facts.sample,
    )  # fmt: skip


def citations_of(facts: CompanyFacts) -> tuple[Citation, ...]:
    """One for each record and for the newest posting, and the passages quoted."""
    found = [
        Citation(id=each.source_id, title=facts.name, source=each.source, url=each.url, as_of=each.as_of)
        for each in facts.known
    ]
    found += [
        Citation(id=each.company_id, title=each.name, source=each.source, url=each.url, as_of=each.as_of)
        for each in facts.companies
    ]
    found += [citation for side in facts.sides for citation in citations_of(side)]
    found += facts.guides.citations if facts.guides else ()
    return tuple({citation.id: citation for citation in found}.values())


def day_text(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
