"""The world, under the names that use cases still have for it."""

from membrane.usecases.ports.world import World as TopicServices
from membrane.usecases.ports.world import World as TopicStoreServices
from membrane.usecases.ports.world import World as TopicWritingServices

__all__ = ["TopicServices", "TopicStoreServices", "TopicWritingServices"]
