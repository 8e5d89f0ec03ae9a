"""The state of a thread: the latest working state, and the earlier ones behind it."""

from typing import Any

import pytest

from membrane.adapters.aws_lambda.http.bodies import thread_reply
from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import compact_json
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.sizes import MAX_REPLY_BYTES, payload_bytes
from membrane.usecases.search.read_thread import ThreadState
from tests.builders.requests import ALPHA, OWNER, change, working_state
from tests.worlds.retrieval import Memory, ids_in, semantic

READER = principal_of("reader", ["read"], ["shared", "project:beta"], "low")


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def told(memory: Memory, *summaries: str, **fields: Any) -> list[str]:
    """The ids of states of the thread, told one after the other."""
    made = []
    for summary in summaries:
        asked = {"scope": "shared", "context_summary": summary, **fields}
        made.append(memory.add_unindexed(working_state(**asked)).id)
        memory.clock.advance(seconds=1)
    return made


def bytes_of(state: ThreadState) -> int:
    """What the reply takes."""
    return payload_bytes(compact_json(thread_reply(state)))


def test_the_latest_state_comes_with_the_earlier_ones_behind_it(memory: Memory) -> None:
    first, second, third = told(memory, "a", "b", "c")
    told(memory, "another", thread_id="thread:2")

    state = memory.thread("thread:1", READER)

    assert state.record["id"] == third
    assert state.record["payload"]["context_summary"] == "c"
    assert ids_in(state.earlier) == [second, first]
    assert state.next_cursor is None


def test_a_thread_goes_through_every_scope_of_the_trust(memory: Memory) -> None:
    (shared,) = told(memory, "a")
    (beta,) = told(memory, "b", scope="project:beta")
    told(memory, "c", scope="project:gamma")
    (unscoped,) = told(memory, "d", scope="")

    state = memory.thread("thread:1", READER)

    assert [state.record["id"], *ids_in(state.earlier)] == [unscoped, beta, shared]
    narrowed = memory.thread("thread:1", READER, trust={"scopes": ["shared"]})
    assert [narrowed.record["id"], *ids_in(narrowed.earlier)] == [unscoped, shared]


def test_what_may_not_be_seen_in_full_is_no_state(memory: Memory) -> None:
    (seen,) = told(memory, "a", sensitivity="low")
    told(memory, "b", sensitivity="medium")

    assert memory.thread("thread:1", READER).record["id"] == seen
    with pytest.raises(NotFound, match="thread not found"):
        memory.thread("thread:1", READER, trust={"max_sensitivity": "public"})


def test_a_thread_of_which_nothing_is_seen_is_like_one_that_is_not_there(memory: Memory) -> None:
    (only,) = told(memory, "a")
    change(DeleteRecord(id=only), memory.services)

    for thread_id in ("thread:1", "unknown", "x" * 1_000):
        with pytest.raises(NotFound, match="thread not found"):
            memory.thread(thread_id, READER)


@pytest.mark.parametrize("limit", [1, 2, 5, 30, 60, 100])
def test_pages_go_on_where_the_one_before_ended(memory: Memory, limit: int) -> None:
    made = told(memory, *map(str, range(61)))
    told(memory, "secret", sensitivity="hyper")

    page = memory.thread("thread:1", READER, limit=limit)
    earlier = ids_in(page.earlier)
    while page.next_cursor is not None:
        assert len(page.earlier) == limit
        page = memory.thread("thread:1", READER, limit=limit, cursor=page.next_cursor)
        assert page.record["id"] == made[-1]
        earlier += ids_in(page.earlier)

    assert earlier == made[-2::-1]


def test_a_thread_without_a_limit_has_a_hundred_earlier_states_a_page(memory: Memory) -> None:
    made = told(memory, *map(str, range(111)))

    first = memory.thread("thread:1", READER)
    rest = memory.thread("thread:1", READER, cursor=first.next_cursor)

    assert ids_in(first.earlier) == made[-2:-102:-1]
    assert ids_in(rest.earlier) == made[-102::-1]


def test_states_that_fit_no_reply_together_come_one_by_one(memory: Memory) -> None:
    text = "\\" * 100_000  # twice as long in JSON, and again in the reply's payload
    first, second, third = told(memory, "a", "b", "c", next_actions=[text] * 8)

    page = memory.thread("thread:1", READER)
    pages = [page]
    while page.next_cursor is not None:
        page = memory.thread("thread:1", READER, cursor=page.next_cursor)
        pages.append(page)

    assert [ids_in(page.earlier) for page in pages] == [[], [second], [first]]
    assert [page.record["id"] for page in pages] == [third] * 3
    assert [page.record["payload"] is None for page in pages] == [False, True, True]
    assert all(bytes_of(page) <= MAX_REPLY_BYTES for page in pages)


def test_large_states_leave_room_for_small_ones(memory: Memory) -> None:
    text = "\\" * 100_000
    (small,) = told(memory, "a")
    large, latest = told(memory, "b", "c", next_actions=[text] * 8)

    first = memory.thread("thread:1", READER)
    second = memory.thread("thread:1", READER, cursor=first.next_cursor)

    assert (first.record["id"], first.earlier) == (latest, [])
    assert ids_in(second.earlier) == [large, small]
    assert second.next_cursor is None


def test_a_cursor_goes_on_when_a_scope_is_added(memory: Memory) -> None:
    memory.add(semantic("known", scope="shared"))
    made = told(memory, "a", "b", "c")
    cursor = memory.thread("thread:1", OWNER, limit=1).next_cursor
    memory.add(semantic("elsewhere", scope="project:new"))

    page = memory.thread("thread:1", OWNER, limit=1, cursor=cursor)

    assert ids_in(page.earlier) == [made[0]]


def test_states_of_one_instant_are_each_given_once(memory: Memory) -> None:
    made = [memory.add_unindexed(working_state(scope="shared")).id for _ in range(7)]

    found, cursor = [], None
    while True:
        page = memory.thread("thread:1", READER, limit=2, cursor=cursor)
        found += ids_in(page.earlier)
        cursor = page.next_cursor
        if cursor is None:
            break

    assert sorted([page.record["id"], *found]) == sorted(made)


def test_a_cursor_is_good_for_the_thread_and_the_trust_that_it_came_from(memory: Memory) -> None:
    told(memory, "a", "b", "c", "d")
    told(memory, "a", "b", thread_id="thread:2")
    cursor = memory.thread("thread:1", READER, limit=1).next_cursor

    with pytest.raises(InvalidArgument, match="another request"):
        memory.thread("thread:2", READER, cursor=cursor)
    with pytest.raises(InvalidArgument, match="another request"):
        memory.thread("thread:1", ALPHA, cursor=cursor)
    with pytest.raises(InvalidArgument, match="another request"):
        memory.thread("thread:1", READER, cursor=cursor, trust={"scopes": ["shared"]})
