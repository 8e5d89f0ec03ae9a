"""Types of parameters."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from membrane_client.core.protocol import NotGiven
from membrane_client.value import Value

User: TypeAlias = str | NotGiven
"""A user; NOT_GIVEN for nobody. None is refused, as every lost name is."""

Time: TypeAlias = datetime | str
"""An aware datetime, or RFC 3339."""

Json: TypeAlias = Mapping[str, Any] | Value
"""A JSON object."""

Texts: TypeAlias = Sequence[str]
