"""Prices and windows are data: exact to the last digit, never guessed, and an operator's file wins over ours."""

import json
from contextlib import aclosing
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from signalbox.errors import ConfigurationError
from signalbox.llm.base import Attempt, Finish, ModelRequest, TextDelta, Usage
from signalbox.llm.catalogue import UNKNOWN_WINDOW, Catalogue, ModelCard, PricedModel, cost
from signalbox.settings import load_settings

CARD = ModelCard("m", 1_000, None, Decimal("0.15"), Decimal("0.075"), Decimal("0.60"))
OWN = {
    "name": "own-model", "providers": ["groq", "mine"], "window": 4_096, "max_output": 512, "input_usd": 1,
    "cached_usd": None, "output_usd": 2.5, "as_of": "2026-11-01", "source": "our contract",
}  # fmt: skip


def used(inputs: int, outputs: int, cached: int = 0, model: str = "m") -> Usage:
    return Usage(model, inputs, cached, outputs, estimated=False)


def catalogue(tmp_path, *entries: object) -> Catalogue:
    if not entries:
        return Catalogue.open(load_settings(data_dir=tmp_path))
    path = tmp_path / "cards.json"
    path.write_text(json.dumps({"models": entries}), encoding="utf-8")
    return Catalogue.open(load_settings(data_dir=tmp_path, model_cards=path))


@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (used(1_000_000, 0), "0.15"),
        (used(1_000_000, 1_000_000, cached=1_000_000), "0.675"),
        (used(1_000, 200, cached=640), "0.00022200"),
        (used(100, 0, cached=900), "0.00000750"),  # a provider that counts more cached tokens than it was sent
        (used(0, 0), "0"),
    ],
)
def test_cached_tokens_are_part_of_the_input_and_have_their_own_price(usage, price):
    assert cost(CARD, usage) == Decimal(price)


def test_cached_tokens_without_a_price_of_their_own_cost_what_input_does():
    assert cost(replace(CARD, cached_usd=None), used(1_000, 0, cached=900)) == Decimal("0.00015")


def test_a_cost_is_unknown_where_a_price_it_needs_is():
    assert cost(replace(CARD, output_usd=None), used(10, 1)) is None
    assert cost(replace(CARD, output_usd=None), used(10, 0)) is not None, "no output, no need for its price"


def test_every_packaged_card_says_when_and_where_its_numbers_are_from(tmp_path):
    cards = catalogue(tmp_path)
    found = [cards.card(name) for name in ("openai/gpt-oss-120b", "openai/gpt-oss-20b", "gpt-5.4-mini@openai")]
    for card in found:
        assert card.as_of >= date(2026, 1, 1)
        assert card.source.startswith("https://")
        assert card.window >= 100_000
        assert card.input_usd < card.output_usd
        assert card.cached_usd < card.input_usd


def test_models_of_this_process_are_free(tmp_path):
    cards = catalogue(tmp_path)
    assert cost(cards.card("offline"), used(0, 0)) == 0
    assert cost(cards.card("local", "local"), used(500, 500)) == 0
    assert cards.card("local@local").window == 4_096


def test_an_unknown_model_has_a_small_window_and_no_price_and_is_said_once(tmp_path):
    cards = catalogue(tmp_path)
    with capture_logs() as logs:
        for _ in range(3):
            card = cards.card("nobody/knows-this")
    assert (card.window, card.input_usd, cost(card, used(1, 1))) == (UNKNOWN_WINDOW, None, None)
    assert [log["model"] for log in logs] == ["nobody/knows-this@groq"]


def test_a_model_at_a_provider_without_a_card_keeps_its_window_and_loses_its_price(tmp_path):
    cards = catalogue(tmp_path)
    card = cards.card("openai/gpt-oss-120b@elsewhere")
    assert (card.window, card.input_usd) == (131_072, None)
    # The default provider may be any server: SIGNALBOX_MODEL_BASE_URL.
    assert cards.card("gpt-5.4-mini").input_usd == Decimal("0.75")


