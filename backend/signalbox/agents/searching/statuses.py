"""What is told of each source of a search: whether it was asked, what it held back, and why. Pure."""

from collections.abc import Sequence
from typing import Final

from signalbox.agents.searching.sources import Source
from signalbox.agents.words.phrases import listed
from signalbox.blocks import Job, SourceStatus
from signalbox.tools.result import Empty, Err, Ok

_NOT_ALWAYS: Final = "not asked successfully for each search of this message"


def statuses_of(searches: Sequence[Sequence[Source]], shown: Sequence[Job]) -> tuple[SourceStatus, ...]:
    """One for each source, over all searches of a message. Who found something for one of them and failed another has
    told a part; who found nothing and failed another could not be asked.
    """
    boards = {source.key for sources in searches for source in sources if source.key}
    said: dict[str, list[SourceStatus]] = {}
    for sources in searches:
        for source in sources:
            status = SourceStatus(
                name=source.name,
                status=source.status,
                partial=bool(source.missed),
                note=_note(source, [job for job in shown if job.source not in boards]),
            )
            said.setdefault(source.name, []).append(status)
    return tuple(_of_all(each) for each in said.values())


def half_searched(source: Source) -> str:
    """In words, what of a source that answered could not be asked."""
    failed = [each.source for each in source.missed]
    if not failed:
        return ""
    where = f" of {source.name}" if source.key else ""
    return f"{listed(failed)}{where} failed, so postings may be missing"


def _of_all(said: Sequence[SourceStatus]) -> SourceStatus:
    statuses = {each.status for each in said}
    found, failed = "ok" in statuses, "error" in statuses
    # Beside other answers, that a search found nothing is said of that search alone.
    notes = [each.note for each in said if each.note and (each.status != "empty" or len(statuses) == 1)]
    if failed and len(statuses) > 1:
        notes.append(_NOT_ALWAYS)
    return SourceStatus(
        name=said[0].name,
        status="ok" if found else "error" if failed else "empty",
        partial=found and (failed or any(each.partial for each in said)),
        note="; ".join(dict.fromkeys(notes)),
    )


def _note(source: Source, own: Sequence[Job]) -> str:
    """``own``: the postings shown that are the catalogue's."""
    match source.result:
        case Err(_, note) if not source.key:
            return f"the search is not answering: {note}"
        case Err(_, note) | Empty(note):
            return note
        case Ok() if source.key:
            return source.unseen
        case Ok():
            samples = sum(job.sample for job in own)
            notes = [half_searched(source), f"{samples} of {len(own)} shown are fictional samples" if samples else ""]
            return "; ".join(note for note in notes if note)
