"""What was paid is written once, with the step it was paid for, and is still there when the conversation is gone."""

import asyncio
import secrets
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

import pytest
from kept import keep_run
from structlog.testing import capture_logs

from signalbox.errors import Fenced, ProviderTimeout, StoreUnavailable
from signalbox.llm.base import Attempt, ChatMessage, Finish, ModelRequest, TextDelta, Usage, read_whole
from signalbox.memory.profile import Owner
from signalbox.metrics import Metrics
from signalbox.runs.books import Account, BookedModel, Books, midnight, spent_on
from signalbox.runs.costs import costs, costs_of, escalations
from signalbox.runs.recorded import RecordedModel
from signalbox.runs.retention import erase
from signalbox.runs.steps import Hold, Step, StepStore

REQUEST = ModelRequest("answer", (ChatMessage("user", "hello " * 40),), "a draft", agent="general")


def attempt(number=1, outcome="ok", usd=0.25, **more) -> Attempt:
    usage = Usage("m", 1_000, 640, 50, estimated=False, cost_usd=usd) if outcome == "ok" else None
    return Attempt(number, "groq", "m", "standard", outcome, 0.2, 1.5, usage, **more)


@pytest.fixture
def owner():
    return Owner("t", f"u_{secrets.token_hex(6)}")


@pytest.fixture
def books(database):
    return Books(database, Metrics())


async def rows_of(database, owner):
    return await database.fetch(
        "SELECT * FROM model_call WHERE user_id = %s ORDER BY position, number", (owner.user_id,)
    )


async def held_run(database, owner) -> Hold:
    run = await keep_run(database, user=owner.user_id)
    await database.execute("UPDATE run SET status = 'running', lease_token = 7 WHERE run_id = %s", (run,))
    return Hold(run, 7, 1)


def row(step: Step, seq: int):
    return step.row(seq, ())


async def test_calls_are_written_with_their_step_and_once(database, owner):
    hold = await held_run(database, owner)
    spent = spent_on(REQUEST, (attempt(1, "provider_cut"), attempt(2, "open"), attempt(3)))
    step = Step("model/answer/9", "model_turn", {"result": {}}, datetime.now(UTC), spent=spent)
    for _ in range(2):
        await StepStore(database).add(hold, [row(step, 7)], None)
    found = await rows_of(database, owner)
    assert [(r["number"], r["outcome"]) for r in found] == [(1, "provider_cut"), (3, "ok")], (
        "one never made is left out"
    )
    told = found[1]
    assert (told["run_id"], told["position"], told["tenant"]) == (hold.run_id, "model/answer/9", "t")
    assert (told["task"], told["agent"], told["tier"], told["provider"]) == ("answer", "general", "standard", "groq")
    assert (told["input_tokens"], told["cached_tokens"], told["output_tokens"]) == (1_000, 640, 50)
    assert float(told["cost_usd"]) == 0.25
    assert found[0]["cost_usd"] is None
    assert found[0]["estimated"], "nobody reported anything"


async def test_a_step_that_asked_nobody_writes_nothing_in_the_books(database, owner):
    hold = await held_run(database, owner)
    step = Step("1/find_jobs/1", "tool_result", {"result": {}}, datetime.now(UTC))
    await StepStore(database).add(hold, [row(step, 7)], None)
    assert await rows_of(database, owner) == []


async def test_a_step_that_is_refused_leaves_nothing_of_itself_in_the_books(database, owner):
    hold = await held_run(database, owner)
    stale = Hold(hold.run_id, 6, 1)
    step = Step("model/answer/9", "model_turn", {}, datetime.now(UTC), spent=spent_on(REQUEST, (attempt(),)))
    with pytest.raises(Fenced):
        await StepStore(database).add(stale, [row(step, 7)], None)
    assert await rows_of(database, owner) == []


