"""What a message says of its writer is learned once, also when the process that was to learn it is gone."""

import asyncio
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.db import Database
from signalbox.errors import ProviderUnavailable
from signalbox.llm.base import Finish, ModelRequest, TextDelta
from signalbox.memory.profile import NewFact, Overdue, Owner, ProfileStore
from signalbox.memory.profile_history import ProfileHistory
from signalbox.runs.learning import Learner
from signalbox.runs.records import StartedRun

TEAMS, BIKES = "I do best in small teams", "I get to work by bike"
LONG_AGO = timedelta(minutes=10)


STORED = (
    """INSERT INTO conversation (conversation_id, tenant, user_id, temporary)
    VALUES (%(c)s, 'default', %(user)s, %(temporary)s)
    ON CONFLICT (conversation_id) DO UPDATE SET updated_at = now()""",
    """INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, request_digest, created_at,
                        started_at, finished_at)
    VALUES (%(r)s, %(c)s, 'default', %(user)s, %(m)s, %(status)s, '', %(at)s, %(at)s, %(at)s)""",
    """INSERT INTO message (message_id, conversation_id, run_id, tenant, user_id, role, content, created_at)
    VALUES (%(m)s, %(c)s, %(r)s, 'default', %(user)s, 'user', %(message)s, %(at)s)""",
)


class Noting:
    """Proposes every sentence it is shown as a note; ``silent`` or ``failing`` as asked."""

    name = "noting"
    instructable = True

    def __init__(self, *, silent: bool = False, failing: bool = False) -> None:
        self.asked: list[str] = []
        self.begun = asyncio.Event()
        self._silent, self._failing = silent, failing

    async def stream(self, request: ModelRequest):
        said = request.messages[1].content.partition("<said>\n")[2].partition("\n</said>")[0]
        self.asked.append(said)
        self.begun.set()
        if self._failing:
            raise ProviderUnavailable
        if self._silent:
            await asyncio.Event().wait()
        proposed = [
            {"action": "ADD", "kind": "fact", "key": "note", "value": line, "quote": line, "confidence": 0.9}
            for line in said.splitlines()
        ]
        yield TextDelta(json.dumps({"operations": proposed}))
        yield Finish("stop")

    async def close(self) -> None:
        """Nothing to close."""


@dataclass
class Talk:
    """Messages of one user, stored as their runs' ends leave them."""

    db: Database
    owner: Owner = field(default_factory=lambda: Owner("default", f"u_{secrets.token_hex(6)}"))
    conversation: str = field(default_factory=lambda: f"c_{secrets.token_hex(6)}")
    temporary: bool = False

    async def say(self, message: str, *, ago: timedelta = timedelta(0), status: str = "succeeded") -> StartedRun:
        token = secrets.token_hex(6)
        at = datetime.now(UTC) - ago
        row = {
            "c": self.conversation, "user": self.owner.user_id, "temporary": self.temporary, "r": f"r_{token}",
            "m": f"m_{token}", "status": status, "message": message, "at": at,
        }  # fmt: skip
        for statement in STORED:
            await self.db.execute(statement, row)
        return StartedRun(
            run_id=row["r"], conversation_id=self.conversation, owner=self.owner, message_id=row["m"], message=message,
            lease_token=1, attempt=1, started_at=at, floor=None, temporary=self.temporary, history=(), profile=(),
        )  # fmt: skip

    async def known(self) -> list[str]:
        return [fact.value for fact in await ProfileStore(self.db).facts(self.owner)]


@pytest.fixture
def talk(database) -> Talk:
    return Talk(database)


def learner(db: Database, model: Noting, overdue: Overdue | None = None) -> Learner:
    return Learner(ProfileStore(db), lambda _: model, overdue)


async def test_a_message_is_asked_about_once(database, talk):
    model = Noting()
    run = await talk.say(TEAMS)
    await learner(database, model).after(run)
    await learner(database, model).after(run)
    await learner(database, model).after(await talk.say("now find jobs"))
    assert (model.asked, await talk.known()) == ([TEAMS], [TEAMS])


