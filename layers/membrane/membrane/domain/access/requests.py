"""The trust that a read may ask for."""

from typing import Annotated

from pydantic import AfterValidator

from membrane.domain.language.fields import LIST, Part, Text, no_prefix
from membrane.domain.language.requests import OptionalSensitivity


class TrustInput(Part):
    """What a read asks to see; it can only narrow what the principal may see.

    Who asks is known from the key: `authenticated` and `actor_id` are taken and not looked at.
    """

    max_sensitivity: OptionalSensitivity = None
    scopes: Annotated[tuple[Annotated[str, AfterValidator(no_prefix)], ...], LIST] = ()
    authenticated: bool | None = None
    actor_id: Text | None = None