async def test_deleting_the_conversation_leaves_what_was_paid(database, owner, books):
    hold = await held_run(database, owner)
    await books.add(owner, hold.run_id, "model/answer/1", spent_on(REQUEST, (attempt(),)))
    async with database.transaction() as conn:
        await erase(conn)
        await conn.execute("DELETE FROM conversation WHERE user_id = %s", (owner.user_id,))
    assert await books.spent_by_user(owner, midnight()) == 0.25


async def test_sums_are_of_one_user_one_run_and_a_day(database, owner, books):
    other = Owner("t", owner.user_id + "_other")
    for whose, run in ((owner, "a"), (owner, "b"), (other, "c")):
        run_id = f"r_{owner.user_id}_{run}"
        await books.add(whose, run_id, "p", spent_on(REQUEST, (attempt(),)))
    assert await books.spent_by_user(owner, midnight()) == 0.5
    assert await books.spent_by_run(f"r_{owner.user_id}_c") == 0.25
    assert await books.spent_by_all(midnight()) >= 0.75
    await database.execute(
        "UPDATE model_call SET called_at = %s WHERE run_id = %s",
        (midnight() - timedelta(seconds=1), f"r_{owner.user_id}_a"),
    )
    assert await books.spent_by_user(owner, midnight()) == 0.25, "yesterday is over"
    assert await books.spent_by_user(Owner("other tenant", owner.user_id), midnight()) == 0


async def test_what_is_noted_is_written_soon_and_at_the_end(database, owner, books):
    writer = asyncio.create_task(books.keep_writing())
    await asyncio.sleep(0)
    books.note(owner, f"r_{owner.user_id}", "p", spent_on(REQUEST, (attempt(),)))
    books.judge(f"r_{owner.user_id}", "p", kept=False)
    writer.cancel()
    await asyncio.wait([writer])
    (found,) = await rows_of(database, owner)
    assert found["kept"] is False
    books.note(owner, f"r_{owner.user_id}", "nothing", ())
    await books.write()
    assert len(await rows_of(database, owner)) == 1


class Journal:
    """Keeps what was committed and what was only noted."""

    def __init__(self, refuses=None) -> None:
        self.committed, self.noted, self._n, self.refuses = [], [], 0, refuses

    def position(self, turn, name, digest=""):
        self._n += 1
        return f"{turn}/{name}:{digest}/{self._n}"

    def recorded(self, position):
        return None

    async def before_speaking(self):
        pass

    async def commit(self, step):
        if self.refuses is not None:
            raise self.refuses
        self.committed.append(step)

    def wrote(self, position):
        return any(step.position == position for step in self.committed)

    def note(self, step):
        self.noted.append(step)


class Slow:
    """Fails once, says a few words, and then stays silent."""

    name, instructable = "slow", True

    def __init__(self, *, then: str = "silence") -> None:
        self.then = then

    async def stream(self, request):
        yield attempt(1, "provider_cut")
        try:
            yield TextDelta("four words of text..")
            if self.then == "silence":
                await asyncio.sleep(60)
        except (asyncio.CancelledError, GeneratorExit):
            usage = Usage("m", 64, 0, 5, estimated=True, cost_usd=0.5)
            request.unheard(Attempt(2, "groq", "m", "standard", "cancelled", 0.01, 0.05, usage))
            raise
        if self.then == "failure":
            raise ProviderTimeout
        yield attempt(2)
        yield Usage("m", 1_000, 640, 50, estimated=False)
        yield Finish("stop")

    async def close(self):
        pass


def account(books, owner, run="r_1") -> Account:
    return Account(books, owner, f"{run}_{owner.user_id}")


async def test_a_turn_that_was_given_up_is_paid_for_what_was_under_way(database, owner, books):
    journal = Journal()
    model = RecordedModel(Slow(), journal, account(books, owner))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await read_whole(model, REQUEST)
    assert journal.committed == []
    assert journal.noted[0].spent == (), "whoever goes on asks again, and pays again under the same place"
    await books.write()
    first, second = await rows_of(database, owner)
    assert (first["outcome"], second["outcome"]) == ("provider_cut", "cancelled")
    assert second["estimated"]
    assert (second["input_tokens"], second["output_tokens"]) == (64, 5)
    assert float(second["cost_usd"]) == 0.5


