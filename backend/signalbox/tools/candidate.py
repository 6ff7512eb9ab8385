"""A profile as the ranking of postings takes it."""

from collections.abc import Iterable, Iterator, Sequence

from signalbox.blocks import ProfileFact
from signalbox.retrieval.rerank import Candidate


def candidate_of(profile: Sequence[ProfileFact]) -> Candidate:
    """What ``profile`` says that a posting can be held against.

    Only constraints become hard limits; pay that is merely wished for, or remote work that is preferred, is
    none. A value that cannot be read (years and pay are numbers) is left out.
    """
    hard = [fact for fact in profile if fact.kind == "constraint"]
    return Candidate(
        skills=tuple(_values(profile, "skill")),
        seniority=next(_values(profile, "seniority"), None),
        locations=tuple(part.strip() for value in _values(profile, "location") for part in value.split(",")),
        remote_only="only" in _values(hard, "remote"),
        salary_min=next((float(value) for value in _values(hard, "salary_min") if _is_number(value)), None),
        currency=next(_values(profile, "currency"), None),
        excluded_companies=tuple(_values(hard, "exclude_company")),
        excluded_terms=tuple(form for term in _values(hard, "exclude_term") for form in _forms(term)),
    )


def _values(facts: Iterable[ProfileFact], key: str) -> Iterator[str]:
    return (fact.value for fact in facts if fact.key == key)


def _forms(term: str) -> tuple[str, ...]:
    """Singular and plural: who rules out night shifts rules out a night shift."""
    return (term, term[:-1]) if term.endswith("s") and not term.endswith("ss") else (term, f"{term}s")


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
