"""Settings of the model that interprets captures.

A separate module: only the function that interprets reads the settings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from membrane.wiring.endpoint_settings import endpoint_url
from membrane.wiring.environment import Reader, whole, word

USUAL_TRIES = 5
MOST_TRIES = 1_000
"""The most deliveries before the dead letters (AWS, `maxReceiveCount`)."""

USUAL_DAILY_TOKENS = 1_000_000
LEAST_DAILY_TOKENS = 100_000
"""A limit below the tokens of a single long question would refuse the question for ever."""

MOST_DAILY_TOKENS = 1_000_000_000_000


class InterpreterKind(StrEnum):
    """The source of interpretations beyond the rules."""

    NONE = "none"
    BEDROCK = "bedrock"
    OPENAI = "openai"
    """Any endpoint that is compatible with OpenAI's chat completions."""


@dataclass(frozen=True, slots=True, repr=False)
class InterpreterSettings:
    """The operator's settings of the model; the representation hides the address."""

    kind: InterpreterKind
    model: str
    """The id of a model or of an inference profile on Bedrock, or the endpoint's model."""
    url: str
    """The address of the endpoint; empty except for `openai`."""
    secret_arn: str
    """The secret with the bearer token; empty = the endpoint needs no token."""
    most_tries: int
    """The deliveries of a message, before the queue moves the message to the dead letters."""
    daily_tokens: int
    """The most tokens of a day, of questions and answers together."""


def read_interpreter_settings(
    environment: Mapping[str, str], *, allows_loopback: bool = False
) -> InterpreterSettings:
    """Raises SettingError; with `allows_loopback`, the endpoint of the same machine may be HTTP."""
    reader = Reader(environment)
    kind = reader.read("INTERPRETER", InterpreterKind.NONE, word(InterpreterKind))
    by_model = kind is not InterpreterKind.NONE
    by_endpoint = kind is InterpreterKind.OPENAI
    check = _url(allows_loopback=allows_loopback)
    return InterpreterSettings(
        kind=kind,
        model=reader.read("INTERPRETER_MODEL", "", _only_if(by_model, kind, _text_for(kind))),
        url=reader.read("INTERPRETER_URL", "", _only_if(by_endpoint, kind, check)),
        secret_arn=reader.read("INTERPRETER_SECRET_ARN", "", _only_if(by_endpoint, kind, str)),
        most_tries=reader.read("INTERPRETER_TRIES", USUAL_TRIES, whole(1, MOST_TRIES)),
        daily_tokens=reader.read(
            "INTERPRETER_DAILY_TOKENS",
            USUAL_DAILY_TOKENS,
            whole(LEAST_DAILY_TOKENS, MOST_DAILY_TOKENS),
        ),
    )


def _only_if(
    is_used: bool,  # noqa: FBT001 - reads like the condition at each call
    kind: InterpreterKind,
    parse: Callable[[str], str],
) -> Callable[[str], str]:
    """A parser that refuses a value which the kind of interpreter does not use."""

    def refuse_unused(value: str) -> str:
        if value:
            raise ValueError(f"must be empty with the interpreter {kind}")
        return value

    return parse if is_used else refuse_unused


def _text_for(kind: InterpreterKind) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if not value.strip():
            raise ValueError(f"must be set with the interpreter {kind}")
        return value

    return parse


def _url(*, allows_loopback: bool) -> Callable[[str], str]:
    parse = endpoint_url(allows_loopback=allows_loopback)
    return lambda value: parse(_text_for(InterpreterKind.OPENAI)(value))
