"""Settings of the model that leads conversations; only the function of chat reads them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from membrane.domain.chat.allowances import Limits
from membrane.wiring.endpoint_settings import endpoint_url
from membrane.wiring.environment import Reader, whole

NONE = "none"

USUAL_DAILY_TOKENS = 2_000_000
USUAL_DAILY_TOKENS_OF_KEY = 500_000
LEAST_DAILY_TOKENS = 110_000
"""More than the longest question with the answer takes: less would refuse the question for ever."""

MOST_DAILY_TOKENS = 1_000_000_000_000


@dataclass(frozen=True, slots=True, repr=False)
class ChatSettings:
    """The operator's settings of the model; the representation hides the address."""

    model: str
    """The id of a model or of an inference profile on Bedrock, or the endpoint's model; empty for
    no model."""
    url: str
    """The address of the endpoint's chat completions; empty for Bedrock."""
    secret_arn: str
    """The secret with the bearer token; empty = the endpoint needs no token."""
    limits: Limits


def read_chat_settings(
    environment: Mapping[str, str], *, allows_loopback: bool = False
) -> ChatSettings:
    """Raises SettingError; with `allows_loopback`, the endpoint of the same machine may be HTTP."""
    reader = Reader(environment)
    model = reader.read("CHAT_MODEL", NONE, str)
    tokens = whole(LEAST_DAILY_TOKENS, MOST_DAILY_TOKENS)
    url = reader.read("CHAT_URL", "", _url(model, endpoint_url(allows_loopback=allows_loopback)))
    return ChatSettings(
        model="" if model == NONE else model,
        url=url,
        secret_arn=reader.read("CHAT_SECRET_ARN", "", str if url else _refuse_secret),
        limits=Limits(
            reader.read("CHAT_DAILY_TOKENS_OF_KEY", USUAL_DAILY_TOKENS_OF_KEY, tokens),
            reader.read("CHAT_DAILY_TOKENS", USUAL_DAILY_TOKENS, tokens),
        ),
    )


def _url(model: str, parse: Callable[[str], str]) -> Callable[[str], str]:
    """A parser of the address: empty, or an endpoint for a named model."""

    def parse_url(value: str) -> str:
        if value and model == NONE:
            raise ValueError("must be empty without a chat model")
        return value and parse(value)

    return parse_url


def _refuse_secret(value: str) -> str:
    if value:
        raise ValueError("must be empty without the URL of an endpoint")
    return value
