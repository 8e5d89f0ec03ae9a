"""Documents as the table keeps them: late writers, later lives, erasures, lists, damaged items."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.adapters.dynamodb.documents.items import head_key
from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.domain.documents.items import Chunk, Once, append_behind, without_newest
from membrane.domain.documents.model import (
    Document,
    DocumentAction,
    Version,
    delete,
    erase,
    first_broken,
    put,
    with_fresh_period,
)
from membrane.domain.documents.places import Place
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.table.items import CorruptItem, LostRace, size_of
from tests.builders.stored_documents import (
    KEPT_S,
    SCOPE,
    chunk,
    chunks,
    content,
    documents,
    erasing,
    large_value,
    making,
    place,
    store_next,
    written,
)
from tests.builders.stored_records import noise
from tests.fakes.bucket import InterruptedBlobs
from tests.fakes.clock import MORNING
from tests.worlds.depth import examples
from tests.worlds.faults import before_writes, hooks
from tests.worlds.metering import meter
from tests.worlds.stores import Store

HERE = place()
NOW_S = epoch_seconds(MORNING)
UNTIL_S = NOW_S + KEPT_S
LONG = [f'"{letter * 5}{noise(3_000, number)}"' for number, letter in enumerate("abcdefg")]
"""Values that do not stay in the head as former versions."""

MOVED = LONG[:2]
"""Values of which the first leaves the head."""


@settings(max_examples=examples(80))
@given(generated=documents())
def test_a_document_of_any_form_comes_back_equal(store: Store, generated: Document) -> None:
    there = store.documents.load(generated.place)

    store.documents.replace(there, generated)

    assert store.documents.load(generated.place) == generated


@settings(max_examples=examples(40))
@given(generated=chunks())
def test_a_chunk_of_any_form_comes_back_equal(store: Store, generated: Chunk) -> None:
    there = list(store.documents.chunks(generated.place, None, generation="", now_s=0))
    at_start = [each for each in there if each.start == generated.start]
    if not at_start or at_start[0].revision != generated.revision:
        store.documents.put_chunks([(at_start[0] if at_start else None, generated)])
        assert generated in store.documents.chunks(generated.place, None, generation="", now_s=0)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("v", {"S": "{"}),
        ("v", {"S": "[[1]]\n"}),
        ("v", {"B": b"1"}),
        ("s", {"S": "secret"}),
        ("c", {"N": "1"}),
        ("r", {"S": "1"}),
        ("x", {"M": {"1": {"B": b"1"}}}),
        ("p", {"S": "[[1], 2]"}),
    ],
)
def test_a_damaged_head_is_reported(table: Store, name: str, damage: object) -> None:
    written(table.documents, place(), "1")
    (item,) = table.everything()

    table.put({**item, name: damage})

    with pytest.raises(CorruptItem, match="documents#"):
        table.documents.load(place())


def test_a_damaged_chunk_is_reported(table: Store) -> None:
    table.documents.put_chunks([(None, chunk(place()))])
    (item,) = table.everything()

    table.put({**item, "d": {"S": "{"}})

    with pytest.raises(CorruptItem, match="items#"):
        list(table.documents.chunks(place(), 1, generation="", now_s=0))


class Step(NamedTuple):
    action: str
    is_finished: bool
    """Whether an erasure goes on to the history."""
    length: int
    age: int
    """How many states ago the writer read the document."""


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["put", "put", "put", "delete", "erase"]),
        st.booleans(),
        st.sampled_from([1, 100, 700]),
        st.sampled_from([0, 0, 0, 1, 2, 3]),
    ),
    min_size=1,
    max_size=24,
)


def planned(where: Place, before: Document | None, step: Step, number: int) -> Document:
    how = making(salt=f"{number:032x}", rationale=f"step {number}")
    if before is None or step.action == "put":
        return put(before, where, content(f'"{number}{"x" * step.length}"'), how)
    if step.action == "delete":
        return delete(before, how, KEPT_S)
    return erase(before, how, KEPT_S)


def stored(documents: DynamoDocuments, before: Document | None, made: Document) -> Document | None:
    """The document as it is stored; None if another write came first."""
    with suppress(LostRace):
        return store_next(documents, before, made)
    return None


@settings(max_examples=examples(150))
@given(steps=STEPS)
def test_late_writers_change_neither_history_nor_what_is_erased(
    table: Store, steps: list[Step]
) -> None:
    where = place(str(uuid4()))
    states: list[Document | None] = [None]
    unfinished: list[Document] = []
    for number, step in enumerate(steps):
        before = states[-1 - min(step.age, len(states) - 1)]
        made = stored(table.documents, before, planned(where, before, step, number))
        assert (made is not None) == (before is states[-1])
        if made is not None:
            states.append(made)
        if made is not None and made.is_erased:
            unfinished.append(made)
            if step.is_finished:
                finish(unfinished, table.documents)

    finish(unfinished, table.documents)  # a late write may have come in between
    newest = states[-1]
    assert newest is not None
    versions = everything(table.documents, where)
    won_entries = [each.current.entry for each in states if each is not None]
    assert [each.entry.hash for each in versions] == [each.hash for each in won_entries]
    assert first_broken(where, versions) is None
    erasures = [
        number for number, each in enumerate(won_entries) if each.action is DocumentAction.ERASE
    ]
    erased = max(erasures, default=-1) + 1
    assert texts(versions) == [None] * erased + texts(
        [each.current for each in states[1:] if each is not None][erased:]
    )


def finish(erased: list[Document], documents: DynamoDocuments) -> None:
    for each in erased:
        documents.erase_history(each)
    erased.clear()


def texts(versions: Sequence[Version]) -> list[object]:
    return [each.text for each in versions]


def vanish(store: Store, document: Document) -> None:
    """Remove the head, as TTL does at a time of its own choosing."""
    (head,) = [each for each in store.everything() if each["sk"] == {"S": place().sort_text}]
    assert document.place == place()
    store.remove(head)


def everything(documents: DynamoDocuments, where: Place = HERE) -> list[Version]:
    """Every version of the document, oldest first."""
    document = documents.load(where)
    assert document is not None
    return [*reversed(documents.versions(document, document.version, 1_000)), document.current]


def test_a_later_life_at_the_place_has_a_history_of_its_own(store: Store) -> None:
    earlier = written(store.documents, place(), *LONG)
    vanish(store, earlier)
    store.clock.advance(days=1)

    written(store.documents, place(), "1", "2", "3", "4", "5", "6", now=store.clock())

    versions = everything(store.documents)
    assert [each.text for each in versions] == ["1", "2", "3", "4", "5", "6"]
    assert first_broken(place(), versions) is None


def test_a_writer_of_an_earlier_life_leaves_the_later_history_alone(store: Store) -> None:
    earlier = written(store.documents, place(), LONG[0])
    vanish(store, earlier)
    store.clock.advance(days=1)
    written(store.documents, place(), LONG[1], LONG[2], now=store.clock())

    with pytest.raises(LostRace):
        written(store.documents, place(), LONG[3], before=earlier)

    assert [each.text for each in everything(store.documents)] == [LONG[1], LONG[2]]


def test_an_erasure_removes_the_history_of_an_earlier_life(store: Store) -> None:
    vanish(store, written(store.documents, place(), *LONG))
    store.clock.advance(days=1)
    anew = written(store.documents, place(), LONG[0], now=store.clock())
    erased = store_next(store.documents, anew, erasing(anew))

    store.documents.erase_history(erased)

    assert "aaa" not in str(store.everything())
    assert [each.text for each in everything(store.documents)] == [None, None]


def test_an_erasure_that_goes_on_late_leaves_the_history_made_since(store: Store) -> None:
    before = written(store.documents, place(), *LONG)
    erased = store_next(store.documents, before, erasing(before))
    written(store.documents, place(), *LONG, *LONG, before=erased)

    store.documents.erase_history(erased)

    shown = [each.text for each in everything(store.documents)]
    assert shown == [None] * (len(LONG) + 1) + LONG + LONG
    assert first_broken(place(), everything(store.documents)) is None


@pytest.mark.parametrize("length", [1, 300, 1_000, 3_000])
def test_a_head_has_eight_versions_at_most_that_add_one_write_unit(
    table: Store, length: int
) -> None:
    document: Document | None = None
    for number in range(12):
        text = f'"{noise(length, number)}"'
        document = written(table.documents, place(), text, before=document)
        (head,) = [each for each in table.everything() if each["pk"] == head_key(place())["pk"]]
        alone = length + 600
        assert len(document.versions) <= 8
        assert size_of(head) <= alone // 1024 * 1024 + 2048

    assert [each.entry.version for each in everything(table.documents)] == [*range(1, 13)]


def test_an_erasure_removes_large_values_but_those_written_after(store: Store) -> None:
    former, text = large_value(place(), "x")
    later, later_text = large_value(place(), "y")
    first = store_next(
        store.documents, None, put(None, place(), content(former), making()), large={former: text}
    )
    made = store_next(store.documents, first, erasing(first))
    again = put(made, place(), content(later), making())
    store_next(store.documents, made, again, large={later: later_text})

    store.documents.erase_history(made)

    blobs = store.blobs
    name = f"blobs/{later.record_id}/3/{later.sha256}"
    assert [blob.name for blob in blobs.list_blobs()] == [name]
    assert store.documents.blob_names(place().id) == {name}


@pytest.mark.parametrize("letter", ["x", "y"])
@pytest.mark.parametrize("is_put_paused", [True, False])
def test_a_put_over_the_erased_document_keeps_the_value_while_the_eraser_goes_on(
    store: Store, letter: str, *, is_put_paused: bool
) -> None:
    value, text = large_value(place(), "x")
    made = put(None, place(), content(value), making())
    first = store_next(store.documents, None, made, large={value: text})
    end = store_next(store.documents, first, erasing(first))
    anew, own_text = large_value(place(), letter)
    again = put(end, place(), content(anew), making())

    def erase_on(documents: DynamoDocuments) -> None:
        documents.erase_history(end)

    def put_on(documents: DynamoDocuments) -> None:
        store_next(documents, end, again, large={anew: own_text})

    first_one, second = (put_on, erase_on) if is_put_paused else (erase_on, put_on)
    first_one(interrupted(store, lambda: second(store.documents)))

    assert store.documents.load(place()) == again
    (name,) = store.documents.blob_names(place().id)
    assert store.blobs.get(name) == own_text
    assert [blob.name for blob in store.blobs.list_blobs()] == [name]


def interrupted(store: Store, amid: Callable[[], object]) -> DynamoDocuments:
    """The documents for a client that another one interrupts in the bucket."""
    documents = store.documents
    assert isinstance(documents, DynamoDocuments)
    return replace(documents, blobs=InterruptedBlobs(documents.blobs, amid))


def test_the_place_beside_large_values_is_forgotten_unless_a_put_came_since(
    table: Store,
) -> None:
    value, text = large_value(place())
    made = put(None, place(), content(value), making())
    first = store_next(table.documents, None, made, large={value: text})
    names = table.documents.blob_names(place().id)

    table.documents.forget_values(place().id, first.refreshed_at_s)
    assert table.documents.blob_names(place().id) == names != frozenset()

    table.documents.forget_values(place().id, first.refreshed_at_s + 1)
    assert table.partition(f"document#{place().id}") == []


def test_a_late_put_of_a_large_value_does_not_let_an_erasure_forget_a_later_one(
    store: Store,
) -> None:
    value, text = large_value(HERE)
    early, late, erased, later = (MORNING + timedelta(seconds=each) for each in range(4))
    made = put(None, HERE, content(value), making(early))
    first = store_next(store.documents, None, made, large={value: text})
    end = store_next(store.documents, first, erasing(first, erased))
    anew = put(end, HERE, content(value), making(later))
    store_next(store.documents, end, anew, large={value: text})
    overtaken = put(first, HERE, content(value), making(late))

    with pytest.raises(LostRace):
        store_next(store.documents, first, overtaken, large={value: text})
    store.documents.erase_history(end)

    (name,) = store.documents.blob_names(HERE.id)
    assert store.blobs.get(name) == text


def test_what_a_key_took_off_and_ttl_removes_first_is_forgotten(table: Store) -> None:
    taken: Any = ("item",)
    once = Once(place(), b"i" * 12, b"f" * 32, UNTIL_S, 1, existed=True, taken=taken)
    table.documents.remember(once)
    (item,) = table.partition(f"document#{place().id}")
    key: Any = {"pk": item["pk"], "sk": item["sk"]}

    def expire(parsed: dict[str, Any], **_: object) -> None:
        if any(each["sk"] == item["sk"] for each in parsed["Items"]):
            table.inspector.delete_item(TableName=table.table, Key=key)

    hooks(table.client).register("after-call.dynamodb.Query", expire)
    table.documents.remove_list(place(), "")

    left = table.partition(f"document#{place().id}")
    assert item["sk"] not in [each["sk"] for each in left]


def under_key(number: int) -> Once:
    return Once(HERE, b"i" * 12, b"f" * 32, UNTIL_S, number, existed=True, taken=())


def test_a_key_that_another_call_has_used_meanwhile_has_no_second_effect(store: Store) -> None:
    documents, known = store.documents, under_key(1)
    documents.put_chunks([(None, chunk(HERE))], known)
    second = chunk(HERE, start=2, items=["again"])

    with pytest.raises(LostRace):
        documents.put_chunks([(None, second)], under_key(2))
    with pytest.raises(LostRace):
        documents.remember(under_key(0))

    assert items(documents) == ["a"]
    assert documents.find_once(HERE, known.identity) == known


def test_a_key_whose_time_is_over_may_be_used_again_before_ttl_removes_it(store: Store) -> None:
    store.documents.remember(under_key(1))
    store.clock.now = from_epoch_seconds(UNTIL_S)
    again = under_key(2)._replace(until_s=UNTIL_S + KEPT_S)

    store.documents.remember(again)

    assert store.documents.find_once(HERE, again.identity) == again


def test_a_late_refresh_does_not_bring_the_expiry_forward(store: Store) -> None:
    document = written(store.documents, place(), "1", ttl_s=60.0)
    latest = with_fresh_period(document, document.refreshed_at_s + 30)
    store.documents.refresh(latest)

    assert not store.documents.refresh(with_fresh_period(document, document.refreshed_at_s + 1))

    assert store.documents.load(place()) == latest


def test_a_changed_or_absent_document_is_not_refreshed(store: Store) -> None:
    document = written(store.documents, place(), "1", ttl_s=60.0)
    later = with_fresh_period(document, document.refreshed_at_s + 30)
    second = written(store.documents, place(), "2", before=document, ttl_s=60.0)

    assert not store.documents.refresh(later)

    assert store.documents.load(place()) == second
    vanish(store, second)
    assert not store.documents.refresh(with_fresh_period(second, later.refreshed_at_s))
    assert store.documents.load(place()) is None


def test_the_head_and_what_lies_beside_expire_by_ttl(table: Store) -> None:
    document = written(table.documents, place(), *MOVED, ttl_s=60.0)

    history, head = table.everything()

    assert head["expires_at"] == {"N": str(int(document.refreshed_at_s + 60) + 1)}
    assert history["expires_at"] == {"N": str(int(UNTIL_S) + 1)}
    assert history["scope"] == {"S": SCOPE}


def test_a_put_of_a_kilobyte_costs_a_write_unit_or_two_and_a_get_one_request(
    table: Store,
) -> None:
    documents = table.documents
    text = f'"{noise(1_200)}"'
    cost = meter(table.client)

    first = written(documents, place(), text)
    after_first = replace(cost)
    written(documents, place(), text[::-1], before=first)
    after_second = replace(cost)
    documents.load(place())
    after_get = replace(cost)

    assert (after_first.requests, after_first.write_units) == (1, 2)
    second = after_second - after_first
    assert (second.requests, second.write_units) == (1, 3)  # the head has both versions
    got = after_get - after_second
    assert (got.requests, got.read_units) == (1, 1)


def newest(
    documents: DynamoDocuments,
    limit: int | None,
    where: Place = HERE,
    now_s: float = NOW_S,
    below: int | None = None,
) -> Sequence[Chunk]:
    generation = rfc3339(MORNING)
    return list(documents.chunks(where, limit, generation=generation, now_s=now_s, below=below))


def remove(documents: DynamoDocuments) -> None:
    documents.remove_list(HERE, rfc3339(MORNING))


def append(documents: DynamoDocuments, *items: str, **changes: Any) -> Chunk:
    last = next(iter(newest(documents, 0)), None)
    written = append_behind(last, chunk(place(), items=items, **changes))
    documents.put_chunks(written)
    return written[-1][1]


def items(documents: DynamoDocuments, limit: int = 1_000) -> list[str]:
    """The items that `chunks` returns, oldest first."""
    found = newest(documents, limit)
    return [item for each in reversed(found) for item in each.items]


def test_emptied_chunks_are_passed_over_in_a_few_requests(table: Store) -> None:
    oldest = append(table.documents, "a")
    for start in range(2, 117):
        table.documents.put_chunks([(None, chunk(HERE, start, []))])
    table.watched.requests.clear()

    found = newest(table.documents, 1)

    assert (len(found), found[-1]) == (116, oldest)
    assert table.watched.operations() == ["Query"] * 7  # of 1, 2, 4, ... chunks


def test_the_removal_of_a_list_removes_every_item(store: Store) -> None:
    first = append(store.documents, "a", "b")
    store.documents.put_chunks([(first, without_newest(first, 1))])
    append(store.documents, "c")

    remove(store.documents)
    remove(store.documents)

    assert items(store.documents) == []
    kept = store.everything()
    assert all(each["d"] == {"S": "[]"} and "o" not in each for each in kept)
    assert all(each["expires_at"] == {"N": str(int(UNTIL_S) + 1)} for each in kept)
    assert all(each["scope"] == {"S": SCOPE} for each in kept)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_append_under_way_loses_against_the_removal(store: Store, count: int) -> None:
    for item in "abc"[:count]:
        append(store.documents, item)
    last = next(iter(newest(store.documents, 0)), None)
    under_way = append_behind(last, chunk(place(), items=["late"]))

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunks(under_way)
    assert items(store.documents) == []


def test_an_append_that_was_overtaken_by_another_loses_too(store: Store) -> None:
    """Its position was taken by an item that the removal has removed."""
    last = append(store.documents, "a")
    under_way = append_behind(last, chunk(place(), items=["late"]))
    append(store.documents, "b")
    append(store.documents, "c")

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunks(under_way)
    assert items(store.documents) == []


def test_an_append_into_an_empty_chunk_loses_against_the_removal(store: Store) -> None:
    whole = append(store.documents, "a")
    emptied = without_newest(whole, 1)
    store.documents.put_chunks([(whole, emptied)])
    under_way = append_behind(emptied, chunk(place(), items=["late"]))

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunks(under_way)
    assert items(store.documents) == []


def test_an_append_that_ends_before_an_empty_chunk_leaves_the_chunk_and_loses_against_the_removal(
    store: Store,
) -> None:
    whole = append(store.documents, "a")
    emptied = without_newest(whole, 1)
    store.documents.put_chunks([(whole, emptied)])
    under_way = append_behind(emptied, chunk(place(), items=["late"], expires_at_s=NOW_S + 60))

    later = append(store.documents, "b", expires_at_s=NOW_S + 60)

    assert (later.start, later.revision) == (2, 1)
    with pytest.raises(LostRace):
        store.documents.put_chunks(under_way)
    under_way = append_behind(later, chunk(place(), items=["late"]))
    remove(store.documents)
    with pytest.raises(LostRace):
        store.documents.put_chunks(under_way)
    assert items(store.documents) == []


def test_a_put_that_moves_the_end_forward_leaves_the_end_beside_the_document(
    table: Store,
) -> None:
    lasting = written(table.documents, place(), "1")
    ending = written(table.documents, place(), "2", before=lasting, ttl_s=60)
    written(table.documents, place(), "3", before=ending, ttl_s=90)

    (left,) = [each for each in table.everything() if each["sk"] == {"S": f"ending#{NOW_S}"}]

    assert left["x"] == {"N": str(NOW_S + 60)}
    assert left["expires_at"] == {"N": str(int(UNTIL_S + 60) + 1)}
    assert (left["n"], left["scope"]) == ({"N": "2"}, {"S": SCOPE})


def test_an_append_under_way_loses_against_a_second_removal(store: Store) -> None:
    append(store.documents, "a")
    remove(store.documents)
    (floor,) = newest(store.documents, 0)
    under_way = append_behind(floor, chunk(place(), items=["late"]))

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunks(under_way)
    assert items(store.documents) == []


def test_a_removal_from_a_chunk_under_way_loses_against_the_removal_of_the_list(
    store: Store,
) -> None:
    whole = append(store.documents, "a", "b")

    remove(store.documents)

    with pytest.raises(LostRace):
        store.documents.put_chunks([(whole, without_newest(whole, 1))])
    assert items(store.documents) == []


def test_a_chunk_that_loses_an_item_during_the_removal_of_the_list_is_emptied_all_the_same(
    store: Store,
) -> None:
    whole = append(store.documents, "a", "b")
    amid = [partial(store.documents.put_chunks, [(whole, without_newest(whole, 1))])]

    def take_off() -> None:
        if amid:
            amid.pop()()

    before_writes(store.client, take_off, "items#0000000001")

    remove(store.documents)

    assert not amid
    assert items(store.documents) == []


def test_a_removal_leaves_items_of_a_document_that_was_made_anew(store: Store) -> None:
    append(store.documents, "a")
    store.clock.advance(seconds=5)
    anew = append(store.documents, "b", generation=rfc3339(store.clock()))

    store.documents.remove_list(place(), rfc3339(MORNING))

    assert items(store.documents) == ["b"]
    found = store.documents.chunks(HERE, 1, generation=anew.generation, now_s=NOW_S)
    assert list(found) == [anew]


def test_an_append_during_the_removal_is_removed_as_well(table: Store) -> None:
    """The append comes after the removal has read the newest chunk."""
    append(table.documents, "a")
    amid = [lambda: append_at_the_end(table)]

    def interfere(**_: object) -> None:
        if amid:
            amid.pop()()

    table.client.meta.events.register("before-call.dynamodb.PutItem", interfere)
    remove(table.documents)

    assert not amid
    assert items(table.documents) == []
    starts = [each["sk"]["S"] for each in table.everything()]
    assert starts == ["items#0000000001", "items#0000000002", "items#0000000003"]


def append_at_the_end(table: Store) -> None:
    """By another client, so that nobody is told twice."""
    item = {
        **table.everything()[0],
        "sk": {"S": "items#0000000002"},
        "d": {"S": '["late"]'},
    }
    table.put(item)
