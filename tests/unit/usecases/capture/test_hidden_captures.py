"""Captures that a reader may not see change nothing that the reader sees."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import principal_of
from membrane.domain.entities.requests import ListMentions, ReadEntity
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import ConflictPolicy, Sensitivity
from membrane.domain.lifecycle.requests import Reinforce
from membrane.domain.records.records import as_json
from membrane.domain.records.requests import RetrieveById
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.entities.list_mentions import list_mentions
from membrane.usecases.entities.read_entity import read_entity
from membrane.usecases.ports.services import Services
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.captures import capture, captured
from tests.builders.derived_facts import evidence_in
from tests.builders.entities import add_entity
from tests.builders.requests import call, change, standing
from tests.fakes.clock import MORNING, FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services
from tests.worlds.depth import examples
from tests.worlds.graphs import GraphMemory

READER = principal_of("reader", ["read"], ["*"], "low")
SECRET = "SECRET-hyper-agent"
STATED = {"subject": "pump", "predicate": "state", "object": "ok"}


@pytest.fixture
def records() -> FakeRecords:
    """The store."""
    return FakeRecords(FakeClock())


@pytest.fixture
def services(records: FakeRecords) -> Services:
    """An empty memory."""
    return make_services(records=records, now=records.now)


def stated(services: Services, **fields: Any) -> Body:
    """The reply to a capture that states the fact."""
    return captured(STATED, services, source_kind="observation", **fields)


def made(body: Body, memory_type: str) -> str:
    """The id of the record of the type that the capture made."""
    (found,) = [each["id"] for each in body["created_records"] if each["type"] == memory_type]
    return str(found)


# --- facts ---------------------------------------------------------------------------------------


def under(policy: ConflictPolicy) -> tuple[FakeRecords, Services]:
    """An empty memory under the policy."""
    defaults = PolicyDefaults(conflicts={"*": policy})
    records = FakeRecords(FakeClock(), defaults)
    return records, make_services(records=records, now=records.now, policy=defaults)


@pytest.mark.parametrize("policy", ConflictPolicy)
def test_a_fact_of_a_lower_level_that_says_the_same_stays_as_it_is(
    policy: ConflictPolicy,
) -> None:
    records, services = under(policy)
    low = standing(made(stated(services), "semantic"), records)

    above = stated(services, sensitivity="hyper", source=SECRET)

    assert standing(low.id, records) == low
    fact = standing(made(above, "semantic"), records).record
    assert fact.sensitivity is Sensitivity.HYPER
    assert evidence_in(fact) == [above["primary_record"]["id"]]


def test_a_repeat_at_the_higher_level_reinforces_the_fact_of_the_level(
    records: FakeRecords, services: Services
) -> None:
    stated(services)
    first, second = (stated(services, sensitivity="hyper") for _ in range(2))

    assert second["created_records"] == []
    assert evidence_in(standing(made(first, "semantic"), records).record) == [
        first["primary_record"]["id"],
        second["primary_record"]["id"],
    ]


# --- entities ------------------------------------------------------------------------------------


def used_later(records: FakeRecords) -> None:
    """Let so much time pass that a use reinforces an entity again."""
    assert isinstance(records.now, FakeClock)
    records.now.advance(days=20)


def test_a_capture_above_the_level_of_an_entity_is_no_use_of_the_entity(
    records: FakeRecords, services: Services
) -> None:
    bob = add_entity("Bob", services)
    before = standing(bob.id, records)
    used_later(records)

    captured("Bob again", services, sensitivity="hyper")

    assert standing(bob.id, records) == before


def test_a_reinforced_record_above_the_level_of_an_entity_is_no_use_of_the_entity(
    records: FakeRecords, services: Services
) -> None:
    bob = add_entity("Bob", services)
    before = standing(bob.id, records)
    body = captured("Bob again", services, sensitivity="hyper")
    used_later(records)

    change(Reinforce(id=body["primary_record"]["id"], rationale="useful"), services)

    assert standing(bob.id, records) == before


def test_a_capture_in_a_scope_is_a_use_of_a_shared_entity(
    records: FakeRecords, services: Services
) -> None:
    bob = add_entity("Bob", services, scope="")
    used_later(records)

    captured("Bob again", services)

    actions = [each.action for each in standing(bob.id, records).record.audit_log]
    assert actions == ["create", "reinforce"]


# --- everything ----------------------------------------------------------------------------------

NAMES = ("Orchid", "Atlas", "Bob")
VALUES = ("ok", "Orchid", "Bob")
SLOW = {"decay": {"half_life_seconds": 2_592_000}}
"""Nothing fades away entirely before the reader reads."""


@dataclass(frozen=True)
class Told:
    """A capture; the hidden ones are above the reader's level."""

    subject: str
    object: str
    text: str
    is_stated: bool
    level: Sensitivity
    scope: str
    later: timedelta

    @property
    def is_hidden(self) -> bool:
        return self.level is not Sensitivity.LOW

    def tell(self, number: int, memory: GraphMemory) -> Body:
        """Capture, under a key of the number, so that the ids are the same in each memory."""
        fact = {"subject": self.subject, "predicate": "likes", "object": self.object}
        return capture(
            {**fact, "text": self.text, "ref": f"told-{number}"},
            memory.services,
            key=f"told-{number}",
            source_kind="observation" if self.is_stated else "event",
            source=SECRET if self.is_hidden else "agent",
            sensitivity=self.level,
            scope=self.scope,
            lifecycle=SLOW,
        ).body


