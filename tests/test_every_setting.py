"""Whatever is written into any setting, the start ends with the list of what is wrong, never with a traceback."""

import os
import typing

import pytest

from signalbox.errors import ConfigurationError
from signalbox.settings import Settings, describe_settings, load_settings

VARIABLES = [name for name, _, _ in describe_settings()]
GARBAGE = (
    "lots", "-1", "0", "nan", "inf", "-inf", "1e999", "9" * 5_000, "1.5.2", "=", ",", ":", "a=b=c,,", "x@nowhere",
    "/etc/passwd", "*", "true", "null", "{}", '["a"]', "https://", "ü\u202e", "a b", "-",
)  # fmt: skip


def numbers() -> list[str]:
    """The variables of those that take a number."""
    fields = zip(VARIABLES, Settings.model_fields.values(), strict=True)
    return [name for name, field in fields if {int, float} & {field.annotation, *typing.get_args(field.annotation)}]


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.upper().startswith("SIGNALBOX_") or name == "GROQ_API_KEY":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def said() -> str:
    """What an operator reads; empty where it is accepted. Anything but a ``ConfigurationError`` fails the test."""
    try:
        load_settings()
    except ConfigurationError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("variable", VARIABLES)
def test_garbage_is_accepted_or_told_with_the_variable_and_what_to_do(monkeypatch, variable):
    for value in GARBAGE:
        monkeypatch.setenv(variable, value)
        if text := said():
            first, *problems = text.splitlines()
            assert first == "The configuration is not valid:"
            assert problems, value
            assert all(line.startswith("  ") and variable in line and line.endswith(".") for line in problems), text
            assert "unable to parse" not in text
            assert len(text) < 2_000 + 5_000


@pytest.mark.parametrize("variable", numbers())
@pytest.mark.parametrize("value", ["lots", "-1", "nan", "1e999", "-99999999999", "true"])
def test_what_is_no_fitting_number_is_refused_with_the_range(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    text = said()
    assert f"{variable}: " in text
    assert "Set a number " in text


def test_there_are_numbers_among_the_settings():
    assert len(numbers()) > 30
    assert "SIGNALBOX_BUDGET_USER_USD" in numbers()


@pytest.mark.parametrize("name", ["RUN", "USER", "DAY"])
@pytest.mark.parametrize("value", ["lots", "-1", "0"])
def test_a_budget_that_is_no_amount_says_what_it_may_be(monkeypatch, name, value):
    monkeypatch.setenv(f"SIGNALBOX_BUDGET_{name}_USD", value)
    most = "1000000000" if name == "DAY" else "1000000"
    assert f"Set a number above 0 and up to {most}, or leave it unset." in said()


@pytest.mark.parametrize(
    ("value", "example"),
    [
        ("foo", "write it like foo=https://host/v1"),
        ("foo=host", "write it like foo=https://host/v1"),
        ("https://host/v1", "write it like openai=https://host/v1"),
        ("Foo=https://host/v1", "write it like openai=https://host/v1"),
        ("groq=https://host/v1", "write it like openai=https://host/v1"),
    ],
)
def test_following_what_is_said_of_a_provider_leads_to_one_that_is_taken(monkeypatch, value, example):
    monkeypatch.setenv("SIGNALBOX_PROVIDERS", value)
    text = said()
    assert example in text
    monkeypatch.setenv("SIGNALBOX_PROVIDERS", example.removeprefix("write it like "))
    assert said() == ""
