"""The error tree. The wire gets ``code`` and ``public``; the log gets the cause.

SignalboxError
├── BadRequest                400  the caller can mend it
│   └── BadCursor             400  the cursor is malformed, of another conversation or from the future
├── Unauthorized              401
├── NotFound                  404  unknown, or another user's: the two are never told apart
├── Conflict                  409
│   ├── IdempotencyConflict   409  the same key came with another body
│   ├── Busy                  409  the conversation is being answered, and the caller did not want to wait
│   ├── Decided               409  an approval was decided before, or ran out
│   └── TakenBack             409  the run to be replaced was taken back before
├── PayloadTooLarge           413
│   └── MessageTooLong        413  it does not fit into the model's window
├── PromptTooLong             500  what must be told to the model does not fit into its window
├── TooManyWaiting            429
├── ProviderError             502  the model provider failed
│   ├── ProviderAuth          502  key refused: retrying cannot help
│   ├── ProviderRejected      502  the request itself was refused
│   │   ├── ProviderNoModel   502  the provider has no such model (any more): another one may be asked
│   │   └── ProviderTooLong   502  it does not fit into the model's window, or into what the account may send at once
│   ├── ProviderRateLimited   503
│   ├── ProviderUnavailable   503  refused, reset, 5xx, error object inside a stream
│   ├── ProviderTimeout       504  no first token, or silence in mid-stream
│   ├── ProviderCut           502  the stream ended before the provider said it was done
│   └── BudgetSpent           429  nobody was asked: what models may cost is spent
├── NodeOutputError           500  a graph node returned a field that TurnPatch does not have
├── ModelRetired              503  a run began with a model that this server no longer has
├── OtherVersion              500  a recorded effect cannot be read after a deploy; it is not done again
├── RunInterrupted            503  it took longer than a run may
├── RunDead                   500  it stopped every worker that tried it
├── StoreUnavailable          503  PostgreSQL cannot be reached, or all connections to it are in use
├── LogUnavailable            503  Redis cannot be reached
├── Stopping                  503  a draining server takes no new message
├── Fenced                    409  this writer's lease was taken over
└── ConfigurationError        500  start-up only
"""

from typing import ClassVar


class SignalboxError(Exception):
    """Base of every error we raise on purpose.

    ``code`` is stable and machine-readable, ``public`` is safe to show and says what to do,
    ``retry`` tells whether the same request may succeed later.
    """

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    retry: ClassVar[bool] = False
    public: str = "Something went wrong on our side. The message is kept; please try again."

    def __init__(self, public: str | None = None) -> None:
        if public is not None:
            self.public = public
        super().__init__(self.public)


class BadRequest(SignalboxError):
    code = "bad_request"
    status = 400
    public = "The request is not valid."


class BadCursor(BadRequest):
    code = "bad_cursor"
    public = (
        "Last-Event-ID is not a cursor of this stream. Send an id exactly as it was received, "
        "or none to read from the start."
    )


class Unauthorized(SignalboxError):
    code = "unauthorized"
    status = 401
    public = "The API key is not known. Send 'Authorization: Bearer <key>' with a key of this server."


class NotFound(SignalboxError):
    code = "not_found"
    status = 404
    public = "There is nothing here under that id."


class Conflict(SignalboxError):
    code = "conflict"
    status = 409
    public = "That cannot be done in the present state."


class IdempotencyConflict(Conflict):
    code = "idempotency_conflict"
    public = "This Idempotency-Key was used with another message. Use a new key for a new message."


class Busy(Conflict):
    code = "busy"
    retry = True
    public = (
        "An earlier message of this conversation is still being answered. Wait for it, or choose another 'if_busy'."
    )


class Decided(Conflict):
    code = "decided"
    public = "This approval was decided before. What was decided first stands."


class TakenBack(Conflict):
    code = "taken_back"
    public = (
        "This message was edited, asked again or taken back before. Load the conversation again to see it as it is."
    )


class PayloadTooLarge(SignalboxError):
    code = "payload_too_large"
    status = 413
    public = "The request is too large."


class MessageTooLong(PayloadTooLarge):
    code = "message_too_long"
    public = "This message is too long for the language model. Please send it in parts, or only what matters."


