"""Topics in the table: they come back as they were stored, change whole, and are noted."""

from dataclasses import replace
from itertools import count
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.adapters.dynamodb.topics.topic_scopes import MAX_REPEATS
from membrane.domain.language.fields import VANISHING
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.form import TopicReceipt, archive_of
from membrane.domain.topics.salience import fading_lifecycle
from membrane.domain.topics.topic import (
    Archive,
    Field,
    FieldType,
    Group,
    LadderStep,
    Line,
    MergeLink,
    Revision,
    Topic,
    TopicStatus,
)
from membrane.table.items import Checkpoint, LostRace
from membrane.usecases.ports.records import Head, Holder
from membrane.usecases.ports.topics import (
    MAX_MARKED,
    Marks,
    ReceiptTaken,
    TopicChange,
)
from tests.builders.generated_records import SCOPES, TEXTS, VALUES
from tests.builders.stored_records import NOW, NOW_S, noise
from tests.builders.stored_topics import (
    LINE,
    changed,
    created,
    edge,
    happened,
    minute,
    read,
    revision,
    topic,
    with_field,
)
from tests.worlds.depth import examples
from tests.worlds.stores import Store

numbers = count(1)
instants = st.datetimes().map(lambda naive: naive.isoformat() + "Z")
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
large_values = st.builds(LargeValue, st.just("topic@elsewhere"), digests, st.integers(1, 10**7))
optional_texts = st.none() | TEXTS
seconds = st.integers(-(10**16), 10**16).map(lambda micros: micros / 1_000_000)
saliences = st.just(0.0) | st.floats(VANISHING, 1e100)

revisions = st.builds(
    Revision,
    id=st.uuids(version=4).map(str),
    value=VALUES | large_values,
    field_type=st.sampled_from(FieldType),
    valid_from=instants,
    recorded_at=instants,
    order=st.integers(0, 10**15),
    provenance=TEXTS,
    why_changed=optional_texts,
    impact_expected=optional_texts,
    operation=optional_texts,
    principal=TEXTS,
    evidence=TEXTS,
    ref_topic_id=optional_texts,
)
archives = st.builds(Archive, digests, st.integers(1, 1_000), instants, instants)
lines = st.builds(
    Line, TEXTS, digests, st.integers(0, 1_000), st.lists(archives, max_size=2).map(tuple)
)
fields = st.builds(
    Field,
    type=st.sampled_from(FieldType),
    current=st.none() | revisions,
    lines=st.lists(lines, max_size=3).map(tuple),
    ref_topic_id=optional_texts,
    is_detached=st.booleans(),
    deleted_at=st.none() | instants,
)
anchors = st.builds(Anchor, saliences, seconds, seconds)
merges = st.builds(
    MergeLink,
    into=TEXTS,
    at=instants,
    why=TEXTS,
    status=st.sampled_from(TopicStatus),
    kept=st.dictionaries(TEXTS, fields, max_size=2),
    base=st.none() | anchors,
    gave_summary=st.booleans(),
)
topics = st.builds(
    Topic,
    id=st.builds(lambda: f"topic-{next(numbers)}"),
    scope=st.sampled_from(SCOPES),
    sensitivity=st.sampled_from(Sensitivity),
    title=TEXTS,
    summary=TEXTS,
    kind=TEXTS,
    status=st.sampled_from(TopicStatus),
    base=anchors,
    lifecycle=st.integers(1, 3_000_000_000).map(fading_lifecycle),
    fields=st.dictionaries(TEXTS, fields, max_size=3),
    groups=st.dictionaries(TEXTS, st.builds(Group, revisions), max_size=2),
    absorbed=st.lists(TEXTS, max_size=2).map(tuple),
    unmerged_from=st.lists(TEXTS, max_size=2).map(tuple),
    merged=st.none() | merges,
    step=st.sampled_from(LadderStep),
    created_at=instants,
    updated_at=instants,
    due_s=st.none() | seconds,
    version=st.integers(1, 10**9),
)


