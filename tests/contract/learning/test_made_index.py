"""The index shows what was made of the evidence of a scope, the newest first."""

from itertools import pairwise

from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidate import consolidate_all, consolidate_thread
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from tests.builders.episodes import add_call, add_release
from tests.builders.requests import OWNER, call
from tests.worlds.captures import services_over
from tests.worlds.stores import Store


def test_traces_and_skills_are_listed_the_newest_first(store: Store) -> None:
    services = services_over(store)
    for number in range(3):
        add_release(f"t-{number}", f"1.{number}", services)
        add_call(f"t-{number}", "notify", {}, "ok", services, scope="other")
        store.clock.advance(hours=1)
        consolidate_all(services)

    found = services.learning.made_records("team", 10)

    assert len(found) == 5  # three traces, a skill and a plan
    assert all(newer[1] >= older[1] for newer, older in pairwise(found))
    for record_id, born_s in found:
        held = services.records.load(record_id)
        assert isinstance(held, StoredRecord)
        assert (held.scope, held.born_s) == ("team", born_s)
    assert services.learning.made_records("team", 1) == found[:1]
    assert services.learning.made_records("team", 10, found[-1][1]) == found[-1:]


def test_a_trace_that_waits_is_not_listed_yet(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    consolidate_thread("team", "t-1", services)
    before = services.learning.made_records("team", 10)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    assert before == []
    assert [each for each, _ in services.learning.made_records("team", 10)] == list(done.unmatched)


def test_a_deleted_trace_is_not_listed(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces
    request = DeleteRecord(id=trace_id)

    delete_record(request, call(request, OWNER), services)

    assert services.learning.made_records("team", 10) == []
