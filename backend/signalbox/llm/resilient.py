"""Gets an answer out of models that fail: retries, the next model of the chain, hedging and the breaker, in one place.

Adapters make one request and say what went wrong; everything that is done about it is decided here.
"""

import asyncio
import math
import random
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from signalbox.errors import (
    ProviderAuth,
    ProviderCut,
    ProviderError,
    ProviderNoModel,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    ProviderTooLong,
    ProviderUnavailable,
)
from signalbox.llm.base import Attempt, Finish, Model, ModelRequest, Restart, StreamItem
from signalbox.llm.breaker import Admission, Breaker
from signalbox.llm.plan import Choice, ModelRef, Plan
from signalbox.llm.provider_waits import spoken
from signalbox.llm.trying import CANCELLED, Asked, Try, refused

BROKE_OFF: Final = "The language model's answer broke off. It is written anew."

_FIRST_BACKOFF_S, _MAX_BACKOFF_S = 0.5, 8.0
# A model that is to be left alone for longer is not waited for while another one can be asked.
_WORTH_WAITING_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Retries:
    """How often one model is asked before the next one is, and within how many seconds the first word of an answer
    must come, all tries and waits included.

    A wait is what the provider asked for, else full jitter over 0.5, 1, 2, ... seconds
    (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
    """

    attempts: int = 3
    budget: float = 30.0


@dataclass(frozen=True, slots=True)
class Patience:
    """``hedge_s``: seconds without a first word after which the next model is asked as well; 0 never does. ``slow``: by
    provider, seconds that its models get until their first word, however little is left of the budget.
    """

    retries: Retries = Retries()
    hedge_s: float = 0.0
    slow: Mapping[str, float] = field(default_factory=dict)