@pytest.mark.parametrize("lost", [Fenced, StoreUnavailable, asyncio.CancelledError])
async def test_a_turn_whose_step_cannot_be_written_is_paid_under_a_place_of_its_own(database, owner, books, lost):
    journal = Journal(refuses=lost())
    with pytest.raises(lost):
        await read_whole(RecordedModel(Slow(then="end"), journal, account(books, owner)), REQUEST)
    await books.write()
    found = await rows_of(database, owner)
    assert [row["outcome"] for row in found] == ["provider_cut", "ok"]
    assert float(found[1]["cost_usd"]) == 0.25
    assert found[0]["position"].count("/") == 3, "whoever goes on pays for the same question, too"


async def test_a_commit_that_was_cancelled_when_it_was_done_is_not_paid_twice(database, owner, books):
    class Hasty(Journal):
        async def commit(self, step):
            await super().commit(step)
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await read_whole(RecordedModel(Slow(then="end"), Hasty(), account(books, owner)), REQUEST)
    assert len(books._waiting) == 0


async def test_a_row_that_the_database_refuses_is_dropped_and_holds_up_nobody(database, owner, books):
    bad = spent_on(REQUEST, (attempt(),))
    books.note(owner, "r_bad", "p", ({**bad[0], "input_tokens": 10**12},))
    books.note(owner, f"r_{owner.user_id}", "p", bad)
    with capture_logs() as logs:
        await books.write()
    assert [row["run_id"] for row in await rows_of(database, owner)] == [f"r_{owner.user_id}"]
    (told,) = logs
    assert (told["error"], told["at"]) == ("NumericValueOutOfRange", "p")


async def test_a_reader_that_leaves_early_pays_too(database, owner, books):
    model = RecordedModel(Slow(), Journal(), account(books, owner))
    async with aclosing(model.stream(REQUEST)) as stream:
        async for _ in stream:
            break
    await books.write()
    assert [r["outcome"] for r in await rows_of(database, owner)] == ["provider_cut", "cancelled"]


async def test_a_failed_turn_is_committed_with_its_attempts(owner, books):
    journal = Journal()
    with pytest.raises(ProviderTimeout):
        await read_whole(RecordedModel(Slow(then="failure"), journal, account(books, owner)), REQUEST)
    assert [row["outcome"] for row in journal.committed[0].spent] == ["provider_cut"]


async def test_a_verdict_finds_the_turn_it_is_about(database, owner, books):
    mine = account(books, owner)
    model = RecordedModel(Slow(then="end"), Journal(), mine)
    await read_whole(model, REQUEST)
    await books.add(owner, f"r_1_{owner.user_id}", "model/answer:x/1", ())
    model.judged(REQUEST, kept=True)
    model.judged(ModelRequest("answer", (), "never asked"), kept=False)
    assert len(books._waiting) == 1
    assert books._waiting[0].parameters["position"].startswith("model/answer:")
    await books.write()


async def test_work_in_the_background_is_booked_under_places_of_its_own(database, owner, books):
    model = BookedModel(Slow(then="end"), account(books, owner), "behind")
    for _ in range(2):
        assert (await read_whole(model, REQUEST)).text == "four words of text.."
    model.judged(REQUEST, kept=True)
    await books.write()
    found = await rows_of(database, owner)
    assert sorted(str(r["kept"]) for r in found) == ["None", "None", "True", "True"], "the last one was judged"
    assert [r["outcome"] for r in found] == ["provider_cut", "ok"] * 2
    assert len({r["position"] for r in found}) == 2
    assert all(r["position"].startswith("behind/answer/") for r in found)
    text = books.metrics.text().decode()
    labels = 'agent="general",model="m",outcome="ok",provider="groq",task="answer",tier="standard"'
    assert f"signalbox_model_calls_total{{{labels}}} 2.0" in text
    assert owner.user_id not in text


