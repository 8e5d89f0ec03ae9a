"""Types of parameters."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from membrane_client.core.protocol import NotGiven
from membrane_client.values.value import Value

T = TypeVar("T")

Opt: TypeAlias = T | NotGiven | None
"""An optional parameter; None is sent, as null."""

User: TypeAlias = str | NotGiven
"""The user of a call; not given, the client's user. None is refused, as every lost name is."""

Time: TypeAlias = datetime | str
"""An aware datetime, or RFC 3339."""

Json: TypeAlias = Mapping[str, Any] | Value
"""A JSON object."""

Texts: TypeAlias = Sequence[str]
