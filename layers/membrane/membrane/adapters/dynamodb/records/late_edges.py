"""Put the edges of a reclassified record for which the transaction of the change has no room."""

from collections.abc import Callable, Sequence

from membrane.adapters.dynamodb.records.edge_items import put_of_edge
from membrane.adapters.dynamodb.records.writes import version_check
from membrane.adapters.dynamodb.table.attributes import Client
from membrane.adapters.dynamodb.table.writes import MAX_TOGETHER, commit
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import LostRace

EDGES = MAX_TOGETHER - 1
"""Edges of one transaction beside the check of the source."""


def put_late_edges(
    client: Client,
    table: str,
    source: StoredRecord,
    relations: Sequence[Relation],
    load: Callable[[str], AnyRecord | None],
) -> None:
    """Put the edges in transactions that check the version of the source.

    A version of a concurrent writer takes the place of `source` for the edges that are left, unless
    the version has a different scope or sensitivity: then that writer has put every edge. A killed
    run leaves edges of the former scope and sensitivity for the verification to repair.
    """
    held, left = source, list(relations)
    while left:
        puts = [put_of_edge(held, each) for each in left[:EDGES]]
        try:
            commit(client, table, [version_check(held), *puts])
        except LostRace:
            newest = load(held.id)
            if not isinstance(newest, StoredRecord) or not _is_classified_like(newest, held):
                return
            held, left = newest, [each for each in left if each in newest.record.relations]
        else:
            left = left[EDGES:]


def _is_classified_like(newest: StoredRecord, held: StoredRecord) -> bool:
    """Whether the newest record is the same record, with the same scope and sensitivity."""
    is_same = newest.born_s == held.born_s
    return is_same and (newest.scope, newest.sensitivity) == (held.scope, held.sensitivity)
