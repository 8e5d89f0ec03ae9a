"""Topics in DynamoDB: every access pattern one method, every write conditional."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.topic_erasures import TopicErasures
from membrane.adapters.dynamodb.topics.topic_items import due_keys
from membrane.adapters.dynamodb.topics.topic_reads import TopicReads
from membrane.adapters.dynamodb.topics.topic_scopes import TopicScopes
from membrane.adapters.dynamodb.topics.topic_table import of_version
from membrane.adapters.dynamodb.topics.topic_writes import TopicWrites
from membrane.table.items import binary, number, read_number, text
from membrane.table.writes import LostRace, Write, lost_race
from membrane.usecases.ports.topics import TopicPlace

_LATER = "SET due_pk = :topics, due_sk = :until REMOVE stale"
_DONE = "REMOVE due_pk, due_sk, stale"


@dataclass(frozen=True, slots=True)
class DynamoTopics(TopicWrites, TopicReads, TopicScopes, TopicErasures):
    """Topics over a table and a bucket; the methods here read the indexes.

    Reads are strongly consistent unless the method says otherwise. No read returns a part of a
    change of several transactions before the change is complete. Any method may raise
    ResourceExhausted or Unavailable.
    """

    def list_topics(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """The next topics of a scope, the highest rank first, without merged and deleted topics.

        Eventually consistent: load a listed topic before use. A Query of the rank index a megabyte.
        """
        partition = text(topic_keys.rank_partition(scope))
        start = None
        if after is not None:
            place = {"rank_pk": partition, "rank_sk": number(after.rank)}
            start = topic_keys.topic_key(after.topic_id) | place
        values = {":pk": partition}
        found = self.query(
            "rank_pk = :pk", values, index="rank", limit=limit, after=start, backwards=True
        )
        return [
            TopicPlace(topic_keys.topic_id_of(item), read_number(item, "rank_sk"))
            for item in islice(found, limit)
        ]

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        """Ids of topics that have or had the title in a scope and kind, the newest first.

        Without merged and deleted topics. Eventually consistent. A Query of the natural index a
        megabyte.
        """
        values = {":key": binary(title_key)}
        found = self.query(
            "natural_pk = :key", values, index="natural", limit=limit, backwards=True
        )
        return [topic_keys.topic_id_of(item) for item in islice(found, limit)]

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """Ids of topics due for a step of the ladder, with due instants; eventually consistent.

        A Query of the due index a megabyte.
        """
        values = {":topics": text(topic_keys.TOPICS_DUE), ":by": number(by_s)}
        condition = "due_pk = :topics AND due_sk <= :by"
        found = self.query(condition, values, index="due", limit=limit)
        return [
            (topic_keys.topic_id_of(item), read_number(item, "due_sk"))
            for item in islice(found, limit)
        ]

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """Move the due instant, or remove it; do nothing if the topic has a different version.

        A conditional UpdateItem.
        """
        keys = due_keys(until_s)
        unchanged = of_version(version)
        if keys:
            unchanged["values"] |= {":topics": keys["due_pk"], ":until": keys["due_sk"]}
        key = topic_keys.topic_key(topic_id)
        update = _LATER if keys else _DONE
        with suppress(LostRace):
            self.commit_all(Write("Update", lost_race, key=key, update=update, **unchanged))
