"""Observations of one fact under several policies, and what is believed after them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.full_records import OpenUpload
from membrane.domain.language.vocabulary import ConflictPolicy, RevisionStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.calls import Written
from membrane.usecases.records.resolve_references import open_upload
from membrane.wiring.world import World
from tests.builders.ingesting import ingest
from tests.builders.requests import OWNER, call, observation, standing
from tests.fakes.clock import FakeClock
from tests.fakes.counted import counted_ids
from tests.worlds.memory import make_world, put_upload
from tests.worlds.memory_table import TableRecords

KEEP = ConflictPolicy.KEEP
REPLACE = ConflictPolicy.REPLACE
FORK = ConflictPolicy.FORK
CONTEST = ConflictPolicy.CONTEST


@dataclass(slots=True)
class Beliefs:
    """A memory in which facts conflict as `policy` says."""

    policy: ConflictPolicy = KEEP
    clock: FakeClock = field(default_factory=FakeClock)
    records: TableRecords = field(init=False)
    new_id: Callable[[], str] = field(default_factory=counted_ids)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        self.records = TableRecords(self.clock)
        self.switch(self.policy)

    def switch(self, policy: ConflictPolicy) -> None:
        """Another policy from now on, for every predicate."""
        self.services = make_world(
            records=self.records,
            now=self.clock,
            new_id=self.new_id,
            policy=PolicyDefaults(conflicts=policies(policy)),
        )

    def observe(
        self, value: Any, principal: Principal = OWNER, *, key: str | None = None, **fields: Any
    ) -> Written:
        """What comes of the observation that the user likes that, a second after the last."""
        self.clock.advance(seconds=1)
        asked = observation(object=value, **fields)
        result = ingest(asked, call(asked, principal, key=key), self.services)
        assert isinstance(result, Written)
        return result

    def made(self, value: Any, principal: Principal = OWNER, **fields: Any) -> MemoryRecord:
        """The record that such an observation becomes."""
        result = self.observe(value, principal, **fields)
        assert not result.reinforced
        return result.record

    def delete(self, record_id: str) -> None:
        """Delete a record."""
        asked = DeleteRecord(id=record_id)
        delete_record(asked, call(asked), self.services)

    def uploaded(self, content: bytes) -> str:
        """The id of an upload that is there to be claimed."""
        sha256 = hashlib.sha256(content).hexdigest()
        asked = OpenUpload(size=len(content), sha256=sha256)
        opened = open_upload(asked, call(asked), self.services)
        upload_id: str = opened.body["upload_id"]
        put_upload(upload_id, content, self.services)
        return upload_id

    def now(self, record_id: str) -> StoredRecord:
        """The record as it is stored."""
        return standing(record_id, self.records)

    def status(self, record_id: str) -> RevisionStatus | None:
        """Where it stands; None where it was never revised."""
        return state_of(self.now(record_id).record.payload).status

    def active(self) -> list[Any]:
        """The objects of what is there and was not retracted, in the order of their ids."""
        return [
            each.record.payload.object
            for _, each in sorted(self.records.places.items())
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and isinstance(each.record.payload, SemanticPayload)
            and not is_retracted(each.record.payload)
        ]

    def holders(self) -> list[set[str]]:
        """Of each head, whom it names."""
        return [{each.record_id for each in head.holders} for head in self.records.heads]


def policies(policy: ConflictPolicy) -> Mapping[str, ConflictPolicy]:
    """The setting that has it for every predicate."""
    return {} if policy is KEEP else {"*": policy}
