"""The profile over HTTP: what is known and from where, undoing it, and the CV it may come from."""

import asyncio
import json
import time

import pytest
from wire import check_problem

from live import ask, finished
from resume_samples import JANE, NURSE, PRIVATE, pdf, word

# A field called "file" that is none.
FIELD = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--b--\r\n'


async def upload(client, data: bytes, name: str = "jane.pdf"):
    return await client.post("/v1/profile/resume", files={"file": (name, data)})


async def paste(client, text: str):
    return await client.post("/v1/profile/resume", json={"text": text})


async def known(client) -> dict:
    return (await client.get("/v1/profile")).json()


def values(profile: dict, key: str) -> list[str]:
    return [fact["value"] for fact in profile["facts"] if fact["key"] == key]


async def test_an_uploaded_cv_is_shown_as_understood_and_fills_the_profile(user):
    started = time.monotonic()
    response = await upload(user, pdf(JANE.split("\n")), r"C:\cvs\jane.pdf")
    assert response.status_code == 201
    assert time.monotonic() - started < 30
    body = response.json()
    assert (body["file_name"], body["media_type"]) == ("jane.pdf", "application/pdf")
    assert [job["company"] for job in body["resume"]["work"]] == ["Northwind Ltd", "Contoso Labs"]
    assert {"Python", "Senior Data Engineer", "Leeds"} <= {fact["value"] for fact in body["added"]}
    assert [private for private in PRIVATE[:6] if private in response.text] == []
    profile = await known(user)
    title = next(fact for fact in profile["facts"] if fact["key"] == "title")
    assert title["source"] == {"kind": "resume", "resume_id": body["resume_id"], "file_name": "jane.pdf"}
    stored = (await user.get("/v1/profile/resume")).json()
    assert stored["resume"] == body["resume"]


async def test_contact_data_in_the_name_of_a_file_is_not_kept(user):
    response = await upload(user, pdf(JANE.split("\n")), "jane.zzyzx@example.org +49 30 9876543.pdf")
    assert response.json()["file_name"] == "CV.pdf"
    said = response.text + (await user.get("/v1/profile")).text + (await user.get("/v1/profile/resume")).text
    assert [part for part in ("zzyzx", "9876543") if part in said] == []


async def test_word_pasted_text_and_json_are_taken_too(user):
    assert (await upload(user, word(JANE), "cv.docx")).json()["media_type"].endswith("wordprocessingml.document")
    assert (await paste(user, NURSE)).json()["file_name"] == "pasted"
    job = {
        "name": "Inn",
        "position": "Cook",
        "startDate": "2020-01",
        "highlights": ["Fed 300 guests a night", "x " * 9],
    }
    value = {"basics": {"name": "Ann Poe", "label": "Cook"}, "work": [job]}
    response = await user.post("/v1/profile/resume", json=value)
    assert response.json()["media_type"] == "application/json"
    assert values(await known(user), "title") == ["Cook"]
    assert values(await known(user), "name") == ["Ann Poe"]


async def test_a_new_cv_replaces_the_old_one_and_its_facts(user):
    first = (await paste(user, JANE)).json()
    again = (await paste(user, JANE)).json()
    assert (again["resume_id"], again["added"]) == (first["resume_id"], [])
    second = (await paste(user, NURSE)).json()
    assert "Senior Data Engineer" in {fact["value"] for fact in second["removed"]}
    assert values(await known(user), "title") == ["Agency Nurse"]


async def test_erasing_the_cv_is_final_and_takes_its_facts(user):
    await paste(user, JANE)
    assert (await known(user))["resume"]["file_name"] == "pasted"
    for _ in range(2):
        assert (await user.delete("/v1/profile/resume")).status_code == 204
    check_problem(await user.get("/v1/profile/resume"), 404, "not_found")
    profile = await known(user)
    assert (profile["facts"], profile["newest_change"], profile["resume"]) == ([], None, None)
    check_problem(await user.post("/v1/profile/undo"), 409, "conflict")


async def test_a_fact_shows_the_message_that_said_it(user, server):
    run = await ask(user, "/echo hello")
    await finished(user, run["run_id"])
    messages = (await user.get(f"/v1/conversations/{run['conversation_id']}/messages")).json()["messages"]
    message_id = messages[0]["message_id"]
    from signalbox.memory.profile import NewFact, Owner

    owner = Owner("default", user.cookies["signalbox_user"].partition(".")[0])
    await server.services.profiles.apply(owner, [NewFact("fact", "skill", "SQL")], [], message_id=message_id)
    (fact,) = (await known(user))["facts"]
    assert fact["source"]["text"] == messages[0]["content"]
    assert fact["source"]["conversation_id"] == run["conversation_id"]
    await user.delete(f"/v1/conversations/{run['conversation_id']}")
    (fact,) = (await known(user))["facts"]
    assert fact["source"] is None


