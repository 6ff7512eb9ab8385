"""The prompts as files: each a template with its version and purpose, read once, named by id and digest ever after."""

import functools
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

from signalbox.errors import ConfigurationError
from signalbox.llm.base import PromptRef
from signalbox.pinned import Pinned

# A text without a version of its own is known by the beginning of its digest.
SHORT: Final = 8

_FRONT = re.compile(r"\A---\n(?P<front>(?:[a-z]+: [^\n]+\n)+)---\n(?P<text>.+)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One template. ``digest`` is the SHA-256 (hex) of ``text``, so the same text has the same one everywhere."""

    id: str
    version: str
    text: str
    digest: str
    purpose: str = ""

    @property
    def ref(self) -> PromptRef:
        """What is recorded with a request that was made from it."""
        return PromptRef(self.id, self.version, self.digest)

    def filled(self, name: str, value: str) -> "Prompt":
        """With ``{name}`` replaced by what is the same for everybody, such as the list of agents."""
        return prompt_of(self.id, self.text.replace(f"{{{name}}}", value), self.version, self.purpose)

    def pinned(self, pinned: Pinned) -> "Prompt":
        """The text that the run began with, under the version it had then."""
        text = pinned.prompt(self.id, self.text)
        if text == self.text:
            return self
        return prompt_of(self.id, text, pinned.versions.get(self.id, ""), self.purpose)


class Prompts(Mapping[str, Prompt]):
    """All templates of a folder by id. Raises ``ConfigurationError`` for a file that is no template."""

    def __init__(self, folder: Traversable) -> None:
        self._prompts = MappingProxyType({prompt.id: prompt for prompt in _read(folder)})

    def load(self, name: str) -> Prompt:
        """Raises ``ConfigurationError`` when there is none."""
        if name not in self._prompts:
            raise ConfigurationError(f"There is no prompt '{name}'. The prompts are: {', '.join(self._prompts)}.")
        return self._prompts[name]

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._prompts)

    def __len__(self) -> int:
        return len(self._prompts)


@functools.cache
def packaged_prompts() -> Prompts:
    """The templates that come with the program, read once per process."""
    return Prompts(resources.files("signalbox") / "prompts")


def load(name: str) -> Prompt:
    """A packaged template. Raises ``ConfigurationError`` when there is none of that id."""
    return packaged_prompts().load(name)


def prompt_of(name: str, text: str, version: str = "", purpose: str = "") -> Prompt:
    """A prompt whose text stands elsewhere, such as an agent's instructions; without a version, its digest is one."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Prompt(name, version or digest[:SHORT], text, digest, purpose)


def _read(folder: Traversable) -> Iterator[Prompt]:
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".md"):
            yield _parsed(file.name.removesuffix(".md"), file.read_text(encoding="utf-8"))


def _parsed(name: str, text: str) -> Prompt:
    found = _FRONT.match(text.replace("\r\n", "\n"))
    front = dict(line.split(": ", 1) for line in found["front"].splitlines()) if found else {}
    if found is None or not {"version", "purpose"} <= front.keys():
        raise ConfigurationError(
            f"The prompt '{name}.md' is not complete. It begins with '---', 'version: ...', 'purpose: ...', '---', "
            "and its text follows."
        )
    return prompt_of(name, found["text"].strip(), front["version"].strip(), front["purpose"].strip())
