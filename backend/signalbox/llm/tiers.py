"""Decides which model is asked what: a tier for each task, rules on what is asked, models and fallbacks for each tier.

A ``TierPolicy`` is a value: the same policy gives the same request the same choice, in every process.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Final

from signalbox.errors import ConfigurationError
from signalbox.llm.base import ModelRequest, Tier
from signalbox.llm.plan import Choice, ModelRef
from signalbox.settings import Settings

TIERS: Final[tuple[Tier, ...]] = ("cheap", "standard", "strong")
BUILT_IN: Final = ("local", "offline", "scripted")
_TAG: Final = re.compile(r"</?[a-z_]+>")


@dataclass(frozen=True, slots=True)
class Rule:
    """For requests of ``task`` whose message holds one of ``words`` (a pattern; case is ignored): another tier.

    Words are always looked for between word boundaries, so that "improve my CV" is no request to prove anything.
    ``alone``: the message must hold nothing beside them. ``again``: one of the two messages before must hold them, too.
    ``name`` is for the books.
    """

    name: str
    task: str
    words: str
    tier: Tier
    alone: bool = False
    again: bool = False

    def fits(self, task: str, asked: Sequence[str]) -> bool:
        """``asked``: the user's messages, the newest last; "" stands for one that is not to be looked at."""
        if task != self.task or not asked or not self._is_in(asked[-1]):
            return False
        return not self.again or any(map(self._is_in, asked[-3:-1]))

    def _is_in(self, message: str) -> bool:
        return _compiled(self.words, alone=self.alone).search(message) is not None


_NOT_IT: Final = (
    "(?:wrong|not (?:right|true|it|what i (?:asked|meant|want(?:ed)?|said)|helpful|helping|an answer|the question))"
)
_COMPLAINT: Final = (
    rf"(?:that|this|it)(?:['’]s| is| was) (?:just |simply )?{_NOT_IT}|you (?:misunderstood|got (?:that|it|me) wrong)|"
    r"you (?:didn['’]?t|did not|haven['’]?t|have not) answer(?:ed)?|(?:please )?try again"
)

# Few, and up only where an answer was found wanting: by a check (then the request itself asks for a higher tier), or by
# its reader, twice. That a question sounds hard is no evidence that the standard model cannot answer it, and one strong
# answer costs as much as several of the others.
RULES: Final = (
    # Nothing to reason about, and often.
    Rule(
        "small talk",
        "answer",
        "hi(?: there)?|hello(?: there)?|hey|thanks(?: a lot| so much)?|thank you(?: very much| so much)?|cheers|"
        "ok|okay|great|perfect|bye|goodbye|good (?:morning|afternoon|evening)|how are you(?: doing)?(?: today)?|"
        "nice to meet you|see you(?: later| soon| tomorrow)?|have a (?:nice|good|great) (?:day|evening|weekend)|"
        "that(?:['’]s| is| was) (?:very |really |so )?(?:kind|helpful)(?: of you)?|much appreciated|you too",
        "cheap",
        alone=True,
    ),
    # A first complaint tells the same model what was wrong, which it could not know before.
    Rule("complained twice", "answer", _COMPLAINT, "strong", again=True),
    Rule(
        "still wrong",
        "answer",
        rf"(?:that|this|it)(?:['’]s| is) (?:still|again) {_NOT_IT}|(?:still|again) {_NOT_IT}|wrong again|"
        r"still (?:do not|don['’]?t|does not|doesn['’]?t|did not|didn['’]?t) (?:answer|help|get it|understand me)",
        "strong",
    ),
    # What hangs on it is worth more than its price, and cannot be taken back.
    Rule(
        "decides on an offer",
        "answer",
        r"which (?:offer|job) (?:should|shall|do) i (?:take|accept|choose)|"
        r"(?:should|shall) i (?:accept|decline|turn down|reject) (?:the|this|that|their|an?) (?:job )?offer",
        "strong",
    ),
)