TOLD = st.lists(
    st.builds(
        Told,
        subject=st.sampled_from(NAMES),
        object=st.sampled_from(VALUES),
        text=st.sampled_from(["", "met Bob", "Atlas and `Orchid`"]),
        is_stated=st.booleans(),
        level=st.sampled_from([Sensitivity.LOW, Sensitivity.HIGH, Sensitivity.HYPER]),
        scope=st.sampled_from(["", "alpha"]),
        later=st.sampled_from([timedelta(minutes=1), timedelta(days=2)]),
    ),
    min_size=2,
    max_size=8,
)


def remembering(
    told: Sequence[Told], admitted: Callable[[Told], bool]
) -> tuple[GraphMemory, list[Body]]:
    """A memory of the admitted captures at the same instants, and the replies that are shown."""
    memory, replies = GraphMemory(), list[Body]()
    memory.clock.now = MORNING
    for number, each in enumerate(told):
        memory.clock.now += each.later
        if admitted(each):
            body = each.tell(number, memory)
            replies += [] if each.is_hidden else [body]
    memory.index(*memory.records.places)
    memory.clock.now = MORNING + timedelta(days=30)
    return memory, replies


def shown(memory: GraphMemory, replies: Sequence[Body]) -> str:
    """All that the reader sees, as a text without random ids, salts and chained hashes."""
    seen: list[Any] = list(replies)
    for record_id, held in sorted(memory.records.places.items()):
        if not isinstance(held, StoredRecord) or held.sensitivity is not Sensitivity.LOW:
            continue
        reading = RetrieveById(id=record_id)
        seen.append(as_json(retrieve_by_id(reading, call(reading, READER), memory.services)))
        if held.type == "entity":
            page, mentions = ReadEntity(id=record_id), ListMentions(id=record_id)
            seen.append(read_entity(page, call(page, READER), memory.services).body)
            seen.append(list_mentions(mentions, call(mentions, READER), memory.services).body)
    for task in NAMES:
        graph = memory.graph(READER, task_descriptor=task)
        seen.append([graph.nodes, graph.edges])
    text = json.dumps(seen, default=str)
    kept = set(memory.records.places)
    text = re.sub(r'"(hash|previous_hash|salt)": "[0-9a-f]*"', r'"\1": "?"', text)
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", lambda m: m[0] if m[0] in kept else "?", text)


@settings(max_examples=examples(200), deadline=None)
@given(TOLD)
def test_hidden_captures_change_nothing_that_the_reader_sees(told: Sequence[Told]) -> None:
    everything = shown(*remembering(told, lambda _: True))

    assert everything == shown(*remembering(told, lambda each: not each.is_hidden))
    assert SECRET not in everything
