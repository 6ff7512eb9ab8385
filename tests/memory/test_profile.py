"""The profile store on a real database: nothing overwritten, nothing doubled, nobody else's."""

import secrets
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.errors import BadRequest, Conflict, NotFound
from signalbox.memory.profile import MOST_PINNED_CHARS, NewFact, Owner, ProfileStore, Said
from signalbox.memory.profile_history import ProfileHistory


@pytest.fixture
def store(database):
    return ProfileStore(database)


@pytest.fixture
def owner():
    return Owner("default", f"u_{secrets.token_hex(6)}")


def fact(key: str, value: str, kind: str = "fact") -> NewFact:
    return NewFact(kind, key, value)


def said(facts) -> list[tuple[str, str, str]]:
    return [(f.kind, f.key, f.value) for f in facts]


async def test_a_fact_keeps_the_message_that_said_it(store, owner):
    await store.apply(owner, [fact("skill", "Python")], [], message_id=f"m_1_{owner.user_id}")
    (found,) = await store.facts(owner)
    assert (found.value, found.source_message_id) == ("Python", f"m_1_{owner.user_id}")


async def test_the_same_message_twice_changes_nothing(store, owner):
    for _ in range(2):
        await store.apply(
            owner, [fact("skill", "Python"), fact("location", "Leeds")], [], message_id=f"m_1_{owner.user_id}"
        )
    assert said(await store.facts(owner)) == [("fact", "skill", "Python"), ("fact", "location", "Leeds")]


