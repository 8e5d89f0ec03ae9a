"""The state of a scope beside its topics: changed topics, stored documents, the action log."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from membrane.adapters.dynamodb.table.attributes import (
    Item,
    Value,
    number,
    read_integer,
    read_text,
    read_words,
    text,
)
from membrane.adapters.dynamodb.table.failures import translating_errors
from membrane.adapters.dynamodb.table.keys import scope_at, scope_place
from membrane.adapters.dynamodb.table.progress import progress_at, put_progress
from membrane.adapters.dynamodb.table.texts import parse_text
from membrane.adapters.dynamodb.table.writes import Write, lost_race
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.topic_table import TopicTable, of_version, put_new
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import MAX_MARKED, Marks

_ADD = "ADD topic_ids :ids, noted :one, version :one"
_ALL = "SET is_all = :yes ADD noted :one, version :one"
_IS_ROOM = "attribute_not_exists(topic_ids) OR size(topic_ids) <= :room"
_IS_NO_ROOM = "attribute_not_exists(topic_ids) OR size(topic_ids) > :room"
BEFORE_ALL = "!"
"""Sorts before every scope."""


@dataclass(frozen=True, slots=True)
class TopicScopes(TopicTable):
    """The part of a TopicStore about scopes."""

    def mark(self, scope: str, topic_ids: Sequence[str]) -> bool:
        """A single UpdateItem; two if the ids would exceed MAX_MARKED.

        A topic noted twice counts twice; `is_all` may come early.
        """
        distinct = sorted(set(topic_ids))
        values = {":room": number(MAX_MARKED - len(distinct))}
        if len(distinct) <= MAX_MARKED:
            with suppress(self.client.exceptions.ConditionalCheckFailedException):
                return self._note(scope, _ADD, _IS_ROOM, values | {":ids": {"SS": distinct}})
        return self._note(scope, _ALL, _IS_NO_ROOM, values | {":yes": {"BOOL": True}})

    def marks(self, scope: str) -> Marks | None:
        """A strongly consistent GetItem."""
        item = self.item_at(topic_keys.scope_key(scope, topic_keys.MARKS))
        if item is None or "noted" not in item:
            return None
        ids = tuple(sorted(read_words(item, "topic_ids"))) if "topic_ids" in item else ()
        return Marks(scope, ids, "is_all" in item, read_integer(item, "version"))

    def unmark(self, marks: Marks) -> bool:
        """A conditional UpdateItem, which raises the version."""
        unchanged = of_version(marks.version)
        unchanged["values"] |= {":one": number(1)}
        forget = Write(
            "Update",
            lost_race,
            key=topic_keys.scope_key(marks.scope, topic_keys.MARKS),
            update="REMOVE topic_ids, noted, is_all ADD #version :one",
            **unchanged,
        )
        try:
            self.commit_all(forget)
        except LostRace:
            return False
        return True

    def scopes(self, after: str | None, limit: int, prefix: str = "") -> Sequence[str]:
        """A Query of the registry."""
        place = BEFORE_ALL if after is None else scope_place(after)
        which = "sk > :place"
        if prefix:
            place, which = scope_place(prefix), "begins_with(sk, :place)"
        values = {":pk": text(topic_keys.SCOPES), ":place": text(place)}
        found = self.query(f"pk = :pk AND {which}", values, limit=limit)
        return [scope_at(read_text(item, "sk")) for item in islice(found, limit)]

    def find_document(self, name: str, scope: str) -> Checkpoint | None:
        """A strongly consistent GetItem."""
        key = topic_keys.scope_key(scope, topic_keys.document_place(name))
        return progress_at(self.client, self.table, key)

    def keep_document(
        self, name: str, scope: str, document: JsonObject, before: Checkpoint | None
    ) -> Checkpoint:
        """A conditional put."""
        key = topic_keys.scope_key(scope, topic_keys.document_place(name))
        return put_progress(self.client, self.table, key, document, before)

    def log(self, scope: str, action: Body, at: str, action_id: str) -> None:
        """One transaction: the action by time, and the id of the action."""
        by_time, by_id = action_items(scope, action, at, action_id)
        with suppress(LostRace):
            self.commit_all(put_new(by_id), put_new(by_time))

    def logged_actions(
        self, scope: str, limit: int, before: str | None = None
    ) -> Sequence[tuple[str, JsonObject]]:
        """One Query a megabyte."""
        values = {
            ":pk": text(topic_keys.log_partition(scope)),
            ":first": text(topic_keys.ACTION),
            ":last": text(topic_keys.ACTION + (before or topic_keys.AFTER_ALL)),
        }
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        items = self.query(condition, values, limit=limit + 1, backwards=True)
        found = (_action(item) for item in items)
        return list(islice((each for each in found if each[0] != before), limit))

    def _note(self, scope: str, update: str, condition: str, values: dict[str, Any]) -> bool:
        """Whether the note is the first since the marks were removed."""
        with translating_errors():
            noted = self.client.update_item(
                TableName=self.table,
                Key=topic_keys.scope_key(scope, topic_keys.MARKS),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues=values | {":one": number(1)},
                ReturnValues="ALL_NEW",
            )["Attributes"]
        return read_integer(noted, "noted") == 1


def action_items(
    scope: str, action: Body, at: str, action_id: str
) -> tuple[dict[str, Value], dict[str, Value]]:
    """The item of an action by time, and the item of the id."""
    partition = text(topic_keys.log_partition(scope))
    by_time = {
        "pk": partition,
        "sk": text(f"{topic_keys.ACTION}{at.removesuffix('Z')}#{action_id}"),
        "action": text(compact_json(action)),
    }
    return by_time, {"pk": partition, "sk": text(f"{topic_keys.ACTION_ID}{action_id}")}


def _action(item: Item) -> tuple[str, JsonObject]:
    place = read_text(item, "sk").removeprefix(topic_keys.ACTION)
    return place, parse_text(item, "action", read_text(item, "action"), dict)
