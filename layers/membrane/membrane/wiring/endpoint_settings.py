"""The setting that is the address of an endpoint."""

from collections.abc import Callable

from membrane.adapters.https.endpoints import endpoint_at


def endpoint_url(*, allows_loopback: bool) -> Callable[[str], str]:
    """A parser of addresses, see `endpoint_at`."""

    def parse(value: str) -> str:
        endpoint_at(value, allows_loopback=allows_loopback)
        return value

    return parse
