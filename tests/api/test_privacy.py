"""What users decide about what is kept of them, over HTTP."""

import json

import pytest
from wire import check_problem

from live import ask, finished
from resume_samples import JANE
from signalbox.api.guard import COOKIE
from signalbox.memory.profile import NewFact, Owner
from signalbox.runs.erasure import ANONYMOUS, BELONGINGS, HANGING
from signalbox.runs.exporting import BOOKKEEPING, SECTIONS


def owner_of(client) -> Owner:
    return Owner("default", client.cookies["signalbox_user"].partition(".")[0])


async def known(client) -> dict:
    return (await client.get("/v1/profile")).json()


async def said(client, message: str, **body) -> tuple[dict, str]:
    run = await ask(client, message, **body)
    await finished(client, run["run_id"])
    messages = (await client.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    return run, messages[-1]["content"]


async def test_remembering_is_on_until_it_is_switched_off(user, other):
    assert (await user.get("/v1/profile/settings")).json() == {"remember": True}
    assert (await user.put("/v1/profile/settings", json={"remember": False})).json() == {"remember": False}
    assert (await user.get("/v1/profile/settings")).json() == {"remember": False}
    assert (await known(user))["settings"] == {"remember": False}
    assert (await known(other))["settings"] == {"remember": True}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"remember": "no"}',
        b'{"remember": 1}',
        b'{"remember": "yes"}',
        b'{"remember": true, "x": 1}',
    ],
)
async def test_settings_of_the_wrong_shape_are_refused(user, body):
    check_problem(await user.put("/v1/profile/settings", content=body))


async def test_without_consent_nothing_is_stored_or_used_and_the_reply_says_so(server, user):
    await server.services.profiles.apply(
        owner_of(user), [NewFact("fact", "skill", "COBOL")], [], message_id="m_consent"
    )
    await user.put("/v1/profile/settings", json={"remember": False})
    run, reply = await said(user, "/profile_update I am a nurse in Leeds with 6 years of experience")
    assert "switched remembering off" in reply
    row = await server.services.db.fetch_one("SELECT profile FROM run WHERE run_id = %s", (run["run_id"],))
    assert row["profile"] == []
    _, reply = await said(user, "What do you know about me?")
    assert "COBOL" not in reply
    uploaded = (await user.post("/v1/profile/resume", json={"text": JANE})).json()
    assert uploaded["added"] == []
    assert any("switched remembering off" in warning for warning in uploaded["warnings"])
    assert [fact["value"] for fact in (await known(user))["facts"]] == ["COBOL"], (
        "what is stored stays until it is erased"
    )
    await user.put("/v1/profile/settings", json={"remember": True})
    run, _ = await said(user, "/profile_update I am a nurse in Leeds")
    row = await server.services.db.fetch_one("SELECT profile FROM run WHERE run_id = %s", (run["run_id"],))
    assert [fact["value"] for fact in row["profile"]] == ["COBOL"]


async def test_a_chat_does_not_erase_everything_but_says_where(user):
    await user.post("/v1/profile/resume", json={"text": JANE})
    before = await known(user)
    _, reply = await said(user, "delete all my data")
    assert "Erase everything" in reply
    assert "nothing has been deleted" in reply
    assert await known(user) == before


async def test_a_fact_is_corrected_and_pinned(user, other):
    await user.post("/v1/profile/resume", json={"text": JANE})
    place = next(fact for fact in (await known(user))["facts"] if fact["key"] == "location")
    url = f"/v1/profile/facts/{place['fact_id']}"
    check_problem(await other.patch(url, json={"value": "Hull"}), 404, "not_found")
    assert (await user.patch(url, json={"pinned": True})).json()["pinned"]
    new = (await user.patch(url, json={"value": "Hull"})).json()
    assert (new["value"], new["pinned"], new["origin"], new["confidence"]) == ("Hull", True, "said", 1.0)
    check_problem(await user.patch(url, json={"value": "York"}), 409, "conflict")
    facts = (await known(user))["facts"]
    assert [fact["value"] for fact in facts if fact["key"] == "location"] == ["Hull"]
    assert {fact["origin"] for fact in facts} == {"said", "resume"}


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b'{"value": 5}',
        b'{"value": " "}',
        b'{"pinned": null}',
        b'{"pinned": "yes"}',
        b'{"kind": "fact"}',
        b"{",
    ],
)
async def test_a_bad_correction_is_refused(server, user, body):
    message = f"m_{owner_of(user).user_id}"
    await server.services.profiles.apply(owner_of(user), [NewFact("fact", "skill", "Go")], [], message_id=message)
    check_problem(await user.patch(f"/v1/profile/facts/f_{message}_0", content=body))


async def test_the_export_holds_all_of_its_user_and_nothing_of_others(user, other):
    await said(user, "/echo the words of the first")
    await said(other, "/echo the words of the second")
    await user.post("/v1/profile/resume", json={"text": JANE})
    await user.delete(f"/v1/profile/facts/{(await known(user))['facts'][0]['fact_id']}")
    response = await user.get("/v1/profile/export")
    assert response.headers["content-disposition"].startswith("attachment;")
    told = response.json()
    assert told["format"] == "signalbox-export/1"
    assert {"facts", "undone_changes", "resumes", "applications", "conversations", "messages", "answers", "summaries",
            "routing", "quick_replies", "effects", "steps", "approvals", "spending"} <= set(told)  # fmt: skip
    assert [message["role"] for message in told["messages"]] == ["user", "assistant"]
    assert "the words of the first" in response.text
    assert "the words of the second" not in response.text
    assert sum(fact["retired_at"] is not None for fact in told["facts"]) == 1, "with what was forgotten"
    assert told["resumes"][0]["content"]["work"]
    assert told["settings"] == {"remember": True}
    assert [row["text"] for row in told["routing"]] == ["/echo the words of the first"]
    assert {step["run_id"] for step in told["steps"]} == {told["answers"][0]["run_id"]}
    assert any("the words of the first" in json.dumps(step["payload"]) for step in told["steps"])
    assert told["not_included"]


