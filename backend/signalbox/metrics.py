"""What Prometheus is told: model calls, what they took and cost, and how much goes on. Names only, never an id."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from signalbox.llm.base import Attempt

CALLS: Final = "signalbox_model_calls"
TOKENS: Final = "signalbox_model_tokens"
COST: Final = "signalbox_model_cost_usd"
SECONDS: Final = "signalbox_model_seconds"
FIRST_WORD: Final = "signalbox_model_first_word_seconds"
RUNS: Final = "signalbox_runs"
ENDED_RUNS: Final = "signalbox_runs_ended"
ACTIVE_RUNS: Final = "signalbox_active_runs"
READERS: Final = "signalbox_readers"

# However a run can end, told from the start: a rate needs the zero before the first of a kind.
ENDED: Final = ("succeeded", "failed", "cancelled", "dead")
MODEL_LABELS: Final = ("model", "provider", "task", "agent", "tier")
# A model is heard within tenths of a second or, with a long answer, after a minute or two.
BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160)


class Metrics:
    """One process's numbers, in a registry of their own. Counting never fails and does no I/O."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(name, what, (*MODEL_LABELS, *labels), registry=self._registry)

        def histogram(name: str, what: str) -> Histogram:
            return Histogram(name, what, MODEL_LABELS, registry=self._registry, buckets=BUCKETS)

        self._calls = counter(CALLS, "Requests made to models, by how they went.", "outcome")
        self._tokens = counter(TOKENS, "Tokens: input (without cached ones), cached, output.", "kind")
        self._cost = counter(COST, "US dollars, of calls whose price is known.")
        self._seconds = histogram(SECONDS, "Seconds that a request took.")
        self._first_word = histogram(FIRST_WORD, "Seconds to the first word of an answer.")
        self._runs = Gauge(RUNS, "Answers of all processes that wait or go on.", ("status",), registry=self._registry)
        self._active = Gauge(ACTIVE_RUNS, "Answers that this process works on.", registry=self._registry)
        self._ended = Counter(ENDED_RUNS, "Answers that came to their end here.", ("status",), registry=self._registry)
        for status in ENDED:
            self._ended.labels(status)
        self._readers = Gauge(READERS, "Streams that this process serves.", registry=self._registry)

    def called(self, task: str, agent: str, attempt: Attempt) -> None:
        labels = (attempt.model, attempt.provider, task, agent, attempt.tier)
        self._calls.labels(*labels, attempt.outcome).inc()
        if attempt.outcome == "open":
            return  # it was never made
        self._seconds.labels(*labels).observe(attempt.duration_s)
        if attempt.first_token_s is not None:
            self._first_word.labels(*labels).observe(attempt.first_token_s)
        usage = attempt.usage
        if usage is None:
            return
        cached = min(usage.cached_tokens, usage.input_tokens)
        for kind, tokens in (
            ("input", usage.input_tokens - cached),
            ("cached", cached),
            ("output", usage.output_tokens),
        ):
            self._tokens.labels(*labels, kind).inc(tokens)
        if usage.cost_usd is not None:
            self._cost.labels(*labels).inc(usage.cost_usd)

    def ended(self, status: str, runs: int = 1) -> None:
        """So many answers have ended with one of ``ENDED``; one that waits for its user has not."""
        if status in ENDED:
            self._ended.labels(status).inc(runs)

    def stands(self, *, active: int, readers: int, pending: int | None = None, running: int | None = None) -> None:
        """How much goes on just now; None where it could not be found out, which then is not told at all."""
        self._active.set(active)
        self._readers.set(readers)
        self._runs.clear()
        for status, count in (("pending", pending), ("running", running)):
            if count is not None:
                self._runs.labels(status).set(count)

    def text(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self._registry)