async def test_despair_is_no_fact_to_keep(database, talk):
    model = Noting()
    await learner(database, model).after(await talk.say("I feel like there is no point in living anymore"))
    await learner(database, model).after(await talk.say(TEAMS))
    assert (model.asked, await talk.known()) == ([TEAMS], [TEAMS])


@pytest.mark.parametrize("how", ["killed before it began", "killed in the middle"])
async def test_what_a_dead_process_left_is_learned_with_the_next_run(database, talk, how):
    first = await talk.say(TEAMS, ago=LONG_AGO)
    if how == "killed in the middle":
        dying = Noting(silent=True)
        task = asyncio.create_task(learner(database, dying).after(first))
        await asyncio.wait_for(dying.begun.wait(), 30)
        task.cancel()
        await asyncio.wait([task])
        await database.execute("UPDATE run SET learn_begun = finished_at WHERE run_id = %s", (first.run_id,))
    assert await talk.known() == []
    model = Noting()
    await learner(database, model).after(await talk.say(BIKES))
    assert model.asked == [TEAMS, BIKES]
    assert await talk.known() == [TEAMS, BIKES], "each with the day it was said on, so in that order"
    await learner(database, model).after(await talk.say("and now jobs"))
    assert len(model.asked) == 2


async def test_it_is_learned_in_whatever_conversation_the_user_goes_on(database, talk):
    await talk.say(TEAMS, ago=LONG_AGO)
    other = Talk(database, talk.owner)
    await learner(database, Noting()).after(await other.say("find me jobs"))
    assert await talk.known() == [TEAMS]


async def test_who_may_still_be_at_work_is_left_alone_and_of_two_one_takes_it(database, talk):
    await talk.say(TEAMS, ago=timedelta(seconds=30))
    model = Noting()
    await learner(database, model).after(await talk.say("find me jobs"))
    assert model.asked == []
    await talk.say(BIKES, ago=LONG_AGO)
    models = [Noting(), Noting()]
    runs = [await talk.say("more jobs"), await talk.say("more")]
    await asyncio.gather(*(learner(database, each).after(run) for each, run in zip(models, runs, strict=True)))
    assert sorted(each.asked for each in models) == [[], [BIKES]]


async def test_a_message_that_nobody_survives_is_left_alone_after_a_few_tries(database, talk):
    await talk.say(TEAMS, ago=LONG_AGO)
    tries = []
    for _ in range(5):
        model = Noting(failing=True)
        await learner(database, model, Overdue(after=timedelta(0))).after(await talk.say("find me jobs"))
        tries.append(len(model.asked))
    assert tries == [1, 1, 1, 0, 0]
    await talk.say(BIKES, ago=timedelta(days=8))
    model = Noting()
    await learner(database, model).after(await talk.say("find me jobs"))
    assert model.asked == [], "who comes back after that long may have other plans"


async def unlucky(talk: Talk, case: str) -> None:
    """Something that was said and must not be learned late."""
    db, store = talk.db, ProfileStore(talk.db)
    match case:
        case "said in a temporary chat":
            await Talk(db, talk.owner, temporary=True).say(TEAMS, ago=LONG_AGO)
        case "said while nothing was to be remembered":
            await store.remember(talk.owner, False)
            await talk.say(TEAMS, ago=LONG_AGO)
            await store.remember(talk.owner, True)
        case "not remembered any more":
            await talk.say(TEAMS, ago=LONG_AGO)
            await store.remember(talk.owner, False)
        case "taken back":
            run = await talk.say(TEAMS, ago=LONG_AGO)
            await db.execute("UPDATE run SET rolled_back = true WHERE run_id = %s", (run.run_id,))
        case "a quick reply":
            run = await talk.say(TEAMS, ago=LONG_AGO)
            await db.execute(
                "INSERT INTO suggestion (suggestion_id, run_id, conversation_id, tenant, user_id, label, message, "
                "chosen_by_run) VALUES (%s, %s, %s, 'default', %s, 'Teams', 'x', %s)",
                (f"s_{run.run_id}", run.run_id, talk.conversation, talk.owner.user_id, run.run_id),
            )
        case "stopped" | "not over":
            await talk.say(TEAMS, ago=LONG_AGO, status="cancelled" if case == "stopped" else "waiting")
        case "somebody else's":
            await Talk(db).say(TEAMS, ago=LONG_AGO)


