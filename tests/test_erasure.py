"""Erasing a user leaves no trace of them, and everything of the others: the whole database, Valkey and the log are
searched.
"""

import asyncio
import json
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.types.json import Json, Jsonb
from redis.asyncio import Redis
from typer.testing import CliRunner

from live import ask, finished
from oracle import Oracle
from signalbox.cli import app
from signalbox.db import Database, migrate
from signalbox.errors import Conflict
from signalbox.graph.intent import IntentClassifier
from signalbox.llm.kept_answers import Place
from signalbox.memory.applications import ApplicationStore, NewApplication
from signalbox.memory.profile import NewFact, Owner, ProfileStore
from signalbox.memory.profile_history import ProfileHistory
from signalbox.metrics import Metrics
from signalbox.runs.books import Books, midnight
from signalbox.runs.erasure import ANONYMOUS, BELONGINGS, HANGING, Erasure
from signalbox.runs.retention import Retention
from signalbox.stream.log import EventLog
from signalbox.stream.owned import owned_keys, owned_prefix

KEYS = {"key-of-ada": "ada-zq", "key-of-bob": "bob-zq"}
CV = """Rob Example
Data Engineer

Work experience
Data Engineer, {mark}corp Ltd, Leeds   Mar 2019 - Present
- Built pipelines in Python and SQL at {mark}corp for several years

Skills
Python, SQL, {mark}lang
"""


def marker(name: str) -> str:
    return f"zq{name}{secrets.token_hex(3)}"