@settings(max_examples=examples(60))
@given(generated=topics)
def test_a_topic_of_any_content_comes_back_equal(store: Store, generated: Topic) -> None:
    whole = happened(generated, version=generated.version)

    created(store, whole)

    assert store.topics.load(whole.id) == whole
    assert store.topics.load_all([whole.id, "absent"]) == {whole.id: whole}


MINUTES = st.integers(0, 6).map(minute)
"""Few instants, in any order: values are dated back, and some hold since the same instant."""


@settings(max_examples=examples(40))
@given(
    steps=st.lists(st.lists(revisions, max_size=4) | st.integers(1, 3), min_size=1, max_size=6),
    dates=st.lists(MINUTES, min_size=24, max_size=24),
    until=MINUTES,
    limit=st.integers(1, 5),
)
def test_a_line_is_a_list_in_the_order_of_validity_whatever_is_dated_back_and_archived(
    store: Store, steps: list[list[Revision] | int], dates: list[str], until: str, limit: int
) -> None:
    """A step writes revisions, or archives so many of the oldest ones."""
    holder = topic(f"topic-{next(numbers)}")
    line, listed, archives = Line(holder.id, "0123456789abcdef"), list[Revision](), []
    created(store, holder)

    for step in steps:
        if isinstance(step, int):
            removed = [(line, each) for each in listed[:step]]
            if removed:
                archived = [each for _, each in removed]
                archives.append((archive_of(archived[::-1])[0], archived))
            listed = listed[step:]
            parts: dict[str, Any] = {"removed": removed}
        else:
            new = [replace(each, valid_from=dates.pop(), order=next(numbers)) for each in step]
            listed = sorted([*listed, *new], key=lambda each: each.place)
            parts = {"revisions": [(line, each) for each in new]}
        holder = changed(store, holder, **parts)

        history, valid = store.topics.history, [each for each in listed if each.valid_from <= until]
        assert history(line) == listed[::-1]
        assert history(line, limit=limit, oldest_first=True) == listed[:limit]
        assert history(line, limit=limit, until=until) == valid[::-1][:limit]
        found = store.topics.find_revisions([(line, replace(each, value=None)) for each in listed])
        assert sorted((each for _, each in found), key=lambda each: each.place) == listed

    for archive, archived in archives:
        assert store.topics.load_archive(line, archive) == archived[::-1]
        bounds = archived[0].valid_from, archived[-1].valid_from
        assert (archive.count, archive.oldest, archive.newest) == (len(archived), *bounds)


@pytest.mark.parametrize(
    "value",
    [
        {"$blob": {"sha256": "0" * 64, "size": 9, "of": "record-1"}},
        {"large": {"of": "record-1", "sha256": "0" * 64, "size": 9}},
        {"value": 1},
        {"$upload": "upload-1"},
    ],
)
def test_no_value_that_is_sent_passes_for_one_that_lies_in_the_bucket(
    store: Store, value: dict[str, Any]
) -> None:
    told = revision(value=value, field_type=FieldType.JSON)

    created(store, with_field(topic(), told, 1), revisions=[(LINE, told)])

    assert store.topics.history(LINE) == [told]
    assert read(store).fields["colour"].current == told


def test_a_topic_of_many_fields_comes_back_equal(store: Store) -> None:
    several = {
        f"field {number}": Field(
            type=FieldType.STRING,
            current=revision(number, noise(200, number)),
            lines=(Line("topic-1", f"{number:016x}", 1),),
        )
        for number in range(2_000)
    }
    large = topic(fields=several, created_at=NOW)

    created(store, large)
    assert read(store) == large

    after = happened(replace(large, fields={}))
    store.topics.apply(TopicChange(topics=[(large, after)]))
    assert read(store) == after


# --- changes ---

KEY = b"title"
HOLDER = Holder("topic-1", Sensitivity.LOW)
RECEIPT = TopicReceipt(b"i" * 12, b"f" * 32, ("topic-1",), {"topic_id": "topic-1"})


