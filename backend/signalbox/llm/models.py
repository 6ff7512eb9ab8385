"""Which models answer: those of the settings, or of the plan that an older run began with, each behind one adapter."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import structlog
from redis.asyncio import Redis

from signalbox.errors import ConfigurationError, ModelRetired
from signalbox.llm.base import Model, ModelRequest
from signalbox.llm.breaker import Breaker, MemoryMarks, RedisMarks, SharedMarks
from signalbox.llm.catalogue import Catalogue
from signalbox.llm.groq import GROQ_URL, Deadlines, GroqModel, checked_key, endpoint_of
from signalbox.llm.local import LocalModel, check_file
from signalbox.llm.offline import OfflineModel
from signalbox.llm.plan import ModelRef
from signalbox.llm.resilient import Patience, ResilientModel, Retries
from signalbox.llm.scripted import ScriptedModel
from signalbox.llm.tiers import TIERS, TierPolicy, model_ref, policy_of
from signalbox.settings import Settings

LOCAL_S: Final = 300.0
GROQ_DEFAULT_MODEL: Final = "openai/gpt-oss-120b"
LOCAL: Final = "local@local"
# They answer from what they have at hand: nothing about them is retried, broken or hedged.
_DIRECT: Final = {"offline", "scripted"}
_ANY: Final = ModelRequest("answer", (), draft="", tier="standard")

_log = structlog.get_logger(__name__)


def configured_plan(settings: Settings) -> TierPolicy:
    """The plan that the settings ask for. Raises ``ConfigurationError`` unless each of its models can be asked."""
    auto = GROQ_DEFAULT_MODEL if settings.provider() == "groq" else "offline"
    usual = model_ref(auto if settings.model == "auto" else settings.model, settings, "MODEL")
    plan = policy_of(settings, usual)
    _check_addresses(settings)
    for ref in dict.fromkeys(ref for chain in plan.models.values() for ref in chain):
        if (missing := _missing(ref, settings)) is not None:
            raise ConfigurationError(f"The language model {_written(ref)} cannot be asked: {missing}")
    return plan


def check_local(plan: TierPolicy, settings: Settings) -> None:
    """The local model's extra and file are there, if the plan asks for it. Raises ``ConfigurationError``."""
    local = any(ref.provider == "local" for chain in plan.models.values() for ref in chain)
    if local and settings.local_model is not None:
        check_file(settings.local_model)


def shared_breaker(settings: Settings, redis: Redis) -> Breaker:
    # A probe has its verdict when its first word is due.
    return Breaker(
        SharedMarks(RedisMarks(redis), MemoryMarks()),
        failures=settings.breaker_failures,
        open_s=settings.breaker_s,
        probe_s=settings.first_token_s + 1,
        slow={"local": _patient(settings, "first_token_s", "local") + 1},
    )


