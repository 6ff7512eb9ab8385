"""Keeps live postings that are about to be shown, so that later messages can speak of them."""

from typing import ClassVar, Self

from signalbox.tools.base import Arguments, Effect, Kit
from signalbox.tools.boards.board import JobBoard
from signalbox.tools.boards.kept import KeptPostings
from signalbox.tools.result import Empty, Ok, Result


class ShownPostings(Arguments):
    job_ids: tuple[str, ...]


class KeepPostings:
    """The number kept. Ids that no board holds, as those of the catalogue, are left out."""

    name: ClassVar[str] = "keep_postings"
    effect: ClassVar[Effect] = "idempotent"
    timeout_s: ClassVar[float] = 3.0
    empty_note: ClassVar[str] = "no board holds any of them now"

    def __init__(self, kept: KeptPostings, boards: tuple[JobBoard, ...]) -> None:
        self._kept = kept
        self._boards = boards

    @classmethod
    def make(cls, kit: Kit) -> Self:
        return cls(KeptPostings(kit.db), tuple(board for board in kit.boards if isinstance(board, JobBoard)))

    async def run(self, arguments: ShownPostings) -> Result[int]:
        found = [hit for job_id in arguments.job_ids for board in self._boards if (hit := board.posting(job_id))]
        if not found:
            return Empty(self.empty_note)
        await self._kept.keep(found)
        return Ok(len(found), total=len(found))
