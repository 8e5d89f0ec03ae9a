"""The page of an entity and the records that mention the entity, as far as the reader may see."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.requests import TrustInput
from membrane.domain.entities.requests import (
    ListEntities,
    ListMentions,
    MergeEntities,
    ReadEntity,
    SplitEntity,
)
from membrane.domain.language.errors import InvalidArgument, NotFound, PermissionDenied
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.predicates import MENTIONS_ENTITY, OBJECT_ENTITY, SUBJECT_ENTITY
from membrane.domain.records.sizes import MAX_REPLY_BYTES
from membrane.domain.revision.requests import Retract, Supersede
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.entities.list_mentions import list_mentions
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.entities.read_entity import MAX_EXAMINED_MENTIONS, MAX_FACTS, read_entity
from tests.builders.entities import add_entity, entity_payload
from tests.builders.requests import OWNER, call, change, full_record, standing, written
from tests.worlds.retrieval import Memory

SCOPE = "project:alpha"
PAST = {"mode": "timeboxed", "start": "2020-01-01T00:00:00Z", "end": "2020-01-02T00:00:00Z"}
READER = principal_of("reader", ["read"], [SCOPE], "low")


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def about(memory: Memory, *edges: tuple[str, str], **fields: Any) -> str:
    """The id of a fact with edges, each a predicate and an entity."""
    relations = [{"predicate": predicate, "target_id": target} for predicate, target in edges]
    payload = {
        "kind": "semantic",
        "subject": fields.pop("subject", "Bob"),
        "predicate": "likes",
        "object": "tea",
        "validity": fields.pop("validity", {"mode": "global"}),
    }
    usual = {"type": "semantic", "sensitivity": "low", "scope": SCOPE, "payload": payload}
    memory.clock.advance(seconds=1)
    return memory.add_unindexed(full_record(**{**usual, **fields}, relations=relations)).id


def page_of(memory: Memory, entity_id: str, principal: Principal = READER, **asked: Any) -> Body:
    request = ReadEntity(id=entity_id, **asked)
    return read_entity(request, call(request, principal), memory.services).body


def mentions_of(
    memory: Memory, entity_id: str, principal: Principal = READER, **asked: Any
) -> Body:
    request = ListMentions(id=entity_id, **asked)
    return list_mentions(request, call(request, principal), memory.services).body


def all_pages(memory: Memory, entity_id: str, **asked: Any) -> list[Body]:
    pages = [mentions_of(memory, entity_id, **asked)]
    while cursor := pages[-1].get("next_cursor"):
        pages.append(mentions_of(memory, entity_id, cursor=cursor, **asked))
    return pages


def pages_of(memory: Memory, entity_id: str) -> list[Body]:
    """All pages of the facts."""
    pages = [page_of(memory, entity_id)]
    while cursor := pages[-1].get("next_cursor"):
        pages.append(page_of(memory, entity_id, cursor=cursor))
    return pages


def facts_on(*pages: Body) -> list[str]:
    return [each["record"]["id"] for page in pages for each in page["facts"]]


def repeat(memory: Memory, record_id: str, times: int) -> None:
    """Store further records like the record, right after the record."""
    stored = standing(record_id, memory.records)
    for number in range(times):
        record = stored.record.model_copy(update={"id": f"{record_id}-{number:04d}"})
        memory.records.places[record.id] = replace(stored, record=record)


def enlarge(memory: Memory, record_id: str, field: str, characters: int) -> None:
    """Give the payload of a stored record a long text."""
    stored = standing(record_id, memory.records)
    payload = stored.record.payload.model_copy(update={field: "x" * characters})
    record = stored.record.model_copy(update={"payload": payload})
    memory.records.places[record_id] = replace(stored, record=record)


def ids(*pages: Body) -> list[str]:
    return [each["record"]["id"] for page in pages for each in page["mentions"]]


def merge(memory: Memory, into: str, *others: str) -> None:
    request = MergeEntities(id=into, entity_ids=others)
    merge_entities(request, call(request, OWNER), memory.services)


def replaced(memory: Memory, entity_id: str, name: str) -> str:
    """The id of the entity that replaces another."""
    new = {"type": "entity", "sensitivity": "low", "scope": SCOPE, "payload": entity_payload(name)}
    asked = Supersede.model_validate({"id": entity_id, "new_record": new})
    return written(change(asked, memory.services)).id


def test_facts_are_those_that_hold_and_are_shown_in_full(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    held = about(memory, (SUBJECT_ENTITY, bob.id))
    about(memory, (MENTIONS_ENTITY, bob.id), subject="mention alone")
    about(memory, (SUBJECT_ENTITY, bob.id), subject="above", sensitivity="medium")
    about(memory, (SUBJECT_ENTITY, bob.id), subject="past", validity=PAST)
    retracted = about(memory, (OBJECT_ENTITY, bob.id), subject="joke")
    change(Retract(id=retracted), memory.services)
    deleted = about(memory, (OBJECT_ENTITY, bob.id), subject="deleted")
    change(DeleteRecord(id=deleted), memory.services)

    page = page_of(memory, bob.id)

    assert page["entity"]["id"] == bob.id
    assert [(each["record"]["id"], each["roles"]) for each in page["facts"]] == [
        (held, ["subject"])
    ]


def test_mentions_are_neither_retracted_nor_deleted_nor_outside_their_time(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    held = about(memory, (MENTIONS_ENTITY, bob.id))
    about(memory, (MENTIONS_ENTITY, bob.id), subject="past", validity=PAST)
    retracted = about(memory, (MENTIONS_ENTITY, bob.id), subject="joke")
    change(Retract(id=retracted), memory.services)
    deleted = about(memory, (MENTIONS_ENTITY, bob.id), subject="deleted")
    change(DeleteRecord(id=deleted), memory.services)
    above = about(memory, (MENTIONS_ENTITY, bob.id), subject="above", sensitivity="medium")

    assert ids(mentions_of(memory, bob.id)) == [above, held]


def test_the_newest_facts_fill_the_page(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    facts = [about(memory, (OBJECT_ENTITY, bob.id), subject=f"{n}") for n in range(MAX_FACTS + 5)]

    first, second = pages_of(memory, bob.id)

    assert facts_on(first) == facts[: -MAX_FACTS - 1 : -1]
    assert facts_on(second) == facts[4::-1]


def test_thousands_of_hidden_records_displace_no_fact(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    fact = about(memory, (SUBJECT_ENTITY, bob.id))
    for edge in ((MENTIONS_ENTITY, bob.id), (SUBJECT_ENTITY, bob.id)):
        repeat(memory, about(memory, edge, scope="project:beta"), 1_100)

    with_hidden = page_of(memory, bob.id)
    memory.records.places = {each: memory.records.places[each] for each in (bob.id, fact)}

    assert facts_on(with_hidden) == [fact]
    assert page_of(memory, bob.id) == with_hidden


def test_facts_behind_too_many_records_for_a_call_come_on_a_further_page(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    fact = about(memory, (SUBJECT_ENTITY, bob.id))
    hidden = about(memory, (MENTIONS_ENTITY, bob.id), scope="project:beta")
    repeat(memory, hidden, MAX_EXAMINED_MENTIONS)
    memory.records.requests.clear()

    page = page_of(memory, bob.id)

    assert facts_on(page) == []
    assert len(memory.records.requests) <= MAX_EXAMINED_MENTIONS // 100 + 1
    assert facts_on(page_of(memory, bob.id, cursor=page["next_cursor"])) == [fact]


def test_a_cursor_of_facts_belongs_to_its_entity(memory: Memory) -> None:
    bob, ann = (add_entity(name, memory.services) for name in ("Bob", "Ann"))
    repeat(memory, about(memory, (SUBJECT_ENTITY, bob.id)), MAX_FACTS)
    cursor = page_of(memory, bob.id)["next_cursor"]

    with pytest.raises(InvalidArgument, match="cursor"):
        page_of(memory, ann.id, cursor=cursor)


def test_a_fact_without_room_beside_the_entity_is_a_link(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    facts = [about(memory, (SUBJECT_ENTITY, bob.id), subject=f"{n}") for n in range(2)]
    for each, field in ((bob.id, "summary"), *((fact, "subject") for fact in facts)):
        enlarge(memory, each, field, MAX_REPLY_BYTES * 2 // 3)

    pages = pages_of(memory, bob.id)

    assert facts_on(*pages) == facts[::-1]
    assert [[each["record"].get("link") for each in page["facts"]] for page in pages] == [
        [f"/v1/records/{fact}"] for fact in reversed(facts)
    ]


def test_a_record_with_several_edges_comes_once_also_across_pages_and_merges(
    memory: Memory,
) -> None:
    robert, bob = add_entity("Robert", memory.services), add_entity("Bob", memory.services)
    edges = [(SUBJECT_ENTITY, robert.id), (OBJECT_ENTITY, bob.id), (MENTIONS_ENTITY, bob.id)]
    facts = [about(memory, *edges, subject=f"{n}") for n in range(3)]
    merge(memory, robert.id, bob.id)

    pages = all_pages(memory, robert.id, limit=1)

    assert ids(*pages) == facts[::-1]
    assert pages[0]["mentions"][0]["predicates"] == [
        "mentions_entity",
        "object_entity",
        "subject_entity",
    ]
    shown = [(each["record"]["id"], each["roles"]) for each in page_of(memory, bob.id)["facts"]]
    assert shown == [(each, ["subject", "object"]) for each in facts[::-1]]


def test_ids_of_merged_and_replaced_entities_lead_to_the_entity_that_stands(
    memory: Memory,
) -> None:
    chain = [add_entity(f"Bob {n}", memory.services).id for n in range(12)]
    facts = [about(memory, (SUBJECT_ENTITY, each), subject=each) for each in chain]
    for absorbed, absorbing in pairwise(chain):
        merge(memory, absorbing, absorbed)

    first, last = page_of(memory, chain[0]), page_of(memory, chain[-1])

    assert first == last
    assert first["entity"]["id"] == chain[-1]
    assert ids(mentions_of(memory, chain[0])) == facts[::-1]

    new = replaced(memory, chain[-1], "Robert")
    page = page_of(memory, chain[-1])
    assert page["entity"]["payload"]["canonical_name"] == "Robert"
    assert [each["record"]["id"] for each in page["facts"]] == facts[::-1]
    later = about(memory, (SUBJECT_ENTITY, new), subject="later")
    assert ids(*all_pages(memory, new, limit=5)) == [later, *facts[::-1]]
    assert ids(mentions_of(memory, chain[0])) == [later, *facts[::-1]]


def test_a_split_takes_the_mentions_of_the_entity_and_of_those_before_it_away(
    memory: Memory,
) -> None:
    robert, bob = add_entity("Robert", memory.services), add_entity("Bob", memory.services)
    of_robert, of_bob = (about(memory, (MENTIONS_ENTITY, each.id)) for each in (robert, bob))
    bobby = replaced(memory, bob.id, "Bobby")
    of_bobby = about(memory, (MENTIONS_ENTITY, bobby))
    merge(memory, robert.id, bobby)
    while_merged = about(memory, (MENTIONS_ENTITY, bobby))
    assert ids(mentions_of(memory, robert.id)) == [while_merged, of_bobby, of_bob, of_robert]

    request = SplitEntity(id=robert.id, entity_id=bobby)
    split_entity(request, call(request, OWNER), memory.services)

    assert ids(mentions_of(memory, robert.id)) == [of_robert]
    assert ids(mentions_of(memory, bob.id)) == [while_merged, of_bobby, of_bob]


def test_what_is_no_entity_or_hidden_or_deleted_is_not_found(memory: Memory) -> None:
    hidden = add_entity("Bob", memory.services, sensitivity="medium").id
    deleted = add_entity("Bertha", memory.services).id
    change(DeleteRecord(id=deleted), memory.services)
    fact = about(memory)

    for each in (hidden, deleted, fact, "absent", "a b"):
        with pytest.raises(NotFound, match="entity not found"):
            page_of(memory, each)
        with pytest.raises(NotFound, match="entity not found"):
            mentions_of(memory, each)


def test_a_narrower_trust_that_excludes_the_entity_is_refused(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    request = ReadEntity(id=bob.id, trust=TrustInput(max_sensitivity=Sensitivity.PUBLIC))

    with pytest.raises(PermissionDenied):
        read_entity(request, call(request, READER), memory.services)


EDGES = st.lists(
    st.tuples(
        st.sampled_from([MENTIONS_ENTITY, SUBJECT_ENTITY, OBJECT_ENTITY]),
        st.sampled_from([0, 1]),
    ),
    min_size=1,
    max_size=3,
    unique=True,
)
HIDDEN = st.sampled_from([{"sensitivity": "high"}, {"scope": "project:beta"}])


@settings(max_examples=40)
@given(
    st.lists(st.tuples(EDGES, st.none() | HIDDEN), max_size=8),
    st.integers(1, 4),
    st.sampled_from([0, 0, 0, 200]),
)
def test_hidden_records_edges_and_entities_change_no_word_of_a_reply(
    sources: list[tuple[list[tuple[str, int]], dict[str, Any] | None]], limit: int, further: int
) -> None:
    bare, full = Memory(), Memory()
    for memory in (bare, full):
        entities = [add_entity(name, memory.services, id=name) for name in ("bob", "ann")]
        for number, (edges, hidden) in enumerate(sources):
            if hidden is not None and memory is bare:
                memory.clock.advance(seconds=1)
                continue
            linked = [(predicate, entities[place].id) for predicate, place in edges]
            named = {"id": f"fact-{number}", "subject": f"{number}"}
            made = about(memory, *linked, **named, **(hidden or {}))
            if hidden is not None:
                repeat(memory, made, further)
                add_entity("Bob", memory.services, OWNER, id=f"bob-{number}", **hidden)

    for entity in ("bob", "ann"):
        replies = [
            [pages_of(each, entity), _sealed(all_pages(each, entity, limit=limit)), _listed(each)]
            for each in (bare, full)
        ]
        assert replies[0] == replies[1]


def test_each_entity_before_takes_one_request_of_the_page(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    about(memory, (MENTIONS_ENTITY, bob.id))
    costs, newest = list[int](), bob.id
    for number in range(3):
        memory.records.requests.clear()
        assert len(ids(mentions_of(memory, newest))) == 1
        costs.append(len(memory.records.requests))
        newest = replaced(memory, newest, f"Bob {number}")

    assert costs == [costs[0], costs[0] + 1, costs[0] + 2]


def test_thousands_of_mentions_are_paged_in_bounded_requests(memory: Memory) -> None:
    bob = add_entity("Bob", memory.services)
    stored = standing(about(memory, (MENTIONS_ENTITY, bob.id)), memory.records)
    for number in range(5_000):
        changed = {"id": f"m-{number:04d}", "scope": SCOPE if number % 50 == 0 else "project:beta"}
        record = stored.record.model_copy(update=changed)
        memory.records.places[record.id] = replace(stored, record=record)
    memory.records.requests.clear()

    pages, costs, cursor = list[Body](), list[int](), None
    while cursor is not None or not pages:
        pages.append(mentions_of(memory, bob.id, cursor=cursor))
        costs.append(len(memory.records.requests))
        memory.records.requests.clear()
        cursor = pages[-1].get("next_cursor")

    assert len(ids(*pages)) == len({*ids(*pages)}) == 101
    assert max(costs) <= 2_000 // 50 + 2_000 // 100 + 1


def _sealed(pages: list[Body]) -> list[Body]:
    """The pages with the presence of a cursor alone: a cursor is sealed, and may differ."""
    return [{**page, "next_cursor": "next_cursor" in page} for page in pages]


def _listed(memory: Memory) -> Body:
    request = ListEntities(q="b")
    return list_entities(request, call(request, READER), memory.services).body
