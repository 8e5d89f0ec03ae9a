"""The identities of principals that the template binds to sources without a key, and their ids."""

from membrane.domain.access.principals import Source, principal_of
from membrane.domain.records.stored import keyed_id

__all__ = ["BUS_IDENTITY", "IMPORT_IDENTITY", "QUEUE_IDENTITY", "keyed_id"]


def _identity(actor_id: str, source: Source) -> str:
    bound = principal_of(actor_id, ["ingest"], ["events"], "low")
    return bound._replace(source=source).identity


BUS_IDENTITY = _identity("event-bus", Source.BUS)
QUEUE_IDENTITY = _identity("queue", Source.QUEUE)
IMPORT_IDENTITY = _identity("import", Source.IMPORT)
