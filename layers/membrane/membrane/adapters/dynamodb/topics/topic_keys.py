"""The keys of topics and of the items beside topics; see `table.keys`."""

from datetime import UTC, datetime, timedelta

from membrane.domain.language.json_text import digest
from membrane.domain.topics.revisions import Revision
from membrane.table.items import Item, Value, read_text, text
from membrane.table.keys import scope_place

TOPIC = "topic"
"""Sort key of a topic's own item, the head."""

ACCESS = "access"
ARCHIVE = "stored#"
"""Sorts after REVISION, for readers of a whole partition.

A reader may miss a revision that moves into an archive meanwhile; the item that names the archive
is then still to come.
"""

AUDIT = "audit#"
INCOMING = "in#"
OUTGOING = "out#"
REVISION = "rev#"
RECEIPT = "receipt"
CHANGE = "change"
MARKS = "marks"

SCOPES = "topics-homes"
"""The partition of the registry of scopes that have, or had, topics."""

TOPICS_DUE = "topics-due"
CHANGES_DUE = "topic-changes-due"
"""Partitions of the due index, separate from the records'."""

ACTION = "action#"
ACTION_ID = "id#"

AFTER_ALL = "~"
"""Sorts after every digit and letter."""

_YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def topic_partition(topic_id: str) -> str:
    """The partition of a topic, its revisions, edges in both directions, older events and reads."""
    return f"topic#{topic_id}"


def topic_key(topic_id: str, sort_key: str = TOPIC) -> dict[str, Value]:
    """The key of an item in a topic's partition; by default of the head."""
    return {"pk": text(topic_partition(topic_id)), "sk": text(sort_key)}


def topic_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(topic_partition(""))


def revision_place(line_id: str, revision: Revision) -> str:
    """Sorts the revisions of a line by `Revision.place`, in microseconds since the year 1."""
    valid, recorded, order = revision.place
    return f"{REVISION}{line_id}#{_micros(valid)}#{_micros(recorded)}#{order:020d}#{revision.id}"


def revisions_of(line_id: str) -> str:
    return f"{REVISION}{line_id}#"


def revisions_until(line_id: str, instant: datetime) -> str:
    """Sorts after all revisions with a validity from the microsecond, or earlier."""
    return f"{REVISION}{line_id}#{_micros(instant)}#{AFTER_ALL}"


def archive_place(line_id: str, sha256: str) -> str:
    return f"{ARCHIVE}{line_id}#{sha256}"


def events_place(position: int) -> str:
    """Sort key of audit events that have left the head, from the position on."""
    return f"{AUDIT}{position:010d}"


def outgoing(to_id: str, kind: str) -> str:
    """Sort key of an edge in the source's partition."""
    return f"{OUTGOING}{digest(kind, to_id).hex()[:32]}"


def incoming(from_id: str, kind: str) -> str:
    """Sort key of an edge in the target's partition."""
    return f"{INCOMING}{digest(kind, from_id).hex()[:32]}"


def receipt_key(identity: bytes) -> dict[str, Value]:
    """The key of a receipt, in a partition of its own, named like a topic's."""
    return topic_key(identity.hex(), RECEIPT)


def change_key(token: str) -> dict[str, Value]:
    return {"pk": text(f"topic-{CHANGE}#{token}"), "sk": text(CHANGE)}


def token_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(f"topic-{CHANGE}#")


def rank_partition(scope: str) -> str:
    return f"topics#{scope_place(scope)}"


def scope_key(scope: str, sort_key: str) -> dict[str, Value]:
    """The key of an item about a scope."""
    return {"pk": text(f"topics-home#{scope_place(scope)}"), "sk": text(sort_key)}


def document_place(name: str) -> str:
    return f"kept#{name}"


def log_partition(scope: str) -> str:
    return f"topic-log#{scope_place(scope)}"


def _micros(instant: datetime) -> str:
    return f"{(instant - _YEAR_1) // _MICROSECOND:018d}"