def test_of_two_changes_of_a_version_one_wins_and_the_other_leaves_nothing(store: Store) -> None:
    created(store, topic())
    changed(store, topic(), revisions=[(LINE, revision(1))])

    with pytest.raises(LostRace):
        changed(
            store,
            topic(),
            revisions=[(LINE, revision(2))],
            edges=[edge()],
            heads=[Head(KEY, 0, (HOLDER,))],
            receipt=RECEIPT,
        )

    assert store.topics.history(LINE) == [revision(1)]
    assert store.topics.edges(["topic-1"], 10) == []
    assert store.records.head(KEY) == Head(KEY)
    assert store.topics.find_receipt(RECEIPT.identity) is None


def test_of_two_topics_that_change_together_one_lost_is_both_lost(store: Store) -> None:
    created(store, topic("one"), topic("two"))
    changed(store, topic("two"))
    pairs = [(topic(each), happened(topic(each), title="both")) for each in ("one", "two")]

    with pytest.raises(LostRace):
        store.topics.apply(TopicChange(topics=pairs))

    assert read(store, "one").title == "Tea"


def test_a_change_whose_title_is_held_by_now_is_lost(store: Store) -> None:
    store.topics.apply(TopicChange(topics=[(None, topic())], heads=[Head(KEY, 0, (HOLDER,))]))

    with pytest.raises(LostRace):
        created(store, topic("topic-2"), heads=[Head(KEY, 0, (HOLDER._replace(record_id="x"),))])

    assert store.topics.load("topic-2") is None
    assert store.records.head(KEY) == Head(KEY, 1, (HOLDER,))


def test_a_key_does_something_once(store: Store) -> None:
    created(store, topic(), receipt=RECEIPT)

    with pytest.raises(ReceiptTaken):
        created(store, topic("topic-2"), receipt=RECEIPT)

    assert store.topics.find_receipt(RECEIPT.identity) == RECEIPT
    assert store.topics.load("topic-2") is None


def test_a_receipt_is_forgotten_with_tombstones(store: Store) -> None:
    created(store, topic(), receipt=RECEIPT)

    store.clock.advance(days=399)
    assert store.topics.find_receipt(RECEIPT.identity) == RECEIPT
    store.clock.advance(days=2)

    assert store.topics.find_receipt(RECEIPT.identity) is None
    created(store, topic("topic-2"), receipt=RECEIPT)


def test_a_reply_of_any_size_is_kept_with_the_large_values_in_it(store: Store) -> None:
    large = LargeValue("topic@topic-1", "0" * 64, 200_000)
    reply = {"text": noise(90_000), "fields": [{"value": large}, {"value": {"$blob": "mine"}}]}
    receipt = replace(RECEIPT, reply=reply)

    created(store, topic(), receipt=receipt)

    assert store.topics.find_receipt(RECEIPT.identity) == receipt


# --- notes ---


def test_what_changed_is_noted_until_it_is_forgotten(store: Store) -> None:
    assert store.topics.marks("a") is None

    assert store.topics.mark("a", ["one", "two"])
    assert not store.topics.mark("a", ["two", "three"])

    marks = store.topics.marks("a")
    assert marks is not None
    assert (set(marks.topic_ids), marks.is_all) == ({"one", "two", "three"}, False)
    assert store.topics.marks("b") is None
    assert store.topics.unmark(marks)
    assert store.topics.marks("a") is None
    assert store.topics.mark("a", ["four"])


def test_a_topic_that_changes_often_asks_for_few_messages(store: Store) -> None:
    asked = [store.topics.mark("a", ["one"]) for _ in range(9)]

    assert asked.count(True) == 1 + MAX_REPEATS


def test_notes_of_before_cannot_forget_those_that_came_after_they_were_forgotten(
    store: Store,
) -> None:
    store.topics.mark("a", ["one"])
    marks = store.topics.marks("a")
    assert marks is not None
    store.topics.unmark(marks)
    store.topics.mark("a", ["one"])

    assert not store.topics.unmark(marks)
    assert not store.topics.unmark(Marks("b", (), is_all=False, version=1))


