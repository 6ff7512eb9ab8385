"""Which model answers: the configured one, or by its name the one an older run began with."""

from typing import Final

from signalbox.errors import ModelRetired
from signalbox.llm.base import Model
from signalbox.llm.groq import GROQ_URL, GroqModel
from signalbox.llm.offline import OfflineModel
from signalbox.llm.scripted import ScriptedModel
from signalbox.settings import Settings

GROQ_DEFAULT_MODEL: Final = "llama-3.3-70b-versatile"


def build_model(settings: Settings) -> Model:
    """The configured model."""
    match settings.provider():
        case "offline" | "scripted" as built_in:
            return _built_in(built_in)
        case "groq":
            return _provided(settings, GROQ_DEFAULT_MODEL if settings.model == "auto" else settings.model)


def _built_in(name: str) -> Model:
    return OfflineModel() if name == "offline" else ScriptedModel()


def _provided(settings: Settings, name: str) -> Model:
    key = settings.groq_api_key.get_secret_value() if settings.groq_api_key else "none"
    return GroqModel(name, api_key=key, base_url=settings.model_base_url or GROQ_URL)


class Models:
    """Models by name. A run keeps the one it began with, as long as this server can still reach it."""

    def __init__(self, settings: Settings, current: Model) -> None:
        self._settings = settings
        self._models: dict[str, Model] = {"": current, current.name: current}

    def named(self, name: str) -> Model:
        """Raises ``ModelRetired`` when the settings name no provider for it, or call it retired."""
        found = self._models.get(name)
        if found is None:
            found = self._models[name] = self._made(name)
        return found

    def _made(self, name: str) -> Model:
        settings = self._settings
        if name in {"offline", "scripted"}:
            return _built_in(name)
        if name in settings.retired_models or not (settings.groq_api_key or settings.model_base_url):
            raise ModelRetired(
                f"This answer was begun with the language model {name}, which is gone. Please send the message again."
            )
        return _provided(settings, name)

    async def close(self) -> None:
        for model in {id(model): model for model in self._models.values()}.values():
            await model.close()