async def test_costs_are_told_by_model_and_by_month(database, owner, books):
    run = f"r_{owner.user_id}"
    unpriced = Attempt(1, "groq", "secret", "strong", "ok", None, 1.0, Usage("secret", 10, 0, 1, estimated=False))
    await books.add(owner, run, "p1", spent_on(REQUEST, (attempt(), attempt(2, "provider_timeout"))))
    await books.add(owner, run, "p2", spent_on(REQUEST, (unpriced,)))
    await books.add(owner, run, "p3", spent_on(REQUEST, (attempt(),)))
    old = midnight().replace(day=1)
    await database.execute("UPDATE model_call SET called_at = %s WHERE run_id = %s AND position = 'p3'", (old, run))
    later = midnight().replace(day=2)
    await database.execute("UPDATE model_call SET called_at = %s WHERE run_id = %s AND position <> 'p3'", (later, run))
    today, month = await costs_of(database, owner, later)
    assert [(one.what, one.calls, one.failures, one.cost_usd) for one in today] == [
        ("m", 2, 1, 0.25),
        ("secret", 1, 0, 0),
    ]
    assert [(one.what, one.calls, one.cost_usd, one.unpriced) for one in month] == [
        ("m", 3, 0.5, 0),
        ("secret", 1, 0.0, 1),
    ]
    by_user = {one.what: one for one in await costs(database, "user", None)}
    mine = by_user[owner.user_id]
    assert (mine.calls, mine.input_tokens, mine.cached_tokens) == (4, 2_010, 1_280)
    assert mine.hit_share == pytest.approx(0.637, abs=0.001)
    assert mine.first_token_p50_s == pytest.approx(0.2)


async def test_escalations_are_counted_by_question_and_compared_with_the_control_group(apart, owner):
    books = Books(apart, Metrics())
    await apart.execute("DELETE FROM model_call")
    write = ModelRequest("write", (), "", agent="cover_letter")

    async def asked(run, *turns, kept=()):
        for number, attempts in enumerate(turns):
            await books.add(owner, run, f"p{number}", spent_on(write, attempts))
        for number, verdict in enumerate(kept):
            books.judge(run, f"p{number}", kept=verdict)

    for number in range(3):  # good at once, after a retry
        await asked(f"plain{number}", (attempt(1, "provider_cut"), attempt(2)), kept=(True,))
    await asked("mended", (attempt(),), (attempt(usd=1.0, escalated=True),), kept=(False, True))
    await asked("lost", (attempt(),), (attempt(1, "provider_cut", escalated=True),), kept=(False,))
    await asked("lucky", (attempt(usd=1.0, control=True),), kept=(True,))
    await asked("unlucky", (attempt(usd=1.0, control=True),), (attempt(usd=1.0, escalated=True),), kept=(False, False))
    await books.write()
    (found,) = await escalations(apart, None)
    assert (found.task, found.usual.asked, found.usual.escalated, found.usual.rate) == ("write", 5, 2, 0.4)
    assert (found.usual.judged, found.usual.kept, found.usual.usd) == (5, 3, 0.25)
    assert (found.again.asked, found.answered, found.again.judged, found.again.kept) == (3, 2, 2, 1)
    assert (found.control.asked, found.control.escalated, found.control.kept, found.control.usd) == (2, 1, 1, 1.0)
    assert await escalations(apart, datetime.now(UTC) + timedelta(days=1)) == []
    await apart.execute("DELETE FROM model_call")


async def test_an_answer_that_is_given_again_costs_nothing_when_its_reader_leaves_either(database, owner, books):
    class Again(Slow):
        async def stream(self, request):
            yield attempt(1, "cached")
            yield TextDelta("four words")
            await asyncio.sleep(60)

    async with aclosing(RecordedModel(Again(), Journal(), account(books, owner)).stream(REQUEST)) as stream:
        async for _ in stream:
            break
    await books.write()
    assert [(row["outcome"], row["cost_usd"]) for row in await rows_of(database, owner)] == [("cached", None)]