class Served:
    """A server in a process of its own: what it logs is what an operator would see."""

    def __init__(self, port: int, log: Path, **settings: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._log = log.open("wb")
        env = {**os.environ, **{f"SIGNALBOX_{name.upper()}": value for name, value in settings.items()}}
        program = Path(sys.executable).parent / "signalbox"
        self._process = subprocess.Popen(
            [program, "serve", "--port", str(port)], env=env, stdout=self._log, stderr=self._log
        )

    async def ready(self) -> None:
        async with asyncio.timeout(240), httpx.AsyncClient() as client:
            while True:
                assert self._process.poll() is None, self.log()[-2_000:]
                try:
                    if (await client.get(f"{self.url}/readyz")).status_code == 200:
                        return
                except httpx.TransportError:
                    await asyncio.sleep(0.1)

    def log(self) -> str:
        return Path(self._log.name).read_text()

    def user(self, key: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    async def stop(self) -> None:
        self._process.terminate()
        await asyncio.to_thread(self._process.wait, 60)
        self._log.close()


@pytest.fixture(scope="module")
async def db(servers) -> AsyncIterator[Database]:
    """A database that can be searched whole, since nothing else is in it."""
    async with await psycopg.AsyncConnection.connect(servers.database_url, autocommit=True) as conn:
        await conn.execute("CREATE DATABASE erasing")
    url = servers.database_url.replace("/postgres?", "/erasing?")
    await migrate(url)
    opened = Database(url, size=2)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(scope="module")
async def oracle() -> AsyncIterator[Oracle]:
    async with Oracle() as provider:
        yield provider


@pytest.fixture(scope="module")
async def trained(data_dir, embedder) -> Path:
    """The data folder with its intent model, so that no start of a server has to wait for it."""
    await asyncio.to_thread(IntentClassifier.open, data_dir / "models", embedder)
    return data_dir


@pytest.fixture(scope="module")
async def served(servers, db, trained, oracle, free_port, tmp_path_factory) -> AsyncIterator[Served]:
    server = Served(
        free_port(),
        tmp_path_factory.mktemp("log") / "server.log",
        data_dir=str(trained),
        database_url=db.dsn,
        redis_url=servers.redis_url,
        model="m",
        model_base_url=oracle.url,
        api_keys=",".join(f"{key}:{user}" for key, user in KEYS.items()),
        secret_key="only-for-tests-only-for-tests",
        log_level="debug",
        lease_s="3",
    )
    await server.ready()
    yield server
    await server.stop()


async def say(client: httpx.AsyncClient, message: str, **body) -> dict:
    run = await ask(client, message, **body)
    row = await finished(client, run["run_id"], timeout=60)
    assert row["status"] in {"succeeded", "waiting"}, row
    return run


async def live_through(client: httpx.AsyncClient, owner: Owner, mark: str, db: Database, redis: Redis) -> list[str]:
    """A user's whole history, with ``mark`` in all they say. Their conversations."""
    await client.put("/v1/profile/settings", json={"remember": True})
    first = await say(client, f"I have {mark}title experience. Remember that I keep a {mark}pinned in my shed at work")
    conversation = first["conversation_id"]
    await say(client, f"I have always enjoyed the {mark}learned part of my work", conversation_id=conversation)
    await say(client, f"I applied to {mark}applied Ltd as a data engineer yesterday", conversation_id=conversation)
    other = await say(client, f"find {mark}wanted jobs in Leeds")
    hidden = await say(client, f"I once worked for {mark}temporary Ltd and liked it", temporary=True)
    renamed = await client.patch(f"/v1/conversations/{conversation}", json={"title": f"{mark}titled"})
    assert renamed.status_code == 200
    uploaded = await client.post("/v1/profile/resume", json={"text": CV.format(mark=mark)})
    assert uploaded.status_code == 201, uploaded.text
    facts = (await client.get("/v1/profile")).json()["facts"]
    await client.patch(f"/v1/profile/facts/{facts[0]['fact_id']}", json={"value": f"{mark}corrected"})
    await client.post("/v1/profile/undo")
    await _beyond_the_chat(db, redis, owner, first, mark)
    async with asyncio.timeout(60):
        while f"{mark}learned" not in (await client.get("/v1/profile")).text:  # noqa: ASYNC110 - in another process
            await asyncio.sleep(0.1)
    return [conversation, other["conversation_id"], hidden["conversation_id"]]


async def _beyond_the_chat(db: Database, redis: Redis, owner: Owner, run: dict, mark: str) -> None:
    """What takes a mail server or twenty messages to come about, written as the program writes it."""
    mine = {"tenant": owner.tenant, "user": owner.user_id, "run": run["run_id"], "id": f"{run['run_id']}_x"}
    told = Json({"mark": f"{mark}asked"})
    await db.execute(
        "INSERT INTO approval (approval_id, run_id, tenant, user_id, position, tool, arguments, digest, risk, "
        "expires_at, decision, note) VALUES (%(id)s, %(run)s, %(tenant)s, %(user)s, 'p', 'send_email', %(told)s, '', "
        "'It is sent.', now(), 'rejected', %(note)s)",
        {**mine, "told": told, "note": f"{mark}note"},
    )
    await db.execute(
        "INSERT INTO effect (effect_key, run_id, position, tool, class, arguments, status) "
        "VALUES (%(id)s, %(run)s, 'p', 'send_email', 'irreversible', %(told)s, 'done')",
        {**mine, "told": Jsonb({"to": f"{mark}effect"})},
    )
    await db.execute(
        "INSERT INTO conversation_summary (conversation_id, version, tenant, user_id, upto, content, made_by) "
        "SELECT conversation_id, 1, tenant, user_id, 1, %(told)s, 'rules' FROM run WHERE run_id = %(run)s",
        {**mine, "told": Jsonb({"decisions": [{"text": f"{mark}summary", "sources": []}]})},
    )
    await redis.set(f"{owned_prefix(owner.tenant, owner.user_id)}answers:until", f"{mark}cached")
    await redis.hset(f"{owned_prefix(owner.tenant, owner.user_id)}answers", "a", f"{mark}cached")


async def dumped(db: Database) -> dict[str, list[str]]:
    """Every row of every table, as COPY writes it."""
    found: dict[str, list[str]] = {}
    tables = await db.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    async with db.connection() as conn:
        for table in (row["tablename"] for row in tables):
            async with conn.cursor().copy(f"COPY {table} TO STDOUT") as copy:
                whole = b"".join([bytes(piece) async for piece in copy])
            found[table] = whole.decode().splitlines()
    return found


async def kept_in(redis: Redis) -> str:
    """Every key of Valkey with all it holds."""
    parts: list[str] = []
    async for key in redis.scan_iter(count=1_000):
        match await redis.type(key):
            case b"string":
                held = await redis.get(key)
            case b"hash":
                held = await redis.hgetall(key)
            case b"stream":
                held = await redis.xrange(key)
            case b"list":
                held = await redis.lrange(key, 0, -1)
            case b"set":
                held = await redis.smembers(key)
            case b"zset":
                held = await redis.zrange(key, 0, -1, withscores=True)
            case b"none":
                continue  # its time was over in between
            case other:
                raise AssertionError(f"{key} is a {other}")
        parts.append(f"{key} {held}")
    return "\n".join(parts)


def rows_with(dump: dict[str, list[str]], *words: str) -> dict[str, list[str]]:
    found = {name: [row for row in rows if any(word in row for word in words)] for name, rows in dump.items()}
    return {name: rows for name, rows in found.items() if rows}


async def test_no_trace_of_an_erased_user_is_left_and_everything_of_the_others(served, db, redis, oracle, servers):
    ada, bob = Owner("default", "ada-zq"), Owner("default", "bob-zq")
    of_ada, of_bob = marker("a"), marker("b")
    async with served.user("key-of-ada") as one, served.user("key-of-bob") as two:
        mine, _ = await asyncio.gather(
            live_through(one, ada, of_ada, db, redis), live_through(two, bob, of_bob, db, redis)
        )
        async with asyncio.timeout(60):  # what follows from a run's end is noted in its row, a moment later
            unread = (
                "SELECT 1 FROM run JOIN conversation c USING (conversation_id) "
                "WHERE (NOT told OR learn_tries IS NOT NULL AND NOT c.temporary) "
                "AND status IN ('succeeded', 'failed', 'dead')"
            )
            while await db.fetch(unread):  # noqa: ASYNC110 - in another process
                await asyncio.sleep(0.05)
        going = await ask(one, f"/echo {of_ada}going " + "and on " * 400)
        before, in_valkey = await dumped(db), await kept_in(redis)
        there = rows_with(before, of_ada, "ada-zq")
        expected = {"message", "conversation", "run", "run_step", "approval", "effect", "conversation_summary"}
        expected |= {"profile_fact", "profile_undo", "resume", "application", "user_setting", "model_call"}
        assert expected <= set(there), f"nothing to erase in {expected - set(there)}"
        for what in ("title", "pinned", "learned", "applied", "wanted", "temporary", "titled", "corp", "cached"):
            assert (
                any(f"{of_ada}{what}" in row for rows in there.values() for row in rows)
                or f"{of_ada}{what}" in in_valkey
            ), what

        answer = await one.request("DELETE", "/v1/profile", json={"erase": "everything"})
        assert answer.status_code == 200, answer.text
        erased = answer.json()["erased"]
        assert erased["conversations"] >= 3
        assert min(erased[name] for name in ("messages", "runs", "facts", "resumes", "applications", "calls")) >= 1
        assert erased["keys"] == 2
        again = (await one.request("DELETE", "/v1/profile", json={"erase": "everything"})).json()["erased"]
        assert not any(again.values())
        assert (await one.get("/v1/conversations")).json() == {"conversations": []}
        assert (await one.get(f"/v1/runs/{going['run_id']}")).status_code == 404

        async with asyncio.timeout(60):  # what was under way notes its end in the books a moment later
            while rows_with(await dumped(db), "ada-zq"):  # noqa: ASYNC110 - in another process
                await asyncio.sleep(0.5)
        after, valkey = await dumped(db), await kept_in(redis)
        assert rows_with(after, of_ada, "ada-zq", *mine) == {}
        assert of_ada not in valkey
        assert "ada-zq" not in valkey
        for conversation in mine:
            meta, stream = EventLog.keys(conversation)
            assert await redis.hgetall(meta) == {b"e": b"deleted"}, "only that it is gone, for an hour"
            assert not await redis.exists(stream)
        lost = {
            name: missing
            for name, rows in rows_with(before, of_bob, "bob-zq").items()
            if (missing := set(rows) - set(after[name]))
        }
        assert lost == {}, "something of another user is gone"
        assert of_bob in valkey
        spent = [row.split("\t") for row in after["model_call"]]
        assert len(spent) >= len(before["model_call"]), "what was paid stays in the books"
        assert f"{of_bob}pinned" in (await two.get("/v1/profile")).text

        # A name may come back: it is a new user's.
        await say(one, "hello again")
        assert (await one.get("/v1/profile")).json()["facts"] == []
    log = served.log()
    assert "erased a user" in log
    for word in (of_ada, of_bob, "ada-zq", "bob-zq", "key-of-ada"):
        assert word not in log, "the log holds what a user said, or who they are"


async def test_every_table_that_names_a_user_is_erased_or_made_anonymous(db):
    rows = await db.fetch(
        "SELECT DISTINCT table_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND column_name = 'user_id'"
    )
    assert {row["table_name"] for row in rows} <= {*BELONGINGS, *HANGING, *ANONYMOUS, "conversation"}


async def test_what_was_under_way_when_its_user_was_erased_is_not_kept(db, servers, monkeypatch):
    monkeypatch.setenv("SIGNALBOX_REDIS_URL", servers.redis_url)
    owner = Owner("default", "late-zq")
    store = ProfileStore(db)
    await store.apply(owner, [NewFact("fact", "skill", "SQL")], [], message_id="m_lateq1")
    assert len(await store.facts(owner)) == 1
    await erase_by_command(db, "late-zq")
    await store.apply(owner, [NewFact("fact", "skill", "Go")], [], message_id="m_lateq2")
    assert await store.facts(owner) == ()
    call = (
        "INSERT INTO model_call (run_id, position, number, tenant, user_id, provider, model, tier, task, agent, "
        "outcome, escalated, control, duration_s, input_tokens, cached_tokens, output_tokens, estimated) "
        "VALUES ('r_lateq', 'p', 1, 'default', %s, 'p', 'm', 'cheap', 't', '', 'ok', false, false, 1, 1, 0, 1, false) "
        "RETURNING user_id"
    )
    assert (await db.fetch_one(call, ("late-zq",)))["user_id"] == ""


async def erase_by_command(db: Database, user: str, *more: str) -> str:
    result = await asyncio.to_thread(
        CliRunner(env={"SIGNALBOX_DATABASE_URL": db.dsn}).invoke, app, ["users", "erase", user, "--yes", *more]
    )
    if result.exception is not None:
        raise result.exception
    return result.stdout


async def test_an_operator_erases_a_user_by_command(db, served, servers, redis, monkeypatch):
    monkeypatch.setenv("SIGNALBOX_REDIS_URL", servers.redis_url)
    owner = Owner("default", "cli-zq")
    await ProfileStore(db).apply(owner, [NewFact("fact", "skill", "SQL")], [], message_id="m_cliq1")
    assert "1 facts" in await erase_by_command(db, "cli-zq")
    assert "nothing to erase" in await erase_by_command(db, "cli-zq")
    assert "nothing to erase" in await erase_by_command(db, "cli-zq", "--tenant", "other")
    assert json.dumps(rows_with(await dumped(db), "cli-zq")) == "{}"


def quiet(db: Database, redis: Redis) -> tuple[EventLog, Erasure]:
    async def nothing(_: str) -> None:
        pass

    log = EventLog(redis, buffer_ttl_s=60, buffer_events=100)
    return log, Erasure(db, log, redis, stop=nothing, gone=nothing)


async def _told(db: Database, user: str) -> dict[str, str]:
    """A conversation of one message, whose run is over."""
    token = secrets.token_hex(4)
    mine = {"user": user, "c": f"c_{token}", "r": f"r_{token}", "m": f"m_{token}"}
    for table, columns, values in (
        ("conversation", "", ""),
        ("run", "run_id, user_message_id, status, request_digest, ", "%(r)s, %(m)s, 'succeeded', '', "),
        ("message", "message_id, run_id, role, content, ", "%(m)s, %(r)s, 'user', 'x', "),
    ):
        await db.execute(
            f"INSERT INTO {table} ({columns}conversation_id, tenant, user_id) "
            f"VALUES ({values}%(c)s, 'default', %(user)s)",
            mine,
        )
    return mine


PAID = (
    "INSERT INTO model_call (run_id, position, number, tenant, user_id, provider, model, tier, task, agent, outcome, "
    "escalated, control, duration_s, input_tokens, cached_tokens, output_tokens, estimated, cost_usd) VALUES "
    "(%(r)s, %(position)s, 1, 'default', %(user)s, 'p', 'm', 'cheap', 't', '', 'ok', false, false, 1, 1, 0, 1, false, "
    "%(cost)s) ON CONFLICT DO NOTHING"
)
LATE = {
    "application": "INSERT INTO application (application_id, tenant, user_id, company, status, source_message_id) "
    "VALUES (%(m)s, 'default', %(user)s, 'Acme', 'applied', %(m)s)",
    "profile_fact": "INSERT INTO profile_fact (fact_id, tenant, user_id, kind, key, value, source_message_id) "
    "VALUES (%(m)s, 'default', %(user)s, 'fact', 'skill', 'Go', %(m)s)",
    "model_call": PAID,
}


@pytest.mark.parametrize("table", LATE)
async def test_erasing_waits_for_what_is_being_written_and_takes_it_along(db, redis, table):
    """The row is there and not committed when the erasing begins, in a transaction that knows of no other lock."""
    mine = {**await _told(db, f"race-{table}-zq"), "position": "p", "cost": 1}
    log, erasure = quiet(db, redis)
    async with await psycopg.AsyncConnection.connect(db.dsn) as writer:
        await writer.execute(LATE[table], mine)
        going = asyncio.create_task(erasure.erase(Owner("default", mine["user"])))
        async with asyncio.timeout(60):
            blocked = "SELECT count(*) AS number FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
            pid = writer.info.backend_pid
            while not going.done() and not (await db.fetch_one(blocked, (pid,)))["number"]:  # noqa: ASYNC110 - in the database
                await asyncio.sleep(0.01)
        assert not going.done(), "erased without what is being written"
        await writer.commit()
        await going
    assert rows_with(await dumped(db), mine["user"]) == {}
    await log.close()


async def test_what_comes_after_the_erasing_is_told_as_not_recorded(db, redis):
    mine = await _told(db, "after-zq")
    log, erasure = quiet(db, redis)
    owner, store = Owner("default", mine["user"]), ApplicationStore(db)
    await erasure.erase(owner)
    with pytest.raises(Conflict, match="nothing was recorded"):
        await store.record(owner, NewApplication("Acme"), message_id=mine["m"])
    assert await store.all(owner) == ()
    await log.close()


async def test_a_fact_is_corrected_though_its_message_is_gone_and_its_user_was_erased_before(db, redis):
    first = await _told(db, "back-zq")
    log, erasure = quiet(db, redis)
    owner, store = Owner("default", first["user"]), ProfileStore(db)
    await store.apply(owner, [NewFact("fact", "skill", "SQL")], [], message_id=first["m"])
    await erasure.erase(owner)
    again = await _told(db, "back-zq")
    await store.apply(owner, [NewFact("fact", "skill", "Go")], [], message_id=again["m"])
    await db.execute("DELETE FROM conversation WHERE conversation_id = %(c)s", again)
    (fact,) = await store.facts(owner)
    assert (await ProfileHistory(db).amend(owner, fact.fact_id, value="Rust", pinned=None)).value == "Rust"
    await log.close()


async def test_erasing_gives_no_new_budget_for_the_day(db, redis):
    mine = {**await _told(db, "spent-zq"), "position": "p", "cost": "0.25"}
    log, erasure = quiet(db, redis)
    owner, books = Owner("default", mine["user"]), Books(db, Metrics())
    await db.execute(PAID, mine)
    yesterday = "UPDATE model_call SET called_at = now() - interval '2 days' WHERE run_id = %(r)s AND position = 'old'"
    await db.execute(PAID, {**mine, "position": "old"})
    await db.execute(yesterday, mine)
    assert float(await books.spent_by_user(owner, midnight())) == 0.25
    await erasure.erase(owner)
    assert float(await books.spent_by_user(owner, midnight())) == 0.25
    for _ in range(2):  # safe to repeat
        await db.execute(PAID, {**mine, "position": "late"})
    assert float(await books.spent_by_user(owner, midnight())) == 0.5
    again = await _told(db, "spent-zq")
    await db.execute(PAID, {**again, "position": "new", "cost": "0.25"})
    assert float(await books.spent_by_user(owner, midnight())) == 0.75
    await erasure.erase(owner)
    assert float(await books.spent_by_user(owner, midnight())) == 0.75
    assert float(await books.spent_by_user(Owner("default", "other-zq"), midnight())) == 0
    assert rows_with(await dumped(db), "spent-zq") == {}
    passed = "UPDATE erasure SET erased_at = erased_at - interval '25 hours', spent_on = spent_on - 1"
    await db.execute(passed)
    assert float(await books.spent_by_user(owner, midnight())) == 0, "a new day"
    await Retention(db, redis).prune(midnight().replace(year=2000))
    assert await db.fetch("SELECT 1 FROM erasure") == []
    await log.close()


def test_all_that_is_kept_for_a_user_in_redis_is_known_by_name():
    place = Place(owned_prefix("t", "u"), "g", "e")
    assert set(place.keys) == set(owned_keys("t", "u"))