async def test_forgetting_and_undoing_by_id(user):
    await paste(user, JANE)
    profile = await known(user)
    python = next(fact for fact in profile["facts"] if fact["value"] == "Python")
    for _ in range(2):
        assert (await user.delete(f"/v1/profile/facts/{python['fact_id']}")).status_code == 204
    profile = await known(user)
    assert "Python" not in values(profile, "skill")
    change = profile["newest_change"]
    assert [fact["value"] for fact in change["removed"]] == ["Python"]
    answers = await asyncio.gather(
        *(user.post("/v1/profile/undo", json={"change_id": change["change_id"]}) for _ in range(3))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({json.dumps(answer.json()["restored"]) for answer in answers}) == 1
    assert "Python" in values(await known(user), "skill")
    undone = (await user.post("/v1/profile/undo")).json()
    assert "Senior Data Engineer" in {fact["value"] for fact in undone["removed"]}
    assert undone["facts"] == []


async def test_an_upload_is_undone_with_its_cv(user):
    first = (await paste(user, JANE)).json()
    await paste(user, NURSE)
    await user.post("/v1/profile/undo")
    assert (await user.get("/v1/profile/resume")).json()["resume_id"] == first["resume_id"]
    assert values(await known(user), "title") == ["Senior Data Engineer"]
    assert (await user.post("/v1/profile/undo")).json()["facts"] == []
    check_problem(await user.get("/v1/profile/resume"), 404, "not_found")
    check_problem(await user.post("/v1/profile/undo"), 409, "conflict")
    assert "Senior Data Engineer" in {fact["value"] for fact in (await paste(user, JANE)).json()["added"]}


async def test_another_user_sees_and_touches_nothing(user, other):
    await paste(user, JANE)
    fact = (await known(user))["facts"][0]
    assert (await known(other))["facts"] == []
    check_problem(await other.get("/v1/profile/resume"), 404, "not_found")
    check_problem(await other.delete(f"/v1/profile/facts/{fact['fact_id']}"), 404, "not_found")
    assert (await other.delete("/v1/profile/resume")).status_code == 204
    check_problem(await other.post("/v1/profile/undo"), 409)
    assert len((await known(user))["facts"]) > 5


@pytest.mark.parametrize(
    ("files", "status", "code"),
    [
        ({"file": ("cv.pdf", b"")}, 422, "empty_resume"),
        ({"file": ("cv.pdf", b"%PDF-1.7 nothing more")}, 422, "unreadable_resume"),
        ({"file": ("cv.png", b"\x89PNG\r\n\x1a\n")}, 415, "unsupported_resume"),
        ({"file": ("cv.txt", b"x " * 2_600_000)}, 413, "resume_too_large"),
        ({"photo": ("cv.txt", b"x")}, 400, "bad_request"),
        ({"file": ("scan.pdf", pdf([""]))}, 422, "scanned_resume"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_what_to_do(user, files, status, code):
    check_problem(await user.post("/v1/profile/resume", files=files), status, code)
    check_problem(await user.get("/v1/profile/resume"), 404)


async def test_a_document_that_is_no_cv_does_not_take_the_place_of_one(user):
    kept = (await paste(user, JANE)).json()["resume_id"]
    readme = (
        b"# Widget\n\nA tool that turns many lists into tables.\n\n## Install\n\nRun the installer, then run it again."
    )
    refused = await user.post("/v1/profile/resume", files={"file": ("README.md", readme)})
    check_problem(refused, 422, "not_a_resume")
    assert "is kept as it is" in refused.json()["detail"]
    assert (await user.get("/v1/profile/resume")).json()["resume_id"] == kept


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"text": 5}', "application/json", 400),
        (b'{"text": "hello"}', "application/json", 422),
        (b'{"text": "x", "more": 1}', "application/json", 400),
        (b'{"basics": 5}', "application/json", 422),
        (b'{"work": [[[[{"name": {"a": []}}]]]], "skills": {"x": 1}}', "application/json", 422),
        (b"plain", "text/csv", 415),
        (b"--b\r\nnonsense", "multipart/form-data; boundary=b", 400),
        (b"x", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=", 400),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            400,
        ),
    ],
)
async def test_a_body_of_the_wrong_shape_is_a_clear_error(user, content, kind, status):
    response = await user.post("/v1/profile/resume", content=content, headers={"Content-Type": kind})
    check_problem(response, status)


@pytest.mark.parametrize("body", [b"[]", b'{"change_id": 5}', b'{"other": "x"}', b'{"change_id": "a b"}', b"{"])
async def test_a_bad_undo_is_refused(user, body):
    check_problem(await user.post("/v1/profile/undo", content=body))


@pytest.mark.parametrize("fact_id", ["f_unknown_0", "%00", "a" * 300, "é", "x%27--"])
async def test_an_unknown_fact_is_not_found(user, fact_id):
    check_problem(await user.delete(f"/v1/profile/facts/{fact_id}"), 404)