@pytest.mark.parametrize(
    "case",
    ["said in a temporary chat", "said while nothing was to be remembered", "not remembered any more", "taken back",
     "a quick reply", "stopped", "not over", "somebody else's"],
)  # fmt: skip
async def test_what_was_not_to_be_learned_is_not_learned_late(database, talk, case):
    await unlucky(talk, case)
    model = Noting()
    await learner(database, model).after(await talk.say("find me jobs"))
    assert (model.asked, await talk.known()) == ([], [])


async def test_of_a_temporary_chat_nothing_is_looked_at_nor_anything_before_it(database, talk):
    await talk.say(TEAMS, ago=LONG_AGO)
    model = Noting()
    await learner(database, model).after(await Talk(database, talk.owner, temporary=True).say(BIKES))
    assert (model.asked, await talk.known()) == ([], [])


@pytest.mark.parametrize(
    "since",
    [
        "Forget that I do best in small teams",
        "Please forget everything about me",
        "Forget everything except my name",
        "undo that",
        "I no longer do best in small teams",
    ],
)
async def test_what_was_taken_back_in_between_does_not_return(database, talk, since):
    await talk.say(TEAMS, ago=LONG_AGO)
    await talk.say(BIKES, ago=LONG_AGO)
    await talk.say(since)
    await learner(database, Noting()).after(await talk.say("find me jobs"))
    assert TEAMS not in await talk.known()


async def test_what_was_said_since_of_something_else_takes_nothing_back(database, talk):
    await talk.say(TEAMS, ago=LONG_AGO)
    for since in ("Forget the first one, show me others", "Is a small team better?", "I don't want sales any more"):
        await talk.say(since)
    await learner(database, Noting()).after(await talk.say("find me jobs"))
    assert await talk.known() == [TEAMS]


async def test_a_fact_that_its_user_deleted_since_is_not_found_anew(database, talk):
    store = ProfileStore(database)
    run = await talk.say(TEAMS, ago=LONG_AGO)
    await store.apply(talk.owner, [NewFact("fact", "note", f"{TEAMS}.")], [], message_id=run.message_id)
    (fact,) = await store.facts(talk.owner)
    await ProfileHistory(database).forget(talk.owner, fact.fact_id)
    model = Noting()
    await learner(database, model).after(await talk.say("find me jobs"))
    assert (model.asked, await talk.known()) == ([TEAMS], [])


async def test_a_model_that_is_asked_late_changes_nothing_that_was_spoken_of_since(database, talk):
    store = ProfileStore(database)
    old = await talk.say("x", ago=timedelta(hours=1))
    await store.apply(talk.owner, [NewFact("fact", "note", TEAMS)], [], message_id=old.message_id)
    await database.execute(
        "UPDATE profile_fact SET created_at = now() - interval '1 hour' WHERE user_id = %s", (talk.owner.user_id,)
    )
    taken_back = "I no longer do best in small teams"
    await talk.say(taken_back, ago=LONG_AGO)

    class Deleting(Noting):
        async def stream(self, request: ModelRequest):
            told = {"action": "DELETE", "id": "k1", "quote": taken_back, "confidence": 0.9}
            yield TextDelta(json.dumps({"operations": [told]}))
            yield Finish("stop")

    await talk.say("In small teams I am happy again")
    await learner(database, Deleting()).after(await talk.say("find me jobs"))
    assert await talk.known() == [TEAMS]


async def left(db: Database, runs: Sequence[StartedRun]) -> list[int | None]:
    rows = await db.fetch(
        "SELECT learn_tries FROM run WHERE run_id = ANY(%s) ORDER BY position", ([run.run_id for run in runs],)
    )
    return [row["learn_tries"] for row in rows]


async def test_what_says_nothing_of_its_writer_counts_as_read_and_a_failing_store_raises(database, talk):
    run = await talk.say("find me jobs")
    assert await left(database, [run]) == [0]
    await learner(database, Noting()).after(run)
    assert await left(database, [run]) == [None]
    failed = await talk.say(TEAMS)
    await learner(database, Noting(failing=True)).after(failed)
    assert await left(database, [failed]) == [1]
