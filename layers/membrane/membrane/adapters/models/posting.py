"""A POST request of JSON to the endpoint of a model."""

from collections.abc import Callable, Mapping

from membrane.adapters.https.endpoints import Endpoint
from membrane.adapters.https.exchange import NoReply, NotConnected, Reply, Request, exchange
from membrane.domain.language.errors import Unavailable
from membrane.domain.models.failures import NotAsked

TIMEOUT_S = 30.0
INTERPRETER = "the endpoint of the interpreter"


def post_json(
    endpoint: Endpoint,
    body: bytes,
    headers: Mapping[str, str],
    elapsed_s: Callable[[], float],
    *,
    timeout_s: float = TIMEOUT_S,
    named: str = INTERPRETER,
) -> Reply:
    """The reply to one request, see `exchange`; `named` is the endpoint in the errors.

    Raises NotAsked without a connection; Unavailable if the endpoint does not answer in time;
    TooLong.
    """
    request = Request("POST", {"Content-Type": "application/json", **headers}, body)
    try:
        return exchange(endpoint, request, elapsed_s, timeout_s)
    except NotConnected as error:
        raise NotAsked(f"{named} cannot be reached") from error
    except NoReply as error:
        raise Unavailable(f"{named} did not answer") from error
