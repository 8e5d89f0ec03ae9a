"""Changes of topics: all that belongs to one becomes visible at once, or nothing does."""

import hashlib
from dataclasses import replace

import pytest

from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.records import Head, Holder, LostRace
from membrane.usecases.ports.topics import (
    ReceiptTaken,
    TopicChange,
    TopicIdTaken,
    TopicReceipt,
)
from tests.builders.stored_records import noise
from tests.builders.stored_topics import (
    LINE,
    changed,
    created,
    edge,
    happened,
    read,
    revision,
    revisions,
    topic,
    with_field,
)
from tests.worlds.stores import Store

KEY = b"title"
HOLDER = Holder("topic-1", Sensitivity.LOW)
RECEIPT = TopicReceipt(b"i" * 12, b"f" * 32, ("topic-1",), {"topic_id": "topic-1"})


def test_a_topic_is_read_as_it_was_written(store: Store) -> None:
    new = with_field(topic(scope="project:alpha"), revision(), 1)

    created(store, new, revisions=[(LINE, revision())])

    assert store.topics.load("topic-1") == new
    assert store.topics.history(LINE) == [revision()]


def test_no_topic_is_read_where_there_is_none(store: Store) -> None:
    assert store.topics.load("topic-1") is None
    assert store.topics.load_all(["topic-1", "topic-2"]) == {}
    assert store.topics.history(LINE) == []


def test_many_topics_are_read_at_once_each_under_its_id(store: Store) -> None:
    several = [topic(f"topic-{number}", title=f"{number}") for number in range(3)]
    created(store, *several)

    found = store.topics.load_all(["topic-2", "topic-0", "absent", "topic-2"])

    assert found == {"topic-0": several[0], "topic-2": several[2]}


def test_the_next_version_takes_the_place_of_the_one_that_was_read(store: Store) -> None:
    created(store, topic())

    after = changed(store, read(store), happened(topic(), title="Green tea"))

    assert read(store) == after


def test_a_second_topic_of_an_id_is_refused_whatever_the_status_of_the_first(store: Store) -> None:
    created(store, topic(status=TopicStatus.DELETED))

    with pytest.raises(TopicIdTaken):
        created(store, topic(title="Other"))

    assert read(store).title == "Tea"


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
        store.topics.commit(TopicChange(topics=pairs))

    assert read(store, "one").title == "Tea"


def test_a_change_whose_title_is_held_by_now_is_lost(store: Store) -> None:
    store.topics.commit(TopicChange(topics=[(None, topic())], heads=[Head(KEY, 0, (HOLDER,))]))

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


def test_a_receipt_can_be_all_that_is_written(store: Store) -> None:
    store.topics.commit(TopicChange(topics=(), receipt=RECEIPT))

    assert store.topics.find_receipt(RECEIPT.identity) == RECEIPT


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


def test_values_are_in_the_bucket_before_the_topic_names_them(table: Store) -> None:
    text = b'"' + b"x" * 200_000 + b'"'
    large = LargeValue("topic@topic-1", hashlib.sha256(text).hexdigest(), len(text))
    told = revision(value=large)

    created(table, with_field(topic(), told, 1), revisions=[(LINE, told)], values={large: text})

    assert table.records.value(large) == text
    assert read(table).fields["colour"].current == told
    assert f"blobs/topic@topic-1/{large.sha256}" in table.topics.blob_names("topic-1")


def test_every_event_is_kept_and_the_newest_come_with_the_topic(store: Store) -> None:
    whole = topic()
    created(store, whole)
    for _ in range(40):
        whole = happened(whole)
        newest = read(store)
        changed(store, newest, happened(newest))

        found = read(store)
        assert len(found.trail) <= 16
        assert found.trail == whole.trail[-len(found.trail) :]
        assert list(store.topics.events(found)) == list(whole.trail)


def test_events_that_came_later_are_not_told_of_an_earlier_version(store: Store) -> None:
    created(store, topic())
    earlier = read(store)
    for _ in range(30):
        newest = read(store)
        changed(store, newest, happened(newest))

    assert list(store.topics.events(earlier)) == list(earlier.trail)


def test_a_version_may_bring_more_events_than_a_topic_has_with_it(store: Store) -> None:
    created(store, topic())
    after = topic()
    for _ in range(50):
        after = happened(after)

    changed(store, topic(), replace(after, version=2))

    assert list(store.topics.events(read(store))) == list(after.trail)


def test_what_is_archived_leaves_the_table_with_the_change_that_says_so(store: Store) -> None:
    told = revisions(10)
    created(store, topic(), revisions=told)
    old = [each for _, each in told[:7]]
    archive = store.topics.archive(LINE, old)
    assert len(store.topics.history(LINE)) == 10

    changed(store, topic(), removed=told[:7])

    assert store.topics.history(LINE) == [each for _, each in reversed(told[7:])]
    assert store.topics.load_archive(LINE, archive) == list(reversed(old))
    assert (archive.count, archive.oldest, archive.newest) == (
        7,
        old[0].valid_from,
        old[-1].valid_from,
    )


def test_as_many_leave_the_table_at_once_as_may(store: Store) -> None:
    told = revisions(80)
    created(store, topic(), revisions=told)

    changed(store, topic(), removed=told)

    assert store.topics.history(LINE) == []
