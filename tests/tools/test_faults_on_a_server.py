"""Faults on a server that runs: none unless asked for, told at its address, and no answer of it speaks of absence."""

import json

import pytest

from live import live
from signalbox.errors import ConfigurationError
from signalbox.services import open_services

ABSENT = ("no posting", "found none", "no jobs", "nothing fits", "broaden")


async def answered(client, message):
    """The events of one answer, as the stream sends them."""
    sse = {"Accept": "text/event-stream"}
    async with client.stream("POST", "/v1/chat", json={"message": message}, headers=sse) as response:
        assert response.status_code == 200
        lines = [line async for line in response.aiter_lines() if line.startswith("data:")]
    return [json.loads(line.removeprefix("data:")) for line in lines]


async def test_a_server_without_faults_says_so(settings):
    async with live(settings) as running, running.user() as client:
        assert (await client.get("/v1/about")).json()["faults"] == []


@pytest.mark.parametrize(("spec", "kind"), [("search_jobs=timeout", "timeout"), ("*=bug", "bug")])
async def test_a_server_with_faults_says_which_and_its_answers_stay_true(settings, spec, kind):
    faulty = settings.model_copy(update={"faults": (spec,), "model": "offline"})
    async with live(faulty) as running, running.user() as client:
        assert (await client.get("/v1/about")).json()["faults"] == [spec]
        events = await answered(client, "/job_search python developer jobs in Berlin")
        assert running.services.faults.met["search_jobs", kind] == 1
    assert [event["status"] for event in events if event["type"] == "complete"] == ["succeeded"]
    told = next(event for event in events if event["type"] == "tool_result" and event["tool"] == "search_jobs")
    assert (told["status"], told["kind"]) == ("error", kind)
    (shown,) = [event for event in events if event["type"] == "jobs_data"]
    assert [source["status"] for source in shown["sources"]] == ["error"]
    text = next(event["content"] for event in events if event["type"] == "message").casefold()
    assert "could not look" in text
    assert not [words for words in ABSENT if words in text]


async def test_a_server_does_not_start_with_a_fault_that_it_does_not_know(settings):
    wrong = settings.model_copy(update={"faults": ("serch_jobs=timeout",)})
    with pytest.raises(ConfigurationError, match="there is no tool 'serch_jobs'"):
        async with open_services(wrong):
            pass
