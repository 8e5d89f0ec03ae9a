"""What is kept of scopes, and how topics are found by the indexes."""

from math import ceil

import pytest

from membrane.adapters.dynamodb.topics.topic_scopes import MAX_REPEATS
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import MAX_MARKED, Marks, TopicPlace
from tests.builders.generated_records import SCOPES
from tests.builders.stored_records import NOW_S
from tests.builders.stored_topics import changed, created, happened, minute, topic
from tests.worlds.faults import cancelled, intercept
from tests.worlds.stores import Store


def ids_of(places: object) -> list[str]:
    """Of places of a list."""
    assert isinstance(places, list)
    return [each.topic_id for each in places]


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


def test_the_first_note_may_be_repeated_and_asks_for_a_message_each_time(store: Store) -> None:
    assert store.topics.mark("a", ["one", "two"])
    assert store.topics.mark("a", ["two"])
    assert store.topics.mark("a", ["one", "two"])


def test_a_topic_that_changes_often_asks_for_few_messages(store: Store) -> None:
    asked = [store.topics.mark("a", ["one"]) for _ in range(9)]

    assert asked.count(True) == 1 + MAX_REPEATS


def test_what_was_noted_meanwhile_is_not_forgotten(store: Store) -> None:
    store.topics.mark("a", ["one"])
    marks = store.topics.marks("a")
    assert marks is not None
    store.topics.mark("a", ["two"])

    assert not store.topics.unmark(marks)

    newest = store.topics.marks("a")
    assert newest is not None
    assert set(newest.topic_ids) == {"one", "two"}


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


def test_as_many_as_may_be_are_noted_one_by_one(store: Store) -> None:
    for each in range(MAX_MARKED):
        store.topics.mark("a", [f"{each}"])

    marks = store.topics.marks("a")
    assert marks is not None
    assert (len(marks.topic_ids), marks.is_all) == (MAX_MARKED, False)


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


def test_a_document_may_be_large(store: Store) -> None:
    document = {"text": "x" * 370_000}

    store.topics.keep_document("communities", "s" * 256, document, None)

    kept = store.topics.find_document("communities", "s" * 256)
    assert kept is not None
    assert kept.progress == document


def test_actions_are_told_the_newest_first_page_by_page(store: Store) -> None:
    for number in range(7):
        store.topics.log("a", {"n": number}, minute(number), f"id-{number}")
    store.topics.log("b", {"n": 99}, minute(99), "id-99")

    first = store.topics.logged_actions("a", 3)
    second = store.topics.logged_actions("a", 3, before=first[-1][0])
    third = store.topics.logged_actions("a", 3, before=second[-1][0])

    assert [action["n"] for _, action in (*first, *second, *third)] == [6, 5, 4, 3, 2, 1, 0]
    assert store.topics.logged_actions("a", 3, before=third[-1][0]) == []


def test_an_action_is_logged_once_however_often_it_is_told(store: Store) -> None:
    store.topics.log("a", {"n": 1}, minute(1), "id")
    store.topics.log("a", {"n": 2}, minute(2), "id")

    assert [action for _, action in store.topics.logged_actions("a", 9)] == [{"n": 1}]


def test_an_action_that_met_another_transaction_does_not_count_as_logged(store: Store) -> None:
    intercept(store.client, "TransactWriteItems", lambda: cancelled("TransactionConflict", "None"))

    with pytest.raises(LostRace):
        store.topics.log("a", {"n": 1}, minute(1), "id")


def test_topics_are_listed_by_the_salience_they_were_given(store: Store) -> None:
    for number in range(6):
        given = Anchor(0.1 + number % 3, NOW_S + number // 3, NOW_S)
        created(store, topic(f"topic-{number}", base=given, title=f"{number}"))
    created(store, topic("elsewhere", scope="a"))

    assert ids_of(store.topics.list_topics("", 10)) == [
        f"topic-{each}" for each in (5, 2, 4, 1, 3, 0)
    ]


def test_a_list_goes_on_behind_a_place(store: Store) -> None:
    for number in range(7):
        created(store, topic(f"topic-{number}", title=f"{number}"))

    found: list[TopicPlace] = []
    while page := store.topics.list_topics("", 3, found[-1] if found else None):
        assert len(page) <= 3
        found += page

    assert sorted(ids_of(found)) == [f"topic-{each}" for each in range(7)]
    assert len(set(found)) == 7


@pytest.mark.parametrize("status", TopicStatus)
def test_what_is_merged_or_deleted_is_in_no_list(store: Store, status: TopicStatus) -> None:
    created(store, topic())
    changed(store, topic(), happened(topic(), status=status))

    listed = ["topic-1"] if status in (TopicStatus.ACTIVE, TopicStatus.ARCHIVED) else []
    assert ids_of(store.topics.list_topics("", 10)) == listed
    assert store.topics.ids_by_title(title_key("", "", "Tea"), 10) == listed


def test_topics_are_found_by_their_titles_however_these_are_written(store: Store) -> None:
    created(store, topic(title="Green  TEA", kind="Drink", base=Anchor(1.0, NOW_S, NOW_S)))
    created(
        store, topic("topic-2", title="green tea", kind="drink", base=Anchor(1, NOW_S, NOW_S + 1))
    )
    created(store, topic("topic-3", title="green tea"))
    created(store, topic("topic-4", title="green tea", kind="drink", scope="a"))

    assert store.topics.ids_by_title(title_key("", "drink", "Green tea"), 10) == [
        "topic-2",
        "topic-1",
    ]
    assert store.topics.ids_by_title(title_key("", "drink", "Green tea"), 1) == ["topic-2"]


def test_topics_are_due_in_the_order_of_their_instants(store: Store) -> None:
    created(store, topic(due_s=NOW_S + 5.5))
    created(store, topic("topic-2", title="2", due_s=NOW_S + 0.75))
    created(store, topic("topic-3", title="3"))

    assert store.topics.due(NOW_S, 10) == []
    assert store.topics.due(NOW_S + 1, 10) == [("topic-2", NOW_S + 0.75)]
    assert [each for each, _ in store.topics.due(NOW_S + 9, 10)] == ["topic-2", "topic-1"]
    assert [each for each, _ in store.topics.due(NOW_S + 9, 1)] == ["topic-2"]


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


def test_what_is_due_never_is_in_no_index(table: Store) -> None:
    created(table, topic(due_s=float("inf")))

    assert table.index("due") == []


def test_topics_stand_apart_from_records_in_every_index(table: Store) -> None:
    created(table, topic(due_s=NOW_S))

    (due,), (rank,) = table.index("due"), table.index("rank")

    assert due["due_pk"] == {"S": "topics-due"}
    assert rank["rank_pk"] == {"S": "topics#-"}
    for shard in range(16):
        assert list(table.due.due(shard, int(NOW_S) + 9_999)) == []


def test_what_has_changed_is_noted_of_a_scope_of_any_name(store: Store) -> None:
    for number, scope in enumerate(SCOPES):
        store.topics.mark(scope, [f"topic-{number}"])
        store.topics.keep_document("name", scope, {"n": number}, None)
        store.topics.log(scope, {"n": number}, minute(0), "id")

    for number, scope in enumerate(SCOPES):
        marks, kept = store.topics.marks(scope), store.topics.find_document("name", scope)
        assert marks is not None
        assert kept is not None
        assert marks.topic_ids == (f"topic-{number}",)
        assert kept.progress == {"n": number}
        assert [each for _, each in store.topics.logged_actions(scope, 9)] == [{"n": number}]
