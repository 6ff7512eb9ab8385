"""What a host says of its tools before any is called: when they are asked about, and what arguments they take."""

import pytest
from hosting import ANN, Said, hosting, plain

from signalbox.errors import StoreUnavailable
from signalbox.memory.profile import Owner
from signalbox.tools.mcp.pins import PinStore
from signalbox.tools.mcp.remote_tool import Misfit


async def seen(host, *servers):
    for server in servers:
        await host.link(server, ANN).ready(30)


async def test_each_servers_tools_are_guarded_as_its_operator_wishes(database):
    wishes = {"guarda": plain(), "guardb": plain(ask_after_untrusted="always"), "guardc": plain(effects={})}
    async with hosting(database, **wishes) as host:
        await seen(host, *wishes)
        tools = await host.tools(ANN, Said().emit)
    assert [tools[f"{name}__echo"].guard for name in wishes] == ["personal", "always", "personal"]


async def test_what_a_server_shows_while_the_approved_ones_are_asked_for_is_known_at_once(database, monkeypatch):
    async with hosting(database, early=plain(), late=plain()) as host:
        for name in ("early", "late"):
            await host.link(name, ANN).ready(30)
        host.pins, sound = PinStore(database), host.pins

        async def slowly(servers):
            found = [each for each in await sound.approved(servers) if each.server == "early"]
            await host._seen("late", "", host.link("late", ANN).definitions)
            return found

        monkeypatch.setattr(host.pins, "approved", slowly)
        assert "late__echo" not in await host.tools(ANN, Said().emit)
        monkeypatch.undo()
        assert "late__echo" in await host.tools(ANN, Said().emit)


async def test_tools_that_could_not_be_kept_are_kept_once_somebody_asks_for_them(database, monkeypatch):
    async def away(*_, **__):
        raise StoreUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(PinStore, "see", away)
        async with hosting(database, unkept=plain()) as host:
            await host.link("unkept", ANN).ready(30)
            assert await host.tools(ANN, Said().emit) == {}
            patch.undo()
            host._asked = float("-inf")  # as two seconds later
            assert "unkept__echo" in await host.tools(ANN, Said().emit)


async def test_arguments_that_somebody_wrote_are_read_as_a_models_are(database):
    async with hosting(database, readable=plain(effects={})) as host:
        await seen(host, "readable")
        read = (await host.readers(ANN))["readable__echo"]
        nobody = await host.readers(Owner("default", "bob"))
    assert read({"text": "ann@example.org"}).model_dump() == {"text": "ann@example.org"}
    assert "readable__echo" in nobody
    for given in ({}, {"text": 1}, {"text": "a", "more": 1}, {"text": "a" * 1_001}, {"text": None}):
        with pytest.raises(Misfit):
            read(given)
    with pytest.raises(Misfit, match="is too long"):
        read({"text": "a" * 90_000})


async def test_a_user_whom_a_server_does_not_serve_has_nothing_to_edit_there(database):
    users = {"ann": {"env": {"A": "a"}}}
    async with hosting(database, private=plain(users=users, users_only=True)) as host:
        await seen(host, "private")
        assert "private__echo" in await host.readers(ANN)
        assert "private__echo" not in await host.readers(Owner("default", "bob"))
