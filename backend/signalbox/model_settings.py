"""What an operator can set of language models, their cost, and of what is remembered; part of ``settings``."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import NoDecode

_URL = re.compile(r"https?://[^/\s]")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")


def entries(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return tuple(entry.strip() for entry in value.split(",") if entry.strip())


def _base_url(value: str) -> str:
    if not _URL.match(value):
        raise ValueError("is not a URL we can use; write it like https://host/v1")
    return value.rstrip("/")


def _path(path: Path) -> Path:
    return path.expanduser().absolute()


def _named_urls(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        name, equals, url = value.partition("=")
        if not equals or not _URL.match(url):
            example = name if _NAME.fullmatch(name) else "openai"
            raise ValueError(f"'{name}' is no provider with its URL; write it like {example}=https://host/v1")
        if not _NAME.fullmatch(name) or name in {"groq", "local", "offline", "scripted"}:
            raise ValueError(f"'{name}' is no name for a provider of your own; write it like openai=https://host/v1")
    return values


Entries = Annotated[tuple[str, ...], NoDecode, BeforeValidator(entries)]


class ModelSettings(BaseModel):
    """Which models answer, how patiently they are asked, and what they may cost.

    A model is written as ``name`` (of Groq, or of ``SIGNALBOX_MODEL_BASE_URL``), ``name@provider``, ``local`` or
    ``offline``.
    """

    model: str = Field(
        "auto",
        min_length=1,
        max_length=200,
        description="auto (groq with a key, else offline), offline, scripted, or a provider's model name.",
    )
    model_base_url: Annotated[str, AfterValidator(_base_url)] | None = Field(
        None, description="Base URL of an OpenAI-compatible provider to use instead of Groq's."
    )
    retired_models: Entries = Field(
        (), description="Models that no answer may go on with after a deploy, comma-separated; empty for none."
    )
    groq_api_key: SecretStr | None = Field(
        None, validation_alias="GROQ_API_KEY", description="Key of the model provider."
    )
    model_cheap: str | None = Field(
        None, max_length=200, description="Model for classifying and summarising; the ordinary one when unset."
    )
    model_strong: str | None = Field(
        None,
        max_length=200,
        description="Model for what the ordinary one did not do well; that one when unset.",
    )
    model_fallbacks: Entries = Field(
        (), description="Models to ask in turn when the chosen one cannot be reached, comma-separated."
    )
    model_tiers: Entries = Field(
        (), description="Tiers of tasks that differ from the usual, as write=strong,classify=standard."
    )
    strong_share: float = Field(
        0,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Share of calls that get the strong model at random, to compare by.",
    )
    providers: Annotated[Entries, AfterValidator(_named_urls)] = Field(
        (), description="More OpenAI-compatible providers, as openai=https://api.openai.com/v1,other=https://host/v1."
    )
    provider_keys: SecretStr = Field(SecretStr(""), description="Their keys, as openai=key,other=key.")
    first_token_s: float = Field(
        20, ge=0.05, le=600, allow_inf_nan=False, description="Seconds that a model gets until its first word."
    )
    token_gap_s: float = Field(
        15, ge=0.05, le=600, allow_inf_nan=False, description="Seconds that a model may be silent in mid-answer."
    )
    answer_s: float = Field(
        120, ge=0.1, le=3_600, allow_inf_nan=False, description="Seconds that one answer of a model may take."
    )
    model_attempts: int = Field(3, ge=1, le=20, description="Requests to one model before the next one is asked.")
    retry_budget_s: float = Field(
        30,
        ge=0.05,
        le=600,
        allow_inf_nan=False,
        description="Seconds for all tries of one answer, waits included, until its first word; more than one try's.",
    )
    hedge_s: float = Field(
        0,
        ge=0,
        le=60,
        allow_inf_nan=False,
        description="Seconds without a first word after which the next model is asked as well; 0 never does.",
    )
    breaker_failures: int = Field(
        5, ge=1, le=1_000, description="Failures in a row after which a model is left alone for a while."
    )
    breaker_s: float = Field(
        30, ge=0.1, le=3_600, allow_inf_nan=False, description="Seconds that a failing model is left alone."
    )
    model_cards: Annotated[Path, AfterValidator(_path)] | None = Field(
        None, description="JSON file with windows and prices of models, over the packaged ones."
    )
    budget_run_usd: float | None = Field(
        None, gt=0, le=1e6, allow_inf_nan=False, description="US dollars that the models of one answer may cost."
    )
    budget_user_usd: float | None = Field(
        None, gt=0, le=1e6, allow_inf_nan=False, description="US dollars a day that one user's answers may cost."
    )
    budget_day_usd: float | None = Field(
        None, gt=0, le=1e9, allow_inf_nan=False, description="US dollars a day that all answers may cost."
    )
    over_budget: Literal["draft", "refuse"] = Field(
        "draft", description="What happens when a budget is spent: answers without a model (draft), or none (refuse)."
    )
    answer_cache: Literal["off", "exact", "semantic"] = Field(
        "off", description="Whether an answer without anything personal may be given again to the same user."
    )
    answer_cache_all: bool = Field(
        False,
        description="Whether that goes for personal answers and those of tools, too, as long as all told is the same.",
    )
    answer_cache_s: int = Field(3_600, ge=1, le=86_400 * 30, description="Seconds that such an answer is kept.")
    local_model: Annotated[Path, AfterValidator(_path)] | None = Field(
        None, description="GGUF file of the model `local`, which runs in this process (extra `local`)."
    )
    local_threads: int | None = Field(
        None, ge=1, le=1_024, description="Threads of the local model; all cores but one when unset."
    )
    local_context: int = Field(4_096, ge=256, le=1_048_576, description="Window of the local model in tokens.")
    local_slots: int = Field(2, ge=1, le=64, description="Answers that the local model works on at once.")
    local_memory_mib: int = Field(
        256, ge=0, le=1_048_576, description="Memory for prompts that the local model has read, in MiB; 0 keeps none."
    )
    metrics_key: SecretStr | None = Field(
        None, description="Bearer key for GET /metrics (Prometheus); there are none when unset."
    )

    @model_validator(mode="after")
    def _the_next_one_gets_its_turn(self) -> Self:
        """A silent model leaves time for another try or a fallback; hedging does not wait for its deadline."""
        asked = self.model not in {"offline", "scripted", "local"} and not (
            self.model == "auto" and self.groq_api_key is None
        )
        others = self.model_attempts > 1 or bool(self.model_fallbacks)
        hedged = 0 < self.hedge_s < self.retry_budget_s
        if asked and others and not hedged and self.retry_budget_s <= self.first_token_s:
            raise ValueError(
                f"SIGNALBOX_RETRY_BUDGET_S: a silent model gets {self.first_token_s:g} seconds until its first word "
                f"(SIGNALBOX_FIRST_TOKEN_S), but all tries of an answer together only {self.retry_budget_s:g}, so "
                f"nobody would be asked after it; raise it above {self.first_token_s:g}, or lower "
                "SIGNALBOX_FIRST_TOKEN_S"
            )
        return self


class MemorySettings(BaseModel):
    """What is kept of conversations and users, and how much of it a model is told."""

    prompt_tokens: int = Field(
        6_000, ge=500, le=1_000_000, description="Tokens that a model is told at most, if its window holds them."
    )
    answer_tokens: int = Field(1_024, ge=16, le=100_000, description="Tokens that an answer may have at most.")
    extract_facts: bool = Field(
        True, description="Whether a model looks for lasting facts in what users say, in the background."
    )
    prompt_contact_data: bool = Field(
        False, description="Whether models are told e-mail addresses, phone numbers and the like that users mention."
    )
