"""The keys of topics and of what is kept beside them; see `table_keys`."""

from datetime import UTC, datetime, timedelta

from membrane.adapters.dynamodb.table.attributes import Item, Value, read_text, text
from membrane.adapters.dynamodb.table.keys import scope_place
from membrane.domain.language.digests import digest
from membrane.domain.topics.revisions import Revision

TOPIC = "topic"
"""Sort key of a topic's own item, its head."""

ACCESS = "access"
ARCHIVE = "stored#"
"""Behind REVISION: whoever reads a partition from its beginning, and meets a revision no more that
an archive has taken, is still to meet what names the archive."""

AUDIT = "audit#"
INCOMING = "in#"
OUTGOING = "out#"
REVISION = "rev#"
RECEIPT = "receipt"
STATEMENT = "statement"
CHANGE = "change"
MARKS = "marks"

STATING = "record@"
"""What the partitions of statements begin with, where others have the id of a topic."""

SCOPES = "topics-homes"
"""The partition of the registry of scopes that have, or had, topics."""

TOPICS_DUE = "topics-due"
CHANGES_DUE = "topic-changes-due"
"""Partitions of the due index, apart from those of records."""

ACTION = "action#"
ACTION_ID = "id#"

AFTER_ALL = "~"
"""Sorts behind whatever begins with a digit or a letter."""

_YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def topic_partition(topic_id: str) -> str:
    """A topic with its revisions, edges in both directions, older audit events and reads."""
    return f"topic#{topic_id}"


def topic_key(topic_id: str, sort_key: str = TOPIC) -> dict[str, Value]:
    """The key of an item of a topic's partition; by default of its head."""
    return {"pk": text(topic_partition(topic_id)), "sk": text(sort_key)}


def topic_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(topic_partition(""))


def revision_place(line_id: str, revision: Revision) -> str:
    """Sorts the revisions of a line by `Revision.place`, in microseconds since the year 1."""
    told, recorded, order = revision.place
    return f"{REVISION}{line_id}#{_micros(told)}#{_micros(recorded)}#{order:020d}#{revision.id}"


def revisions_of(line_id: str) -> str:
    return f"{REVISION}{line_id}#"


def revisions_until(line_id: str, instant: datetime) -> str:
    """Sorts behind all revisions that tell of that microsecond, or of any before it."""
    return f"{REVISION}{line_id}#{_micros(instant)}#{AFTER_ALL}"


def archive_place(line_id: str, sha256: str) -> str:
    return f"{ARCHIVE}{line_id}#{sha256}"


def events_place(position: int) -> str:
    """Audit events that no longer fit the head, from that position on."""
    return f"{AUDIT}{position:010d}"


def outgoing(to_id: str, kind: str) -> str:
    """An edge in its source's partition."""
    return f"{OUTGOING}{digest(kind, to_id).hex()[:32]}"


def incoming(from_id: str, kind: str) -> str:
    """An edge in its target's partition."""
    return f"{INCOMING}{digest(kind, from_id).hex()[:32]}"


def receipt_key(identity: bytes) -> dict[str, Value]:
    """The key of a receipt, in a partition of its own, as a topic of that name has one."""
    return topic_key(identity.hex(), RECEIPT)


def statement_key(record_id: str) -> dict[str, Value]:
    """The key of what a record states in topics: no topic can have an id like this partition's."""
    return topic_key(f"{STATING}{record_id}", STATEMENT)


def stating_record(item: Item) -> str:
    return topic_id_of(item).removeprefix(STATING)


def change_key(token: str) -> dict[str, Value]:
    return {"pk": text(f"topic-{CHANGE}#{token}"), "sk": text(CHANGE)}


def token_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(f"topic-{CHANGE}#")


def rank_partition(scope: str) -> str:
    return f"topics#{scope_place(scope)}"


def scope_key(scope: str, sort_key: str) -> dict[str, Value]:
    """The key of something that is kept of a scope."""
    return {"pk": text(f"topics-home#{scope_place(scope)}"), "sk": text(sort_key)}


def kept(name: str) -> str:
    return f"kept#{name}"


def log_partition(scope: str) -> str:
    return f"topic-log#{scope_place(scope)}"


def _micros(instant: datetime) -> str:
    return f"{(instant - _YEAR_1) // _MICROSECOND:018d}"
