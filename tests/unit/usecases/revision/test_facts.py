"""Whatever makes a fact active takes a place in the head of such facts, in the same write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from membrane.adapters.dynamodb.indexes.natural import DynamoNatural
from membrane.domain.access.principals import principal_of
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import ConflictPolicy, Sensitivity
from membrane.domain.lifecycle.requests import RestoreRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted, state_of
from membrane.domain.records.validity import Window, window_of
from membrane.domain.revision.conflicts import fact_of
from membrane.domain.revision.requests import Reclassify, Retract
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.records import Holder, LostRace
from membrane.usecases.revision import heads
from membrane.usecases.revision.heads import (
    BATCH,
    LAG_S,
    HeadIsFull,
    claim_head,
    load_changeable,
)
from tests.builders.observations import CONTEST, FORK, KEEP, REPLACE, Beliefs
from tests.builders.requests import (
    OWNER,
    a_fact,
    call,
    change,
    fork,
    full_record,
    merge,
    refused,
    supersede,
    written,
)
from tests.fakes.stand_in import StandIn
from tests.worlds.depth import examples
from tests.worlds.faults import hooks
from tests.worlds.limits import Watched, watch

CLERK = principal_of("clerk", ["ingest", "read", "revise"], ["*"], "low")
"""Sees little."""

IN_THE_WAY = "is the active fact of this subject and predicate: supersede that one"


def sent(beliefs: Beliefs, **fields: Any) -> MemoryRecord:
    """The record of a fact that was sent whole."""
    asked = IngestRecord.model_validate({"record": a_fact(**fields)})
    return written(ingest_record(asked, call(asked), beliefs.services))


@pytest.mark.parametrize("policy", [REPLACE, FORK, CONTEST])
def test_a_record_that_was_sent_whole_takes_its_place(policy: ConflictPolicy) -> None:
    beliefs = Beliefs(policy)

    record = sent(
        beliefs, payload={"validity": {"mode": "timeboxed", "end": "2027-01-01T00:00:00Z"}}
    )

    (head,) = beliefs.records.heads
    assert head.holders == (Holder(record.id, Sensitivity.LOW, None, "2027-01-01T00:00:00Z"),)


def test_what_is_no_fact_takes_none() -> None:
    beliefs = Beliefs(REPLACE)
    asked = full_record()

    ingest_record(asked, call(asked), beliefs.services)

    assert beliefs.records.heads == []


def test_where_facts_replace_each_other_a_record_sent_whole_waits_for_its_place() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")

    with refused(beliefs.records, FailedPrecondition, f"record {tea.id} {IN_THE_WAY}"):
        sent(beliefs)
    sent(beliefs, payload={"subject": "guest"})

    assert beliefs.active() == ["tea", "coffee"]


@pytest.mark.parametrize("policy", [FORK, CONTEST])
def test_elsewhere_it_stands_beside_the_others(policy: ConflictPolicy) -> None:
    beliefs = Beliefs(policy)
    tea = beliefs.made("tea")

    coffee = sent(beliefs)

    assert beliefs.holders() == [{tea.id, coffee.id}]


def test_a_fact_that_may_not_be_seen_is_in_nobodys_way() -> None:
    beliefs = Beliefs(REPLACE)
    secret = beliefs.made("tea", sensitivity="high")
    asked = IngestRecord.model_validate({"record": a_fact()})

    result = written(ingest_record(asked, call(asked, CLERK), beliefs.services))

    assert beliefs.holders() == [{secret.id, result.id}]


def test_a_retry_of_a_record_sent_whole_is_answered_whoever_has_its_place_now() -> None:
    beliefs = Beliefs(REPLACE)
    asked = IngestRecord.model_validate({"record": a_fact()})
    first = written(ingest_record(asked, call(asked, key="k"), beliefs.services))
    beliefs.made("tea")

    repeat = ingest_record(asked, call(asked, key="k"), beliefs.services)

    assert written(repeat, replayed=True).id == first.id


def test_a_fact_is_restored_to_its_place_unless_another_has_it() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    beliefs.delete(tea.id)
    coffee = beliefs.made("coffee")
    back = RestoreRecord(id=tea.id)

    with refused(beliefs.records, FailedPrecondition, f"record {coffee.id} {IN_THE_WAY}"):
        change(back, beliefs.services)
    beliefs.delete(coffee.id)
    change(back, beliefs.services)

    assert beliefs.active() == ["tea"]
    assert beliefs.holders() == [{tea.id}]


def test_a_retracted_fact_is_restored_without_a_place() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    beliefs.made("coffee")
    beliefs.delete(tea.id)

    change(RestoreRecord(id=tea.id), beliefs.services)

    assert beliefs.active() == ["coffee"]


def test_a_fact_is_taken_up_again_unless_another_has_its_place() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    change(Retract(id=tea.id), beliefs.services)
    coffee = beliefs.made("coffee")
    again = Reclassify(id=tea.id, retracted=False)

    with refused(beliefs.records, FailedPrecondition, f"record {coffee.id} {IN_THE_WAY}"):
        change(again, beliefs.services)
    change(Retract(id=coffee.id), beliefs.services)
    change(again, beliefs.services)

    assert beliefs.active() == ["tea"]
    assert beliefs.holders() == [{tea.id}]


def test_a_fact_that_moves_takes_a_place_where_it_goes_and_leaves_the_old_one_free() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea", scope="project:alpha")
    beliefs.made("coffee", scope="project:beta")

    with refused(beliefs.records, FailedPrecondition, IN_THE_WAY):
        change(Reclassify(id=tea.id, scope="project:beta"), beliefs.services)
    change(Reclassify(id=tea.id, scope="project:gamma"), beliefs.services)
    milk = beliefs.made("milk", scope="project:alpha")

    assert milk.relations == ()
    assert beliefs.active() == ["tea", "coffee", "milk"]
    beliefs.made("water", scope="project:gamma")
    assert beliefs.active() == ["coffee", "milk", "water"]


def test_a_fact_that_is_superseded_leaves_its_place_to_the_new_one() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")

    coffee = written(change(supersede(tea.id), beliefs.services))

    assert beliefs.holders() == [{coffee.id}]
    assert beliefs.active() == ["coffee"]


def test_where_facts_replace_each_other_none_is_forked() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")

    with refused(beliefs.records, FailedPrecondition, IN_THE_WAY):
        change(fork(tea.id), beliefs.services)
    change(
        fork(tea.id, payload={"validity": {"mode": "conditional", "conditions": {"a": 1}}}),
        beliefs.services,
    )

    assert beliefs.active() == ["tea", "coffee"]


def test_facts_that_stood_side_by_side_before_are_merged_step_by_step() -> None:
    beliefs = Beliefs()
    tea, milk, water = (beliefs.made(value).id for value in ("tea", "milk", "water"))
    beliefs.switch(REPLACE)

    both = written(change(merge(tea, milk), beliefs.services))

    assert beliefs.holders() == [{water, both.id}]
    with refused(beliefs.records, FailedPrecondition, IN_THE_WAY):
        sent(beliefs)
    last = written(change(merge(both.id, water), beliefs.services))
    assert beliefs.holders() == [{last.id}]


def test_a_policy_that_is_switched_on_finds_what_was_there() -> None:
    beliefs = Beliefs()
    tea = beliefs.made("tea")
    beliefs.made("coffee", conditions={"time": "morning"})
    beliefs.made("milk", scope="project:alpha")
    beliefs.switch(REPLACE)

    beliefs.made("water")

    assert beliefs.active() == ["coffee", "milk", "water"]
    assert tea.id not in {each for holders in beliefs.holders() for each in holders}


def test_a_policy_that_is_switched_on_again_finds_what_came_meanwhile() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    beliefs.switch(KEEP)
    beliefs.made("coffee")
    beliefs.delete(tea.id)
    beliefs.clock.advance(days=1)
    change(RestoreRecord(id=tea.id), beliefs.services)
    beliefs.switch(REPLACE)

    water = beliefs.made("water")

    assert beliefs.active() == ["water"]
    assert len(water.relations) == 2


def test_what_is_back_takes_its_place_also_where_nobody_looks_for_conflicts() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    change(Retract(id=tea.id), beliefs.services)
    beliefs.clock.advance(days=1)
    beliefs.made("milk")
    beliefs.switch(KEEP)
    change(Reclassify(id=tea.id, retracted=False), beliefs.services)
    beliefs.switch(REPLACE)

    beliefs.made("water")

    assert beliefs.active() == ["water"]


@dataclass(slots=True)
class LateIndex(StandIn):
    """Shows what is older than the delay alone, as an index of DynamoDB may."""

    beliefs: Beliefs
    index: DynamoNatural
    delay: timedelta

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """See DynamoNatural."""
        shown_to_s = epoch_seconds(self.beliefs.clock() - self.delay)
        found = self.index.newest(natural_key, entries, before_s)
        return [each for each in found if each[1] <= shown_to_s]


def lag(beliefs: Beliefs, **time: float) -> None:
    """Let the index of facts lag by so many `days`, `seconds` and so on."""
    services = beliefs.services
    late = LateIndex(beliefs, services.natural, timedelta(**time))
    beliefs.services = replace(services, natural=late)


def test_an_index_that_lags_hides_a_fact_for_a_while_only() -> None:
    beliefs = Beliefs()
    lag(beliefs, seconds=LAG_S - 2)
    beliefs.made("tea")

    beliefs.made("coffee", on_conflict="replace")
    hidden = beliefs.active()
    beliefs.clock.advance(seconds=LAG_S)
    beliefs.made("milk", on_conflict="replace")

    assert hidden == ["tea", "coffee"]
    assert beliefs.active() == ["milk"]


def test_what_was_laid_down_with_a_head_needs_no_index() -> None:
    beliefs = Beliefs(REPLACE)
    lag(beliefs, days=1)

    for value in ("tea", "coffee", "milk"):
        beliefs.made(value)

    assert beliefs.active() == ["milk"]


def test_a_long_history_is_not_gone_through_again_and_again() -> None:
    beliefs = Beliefs(REPLACE)
    for number in range(120):
        beliefs.made(number)
        beliefs.clock.advance(seconds=LAG_S)
    newest = beliefs.made("tea")
    read: list[int] = []
    hooks(beliefs.records.client).register(
        "after-call.dynamodb.Query", lambda parsed, **_: read.append(parsed["Count"])
    )

    claim_head(newest, OWNER, beliefs.services)

    assert sum(read) <= 50


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> int:
    """A head with room for few facts, yet for more than are read at once."""
    room = 2 * BATCH + 10
    monkeypatch.setattr(heads, "MAX_HOLDERS", room)
    return room


def test_more_active_facts_than_a_head_may_name_are_refused(room: int) -> None:
    beliefs = Beliefs(FORK)
    for number in range(room):
        year = 1900 + number
        beliefs.made("tea", start=f"{year}-01-01T00:00:00Z", end=f"{year + 1}-01-01T00:00:00Z")

    with refused(beliefs.records, HeadIsFull, "retract some of them first"):
        beliefs.observe("coffee")
    oldest = min(beliefs.records.ids)
    change(Retract(id=oldest), beliefs.services)
    beliefs.made("coffee", start="2020-01-01T00:00:00Z")

    assert len(beliefs.holders()[0]) == room
    assert oldest not in beliefs.holders()[0]


def test_a_policy_switched_on_over_too_many_active_facts_is_refused_unless_they_are_replaced(
    room: int,
) -> None:
    beliefs = Beliefs()
    for number in range(room + 1):
        beliefs.made(number)
    beliefs.switch(FORK)

    with refused(beliefs.records, HeadIsFull, "retract some of them first"):
        beliefs.observe("coffee")
    with refused(beliefs.records, HeadIsFull, "retract some of them first"):
        sent(beliefs)
    beliefs.switch(REPLACE)
    beliefs.made("coffee")

    assert beliefs.active() == ["coffee"]


def test_facts_that_hold_at_other_times_may_be_too_many_for_a_head(room: int) -> None:
    beliefs = Beliefs()
    for number in range(room + 1):
        year = 1900 + number
        beliefs.made("tea", start=f"{year}-01-01T00:00:00Z", end=f"{year + 1}-01-01T00:00:00Z")
    beliefs.switch(REPLACE)

    with refused(beliefs.records, HeadIsFull, "retract some of them first"):
        beliefs.observe("coffee", end="1800-01-01T00:00:00Z")


def reads_of_records(watched: Watched) -> tuple[int, list[int]]:
    """The records that were read alone, and how many at a time were read together."""
    alone, together = 0, []
    for operation, asked in watched.requests:
        if operation == "BatchGetItem":
            (keys,) = (each["Keys"] for each in asked["RequestItems"].values())
            together += [len(keys)]
        elif operation in {"GetItem", "Query"}:
            place = str(asked.get("Key", asked.get("ExpressionAttributeValues")))
            alone += "'record#" in place
    return alone, sorted(together)


@pytest.mark.parametrize(
    ("policy", "alone", "at_once"),
    [
        (KEEP, 0, []),
        (FORK, 1, [1, 60]),
        (CONTEST, 0, [22, 60]),
        (REPLACE, 3, [1, 16, 23, 23, 60, 60]),
    ],
)
def test_of_many_rivals_those_alone_that_change_are_read_one_by_one(
    policy: ConflictPolicy, alone: int, at_once: list[int]
) -> None:
    beliefs = Beliefs(FORK)
    for number in range(60):
        beliefs.made(number)
    watched = watch(beliefs.records.client)
    beliefs.switch(FORK)

    beliefs.made("coffee", on_conflict=policy)

    assert reads_of_records(watched) == (alone, at_once)


@pytest.mark.parametrize("policy", [FORK, CONTEST])
def test_a_record_sent_whole_has_its_rivals_read_only_where_they_may_hinder_it(
    policy: ConflictPolicy,
) -> None:
    beliefs = Beliefs(FORK)
    for number in range(60):
        beliefs.made(number)
    watched = watch(beliefs.records.client)
    beliefs.switch(policy)

    sent(beliefs)

    assert reads_of_records(watched) == (0, [])


def test_a_fact_that_changed_after_it_was_judged_is_not_the_one_to_change() -> None:
    beliefs = Beliefs(REPLACE)
    tea = beliefs.made("tea")
    judged = beliefs.records.load_own([tea.id])[tea.id]
    beliefs.observe("tea")

    with pytest.raises(LostRace):
        load_changeable([judged], beliefs.services)
    assert load_changeable([beliefs.now(judged.id)], beliefs.services) == [beliefs.now(judged.id)]


def test_a_head_forgets_now_and_then_whoever_counts_no_more() -> None:
    beliefs = Beliefs(FORK)
    for number in range(BATCH):
        fact = sent(beliefs, payload={"object": number})
        beliefs.delete(fact.id)

    last = sent(beliefs)

    assert beliefs.holders() == [{last.id}]


YEARS = [None, *(f"{year}-01-01T00:00:00Z" for year in (2024, 2025, 2026))]
windows = st.sampled_from([(a, b) for a in YEARS for b in YEARS if not a or not b or a < b])


class OneFact(RuleBasedStateMachine):
    """Whatever happens to facts, one that replaces its rivals is gainsaid by none."""

    def __init__(self) -> None:
        super().__init__()
        self.beliefs = Beliefs()

    @rule(
        policy=st.sampled_from([KEEP, REPLACE, FORK, CONTEST]),
        setting=st.sampled_from([KEEP, REPLACE, FORK, CONTEST]),
        value=st.integers(0, 2),
        window=windows,
        conditions=st.sampled_from([{}, {"time": "morning"}]),
    )
    def observe(
        self,
        policy: ConflictPolicy,
        setting: ConflictPolicy,
        value: int,
        window: tuple[str | None, str | None],
        conditions: dict[str, str],
    ) -> None:
        start, end = window
        self.beliefs.switch(setting)

        result = self.beliefs.observe(
            value, on_conflict=policy, start=start, end=end, conditions=conditions
        )

        assert fact_of(result.record).object == value
        if policy is REPLACE:
            for other in self.standing():
                beside = fact_of(other)
                is_apart = not Window(start, end).overlaps(window_of(beside.validity))
                assert (
                    is_apart or beside.validity.conditions != conditions or beside.object == value
                )

    @rule(setting=st.sampled_from([KEEP, FORK]), data=st.data())
    def delete_and_restore(self, setting: ConflictPolicy, data: st.DataObject) -> None:
        self.beliefs.switch(setting)
        known = sorted(self.beliefs.records.places)
        if not known:
            return
        chosen = data.draw(st.sampled_from(known))
        self.beliefs.delete(chosen)
        self.beliefs.clock.advance(hours=1)
        change(RestoreRecord(id=chosen), self.beliefs.services)

    @rule(hours=st.sampled_from([0, 1, 24]))
    def wait(self, hours: int) -> None:
        self.beliefs.clock.advance(hours=hours)

    @invariant()
    def links_agree(self) -> None:
        for record in self.standing(retracted=True):
            state = state_of(record.payload)
            if state.superseded_by:
                successor = self.beliefs.now(state.superseded_by).record
                assert ("supersedes", record.id) in {
                    (each.predicate, each.target_id) for each in successor.relations
                }
            if state.supersedes:
                old = self.beliefs.now(state.supersedes).record
                assert state_of(old.payload).superseded_by == record.id

    def standing(self, *, retracted: bool = False) -> list[MemoryRecord]:
        """Every fact that is active, or that was retracted."""
        records = [self.beliefs.now(each).record for each in self.beliefs.records.places]
        return [each for each in records if is_retracted(each.payload) is retracted]


TestOneFact = OneFact.TestCase
TestOneFact.settings = settings(max_examples=examples(50), stateful_step_count=30)
