"""Many writers at once, each a real thread over a real connection."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from membrane.domain.language.errors import AlreadyExists
from membrane.domain.records import audit
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.machinery.calls import Result, Written
from membrane.usecases.ports.records import IdTaken, LostRace
from membrane.usecases.ports.services import Services
from membrane.wiring import services as wiring
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, full_record, outcome, relation, written
from tests.builders.stored_records import changed, stored
from tests.worlds.depth import crowd
from tests.worlds.stores import Store
from tests.worlds.threads import at_once


@pytest.fixture
def world(table: Store) -> Services:
    """The services as they are deployed: random ids, and the real pause between tries."""
    return replace(table.services, new_id=wiring.new_id, back_off=wiring.back_off)


def test_many_writers_of_one_record_all_succeed_and_each_leaves_one_entry(
    world: Services,
) -> None:
    target = written(ingest(event(), call(event()), world))
    asked = outcome(target.id)

    results = at_once([lambda: ingest(asked, call(asked), world)] * crowd())

    assert [result.replayed for result in results] == [False] * crowd()
    found = world.records.load(target.id, whole=True)
    assert found is not None
    assert len(found.trail) == 1 + crowd()
    assert found.version == 1 + crowd()
    assert audit.first_broken(target.id, found.trail) is None


def test_of_many_calls_under_one_key_one_creates_and_all_others_are_replays(
    world: Services,
) -> None:
    asked = event()

    results = at_once([lambda: ingest(asked, call(asked, key="key-1"), world)] * 16)

    assert Counter(result.replayed for result in results) == {False: 1, True: 15}
    assert len({written_id(result) for result in results}) == 1


def test_of_two_calls_under_one_key_that_cross_one_creates_and_one_is_a_replay(
    table: Store,
) -> None:
    asked = event()
    rivals = iter([call(asked, key="key-1")])  # one, for the first request alone
    overtaking: list[Result] = []

    def overtake(**_: object) -> None:
        overtaking.extend(ingest(asked, rival, table.services) for rival in rivals)

    table.client.meta.events.register("before-send.dynamodb.PutItem", overtake)
    overtaken = ingest(asked, call(asked, key="key-1"), table.services)

    first = written(overtaking[0])
    assert written(overtaken, replayed=True) == first
    assert len(table.everything()) == 1


def test_of_many_bodies_under_one_key_one_is_written_and_the_others_are_refused(
    world: Services,
) -> None:
    def act(number: int) -> str:
        asked = event(ref=f"build:{number}")
        try:
            return written(ingest(asked, call(asked, key="key-1"), world)).id
        except AlreadyExists:
            return "refused"

    results = at_once([partial(act, number) for number in range(16)])

    assert Counter(results)["refused"] == 15


def test_of_many_calls_of_one_change_under_one_key_one_changes(world: Services) -> None:
    target = written(ingest(event(), call(event()), world))
    asked = outcome(target.id)

    results = at_once([lambda: ingest(asked, call(asked, key="key-1"), world)] * 16)

    assert Counter(result.replayed for result in results) == {False: 1, True: 15}
    found = world.records.load(target.id)
    assert found is not None
    assert len(found.trail) == 2


def test_of_many_records_of_one_chosen_id_one_is_written(world: Services) -> None:
    def act(number: int) -> str:
        asked = full_record(id="chosen", tags=[f"{number}"])
        try:
            return written(ingest_record(asked, call(asked, key=f"key-{number}"), world)).id
        except AlreadyExists:
            return "refused"

    results = at_once([partial(act, number) for number in range(16)])

    assert Counter(results) == {"chosen": 1, "refused": 15}


def test_records_of_many_new_decay_classes_are_all_written(world: Services, table: Store) -> None:
    def act(number: int) -> str:
        decay = {"half_life_seconds": 1_000 + number}
        asked = full_record(scope="classes", lifecycle={"decay": decay})
        return written(ingest_record(asked, call(asked), world)).id

    results = at_once([partial(act, number) for number in range(14)])

    assert len(set(results)) == 14
    (registry,) = [item for item in table.everything() if item["pk"]["S"].startswith("scope#")]
    assert len(registry["competence"]["SS"]) == 14


def test_many_relations_to_one_target_do_not_stand_in_each_others_way(world: Services) -> None:
    target = written(ingest(event(), call(event()), world))
    asked = full_record(relations=[relation(target.id)])

    results = at_once([lambda: ingest_record(asked, call(asked), world)] * 16)

    assert len({written_id(result) for result in results}) == 16


def test_of_many_plain_writers_of_one_version_one_wins(table: Store) -> None:
    table.records.create(stored())
    before = table.records.load("record-1")
    assert isinstance(before, StoredRecord)

    def act(number: int) -> bool:
        try:
            table.records.replace(before, changed(before, actor=f"writer {number}"))
        except (LostRace, IdTaken):
            return False
        return True

    results = at_once([partial(act, number) for number in range(16)])

    assert sum(results) == 1


def written_id(result: Result) -> str:
    """The id of the record that a call wrote or found."""
    assert isinstance(result, Written)
    return result.record.id
