"""Scan the whole table, page by page; for operators alone."""

from dataclasses import dataclass

from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table import keys as table_keys
from membrane.table.dynamo import OverTable, scan_page
from membrane.table.index import make_stale
from membrane.table.items import Checkpoint, Item, number, read_text, text
from membrane.table.progress import progress_at, put_progress
from membrane.table.walk import IS_OWN, OWN
from membrane.usecases.ports.surroundings import Clock
from membrane.usecases.search.reindex import Page

ITEMS = 500
"""Items of a page at most; a step of a re-index lasts at least as long as a page."""

_LASTS = "(attribute_not_exists(expires_at) OR expires_at > :now)"
_IS_VECTOR = f"sk = :vector AND attribute_not_exists(removed) AND {_LASTS}"
_WANTED = f"attribute_not_exists(deleted_at) AND (({IS_OWN}) OR ({_IS_VECTOR}))"

_KEY = table_keys.primary_key(table_keys.SETTINGS, "reindex")


@dataclass(frozen=True, slots=True)
class DynamoCatalogue(OverTable):
    """A walk over one table for a re-index. May raise ResourceExhausted or Unavailable."""

    encoding: Encoding
    now: Clock

    def page(self, after: str | None) -> Page:
        """The page after `after`. A full walk meets every item that stays throughout."""
        made_by = self.encoding.attribute_name("embedder")
        items, following = scan_page(
            self.client,
            self.table,
            after,
            ConsistentRead=True,
            Select="SPECIFIC_ATTRIBUTES",  # IAM can restrict a role to named attributes
            Limit=ITEMS,
            FilterExpression=_WANTED,
            ProjectionExpression=f"pk, sk, {made_by}",
            ExpressionAttributeValues={
                **OWN,
                ":vector": text(table_keys.VECTOR),
                ":now": number(epoch_seconds(self.now())),
            },
        )
        present, vector = text(self.encoding.embedder), text(table_keys.VECTOR)
        return Page(
            [_place_of(item) for item in items if item["sk"] != vector],
            sum(item["sk"] == vector and item.get(made_by) != present for item in items),
            following,
        )

    def make_stale(self, own_key: tuple[str, str], since: str) -> bool:
        """Flag the item so that the stream handler makes a new vector; False if the item is gone.

        `since` is unique to a re-index, because an update that changes nothing reaches no stream.
        """
        return make_stale(self, table_keys.primary_key(*own_key), since)

    def progress(self) -> Checkpoint | None:
        """The progress of the newest re-index, read consistently; None before the first."""
        return progress_at(self.client, self.table, _KEY)

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored progress has changed since."""
        return put_progress(self.client, self.table, _KEY, progress, before)


def _place_of(item: Item) -> tuple[str, str]:
    return read_text(item, "pk"), read_text(item, "sk")
