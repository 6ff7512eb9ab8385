"""How many tokens a text has: counted where the model's own tokenizer is at hand, else estimated and then corrected."""

import json
import math
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from signalbox.llm.base import ModelRequest, Usage

Count: TypeAlias = Callable[[str], int]

# A reported number far from the estimate is a provider that counts something else, such as a hidden template.
LEAST_RATIO: Final = 0.6
MOST_RATIO: Final = 2.0
# What one more report weighs; about the last thirty decide.
WEIGHT: Final = 1 / 16
# Below this the few tokens of the chat format are most of what a report says.
LEAST_LEARNT: Final = 100
# The chat format's own tokens, of each message and of the answer's beginning.
PER_MESSAGE: Final = 5
PER_REQUEST: Final = 4

# Tokens by class of character. Least squares over guides, postings as JSON, program text, numbers, links and paragraphs
# in 17 languages, counted by the vocabularies of cl100k (which Llama 3's contains) and Tekken; where the two differ,
# nearer to the larger one: to leave a little room unused is cheaper than a refused request. docs/prompts.md has the
# errors.
_CLASSES = re.compile(
    r"""
    (?P<word>[A-Za-z]+) | (?P<digits>[0-9]+) | (?P<lines>[^\S\n]*\n\s*) | (?P<blanks>[^\S\n]+)
  | (?P<signs>[!-/:-@\[-`{-~]+)
  | (?P<latin>[\u00c0-\u024f\u1e00-\u1eff]+)
  | (?P<greek>[\u0370-\u03ff\u1f00-\u1fff]+)
  | (?P<cyrillic>[\u0400-\u052f]+)
  | (?P<semitic>[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)
  | (?P<indic>[\u0900-\u109f\u1780-\u17ff]+)
  | (?P<han>[\u3400-\u9fff\uf900-\ufaff]+)
  | (?P<kana>[\u3000-\u30ff\uff00-\uffef]+)
  | (?P<hangul>[\uac00-\ud7a3\u1100-\u11ff]+)
  | (?P<typography>[\u00a0-\u00bf\u2010-\u206f\u20a0-\u20cf])
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_A_CHARACTER: Final = {
    "signs": 0.65, "latin": 1.4, "greek": 1.05, "cyrillic": 0.72, "semitic": 0.99, "indic": 1.12, "han": 1.17,
    "kana": 1.0, "hangul": 1.26, "typography": 1.3, "other": 3.0,
}  # fmt: skip
_ORDINARY_WORD: Final = 7
_A_LETTER_MORE: Final = 0.21
_AN_INNER_CAPITAL: Final = 0.8
_THREE_DIGITS: Final = 1.5
_A_LINE: Final = 0.65

_INNER_CAPITAL = re.compile(r"(?<=[A-Za-z])[A-Z]")


def estimated(text: str) -> float:
    """Tokens of ``text``, as far as its characters tell."""
    return sum(_weight(found.lastgroup or "other", found[0]) for found in _CLASSES.finditer(text))


def _weight(kind: str, part: str) -> float:
    match kind:
        case "word":
            more = max(0, len(part) - _ORDINARY_WORD)
            return 1 + _A_LETTER_MORE * more + _AN_INNER_CAPITAL * len(_INNER_CAPITAL.findall(part))
        case "digits":
            return _THREE_DIGITS * math.ceil(len(part) / 3)
        case "lines":
            return _A_LINE
        case "blanks":
            return 1.0 if len(part) > 1 else 0.0
        case _:
            return _A_CHARACTER[kind] * len(part)


class Length:
    """A coarse count for the books, of text that comes in pieces, where the provider reported nothing: about four ASCII
    characters, or one and a half others, a token. It takes hardly any time, unlike ``estimated``.
    """

    def __init__(self) -> None:
        self._ascii = 0
        self._other = 0

    def add(self, text: str) -> None:
        narrow = len(text) if text.isascii() else sum(char.isascii() for char in text)
        self._ascii += narrow
        self._other += len(text) - narrow

    def tokens(self) -> int:
        return math.ceil(self._ascii / 4 + self._other / 1.5)


def usage_by_length(model: str, request: ModelRequest, said: Length) -> Usage:
    """What a question and as much of its answer took, by their length."""
    asked = Length()
    for message in request.messages:
        asked.add(message.content)
        for call in message.tool_calls:
            asked.add(call.name + call.arguments)
    for tool in request.tools:
        asked.add(tool.name + tool.description + json.dumps(tool.parameters))
    # Four tokens a message is the usual cost of its role and separators.
    tokens = asked.tokens() + 4 * len(request.messages)
    return Usage(model, tokens, 0, said.tokens(), estimated=True)


def counting(ratio: float, exact: Count | None = None) -> Count:
    """A count for one model: its own tokenizer's if that is given, else the estimate times ``ratio``, rounded up."""
    if exact is not None:
        return exact
    bounded = min(max(ratio, LEAST_RATIO), MOST_RATIO)
    return lambda text: math.ceil(estimated(text) * bounded)


class TokenRatios:
    """What providers' reports say of our estimates: by model, the moving ratio of reported to estimated tokens.

    One per process. What a run goes by is fixed when it first asks, since the ratio moves on.
    """

    def __init__(self) -> None:
        self._ratios: dict[str, float] = {}

    def of(self, model: str) -> float:
        """1.0 of a model that nothing is known of."""
        return round(self._ratios.get(model, 1.0), 3)

    def learn(self, model: str, *, guessed: float, reported: int) -> None:
        """``guessed``: the estimate without any ratio; ``reported``: the provider's own number for the same request."""
        if guessed < LEAST_LEARNT or reported <= 0:
            return
        seen = min(max(reported / guessed, LEAST_RATIO), MOST_RATIO)
        # The first report says more than our guess did; later ones move it slowly.
        before = self._ratios.get(model)
        self._ratios[model] = seen if before is None else before + WEIGHT * (seen - before)