async def test_a_single_valued_key_is_replaced_and_others_collect(store, owner):
    await store.apply(owner, [fact("location", "Leeds"), fact("skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    change = await store.apply(
        owner, [fact("location", "York"), fact("skill", "Go")], [], message_id=f"m_2_{owner.user_id}"
    )
    assert said(change.removed) == [("fact", "location", "Leeds")]
    assert sorted(said(await store.facts(owner))) == [
        ("fact", "location", "York"),
        ("fact", "skill", "Go"),
        ("fact", "skill", "SQL"),
    ]


async def test_a_preference_can_become_a_constraint(store, owner):
    await store.apply(owner, [fact("exclude_term", "sales", "preference")], [], message_id=f"m_1_{owner.user_id}")
    await store.apply(owner, [fact("exclude_term", "Sales", "constraint")], [], message_id=f"m_2_{owner.user_id}")
    assert said(await store.facts(owner)) == [("constraint", "exclude_term", "Sales")]


async def test_a_removed_fact_can_be_told_again(store, owner):
    await store.apply(owner, [fact("skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    change = await store.apply(owner, [], [fact("skill", "sql")], message_id=f"m_2_{owner.user_id}")
    assert said(change.removed) == [("fact", "skill", "SQL")]
    assert await store.facts(owner) == ()
    await store.apply(owner, [fact("skill", "SQL")], [], message_id=f"m_3_{owner.user_id}")
    assert said(await store.facts(owner)) == [("fact", "skill", "SQL")]


async def test_another_users_facts_are_out_of_reach(store, owner):
    await store.apply(owner, [fact("skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    other = Owner("default", f"u_{secrets.token_hex(6)}")
    await store.apply(other, [], [fact("skill", "SQL")], message_id=f"m_2_{owner.user_id}")
    assert said(await store.facts(owner)) == [("fact", "skill", "SQL")]
    assert await store.facts(other) == ()


async def test_what_is_to_be_remembered_is_pinned_also_if_it_is_known_already(store, owner):
    await store.apply(owner, [fact("skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    await store.apply(owner, [NewFact("fact", "skill", "sql", pinned=True)], [], message_id=f"m_2_{owner.user_id}")
    (kept,) = await store.facts(owner)
    assert (kept.value, kept.pinned, kept.origin, kept.confidence) == ("SQL", True, "said", 1.0)
    await store.apply(owner, [], [fact("skill", "SQL")], message_id=f"m_3_{owner.user_id}")
    await store.apply(owner, [fact("skill", "SQL")], [], message_id=f"m_4_{owner.user_id}")
    assert [each.pinned for each in await store.facts(owner)] == [False]


async def test_what_no_prompt_has_room_for_is_remembered_but_not_pinned(database, store, owner):
    def note(number: int) -> NewFact:
        return NewFact("fact", "note", f"{number} {'words ' * 160}".strip(), pinned=True)

    for number in range(8):
        await store.apply(owner, [note(number)], [], message_id=f"m_{number}_{owner.user_id}")
    facts = await store.facts(owner)
    assert [each.pinned for each in facts].count(True) == 6
    assert sum(len(each.value) for each in facts if each.pinned) <= MOST_PINNED_CHARS
    history = ProfileHistory(database)
    first, last = facts[0], facts[-1]
    with pytest.raises(BadRequest, match="Unpin"):
        await history.amend(owner, last.fact_id, value=None, pinned=True)
    assert (await history.amend(owner, first.fact_id, value="shorter", pinned=None)).pinned
    assert (await history.amend(owner, last.fact_id, value=None, pinned=True)).pinned


async def test_a_replaced_fact_names_its_successor_until_it_comes_back(database, store, owner):
    await store.apply(owner, [fact("location", "Leeds")], [], message_id=f"m_1_{owner.user_id}")
    await store.apply(owner, [fact("location", "York")], [], message_id=f"m_2_{owner.user_id}")
    sql = "SELECT replaced_by FROM profile_fact WHERE user_id = %s AND value = 'Leeds'"
    assert (await database.fetch_one(sql, (owner.user_id,)))["replaced_by"] == f"f_m_2_{owner.user_id}_0"
    await ProfileHistory(database).undo(owner)
    assert (await database.fetch_one(sql, (owner.user_id,)))["replaced_by"] is None


async def test_nothing_is_stored_for_a_user_who_wants_nothing_remembered(store, owner):
    await store.apply(owner, [fact("skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    assert await store.remembers(owner)
    await store.remember(owner, False)
    change = await store.apply(owner, [fact("skill", "Go")], [fact("skill", "SQL")], message_id=f"m_2_{owner.user_id}")
    assert (change.added, said(change.removed), change.remembering) == ((), [("fact", "skill", "SQL")], False)
    await store.remember(owner, True)
    assert await store.facts(owner) == ()


# -- what is learned after a run


@pytest.fixture
async def heard(database, owner):
    """A message of the owner with its run, as ``learn`` takes it."""

    async def say(number: int = 1, at: datetime | None = None) -> Said:
        conversation, run, message = (f"{kind}_{number}_{owner.user_id}" for kind in ("c", "r", "m"))
        await database.execute(
            "INSERT INTO conversation (conversation_id, tenant, user_id) VALUES (%s, %s, %s)",
            (conversation, owner.tenant, owner.user_id),
        )
        await database.execute(
            "INSERT INTO run (run_id, conversation_id, tenant, user_id, user_message_id, status, request_digest) "
            "VALUES (%s, %s, %s, %s, %s, 'succeeded', '')",
            (run, conversation, owner.tenant, owner.user_id, message),
        )
        return Said(message, run, at or datetime.now(UTC))

    return say


async def test_what_is_learned_is_told_apart_and_repeating_it_changes_nothing(store, owner, heard):
    where = await heard()
    new = NewFact("preference", "note", "likes small teams", confidence=0.8)
    change = await store.learn(owner, [new], [], said=where)
    assert [(each.origin, each.confidence, each.source_message_id) for each in change.added] == [
        ("extracted", 0.8, where.message_id)
    ]
    assert (await store.learn(owner, [new], [], said=where)).added == ()
    assert len(await store.facts(owner)) == 1
    await store.apply(owner, [fact("note", "likes small teams", "preference")], [], message_id=f"m_9_{owner.user_id}")
    assert [(each.origin, each.confidence) for each in await store.facts(owner)] == [("said", 1.0)]


async def test_what_is_learned_belongs_to_the_change_of_its_message(database, store, owner, heard):
    where = await heard()
    await store.apply(owner, [fact("title", "Nurse")], [], message_id=where.message_id)
    await store.learn(owner, [fact("note", "likes small teams")], [], said=where)
    undone = await ProfileHistory(database).undo(owner)
    assert sorted(each.value for each in undone.added) == ["Nurse", "likes small teams"]
    assert await store.facts(owner) == ()
    # It was taken back before the model was done.
    change = await store.learn(owner, [fact("note", "likes big teams")], [], said=where)
    assert change.added == ()


async def test_newer_words_stand_against_what_is_learned_late(store, owner, heard):
    late = await heard(1, datetime.now(UTC) - timedelta(minutes=5))
    await store.apply(owner, [fact("location", "York")], [], message_id=f"m_7_{owner.user_id}")
    (york,) = await store.facts(owner)
    change = await store.learn(
        owner, [fact("location", "Leeds")], [(york.fact_id, None), (york.fact_id, fact("location", "Hull"))], said=late
    )
    assert (change.added, change.removed) == ((), ())
    later = await heard(2)
    change = await store.learn(owner, [], [(york.fact_id, fact("location", "Hull"))], said=later)
    assert (said(change.removed), said(change.added)) == (
        [("fact", "location", "York")],
        [("fact", "location", "Hull")],
    )


async def test_nothing_is_learned_from_a_message_that_is_gone_or_without_consent(database, store, owner, heard):
    where = await heard()
    await store.remember(owner, False)
    assert not (await store.learn(owner, [fact("skill", "Go")], [], said=where)).remembering
    await store.remember(owner, True)
    await database.execute("UPDATE run SET rolled_back = true WHERE run_id = %s", (where.run_id,))
    assert (await store.learn(owner, [fact("skill", "Go")], [], said=where)).added == ()
    await database.execute("DELETE FROM run WHERE run_id = %s", (where.run_id,))
    assert (await store.learn(owner, [fact("skill", "Go")], [], said=where)).added == ()
    other = Owner("default", f"u_{secrets.token_hex(6)}")
    mine = await heard(2)
    assert (await store.learn(other, [fact("skill", "Go")], [], said=mine)).added == ()
    assert await store.facts(owner) == ()


# -- correcting a fact


async def test_a_corrected_fact_keeps_its_history_and_can_be_undone(database, store, owner):
    history = ProfileHistory(database)
    await store.apply(owner, [fact("location", "Leeds"), fact("skill", "SQL")], [], message_id=f"m_1_{owner.user_id}")
    leeds, sql = await store.facts(owner)
    new = await history.amend(owner, leeds.fact_id, value=" York ", pinned=True)
    assert (new.value, new.pinned, new.origin, new.source_message_id) == ("York", True, "said", None)
    assert (await history.amend(owner, sql.fact_id, value=None, pinned=True)).pinned
    with pytest.raises(Conflict, match="replaced"):
        await history.amend(owner, leeds.fact_id, value="Hull", pinned=None)
    with pytest.raises(NotFound):
        await history.amend(Owner("default", "somebody"), sql.fact_id, value="Go", pinned=None)
    await history.undo(owner)
    assert sorted(each.value for each in await store.facts(owner)) == ["Leeds", "SQL"]


@pytest.mark.parametrize(
    ("key", "old", "bad", "good"),
    [
        ("salary_min", "40000", "a lot", "45000"),
        ("remote", "only", "sometimes", "Preferred"),
        ("office_days", "2", "often", "2 at most"),
        ("currency", "GBP", "pounds", "eur"),
        ("skill", "SQL", "  ", "Go"),
        ("resume", "cv.pdf", "other.pdf", None),
    ],
)
async def test_a_value_that_its_kind_cannot_hold_is_refused(database, owner, key, old, bad, good):
    store = ProfileStore(database)
    history = ProfileHistory(database)
    await store.apply(owner, [fact(key, old)], [], message_id=f"m_1_{owner.user_id}")
    (kept,) = await store.facts(owner)
    with pytest.raises(BadRequest, match=r"is no value|names your CV"):
        await history.amend(owner, kept.fact_id, value=bad, pinned=None)
    if good is not None:
        assert (await history.amend(owner, kept.fact_id, value=good, pinned=None)).value.casefold() == good.casefold()
