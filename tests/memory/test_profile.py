"""The profile store on a real database: nothing overwritten, nothing doubled, nobody else's."""

import secrets

import pytest

from signalbox.memory.profile import NewFact, Owner, ProfileStore


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
