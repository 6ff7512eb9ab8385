"""How an attempt of a run begins: what it says first, what it starts from, and whether it may go on in this process."""

import time
from collections.abc import Callable
from typing import Final

from signalbox.blocks import SuggestionChosen
from signalbox.events import RunStarted
from signalbox.graph.state import TurnState
from signalbox.runs.journal import RunJournal
from signalbox.runs.records import StartedRun

# How long a run is left to those who have the agent that began it.
DECLINED_S: Final = 30.0
# One that is not heard of for so long has gone on elsewhere. Much longer than a worker may have no room for runs: it
# would begin again to leave a run to others, for ever.
FORGOTTEN_S: Final = 3_600.0


async def opened(run: StartedRun, journal: RunJournal) -> TurnState:
    """Say that the run has begun, as far as nobody has; the state that its graph starts from."""
    await journal.emit(RunStarted(attempt=run.attempt, user_message_id=run.message_id, message=run.message))
    if run.suggestion_id is not None:
        await journal.emit(SuggestionChosen(suggestion_id=run.suggestion_id))
    return TurnState(
        message=run.message,
        message_id=run.message_id,
        history=run.history,
        profile=run.profile,
        summary=run.summary,
        temporary=run.temporary,
        chosen_intent=run.chosen_intent,
        today=run.today,
        begun=journal.begun,
    )


class Declined:
    """Runs that this process has given back because another one has to go on with them."""

    def __init__(self, *, patience_s: float = DECLINED_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience_s = patience_s
        self._clock = clock
        self._since: dict[str, float] = {}

    def add(self, run_id: str) -> bool:
        """Leave the run to others. False: that was done a while ago, and none of them has ended it."""
        if self._since.pop(run_id, None) is not None:
            return False
        self._since[run_id] = self._clock()
        return True

    def now(self) -> tuple[str, ...]:
        """Those not to be claimed."""
        now = self._clock()
        self._since = {run: since for run, since in self._since.items() if now - since < FORGOTTEN_S}
        return tuple(run for run, since in self._since.items() if now - since < self._patience_s)