class Models:
    """Every model this process can ask. A run keeps the plan it began with, as far as its models can still be reached.

    ``current`` answers new runs. It is the given ``model`` (of a test, or of who embeds us), else the settings' own:
    directly where that is one without a provider, resilient otherwise. ``catalogue`` says what a model is sent beside
    each request. Raises ``ConfigurationError``.
    """

    def __init__(
        self, settings: Settings, breaker: Breaker, model: Model | None = None, catalogue: Catalogue | None = None
    ) -> None:
        self._settings = settings
        self._catalogue = catalogue or Catalogue({})
        self._breaker = breaker
        self._keys = _keys_of(settings)
        self._adapters: dict[ModelRef, Model] = {}
        self._kept: dict[str, Model] = {}
        self._given = model
        self.current: Model
        # The plan of new runs as JSON; empty when they get a given model, which no other process has.
        self.told: dict[str, Any]
        if model is not None:
            self.current, self.told = model, {}
        else:
            plan = configured_plan(settings)
            self.current, self.told = self._over(plan), plan.told()

    def named(self, name: str) -> Model:
        """The one model of that name; for runs of which no plan is kept.

        Raises ``ModelRetired`` when the settings name no provider for it, or call it retired.
        """
        if name in {"", self.current.name}:
            return self.current
        if name not in self._kept:
            try:
                ref = model_ref(name, self._settings, "MODEL")
            except ConfigurationError:
                raise _retired(name) from None
            if not self._at_hand(ref):
                raise _retired(name)
            self._kept[name] = self._over(TierPolicy(models=dict.fromkeys(TIERS, (ref,))))
        return self._kept[name]

    def planned(self, name: str, told: Mapping[str, Any]) -> Model:
        """What a run goes on with that began with the model ``name`` and the plan ``told``; see ``named`` for none.

        Models of the plan that are retired, or whose provider is gone, are left out of it. Raises ``ModelRetired``
        when nothing of it is left to answer with.
        """
        if not told:
            return self.named(name)
        if told == self.told:
            return self.current
        key = repr(told)
        if key not in self._kept:
            try:
                plan = TierPolicy.of(told)
            except ValueError:
                _log.warning("a run's plan of models cannot be read: it goes on with its model", model=name)
                return self.named(name)
            self._kept[key] = self._over(self._reachable(plan, name))
        return self._kept[key]

    async def open(self) -> None:
        """Load what runs in this process, if a new run may ask it. Raises ``ConfigurationError``."""
        if any(LOCAL in chain for chain in self.told.get("models", {}).values()):
            local = self._adapter(ModelRef("local", "local"))
            if isinstance(local, LocalModel):
                await local.open()

    async def close(self) -> None:
        given = () if self._given is None else (self._given,)
        for model in (*given, *self._adapters.values()):
            await model.close()

    def _reachable(self, plan: TierPolicy, name: str) -> TierPolicy:
        left = {tier: tuple(ref for ref in chain if self._at_hand(ref)) for tier, chain in plan.models.items()}
        if not left["standard"]:
            raise _retired(name)
        # A tier without models of its own is an ordinary one, as when none is set for it.
        return replace(plan, models={tier: chain or left["standard"] for tier, chain in left.items()})

    def _over(self, plan: TierPolicy) -> Model:
        refs = {ref for chain in plan.models.values() for ref in chain}
        usual = plan.choose(_ANY).chain[0]
        for ref in refs:
            # What cannot be made must not be found out when the others fail; the local one is loaded in ``open``.
            if ref.provider != "local":
                self._adapter(ref)
        if len(refs) == 1 and usual.provider in _DIRECT:
            return self._adapter(usual)
        settings = self._settings
        bounded = "retry_budget_s" in settings.model_fields_set
        return ResilientModel(
            plan,
            self._adapter,
            self._breaker,
            name=_written(usual),
            instructable=self._adapter(usual).instructable,
            patience=Patience(
                Retries(settings.model_attempts, settings.retry_budget_s),
                settings.hedge_s,
                slow={} if bounded else {"local": _patient(settings, "first_token_s", "local")},
            ),
        )

    def _at_hand(self, ref: ModelRef) -> bool:
        gone = {ref.name, str(ref), _written(ref)} & set(self._settings.retired_models)
        return not gone and _missing(ref, self._settings) is None

    def _adapter(self, ref: ModelRef) -> Model:
        if ref not in self._adapters:
            self._adapters[ref] = self._made(ref)
        return self._adapters[ref]

    def _made(self, ref: ModelRef) -> Model:
        settings = self._settings
        deadlines = Deadlines(
            _patient(settings, "first_token_s", ref.provider),
            settings.token_gap_s,
            _patient(settings, "answer_s", ref.provider),
        )
        match ref.provider:
            case "offline":
                return OfflineModel()
            case "scripted":
                return ScriptedModel()
            case "local" if settings.local_model is not None:
                return LocalModel(
                    settings.local_model,
                    threads=settings.local_threads,
                    context=settings.local_context,
                    slots=settings.local_slots,
                    memory_mib=settings.local_memory_mib,
                    deadlines=deadlines,
                )
            case "groq":
                url = settings.model_base_url or GROQ_URL
                key = settings.groq_api_key.get_secret_value() if settings.groq_api_key else ""
            case provider:
                url = _urls_of(settings)[provider]
                key = self._keys.get(provider, "")
        card = self._catalogue.card(ref.name, ref.provider)
        return GroqModel(
            ref.name,
            api_key=key or "none",  # servers of one's own ask for none, the client does
            base_url=url,
            provider=ref.provider,
            deadlines=deadlines,
            extra_body=card.options,
            reasoning_tokens=card.reasoning_tokens,
        )