@pytest.mark.parametrize("batch", [7, 150, MAX_MARKED + 1, 1_000])
def test_of_too_many_it_is_noted_that_all_may_have_changed(store: Store, batch: int) -> None:
    for start in range(0, MAX_MARKED + 1, batch):
        store.topics.mark("a", [f"{each}" for each in range(start, start + batch)])

    marks = store.topics.marks("a")
    assert marks is not None
    assert marks.is_all
    assert len(marks.topic_ids) <= MAX_MARKED
    assert not store.topics.mark("a", ["one more"])
    assert not store.topics.unmark(marks)


def test_scopes_that_have_topics_are_gone_through_one_page_after_the_other(store: Store) -> None:
    for number, scope in enumerate(SCOPES):
        created(store, topic(f"topic-{number}", scope=scope))
        created(store, topic(f"other-{number}", scope=scope, title="Other"))

    found: list[str] = []
    while page := store.topics.scopes(found[-1] if found else None, 5):
        assert len(page) <= 5
        found += page

    assert sorted(found) == sorted(SCOPES)


def test_the_scopes_of_a_prefix_are_those_that_begin_with_it(store: Store) -> None:
    inside = ("t:a:1", "t:a:user:Ü", "t:a:")
    for scope in ("t:a", "t:ab:1", "t:a-b:1", "x:t:a:1", "=t:a:1", "", *inside):
        created(store, topic(f"topic-{len(scope)}{scope[:1]}", scope=scope))

    assert set(store.topics.scopes(None, 5, "t:a:")) == set(inside)
    assert len(store.topics.scopes(None, 2, "t:a:")) == 2


def test_a_document_is_kept_under_its_name_and_scope(store: Store) -> None:
    assert store.topics.find_document("job", "") is None

    first = store.topics.keep_document("job", "", {"at": "a"}, None)
    store.topics.keep_document("job", "a", {"at": "b"}, None)
    second = store.topics.keep_document("job", "", {"at": "c"}, first)

    assert store.topics.find_document("job", "") == second == Checkpoint({"at": "c"}, 2)
    for before in (None, first):
        with pytest.raises(LostRace):
            store.topics.keep_document("job", "", {"at": "d"}, before)


def test_an_action_is_logged_once_however_often_it_is_told(store: Store) -> None:
    store.topics.log("a", {"n": 1}, minute(1), "id")
    store.topics.log("a", {"n": 2}, minute(2), "id")

    assert [action for _, action in store.topics.logged_actions("a", 9)] == [{"n": 1}]


def test_a_topic_is_put_off_until_it_changes(store: Store) -> None:
    created(store, topic(due_s=NOW_S))

    store.topics.put_off("topic-1", 1, NOW_S + 60)
    assert store.topics.due(NOW_S + 59, 10) == []
    assert store.topics.due(NOW_S + 61, 10) == [("topic-1", ceil(NOW_S) + 60)]
    store.topics.put_off("topic-1", 1, None)
    assert store.topics.due(NOW_S + 99, 10) == []

    before = store.topics.load("topic-1")
    assert before is not None
    changed(store, before, happened(before, due_s=NOW_S + 5.0))
    assert [each for each, _ in store.topics.due(NOW_S + 9, 10)] == ["topic-1"]
    store.topics.put_off("topic-1", 1, None)
    store.topics.put_off("absent", 1, NOW_S)
    assert [each for each, _ in store.topics.due(NOW_S + 9, 10)] == ["topic-1"]


def test_topics_stand_apart_from_records_in_every_index(table: Store) -> None:
    created(table, topic(due_s=NOW_S))

    (due,), (rank,) = table.index("due"), table.index("rank")

    assert due["due_pk"] == {"S": "topics-due"}
    assert rank["rank_pk"] == {"S": "topics#-"}
    for shard in range(16):
        assert list(table.due.due(shard, int(NOW_S) + 9_999)) == []