class PromptTooLong(SignalboxError):
    code = "prompt_too_long"
    public = "What the language model must be told is more than it can read. The operator can give it more room."


class TooManyWaiting(SignalboxError):
    code = "too_many_waiting"
    status = 429
    retry = True
    public = "Too many of your messages wait for an answer already. Wait for some of them, or cancel them."


class ProviderError(SignalboxError):
    """``again``: the same request may pass at once, or after ``wait`` seconds if the provider said how many;
    ``cooler``: at a lower temperature. By default what a user may retry, a program may.
    """

    code = "provider_error"
    status = 502
    retry = True
    public = "The language model failed to answer. Please try again."

    def __init__(
        self, public: str | None = None, *, again: bool | None = None, wait: float | None = None, cooler: bool = False
    ) -> None:
        super().__init__(public)
        self.again = self.retry if again is None else again
        self.wait = wait
        self.cooler = cooler


class ProviderAuth(ProviderError):
    code = "provider_auth"
    retry = False
    public = "The language model refused this server's key. The operator must check the key."


class ProviderRejected(ProviderError):
    code = "provider_rejected"
    retry = False
    public = "The language model refused this request. Try a shorter or simpler message."


class ProviderNoModel(ProviderRejected):
    code = "provider_no_model"
    public = (
        "The configured language model does not exist at the provider. "
        "The operator must check its name and the provider's address."
    )


class ProviderTooLong(ProviderRejected):
    code = "provider_too_long"
    public = (
        "This message and what belongs to it are longer than the language model can read. "
        "Send less at once, or begin a new conversation."
    )


class ProviderRateLimited(ProviderError):
    code = "provider_rate_limited"
    status = 503
    public = "The language model is over its rate limit. Please try again in a moment."


class ProviderUnavailable(ProviderError):
    code = "provider_unavailable"
    status = 503
    public = "The language model cannot be reached just now. Please try again."


class ProviderTimeout(ProviderError):
    code = "provider_timeout"
    status = 504
    public = "The language model did not answer in time. Please try again."


class ProviderCut(ProviderError):
    code = "provider_cut"
    public = "The language model's answer broke off. What arrived is kept; please try again."


class BudgetSpent(ProviderError):
    """No model was asked, and none will be for the same request until the budget that is named is renewed."""

    code = "budget_spent"
    status = 429
    retry = False
    public = "The budget for language models is used up. Please try again tomorrow."


class NodeOutputError(SignalboxError):
    """A node's output did not fit ``TurnPatch``; ``node`` and ``field`` name the culprit in the log."""

    code = "node_output"
    public = "A step of this assistant produced an invalid result. Please try again."

    def __init__(self, node: str, field: str, why: str) -> None:
        super().__init__(f"The step '{node}' produced an invalid '{field}'. Please try again.")
        self.node = node
        self.field = field
        self.why = why


class RunInterrupted(SignalboxError):
    code = "run_interrupted"
    status = 503
    retry = True
    public = "The answer took too long and was stopped. Please send the message again."


class ModelRetired(SignalboxError):
    code = "model_retired"
    status = 503
    retry = True
    public = "This answer was begun with a language model that is gone. Please send the message again."


class OtherVersion(SignalboxError):
    code = "other_version"
    public = "What was done before an update of this server cannot be read any more. It was done once."


class RunDead(SignalboxError):
    code = "run_dead"
    public = "This message stopped every worker that tried to answer it, so it was given up."


class StoreUnavailable(SignalboxError):
    code = "store_unavailable"
    status = 503
    retry = True
    public = "The database cannot be reached just now. Nothing was lost; please try again in a moment."


class LogUnavailable(SignalboxError):
    code = "log_unavailable"
    status = 503
    retry = True
    public = "The event log cannot be reached just now. Nothing was lost; please try again in a moment."


class Stopping(SignalboxError):
    code = "stopping"
    status = 503
    retry = True
    public = "This server is about to stop. Nothing was accepted; please try again in a moment."


class Fenced(SignalboxError):
    code = "fenced"
    status = 409
    public = "Another worker has taken this run over."


class ConfigurationError(SignalboxError):
    code = "configuration"
    public = "The configuration is not valid."


def said_by_check(message: str) -> str:
    """A message of Pydantic's without the word that it puts before what a check of ours says."""
    return message.removeprefix("Value error, ")
