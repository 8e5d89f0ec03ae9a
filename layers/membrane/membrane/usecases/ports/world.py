"""The world as use cases name it: its type, without the adapters behind it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from membrane.wiring.world import World
else:
    World = object

__all__ = ["World"]