class ResilientModel:
    """A ``Model`` over the models of a plan. ``adapter`` gives the one behind a reference; they are its giver's.

    Before the first word (a text or a tool request) a failure is only seen in the ``Attempt`` that is yielded for it.
    After it, the next try's first word comes behind a ``Restart``; if no try speaks any more, what was shown stands
    and the error that cut it is raised.

    - A model that may pass is asked again, after the wait its provider asked for; one that was silent for its
      whole deadline, or asks for a wait that is long or beyond the budget, makes room for the next of the chain.
    - A model that the breaker keeps from being asked makes room at once, too. It is waited for only where it is the
      last, and not for long.
    - A refused key makes room for the next model of another provider; a model that is gone, or that the request is too
      long for, for the next one. A request that is refused otherwise is refused: no other is asked.
    - A cut answer is begun anew: once by the same model, else by the next one, so at most once per model of the chain.
    - The loser of a hedge is cancelled before the winner's first word is passed on.
    """

    def __init__(
        self,
        plan: Plan,
        adapter: Callable[[ModelRef], Model],
        breaker: Breaker,
        *,
        name: str,
        instructable: bool = True,
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.name = name
        self.instructable = instructable
        self._plan = plan
        self._adapter = adapter
        self._breaker = breaker
        self._patience = patience or Patience()
        self._sleep = sleep
        self._chance = chance

    async def close(self) -> None:
        """The adapters are not ours."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """See ``Model``."""
        asking = _Asking(
            self._plan.choose(request),
            request,
            self._adapter,
            self._breaker,
            self._patience,
            sleep=self._sleep,
            chance=self._chance,
        )
        items: deque[StreamItem] = deque()
        try:
            while not asking.over:
                items.extend(await asking.step())
                while items:
                    yield items.popleft()
        finally:
            await asking.close(items)
        if asking.failure is not None:
            raise asking.failure


class _Asking:
    """One question: where in the chain it stands, which tries are under way, and what came of the others.

    ``step`` goes on until something happened and gives the items of that; after the last ones it is ``over``, and a
    ``failure`` is left to raise.
    """

    def __init__(
        self,
        choice: Choice,
        request: ModelRequest,
        adapter: Callable[[ModelRef], Model],
        breaker: Breaker,
        patience: Patience,
        *,
        sleep: Callable[[float], Awaitable[None]],
        chance: Callable[[], float],
    ) -> None:
        self.over = False
        self.failure: ProviderError | None = None
        self._choice = choice
        self._request = request
        self._adapter = adapter
        self._breaker = breaker
        self._patience = patience
        self._sleep = sleep
        self._chance = chance
        self._until = _now() + patience.retries.budget
        self._speaker: Try | None = None
        self._under_way: list[Try] = []
        self._told: list[StreamItem] = []
        # Where in the chain we are, and how each of its models fared so far.
        self._at = 0
        self._pause = 0.0
        self._number = 0
        self._tries: dict[int, int] = {}
        self._cooled: dict[int, int] = {}
        self._first_asked: dict[int, float] = {}
        self._refused: set[int] = set()
        # Whom the breaker kept from being asked in this round.
        self._kept_out: set[int] = set()
        self._no_key: set[str] = set()
        # Failures of this round, the best one to tell a user, and the one that cut what was shown.
        self._failed: list[tuple[int, ProviderError]] = []
        self._public: ProviderError | None = None
        self._cut: ProviderError | None = None
        self._void = False
        self._begun_anew = False

    async def step(self) -> list[StreamItem]:
        if self._speaker is None:
            await self._proceed()
            told, self._told = self._told, []
            return told
        return await self._word(self._speaker)

    async def _word(self, speaker: Try) -> list[StreamItem]:
        try:
            item = await speaker.next()
        except ProviderError as error:
            return [await self._cut_off(speaker, error)]
        void: list[StreamItem] = [Restart(BROKE_OFF)] if self._void else []
        self._void = False
        if not isinstance(item, Finish):
            return [*void, item]
        self.over = True
        attempt = await self._ended(speaker)
        return [*void, attempt, *([speaker.usage] if speaker.usage is not None else ()), item]

    # -- until somebody speaks

    async def _proceed(self) -> None:
        if not self._under_way:
            if self._pause:
                await self._sleep(self._pause)
                self._pause = 0.0
            await self._begin(self._at)
        elif await self._silent_so_far():
            if not await self._out_of_time() and (second := self._hedge()) is not None:
                await self._begin(second)
        else:
            await self._looked_at()
        if not self._under_way and self._speaker is None:
            self._decide()

    async def _begin(self, index: int) -> None:
        """Ask the model at ``index``, if the breaker lets us."""
        ref = self._choice.chain[index]
        self._at = max(self._at, index)
        admission = await self._breaker.admit(ref)
        if not admission.granted:
            if index not in self._refused:
                self._refused.add(index)
                self._number += 1
                self._told.append(refused(self._choice, ref, self._number))
            self._kept_out.add(index)
            self._failed.append((index, _left_alone(admission)))
            return
        try:
            model = self._adapter(ref)
        except BaseException:
            await self._breaker.given_up(ref, admission)
            raise
        self._number += 1
        self._tries[index] = self._tries.get(index, 0) + 1
        self._first_asked.setdefault(index, _now())
        cooled = self._cooled.get(index, 0)
        request = replace(self._request, temperature=self._request.temperature / 2**cooled) if cooled else self._request
        self._under_way.append(Try(Asked(ref, index, self._number, admission), model, request))

    async def _silent_so_far(self) -> bool:
        """Wait for a first word, a failure, or the time to do something about neither having come."""
        due = min(self._until_of(each.asked.index) for each in self._under_way)
        if self._hedge(now=math.inf) is not None:
            due = min(due, self._under_way[0].began + self._patience.hedge_s)
        firsts = [each.first for each in self._under_way]
        done, _ = await asyncio.wait(firsts, timeout=max(0.0, due - _now()), return_when=asyncio.FIRST_COMPLETED)
        return not done

    async def _looked_at(self) -> None:
        """Whoever spoke first is the speaker; whoever failed is out."""
        over = [each for each in self._under_way if each.first.done()]
        for each in over:
            error = each.first.exception()
            if error is None:
                if self._speaker is None:
                    self._speaker = each
            elif isinstance(error, ProviderError):
                self._failed.append((each.asked.index, error))
                self._told.append(await self._out(each, error))
            else:
                raise error
        if self._speaker is not None:
            await self._chosen(self._speaker)

    async def _chosen(self, speaker: Try) -> None:
        self._at = speaker.asked.index
        self._failed.clear()
        for loser in [each for each in self._under_way if each is not speaker]:
            self._told.append(await self._hung_up(loser))
        if speaker.asked.admission.state == "probe":
            await self._breaker.answered(speaker.asked.ref, speaker.asked.admission)
            # What becomes of the rest of its answer is no verdict of a probe any more.
            speaker.asked = replace(speaker.asked, admission=Admission("closed"))

    async def _out_of_time(self) -> bool:
        """Give up on those whose time is over; whether there were any."""
        late = [each for each in self._under_way if _now() >= self._until_of(each.asked.index)]
        for each in late:
            error = ProviderTimeout()
            self._failed.append((each.asked.index, error))
            # Who was asked only at the end of the budget had no fair chance.
            fair = _now() - each.began >= self._patience.retries.budget / 2
            self._told.append(await (self._out(each, error) if fair else self._hung_up(each, error.code)))
        return bool(late)

    def _until_of(self, index: int) -> float:
        """When a model's time for its first word is over."""
        own = self._patience.slow.get(self._choice.chain[index].provider, 0.0)
        return max(self._until, self._first_asked.get(index, _now()) + own) if own else self._until

    def _hedge(self, now: float | None = None) -> int | None:
        """The model to ask beside the one that is silent, if it is time for that."""
        after = self._patience.hedge_s
        if not after or len(self._under_way) != 1 or (now or _now()) < self._under_way[0].began + after:
            return None
        return self._next_index(max(self._at, self._under_way[0].asked.index))

    # -- when nobody does

    def _decide(self) -> None:
        """All that were asked have failed: wait, ask the next one, or give up."""
        failed, self._failed = sorted(self._failed, key=lambda each: each[0]), []
        for index, error in failed:
            if isinstance(error, ProviderAuth):
                self._no_key.add(self._choice.chain[index].provider)
            if _refuses_all(error):
                self._give_up(error)
                return
            if error.retry or self._public is None or isinstance(error, ProviderTooLong) > self._public.retry:
                self._public = error
        following = self._next_index(self._at)
        kept_out, self._kept_out = self._kept_out, set()
        for index, error in failed:
            wait = self._wait(index, error)
            if following is not None and index in kept_out:
                continue
            if self._may_stay(index, error, wait, alone=following is None):
                self._at, self._pause = index, wait
                self._cooled[index] = self._cooled.get(index, 0) + error.cooler
                return
        if following is not None and _now() < self._until:
            self._at = following
        else:
            # What the user can do about it helps more than what only the operator can.
            self._give_up(self._public or failed[-1][1])

    def _give_up(self, error: ProviderError) -> None:
        self.over, self.failure = True, self._cut or error

    def _may_stay(self, index: int, error: ProviderError, wait: float, *, alone: bool) -> bool:
        if not error.again or self._tries.get(index, 0) >= self._patience.retries.attempts:
            return False
        if _now() + wait >= self._until_of(index):
            return False
        return alone or not (isinstance(error, ProviderTimeout) or (error.wait or 0.0) > _WORTH_WAITING_S)

    def _next_index(self, at: int) -> int | None:
        """Where in the chain to go on after ``at``; of a provider that refused our key no other model is asked."""
        rest = range(at + 1, len(self._choice.chain))
        return next((index for index in rest if self._choice.chain[index].provider not in self._no_key), None)

    def _wait(self, index: int, error: ProviderError) -> float:
        if error.wait is not None:
            # A little spread: many runs are told the same second.
            return error.wait + 0.02 + self._chance() * min(0.5, 0.1 + error.wait / 10)
        tries = max(1, self._tries.get(index, 0))
        return self._chance() * min(_MAX_BACKOFF_S, math.ldexp(_FIRST_BACKOFF_S, tries - 1))

    # -- once somebody has

    async def _ended(self, speaker: Try) -> Attempt:
        """The answer is whole."""
        await speaker.close()
        if speaker.asked.admission.state != "probe":
            await self._breaker.answered(speaker.asked.ref, speaker.asked.admission)
        return self._over(speaker, "ok")

    async def _cut_off(self, speaker: Try, error: ProviderError) -> Attempt:
        """The answer broke off after its first word: begin it anew, or leave it at that."""
        attempt = await self._out(speaker, error)
        index = speaker.asked.index
        self._speaker, self._cut = None, error
        if isinstance(error, ProviderAuth):
            self._no_key.add(self._choice.chain[index].provider)
        following = self._next_index(index)
        wait = self._wait(index, error)
        # A cut connection says little of the model; whoever fell silent or fell over is asked only if nobody else is.
        same = error.again and not self._begun_anew and (isinstance(error, ProviderCut) or following is None)
        self._until = _now() + self._patience.retries.budget
        self._first_asked.clear()
        if same and wait < self._patience.retries.budget:
            self._begun_anew, self._at, self._pause = True, index, wait
            self._tries[index] = 0
        elif following is not None and not _refuses_all(error):
            self._at = following
        else:
            self._give_up(error)
        self._void = not self.over
        return attempt

    async def close(self, untold: Iterable[StreamItem]) -> None:
        """Hang up on all, however often we are cancelled. What nobody was told of attempts goes to ``unheard``."""
        closing = asyncio.create_task(self._hang_up((*untold, *self._told)))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait([closing])
            raise

    async def _hang_up(self, untold: Iterable[StreamItem]) -> None:
        for each in self._under_way:
            each.leave()  # all at once, whatever comes between
        ended = await asyncio.gather(*(self._hung_up(each) for each in list(self._under_way)), return_exceptions=True)
        for item in (*untold, *ended):
            if isinstance(item, BaseException):
                raise item
            if isinstance(item, Attempt) and self._request.unheard is not None:
                self._request.unheard(item)

    async def _hung_up(self, unheard: Try, outcome: str = CANCELLED) -> Attempt:
        await unheard.close()
        await self._breaker.given_up(unheard.asked.ref, unheard.asked.admission)
        return self._over(unheard, outcome)

    async def _out(self, failed: Try, error: ProviderError) -> Attempt:
        await failed.close()
        await self._breaker.failed(failed.asked.ref, failed.asked.admission, error)
        return self._over(failed, error.code)

    def _over(self, ended: Try, outcome: str) -> Attempt:
        """Last of all: a cancel before it leaves the try under way, and it is hung up on in the end."""
        self._under_way.remove(ended)
        return ended.attempt(self._choice, outcome)


def _refuses_all(error: ProviderError) -> bool:
    """Whether the request is at fault, so that no other model would take it either."""
    others_may = isinstance(error, ProviderNoModel | ProviderTooLong)
    return isinstance(error, ProviderRejected) and not (error.again or others_may)


def _left_alone(admission: Admission) -> ProviderError:
    wait = spoken(max(2.0, admission.wait_s))
    if admission.state == "limited":
        public = f"The language model is over its rate limit. Please try again in {wait}."
        return ProviderRateLimited(public, wait=admission.wait_s)
    public = f"The language model failed repeatedly and is left alone. Please try again in {wait}."
    return ProviderUnavailable(public, wait=admission.wait_s, again=admission.wait_s <= _WORTH_WAITING_S)


def _now() -> float:
    return asyncio.get_running_loop().time()
