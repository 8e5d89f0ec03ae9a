"""The world, under the name that use cases still have for it."""

from membrane.usecases.ports.world import World as ArchiveServices

__all__ = ["ArchiveServices"]