async def test_every_column_of_a_user_is_exported_or_named_as_bookkeeping(server, user):
    """A row in each table that hangs on a user, written as the program writes it."""
    owner, db = owner_of(user), server.services.db
    run, _ = await said(user, "I applied to Acme Ltd as a data engineer yesterday")
    await said(user, "find data jobs in Leeds", conversation_id=run["conversation_id"])
    await user.post("/v1/profile/resume", json={"text": JANE})
    await user.post("/v1/profile/undo")
    mine = {"tenant": owner.tenant, "user": owner.user_id, "run": run["run_id"], "id": f"{run['run_id']}_x"}
    for table, columns, values in (
        ("approval", "approval_id, run_id, tenant, user_id, position, tool, arguments, digest, risk, expires_at",
         "%(id)s, %(run)s, %(tenant)s, %(user)s, 'p', 'send_email', '{}', '', '', now()"),
        ("effect", "effect_key, run_id, position, tool, class, arguments, status",
         "%(id)s, %(run)s, 'p', 'send_email', 'irreversible', '{}', 'done'"),
        ("conversation_summary", "conversation_id, version, tenant, user_id, upto, content, made_by",
         "%(conversation)s, 1, %(tenant)s, %(user)s, 1, '{}', 'rules'"),
        ("suggestion", "suggestion_id, run_id, conversation_id, tenant, user_id, label, message",
         "%(id)s, %(run)s, %(conversation)s, %(tenant)s, %(user)s, 'l', 'm'"),
    ):  # fmt: skip
        told = {**mine, "conversation": run["conversation_id"]}
        await db.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", told)
    told = (await user.get("/v1/profile/export")).json()
    exported = {section.table for section in SECTIONS} | {"user_setting"}
    assert exported == {*BELONGINGS, *HANGING, *ANONYMOUS, "conversation"}
    for section in SECTIONS:
        assert told[section.name] or section.table == "model_call", section.name
        if section.table == "model_call":
            continue
        rows = await db.fetch(
            "SELECT column_name AS name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND table_name = %s", (section.table,),
        )  # fmt: skip
        wanted = {row["name"] for row in rows} - {"tenant", "user_id", *BOOKKEEPING.get(section.table, ())}
        assert wanted <= set(told[section.name][0]), section.name
    assert told["applications"][0]["events"]


async def test_a_long_history_is_exported_page_by_page(server, user):
    owner = owner_of(user)
    facts = [NewFact("fact", "skill", f"skill {number}") for number in range(450)]
    await server.services.profiles.apply(owner, facts, [], message_id=f"m_long_{owner.user_id}")
    told = json.loads((await user.get("/v1/profile/export")).content)
    assert {fact["value"] for fact in told["facts"]} == {fact.value for fact in facts}


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"erase": "all"}', b'{"erase": true}', b'{"erase": "everything", "x": 1}', b"{"]
)
async def test_erasing_wants_to_be_confirmed(user, body):
    await user.post("/v1/profile/resume", json={"text": JANE})
    check_problem(await user.request("DELETE", "/v1/profile", content=body), 400)
    assert (await known(user))["facts"]


async def test_erasing_everything_ends_what_goes_on_and_the_next_is_a_new_user(user):
    going = await ask(user, "/echo " + "and on " * 300)
    before = user.cookies["signalbox_user"]
    response = await user.request("DELETE", "/v1/profile", json={"erase": "everything"})
    assert response.json()["erased"]["conversations"] == 1
    assert "without your name" in response.json()["kept"]
    check_problem(await user.get(f"/v1/runs/{going['run_id']}"), 404)
    await user.get("/v1/conversations")
    assert user.cookies["signalbox_user"] != before
    assert not any(
        (await user.request("DELETE", "/v1/profile", json={"erase": "everything"})).json()["erased"].values()
    )


async def test_who_has_no_id_yet_erases_nothing_and_costs_nothing(server):
    noted = "SELECT count(*) AS number FROM erasure"
    before = await server.services.db.fetch_one(noted)
    async with server.user() as stranger:
        response = await stranger.request("DELETE", "/v1/profile", json={"erase": "everything"})
        assert response.status_code == 200
        assert not any(response.json()["erased"].values())
        assert "set-cookie" not in response.headers
        await stranger.get("/v1/conversations")
        assert COOKIE in stranger.cookies, "somebody, of whom nothing is stored"
        await stranger.request("DELETE", "/v1/profile", json={"erase": "everything"})
    assert await server.services.db.fetch_one(noted) == before


async def test_a_temporary_chat_is_in_nobodys_profile(user):
    await said(user, "/profile_update I am a nurse in Leeds", temporary=True)
    assert (await known(user))["facts"] == []
