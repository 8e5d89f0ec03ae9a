"""The trust that a read request asks for."""

from typing import Annotated

from pydantic import AfterValidator

from membrane.domain.language.fields import LIST, Part, Text, no_prefix
from membrane.domain.language.requests import FromQuery, OptionalSensitivity, Standing

_Scopes = tuple[Annotated[str, AfterValidator(no_prefix)], ...]


class TrustInput(Part):
    """The scopes and the highest sensitivity that a read may see.

    The trust of a request narrows the trust of the key and never widens it.
    """

    max_sensitivity: FromQuery[OptionalSensitivity] = None
    """Highest sensitivity of records shown in full. A record one level above comes redacted where
    the operation redacts, and is left out or refused elsewhere. Absent or empty: the highest
    sensitivity of the key, which is also the upper limit."""
    scopes: Annotated[_Scopes, LIST, Standing("query", "scope")] = ()
    """Scopes to read; unscoped records are always included. Scopes that the key does not cover are
    ignored. Empty, or with `*` among the scopes: all scopes of the key. A scope that ends in `:*`
    is refused."""
    authenticated: bool | None = None
    """Accepted for compatibility and ignored: the API key authenticates the caller."""
    actor_id: Text | None = None
    """Accepted for compatibility and ignored: the API key names the actor."""
