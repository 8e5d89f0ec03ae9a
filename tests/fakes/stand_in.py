"""The base of doubles of stores: for type checkers a double is the store that it stands in for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Store: Any
else:
    Store = object


class StandIn(Store):  # type: ignore[misc]  # a base of any type makes a double fit every place
    """A double of a store of the layer."""
