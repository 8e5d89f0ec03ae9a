"""Observations of one fact, and lives of records, and what is believed after them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.full_records import OpenUpload
from membrane.domain.language.vocabulary import ConflictPolicy, RevisionStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import PRUNE_THRESHOLD, Anchor, Curves
from membrane.domain.salience.lifecycle import MAX_AGE_S, MAX_HALF_LIFE_S, Lifecycle
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.calls import Written
from membrane.usecases.records.resolve_references import open_upload
from membrane.wiring.world import World
from tests.builders.records import a_lifecycle, ingest
from tests.builders.requests import OWNER, call, observation, standing
from tests.fakes.clock import FakeClock, counted_ids
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


MILLENNIUM_S = 1_000 * 366 * 86_400
CURVES: Curves = {
    "steps": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.5), (4.0, 0.1)),
    "out": ((0.0, 1.0), (0.5, 0.9), (3.0, 0.0)),
}

SALIENCES = st.one_of(
    st.just(0.0), st.floats(1e-100, 1e100), st.floats(1e-6, 2.0), st.sampled_from([1.0, 1e100])
)
THRESHOLDS = st.one_of(st.just(0.001), st.floats(1e-6, 2.0), st.floats(1e-100, 1e100))
INSTANTS = st.floats(1.5e9, 4e9).map(lambda seconds: round(seconds, 6))
AGES = st.one_of(
    st.floats(0, 1e6), st.floats(0, MILLENNIUM_S), st.sampled_from([0.0, 1.0, MILLENNIUM_S])
)
HALF_LIVES = st.one_of(
    st.integers(1, MAX_HALF_LIFE_S),
    st.sampled_from([1, 60, 3_600, 86_400, 2_592_000, MAX_HALF_LIFE_S]),
)
FLOORS = st.one_of(st.just(0.0), st.floats(1e-6, 1.0))
MAX_AGES = st.one_of(st.just(0), st.integers(1, MAX_AGE_S))
BUILT_IN: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"curve": "exponential"}, {"curve": "linear"}]
)
CUSTOM: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"curve": "custom", "custom_curve": name} for name in CURVES]
)
SHAPES = BUILT_IN | CUSTOM
BOOLEANS = st.booleans()
LEVELLING: st.SearchStrategy[dict[str, Any]] = st.just({"curve": "custom", "custom_curve": "steps"})
"""The curve that ends above 0."""


def lifecycles(
    *,
    shapes: st.SearchStrategy[dict[str, Any]] = SHAPES,
    floors: st.SearchStrategy[float] = FLOORS,
    max_ages: st.SearchStrategy[int] = MAX_AGES,
    pinned: st.SearchStrategy[bool] = BOOLEANS,
) -> st.SearchStrategy[Lifecycle]:
    """Lifecycles; each part comes from the strategy of its name."""
    return st.builds(
        lambda shape, **decay: a_lifecycle(**shape, **decay),
        shapes,
        half_life_seconds=HALF_LIVES,
        min_salience=floors,
        max_age_seconds=max_ages,
        pinned=pinned,
    )


def lasting(shapes: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Lifecycle]:
    """Lifecycles under which a record is seldom due: floored at the threshold, or pinned."""
    floors = st.just(PRUNE_THRESHOLD) | st.floats(PRUNE_THRESHOLD, 1.0)
    floored = lifecycles(
        shapes=shapes, floors=floors, max_ages=st.just(0), pinned=st.just(value=False)
    )
    return st.one_of(floored, floored, lifecycles(shapes=shapes, pinned=st.just(value=True)))


LIFECYCLES = lifecycles()
UNPINNED = lifecycles(pinned=st.just(value=False))
AGELESS = lifecycles(max_ages=st.just(0))
FADING = lifecycles(max_ages=st.just(0), pinned=st.just(value=False))
LEVEL_IN_THE_END = lifecycles(shapes=LEVELLING, max_ages=st.just(0), pinned=st.just(value=False))
PLAIN = st.builds(
    lambda half_life_s: a_lifecycle(half_life_seconds=half_life_s),
    HALF_LIVES,
)
"""Exponential, without floor or age limit."""

ANCHORS = st.builds(
    lambda salience, at_s, older_s: Anchor(salience, at_s, at_s - older_s),
    SALIENCES,
    INSTANTS,
    st.floats(0, 1e9),
)
DISTINCT = st.lists(ANCHORS, min_size=2, max_size=2, unique_by=lambda anchor: anchor.salience)
"""Two anchors of different saliences."""

ABOVE = st.builds(
    lambda threshold, times, anchor: (anchor._replace(salience=threshold * times), threshold),
    st.one_of(st.just(0.001), st.floats(1e-6, 2.0), st.floats(1e-90, 1.0)),
    st.one_of(st.floats(1.000001, 2.0), st.floats(1.000001, 1e90)),
    ANCHORS,
)
"""An anchor, and a threshold below its salience."""