def test_an_operators_cards_are_laid_over_ours(tmp_path):
    cards = catalogue(tmp_path, OWN, {**OWN, "name": "openai/gpt-oss-20b", "input_usd": 0.01})
    assert cards.card("own-model@mine").output_usd == Decimal("2.5")
    assert cards.card("openai/gpt-oss-20b").input_usd == Decimal("0.01")
    assert cards.card("openai/gpt-oss-120b").input_usd == Decimal("0.15"), "the others stay"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({**OWN, "input_usd": -1}, "models.0.input_usd"),
        ({**OWN, "inputusd": 1}, "models.0.inputusd"),
        ({**OWN, "window": 10}, "models.0.window"),
        ({**OWN, "name": "a@b"}, "put that into 'providers'"),
        ({name: value for name, value in OWN.items() if name != "source"}, "models.0.source"),
        ({**OWN, "providers": []}, "models.0.providers"),
    ],
)
def test_a_wrong_card_is_named(tmp_path, entry, said):
    with pytest.raises(ConfigurationError, match=r"cards\.json") as told:
        catalogue(tmp_path, entry)
    assert said in told.value.public


@pytest.mark.parametrize("content", [b"no json", b"[]", b"\xff\xfe", b""])
def test_a_file_that_holds_no_cards_is_refused_by_name(tmp_path, content):
    path = tmp_path / "cards.json"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"cards\.json"):
        Catalogue.open(load_settings(data_dir=tmp_path, model_cards=path))


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Catalogue.open(load_settings(data_dir=tmp_path, model_cards=tmp_path / "none.json"))


class Told:
    """A model that yields what it is given."""

    name = "told"
    instructable = True

    def __init__(self, *items) -> None:
        self._items = items

    async def stream(self, request):
        for item in self._items:
            yield item

    async def close(self) -> None:
        pass


async def test_every_attempt_and_the_usage_carry_their_cost(tmp_path):
    dear = replace(used(1_000_000, 0, model="gpt-5.4"), cost_usd=None)
    cheap = used(2_000_000, 0, model="openai/gpt-oss-20b")
    model = PricedModel(
        Told(
            Attempt(1, "openai", "gpt-5.4", "standard", "provider_cut", 0.1, 1.0, dear),
            Attempt(2, "groq", "openai/gpt-oss-20b", "standard", "ok", 0.1, 1.0, cheap),
            TextDelta("hello"), cheap, Finish("stop"),
        ),
        catalogue(tmp_path),
    )  # fmt: skip
    async with aclosing(model.stream(ModelRequest("answer", (), ""))) as stream:
        items = [item async for item in stream]
    assert [item.usage.cost_usd for item in items[:2]] == [2.5, 0.15]
    assert [type(item) for item in items[2:]] == [TextDelta, Usage, Finish]
    assert items[3].cost_usd == 0.15


def test_options_and_room_for_reasoning_are_those_of_the_models_own_card(tmp_path):
    cards = catalogue(tmp_path)
    for name in ("openai/gpt-oss-120b", "openai/gpt-oss-20b"):
        assert cards.card(name).options == {"reasoning_effort": "low"}
        assert cards.card(name).room == cards.card(name).window - cards.card(name).reasoning_tokens < 131_072
    assert cards.card("qwen/qwen3.6-27b").options == {"reasoning_effort": "none"}
    assert cards.card("llama-3.3-70b-versatile").options == {}
    assert cards.card("openai/gpt-oss-20b@elsewhere").options == {}, "another server may refuse them"
    own = catalogue(tmp_path, {**OWN, "options": {"think": False}, "reasoning_tokens": 100})
    assert (own.card("own-model@mine").options, own.card("own-model@mine").room) == ({"think": False}, 3_996)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"options": {"messages": []}}, "sets messages, which is set for each request"),
        ({"options": {"max_tokens": 9, "model": "x"}}, "sets max_tokens, model"),
        ({"reasoning_tokens": 300}, "more than half"),
        ({"reasoning_tokens": -1}, "reasoning_tokens"),
    ],
)
def test_options_cannot_touch_what_is_set_for_each_request(tmp_path, entry, said):
    with pytest.raises(ConfigurationError, match=said):
        catalogue(tmp_path, {**OWN, **entry})
