"""The world, under the names that use cases still have for it."""

from membrane.usecases.ports.world import World as BearerServices
from membrane.usecases.ports.world import World as ToolServices

__all__ = ["BearerServices", "ToolServices"]
