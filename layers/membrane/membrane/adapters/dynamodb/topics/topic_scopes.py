"""The state of a scope beside its topics: changed topics, stored documents, the action log."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from membrane.adapters.dynamodb.topics.topic_items import SCOPES, TopicKind
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.table.dynamo import translating_errors
from membrane.table.items import (
    Checkpoint,
    Item,
    Value,
    Write,
    key_in,
    lost_race,
    number,
    of_version,
    parse_text,
    put_new,
    read_integer,
    read_text,
    read_words,
    text,
)
from membrane.table.keys import primary_key, scope_at, scope_place
from membrane.table.progress import progress_at, put_progress
from membrane.usecases.ports.topics import MAX_MARKED, Marks

_ADD = "ADD topic_ids :ids, noted :one, version :one"
_ALL = "SET is_all = :yes ADD noted :one, version :one"
_IS_ROOM = "attribute_not_exists(topic_ids) OR size(topic_ids) <= :room"
_IS_NO_ROOM = "attribute_not_exists(topic_ids) OR size(topic_ids) > :room"
MAX_REPEATS = 2
"""Notes after the first that may repeat the first; further changes send no message."""

BEFORE_ALL, AFTER_ALL = "!", "~"
"""Sort before every scope, and after every digit and letter."""

MARKS = "marks"
ACTION, ACTION_ID = "action#", "id#"
"""The sort keys of the log begin so: of actions by time, and of the ids of actions."""


class _LoggedAlready(Exception):
    """The log has the action."""


@dataclass(frozen=True, slots=True)
class TopicScopes(TopicKind):
    """The part of DynamoTopics about scopes."""

    def mark(self, scope: str, topic_ids: Sequence[str]) -> bool:
        """Mark topics of a scope as changed; True if the caller has to send a message.

        True if the scope had no mark before. Also True if the call may repeat the call that made
        the first mark, whose reply may be lost, and whose caller may have ended before the message.
        A single UpdateItem; two if the ids would exceed MAX_MARKED. A topic noted twice counts
        twice; `is_all` may come early.
        """
        distinct = sorted(set(topic_ids))
        values = {":room": number(MAX_MARKED - len(distinct))}
        if len(distinct) <= MAX_MARKED:
            with suppress(self.client.exceptions.ConditionalCheckFailedException):
                before = self._note(scope, _ADD, _IS_ROOM, values | {":ids": {"SS": distinct}})
                return _is_first(before) or _repeats_first(before, distinct)
        return _is_first(self._note(scope, _ALL, _IS_NO_ROOM, values | {":yes": {"BOOL": True}}))

    def marks(self, scope: str) -> Marks | None:
        """A strongly consistent GetItem."""
        item = self.item_at(scope_key(scope, MARKS))
        if item is None or "noted" not in item:
            return None
        ids = tuple(sorted(read_words(item, "topic_ids"))) if "topic_ids" in item else ()
        return Marks(scope, ids, "is_all" in item, read_integer(item, "version"))

    def unmark(self, marks: Marks) -> bool:
        """Remove the marks; False, unchanged, if the scope has newer ones. An UpdateItem."""
        unchanged = of_version(marks.version)
        unchanged["values"] |= {":one": number(1)}
        forget = Write(
            "Update",
            lost_race,
            key=scope_key(marks.scope, MARKS),
            update="REMOVE topic_ids, noted, is_all ADD #version :one",
            **unchanged,
        )
        return self.is_done(forget)

    def scopes(self, after: str | None, limit: int, prefix: str = "") -> Sequence[str]:
        """Scopes that have or had topics, in a fixed order, by `after` or by `prefix`. A Query."""
        place = BEFORE_ALL if after is None else scope_place(after)
        which = "sk > :place"
        if prefix:
            place, which = scope_place(prefix), "begins_with(sk, :place)"
        values = {":pk": text(SCOPES), ":place": text(place)}
        found = self.query(f"pk = :pk AND {which}", values, limit=limit)
        return [scope_at(read_text(item, "sk")) for item in islice(found, limit)]

    def find_document(self, name: str, scope: str) -> Checkpoint | None:
        """A job's progress or the system context, by name and scope. A GetItem."""
        key = scope_key(scope, document_place(name))
        return progress_at(self.client, self.table, key)

    def keep_document(
        self, name: str, scope: str, document: JsonObject, before: Checkpoint | None
    ) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored document has changed since."""
        key = scope_key(scope, document_place(name))
        return put_progress(self.client, self.table, key, document, before)

    def log(self, scope: str, action: Body, at: str, action_id: str) -> None:
        """Append to the action log of a scope, once per `action_id`.

        One transaction: the action by time, and the id of the action. Raises LostRace against a
        concurrent writer: the action may be in the log or not.
        """
        with suppress(_LoggedAlready):
            self.commit_all(
                *(
                    put_new(item, lambda _: _LoggedAlready())
                    for item in action_items(scope, action, at, action_id)
                )
            )

    def logged_actions(
        self, scope: str, limit: int, before: str | None = None
    ) -> Sequence[tuple[str, JsonObject]]:
        """The newest actions of a scope, or those before a place. One Query a megabyte."""
        span = ACTION, ACTION + (before or AFTER_ALL)
        items = self.between(log_partition(scope), *span, limit=limit + 1, backwards=True)
        found = (_action(item) for item in items)
        return list(islice((each for each in found if each[0] != before), limit))

    def forget_actions(self, scope: str, topic_ids: Collection[str]) -> None:
        """Remove the actions with the title of one of the topics from the log of the scope.

        A repeat of `log` with the same `action_id` appends nothing. One Query a megabyte of the
        scope's log; the items by id stay, and refuse a repeat.
        """
        found = self.between(log_partition(scope), ACTION, ACTION + AFTER_ALL)
        self.delete([key_in(item) for item in found if _title_of(item) in topic_ids])

    def _note(self, scope: str, update: str, condition: str, values: dict[str, Any]) -> Item:
        """The item before the note; empty if absent."""
        with translating_errors():
            reply = self.client.update_item(
                TableName=self.table,
                Key=scope_key(scope, MARKS),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues=values | {":one": number(1)},
                ReturnValues="ALL_OLD",
            )
        before: Item = reply.get("Attributes", {})
        return before


def _is_first(before: Item) -> bool:
    """Whether a note over the item is the first since the marks were removed."""
    return "noted" not in before


def _repeats_first(before: Item, topic_ids: Sequence[str]) -> bool:
    """Whether a note of the topics over the item may be a repeat of the first note."""
    marked = read_words(before, "topic_ids") if "topic_ids" in before else ()
    return read_integer(before, "noted") <= MAX_REPEATS and set(topic_ids) <= set(marked)


def action_items(
    scope: str, action: Body, at: str, action_id: str
) -> tuple[dict[str, Value], dict[str, Value]]:
    """The item of an action by time, and the item of the id."""
    partition = text(log_partition(scope))
    by_time = {
        "pk": partition,
        "sk": text(f"{ACTION}{at.removesuffix('Z')}#{action_id}"),
        "action": text(compact_json(action)),
    }
    return by_time, {"pk": partition, "sk": text(f"{ACTION_ID}{action_id}")}


def scope_key(scope: str, sort_key: str) -> dict[str, Value]:
    """The key of an item about a scope."""
    return primary_key(f"topics-home#{scope_place(scope)}", sort_key)


def document_place(name: str) -> str:
    return f"kept#{name}"


def log_partition(scope: str) -> str:
    return f"topic-log#{scope_place(scope)}"


def _title_of(item: Item) -> str:
    """The topic whose title the action has: the first of the action's topics."""
    return str(_action(item)[1]["topics"][0])


def _action(item: Item) -> tuple[str, JsonObject]:
    place = read_text(item, "sk").removeprefix(ACTION)
    return place, parse_text(item, "action", read_text(item, "action"), dict)