def _patient(settings: Settings, setting: str, provider: str) -> float:
    """A model of one's own reads its prompt slowly, for minutes on a few cores; nothing is lost on the way."""
    seconds: float = getattr(settings, setting)
    return seconds if setting in settings.model_fields_set or provider != "local" else max(seconds, LOCAL_S)


def _check_addresses(settings: Settings) -> None:
    """Every key and address can be used, also those that no answer needs but the one a fallback is to give."""
    keys = _keys_of(settings)
    if settings.groq_api_key is not None:
        keys["groq"] = settings.groq_api_key.get_secret_value()
    urls = _urls_of(settings) | {"groq": settings.model_base_url or GROQ_URL}
    for provider, url in urls.items():
        try:
            endpoint_of(url)
            if key := keys.get(provider):
                checked_key(key)
        except ConfigurationError as error:
            raise ConfigurationError(f"The provider '{provider}' cannot be asked: {error.public}") from None


def _missing(ref: ModelRef, settings: Settings) -> str | None:
    """What has to be set before the model can be asked, or None."""
    match ref.provider:
        case "offline" | "scripted":
            return None if ref.name == ref.provider else f"there is only one model '{ref.provider}'; write just that."
        case "local":
            if ref.name != "local":
                return "there is only one model 'local'; write just that."
            return None if settings.local_model else "set SIGNALBOX_LOCAL_MODEL to a GGUF file."
        case "groq":
            known = settings.groq_api_key or settings.model_base_url
            return None if known else "set GROQ_API_KEY, or SIGNALBOX_MODEL_BASE_URL for a server that needs none."
        case provider:
            return None if provider in _urls_of(settings) else f"SIGNALBOX_PROVIDERS has no provider '{provider}'."


def _urls_of(settings: Settings) -> dict[str, str]:
    pairs = (entry.partition("=") for entry in settings.providers)
    return {name: url for name, _, url in pairs}


def _keys_of(settings: Settings) -> dict[str, str]:
    """Keys by provider. Errors count entries: a key must never be shown."""
    entries = [entry.strip() for entry in settings.provider_keys.get_secret_value().split(",")]
    known = _urls_of(settings)
    keys: dict[str, str] = {}
    for number, entry in enumerate(entries, start=1):
        if not entry:
            continue  # a trailing comma
        name, _, key = (part.strip() for part in entry.partition("="))
        where = f"SIGNALBOX_PROVIDER_KEYS: entry {number} of {len(entries)}"
        if not key or not re.fullmatch(r"[a-z][a-z0-9_-]{0,30}", name):
            raise ConfigurationError(f"{where} is not of the form provider=key.")
        if name not in known:
            more = "its key is GROQ_API_KEY" if name == "groq" else f"known are {', '.join(sorted(known)) or 'none'}"
            raise ConfigurationError(f"{where} is for '{name}', which SIGNALBOX_PROVIDERS does not name; {more}.")
        if keys.setdefault(name, key) != key:
            raise ConfigurationError(f"{where} is another key for '{name}'; give one.")
    return keys


def _written(ref: ModelRef) -> str:
    """As settings write it, and as a run's row keeps it."""
    plain = ref.provider in {"groq", ref.name} and "@" not in ref.name
    return ref.name if plain else str(ref)


def _retired(name: str) -> ModelRetired:
    return ModelRetired(
        f"This answer was begun with the language model {name}, which is gone. Please send the message again."
    )
