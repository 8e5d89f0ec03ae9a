"""The world, under the names that use cases still have for it."""

from membrane.usecases.ports.world import World as Services

__all__ = ["Services"]
