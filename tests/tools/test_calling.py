"""The boundary of tools: what is empty is declared, and what goes wrong is told as that."""

import asyncio
import time
from datetime import date
from typing import ClassVar

import pytest

from signalbox.errors import Fenced, StoreUnavailable
from signalbox.tools.base import Arguments
from signalbox.tools.calling import UndeclaredEmpty, arguments_of, bounded
from signalbox.tools.result import Empty, Err, Missed, Ok, conclusive


class Nothing(Arguments):
    pass


class Says:
    """Answers what it was given, or raises it; it declares nothing."""

    name = "says"
    effect = "read"
    timeout_s = 1.0

    def __init__(self, value):
        self._value = value

    async def run(self, arguments):
        if isinstance(self._value, BaseException):
            raise self._value
        return self._value


class Declares(Says):
    empty_note = "no posting is called so"

    @staticmethod
    def empty_when(value):
        return value is None or value == () or (isinstance(value, dict) and value.get("found") == 0)


async def said(value, kind=Says, **options):
    return await bounded(kind(value), Nothing(), **options)


@pytest.mark.parametrize("value", [0, 0.0, False, "", b"", "x", [0], {"a": None}, (None,)])
async def test_what_only_looks_like_nothing_is_a_value(value):
    assert await said(value, strict=True) == Ok(value)
    assert await said(Ok(value), strict=True) == Ok(value)


@pytest.mark.parametrize("value", [None, [], (), {}, set(), frozenset()])
async def test_an_undeclared_nothing_is_a_loud_error_and_never_an_absence(value):
    for returned in (value, Ok(value), Ok(value, total=0)):
        told = await said(returned)
        assert isinstance(told, Err)
        assert told.kind == "bug"
        assert not told.retryable
        with pytest.raises(UndeclaredEmpty, match=r"'says'.*empty_when"):
            await said(returned, strict=True)


async def test_a_declared_nothing_is_empty_in_the_tools_own_words():
    for value in (None, (), {"found": 0}, Ok(()), Ok(None, total=0)):
        assert await said(value, Declares, strict=True) == Empty("no posting is called so")


async def test_what_the_declaration_does_not_name_is_a_value_even_if_it_looks_like_nothing():
    for value in ([], 0, "", {"found": 1}):
        assert await said(value, Declares, strict=True) == Ok(value)


async def test_results_pass_as_they_are():
    for result in (Empty("none"), Err("auth", "no key", retryable=False), Ok(1, truncated=True, total=2_260)):
        assert await said(result, strict=True) == result
        assert await said(result, Declares, strict=True) == result


async def test_nothing_found_in_a_part_of_the_sources_is_no_absence():
    missed = (Missed("Arbeitnow", "timeout"), Missed("Remotive", "rate_limit", "for 60 seconds"))
    for returned, kind in ((Empty("none", missed), Says), (Ok((), missed=missed), Declares)):
        told = await said(returned, kind, strict=True)
        assert isinstance(told, Err)
        assert (told.kind, told.missed, told.retryable) == ("incomplete", missed, True)
        assert "Arbeitnow" in told.note
        assert "for 60 seconds" in told.note
    assert conclusive(Ok(1, missed=missed)) == Ok(1, missed=missed)


async def test_exceptions_become_errors_of_their_kind():
    assert (await said(StoreUnavailable())).kind == "unavailable"
    assert (await said(ConnectionRefusedError())).kind == "connection"
    assert (await said(KeyError("x"))).kind == "bug"


async def test_a_bug_is_raised_where_somebody_asked_for_that_and_an_outage_is_not():
    with pytest.raises(KeyError):
        await said(KeyError("x"), strict=True)
    assert (await said(ConnectionRefusedError(), strict=True)).kind == "connection"


async def test_a_lost_lease_and_a_cancel_are_nobodys_result():
    with pytest.raises(Fenced):
        await said(Fenced())
    with pytest.raises(asyncio.CancelledError):
        await said(asyncio.CancelledError())


class Hangs(Says):
    timeout_s = 0.05

    async def run(self, arguments):
        await asyncio.Event().wait()


class HangsActing(Hangs):
    effect = "irreversible"


class Blocks(Says):
    def run(self, arguments):
        time.sleep(0.01)
        return self._value


async def test_a_tool_that_hangs_costs_its_time_and_an_effect_may_have_happened():
    looked = await said(None, Hangs)
    assert looked == Err("timeout", "no answer within 0.05 seconds", retryable=True)
    acted = await said(None, HangsActing)
    assert acted.kind == "timeout"
    assert not acted.retryable
    assert "may have happened all the same" in acted.note


async def test_a_blocking_tool_runs_in_a_thread_under_the_same_rules():
    assert await said(0, Blocks, strict=True) == Ok(0)
    assert (await said([], Blocks)).kind == "bug"


class Booking(Arguments):
    day: date
    seats: int
    names: tuple[str, ...] = ()
    note: str = ""
    kinds: ClassVar[int] = 1


def test_arguments_a_model_wrote_are_taken_strictly():
    given = {"day": "2026-03-01", "seats": 2, "names": ["Ada"]}
    assert arguments_of(Booking, given) == Booking(day=date(2026, 3, 1), seats=2, names=("Ada",))


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"day": "2026-03-01"}, "seats: field required"),
        ({"day": "2026-03-01", "seats": "2"}, "seats: input should be a valid integer"),
        ({"day": "2026-03-01", "seats": True}, "seats: input should be a valid integer"),
        ({"day": "soon", "seats": 2}, "day: input should be a valid date"),
        ({"day": "2026-03-01", "seats": 2, "when": "x"}, "when: extra inputs are not permitted"),
        ({"day": "2026-03-01", "seats": 2, "names": [1]}, "names.0: input should be a valid string"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_taken_instead(given, part):
    err = arguments_of(Booking, given)
    assert isinstance(err, Err)
    assert (err.kind, err.retryable) == ("invalid_arguments", False)
    assert part in err.note
    assert "It takes these arguments: day, seats, names, note" in err.note