TASKS: Final[Mapping[str, Tier]] = {
    "classify": "cheap",
    "summarise": "cheap",
    "extract": "cheap",
    "answer": "standard",
    "write": "standard",
}


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """All that decides a choice, a ``Plan``. ``models``: for each tier the model to ask, then its fallbacks.

    ``tasks``: their tiers; any other task is standard. ``overrides``: the operator's tiers, which no rule changes.
    ``rule_chars``: in a longer message, most words are pasted and not what is asked, so no rule is for it.
    ``strong_share``: of the calls below it, how many get the strong tier to compare by; which ones depends on nothing
    but what is asked.
    """

    models: Mapping[Tier, tuple[ModelRef, ...]]
    tasks: Mapping[str, Tier] = field(default_factory=lambda: dict(TASKS))
    overrides: Mapping[str, Tier] = field(default_factory=dict)
    rules: tuple[Rule, ...] = RULES
    rule_chars: int = 600
    strong_share: float = 0.0

    def choose(self, request: ModelRequest) -> Choice:
        usual, why = self._usual(request)
        if request.tier is not None:
            if TIERS.index(request.tier) > TIERS.index(usual):
                tier = self._above(usual, request.tier)
                return Choice(tier, self.models[tier], "escalated", escalated=True)
            return Choice(request.tier, self.models[request.tier], "asked for")
        # The strong tier may be the same model: then there is nothing to compare.
        apart = self.models["strong"][0] != self.models[usual][0]
        if usual != "strong" and apart and _share_of(request) < self.strong_share:
            return Choice("strong", self.models["strong"], "control group", control=True)
        return Choice(usual, self.models[usual], why)

    def _above(self, usual: Tier, most: Tier) -> Tier:
        """One step up: what the cheap model could not do, the standard one most likely can. To the next model, that is:
        tiers of the same one would say the same again.
        """
        higher = TIERS[TIERS.index(usual) + 1 : TIERS.index(most) + 1]
        return next((tier for tier in higher if self.models[tier][0] != self.models[usual][0]), most)

    def _usual(self, request: ModelRequest) -> tuple[Tier, str]:
        if request.task in self.overrides:
            return self.overrides[request.task], "setting"
        asked = [text if len(text) <= self.rule_chars else "" for text in _asked(request)]
        for rule in self.rules:
            if rule.fits(request.task, asked):
                return rule.tier, f"rule: {rule.name}"
        return self.tasks.get(request.task, "standard"), "task"

    def told(self) -> dict[str, Any]:
        """As JSON, for a run to go on with after a deploy."""
        return {
            "models": {tier: [str(ref) for ref in chain] for tier, chain in self.models.items()},
            "tasks": dict(self.tasks),
            "overrides": dict(self.overrides),
            "rules": [asdict(rule) for rule in self.rules],
            "rule_chars": self.rule_chars,
            "strong_share": self.strong_share,
        }

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "TierPolicy":
        """What ``told`` gave. Raises ``ValueError`` for anything else."""
        try:
            return cls(
                models={_tier(t): tuple(_ref_of(ref) for ref in told["models"][t]) for t in TIERS},
                tasks={str(task): _tier(tier) for task, tier in told["tasks"].items()},
                overrides={str(task): _tier(tier) for task, tier in told["overrides"].items()},
                rules=tuple(Rule(**rule) for rule in told["rules"]),
                rule_chars=int(told["rule_chars"]),
                strong_share=float(told["strong_share"]),
            )
        except (KeyError, TypeError, AttributeError) as exc:
            raise ValueError("this is no policy of tiers") from exc


def policy_of(settings: Settings, usual: ModelRef) -> TierPolicy:
    """The policy that the settings ask for, around the ``usual`` (standard) model. Raises ``ConfigurationError``."""
    fallbacks = [model_ref(text, settings, "MODEL_FALLBACKS") for text in settings.model_fallbacks]
    named: dict[Tier, str | None] = {"cheap": settings.model_cheap, "strong": settings.model_strong}
    models: dict[Tier, tuple[ModelRef, ...]] = {}
    for tier in TIERS:
        text = named.get(tier)
        first = model_ref(text, settings, f"MODEL_{tier.upper()}") if text else usual
        models[tier] = _chain(first, [usual, *fallbacks])
    return TierPolicy(models=models, overrides=_overrides(settings.model_tiers), strong_share=settings.strong_share)


def model_ref(text: str, settings: Settings, setting: str) -> ModelRef:
    """``name``, ``name@provider``, ``local``, ``offline`` or ``scripted``. Raises ``ConfigurationError``."""
    name, _, provider = text.strip().rpartition("@") if "@" in text else (text.strip(), "", "")
    if name in BUILT_IN and not provider:
        return ModelRef(name, name)
    known = {"groq", *BUILT_IN, *(entry.partition("=")[0] for entry in settings.providers)}
    provider = provider or "groq"
    if not name or provider not in known:
        raise ConfigurationError(
            f"SIGNALBOX_{setting}: '{text}' names no model of a known provider. Write it like name or name@provider, "
            f"where the provider is one of {', '.join(sorted(known))}; SIGNALBOX_PROVIDERS adds more."
        )
    return ModelRef(name, provider)


def _chain(first: ModelRef, others: Sequence[ModelRef]) -> tuple[ModelRef, ...]:
    """``first``, then the others once each: at the same provider before elsewhere, else as they came."""
    near_first = sorted(others, key=lambda ref: ref.provider != first.provider)
    return tuple(dict.fromkeys((first, *near_first)))


def _overrides(entries: Sequence[str]) -> dict[str, Tier]:
    found: dict[str, Tier] = {}
    for entry in entries:
        task, _, tier = (part.strip() for part in entry.partition("="))
        if task not in TASKS or tier not in TIERS:
            raise ConfigurationError(
                f"SIGNALBOX_MODEL_TIERS: '{entry}' is not of the form task=tier. Tasks are {', '.join(TASKS)}; "
                f"tiers are {', '.join(TIERS)}."
            )
        found[task] = _tier(tier)
    return found


def _tier(text: str) -> Tier:
    if text not in TIERS:
        raise ValueError(f"'{text}' is no tier")
    return text


def _ref_of(text: str) -> ModelRef:
    name, _, provider = text.rpartition("@")
    if not name or not provider:
        raise ValueError(f"'{text}' is no model at a provider")
    return ModelRef(name, provider)


@lru_cache(maxsize=64)
def _compiled(words: str, *, alone: bool) -> re.Pattern[str]:
    pattern = rf"\A\W*(?:{words})(?:\W+(?:{words})){{0,2}}\W*\Z" if alone else rf"\b(?:{words})\b"
    return re.compile(pattern, re.IGNORECASE)


def _asked(request: ModelRequest) -> list[str]:
    """The newest messages of the user, the last one last, without the fences around them."""
    said = [message.content for message in request.messages if message.role == "user"]
    return [_TAG.sub(" ", text).strip() for text in said[-3:]]


def _share_of(request: ModelRequest) -> float:
    """A number from 0 to 1, evenly spread over requests, and always the same for one."""
    told = json.dumps([request.task, [[m.role, m.content] for m in request.messages]])
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:8]) / 2**64
