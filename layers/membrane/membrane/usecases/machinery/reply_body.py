"""The body of a reply that a use case makes itself, where no edge presents a result."""

from collections.abc import Mapping
from typing import NamedTuple

from membrane.domain.language.json_text import Body
from membrane.domain.language.values import LargeValue
from membrane.usecases.ports.records import NO_VALUES


class ReplyBody(NamedTuple):
    """The body of a reply; `LargeValue`s in it are put in place, or linked to, at the edge."""

    body: Body
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
