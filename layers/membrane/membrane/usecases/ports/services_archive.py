"""The dependencies of exports and restores."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_topics import TopicStoreServices

if TYPE_CHECKING:
    from membrane.usecases.ports.topic_archive import TopicRestores


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveServices(TopicStoreServices):
    topic_restores: "TopicRestores"
