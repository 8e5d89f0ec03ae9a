"""Time to live by the stack's own clock: at once, or late by `membrane dev --ttl-lag`, as in AWS.

Moto's tables and an endpoint's expire nothing by a clock that can be moved. The due times come from
the stream, which the stack reads anyway, and from the table at start, for the items of an earlier
stack.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from pathlib import Path
from threading import RLock
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane_local.clock import DevClock
from membrane_local.events.agenda import Agenda
from membrane_local.storage.stores import TABLE, Store
from membrane_local.storage.table import items_with, save

LANE = "time to live"
SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
"""The identity in the stream's record of an expired item."""


@dataclass(slots=True)
class Expiry:
    """The due times of items by key, and the removals that some reader has not passed on yet."""

    store: Store
    clock: DevClock
    agenda: Agenda
    attribute: str
    readers: int
    lag_s: float
    """Seconds from an item's due time to the removal; AWS removes most items within 48 hours."""
    file: Path | None = None
    """Keeps `removed` for the next stack; a crash would otherwise hide who removed the items."""
    due: dict[str, str] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    reader_counts: dict[str, int] = field(default_factory=dict)
    queue: list[tuple[float, str]] = field(default_factory=list)
    """A heap of due times, with outdated entries of items changed or removed since."""
    next_sweep_s: float = inf
    lock: RLock = field(default_factory=RLock)

    def __post_init__(self) -> None:
        if self.store.key_file is not None:
            self.file = self.store.key_file.with_name("expired")
            if self.file.exists():
                self.removed = json.loads(self.file.read_text())
        for item in items_with(self.store.dynamodb, TABLE, self.attribute):
            self._note(_key({name: item[name] for name in ("pk", "sk")}), item)
        self._schedule_sweep()
        self.clock.add_listener(lambda: self.agenda.add(LANE, self._run_sweep))

    def follow(self, records: Sequence[JsonObject]) -> None:
        """Update the due times from the stream; give removals made here the service's identity."""
        for record in records:
            changed = record["dynamodb"]
            key = _key(changed["Keys"])
            if record["eventName"] != "REMOVE":
                self._note(key, changed.get("NewImage", {}))
                continue
            self.due.pop(key, None)
            old = self._instant(changed.get("OldImage", {}))
            if old is not None and self.removed.get(key) == old:
                record["userIdentity"] = SERVICE
        self._schedule_sweep()

    def count_reader(self, records: Sequence[JsonObject]) -> None:
        """Count a reader that has passed removals on; after the last reader, forget a removal."""
        with self.lock:
            before = len(self.removed)
            for record in records:
                if record.get("userIdentity") == SERVICE:
                    key = _key(record["dynamodb"]["Keys"])
                    self.reader_counts[key] = self.reader_counts.get(key, 0) + 1
                    if self.reader_counts[key] >= self.readers:
                        self.removed.pop(key, None)
                        del self.reader_counts[key]
            if len(self.removed) != before:
                self._save()

    @contextmanager
    def sweep_and_hold(self) -> Iterator[None]:
        """Remove due items; remove nothing within the block."""
        with self.lock:
            self._sweep()
            yield

    def start_afresh(self) -> None:
        with self.lock:
            self.due.clear()
            self.queue.clear()
            self.removed.clear()
            self.reader_counts.clear()
            self.next_sweep_s = inf
            self._save()

    def _note(self, key: str, image: Mapping[str, Any]) -> None:
        instant = self._instant(image)
        if instant is None:
            self.due.pop(key, None)
        elif self.due.get(key) != instant:
            self.due[key] = instant
            heappush(self.queue, (float(instant), key))

    def _instant(self, image: Mapping[str, Any]) -> Any:
        return image.get(self.attribute, {}).get("N")  # DynamoDB ignores any type but a number

    def _schedule_sweep(self) -> None:
        first = self.queue[0][0] if self.queue else inf
        if first < self.next_sweep_s:
            self.next_sweep_s = first
            after_s = max(0.0, first + self.lag_s - epoch_seconds(self.clock.now()))
            self.agenda.add(LANE, self._run_sweep, after_s)

    def _run_sweep(self) -> None:
        with self.lock:
            self.next_sweep_s = inf
            self._sweep()
            self._schedule_sweep()

    def _sweep(self) -> None:
        by_s = epoch_seconds(self.clock.now()) - self.lag_s
        past: list[tuple[str, str]] = []
        while self.queue and self.queue[0][0] <= by_s:
            instant_s, key = heappop(self.queue)
            instant = self.due.get(key)
            if instant is not None and float(instant) == instant_s:
                del self.due[key]
                past.append((key, instant))
        if past:
            self.removed.update(past)
            self._save()
            for key, instant in past:
                self._remove(key, instant)

    def _remove(self, key: str, instant: str) -> None:
        """Remove the item, unless the item was changed or removed meanwhile."""
        client = self.store.dynamodb
        with suppress(client.exceptions.ConditionalCheckFailedException):
            client.delete_item(
                TableName=TABLE,
                Key=json.loads(key),
                ConditionExpression="#ttl = :seen",
                ExpressionAttributeNames={"#ttl": self.attribute},
                ExpressionAttributeValues={":seen": {"N": instant}},
            )
            return
        del self.removed[key]

    def _save(self) -> None:
        """Write `removed` to the file before the removal; a crash afterwards loses nothing."""
        if self.file is not None and (self.removed or self.file.exists()):
            save(self.file, self.removed)


def _key(attributes: Mapping[str, Any]) -> str:
    return json.dumps(attributes, sort_keys=True)
