"""Two topics that are one become one, and two again, over HTTP: everybody keeps what is his."""

from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.api import Api
from tests.worlds.depth import examples
from tests.worlds.threads import at_once
from tests.worlds.topic_client import DAY_S, Topics

MAX_ABSORBED = 50
MAX_CHAIN = 15
NUMBERS = count()
SECOND = timedelta(seconds=1)


def merged(topics: Topics, *ids: str, scope: str = "") -> str:
    """The id of the one that the topics are by now."""
    topics.reason(scope)
    (end,) = {topics.read(each)["id"] for each in ids}
    return str(end)


def merged_anew(topics: Topics, keeper: str, fields: dict[str, Any]) -> str:
    """The id of a new topic that the keeper has taken in."""
    made = topics.make("Ada", fields)
    assert merged(topics, keeper, made) == keeper
    return made


def are_apart(topics: Topics, *ids: str) -> bool:
    return [topics.read(each)["id"] for each in ids] == list(ids)


def unmerge(topics: Topics, topic_id: str, **body: Any) -> dict[str, Any]:
    return topics.do("POST", f"topics/{topic_id}/unmerge", body)


def test_the_richer_stays_then_the_older_and_what_is_newer_is_so(topics: Topics) -> None:
    older = topics.make("Ada", {"city": "Rome", "age": 1})
    most = {"city": "Oslo", "age": 1, "job": "nurse", "a": 1, "b": 1, "c": 1}
    richer = topics.make("Ada  ", most)
    youngest = topics.make(" ADA", {"city": "Bonn", "age": 1})
    topics.append(older, "age", 2)

    keeper = merged(topics, older, richer, youngest)

    assert keeper == richer
    assert topics.values(keeper, "city") == ["Bonn", "Oslo", "Rome"]
    assert topics.values(keeper, "age")[0] == 2
    assert set(topics.read(keeper)["absorbed"]) == {older, youngest}
    assert topics.read(older)["asked_id"] == older


def test_what_differs_in_sensitivity_or_fields_or_is_archived_is_not_merged(
    topics: Topics,
) -> None:
    low, high = topics.make("Ada"), topics.make("Ada", sensitivity="high")
    archived = [topics.make("Bob") for _ in range(2)]
    for each in archived:
        topics.change(each, archived=True)
    acme = {"city": "Rome", "founded": 1900}
    one = topics.make("The Acme company in Rome", acme)
    same = topics.make("Acme company in Rome", {"city": "rome", "founded": 1900})
    differs = topics.make("Acme company of Rome", {"city": "Oslo", "founded": 1901})
    number = topics.make("Acme company in Rome 2", acme)
    topics.settle()

    topics.reason()

    assert are_apart(topics, low, high, *archived, one, differs, number)
    assert topics.read(same)["id"] == one


def test_what_is_archived_goes_into_what_is_active_and_comes_out_archived(topics: Topics) -> None:
    archived, active = topics.make("Ada", {"a": 1, "b": 1}), topics.make("Ada")
    topics.change(archived, archived=True)

    assert merged(topics, archived, active) == active
    unmerge(topics, archived)

    assert topics.read(archived)["archived"]


def test_summary_salience_references_and_bundles_come_along_and_go_again(topics: Topics) -> None:
    topics.freeze()
    first, second = topics.make("first"), topics.make("second")
    keeper = topics.make("Ada", {"a": 1, "c": 1, "d": 1, "e": 1})
    other = topics.make("Ada", {"b": 2}, salience=4.0, summary="of the other")
    topics.point(keeper, "a", first)
    topics.wait(1)
    topics.append(other, "a", 2, ref_topic_id=second)
    topics.nest(other, "g", "b")
    topics.delete(keeper, name="c")
    topics.append(other, "c", 3)
    before = {name: topics.read(keeper)[name] for name in ("fields", "summary", "salience")}

    assert merged(topics, keeper, other) == keeper
    both = topics.read(keeper)
    unmerge(topics, other)

    assert (both["summary"], both["salience"]) == ("of the other", pytest.approx(4.0))
    assert both["fields"]["a"]["ref_topic_id"] == second
    assert {"g", "c"} <= both["fields"].keys()
    after = topics.read(keeper)
    assert {name: after[name] for name in before} == before
    assert topics.read(other)["fields"].keys() == {"a", "g", "c"}


def test_reads_count_for_the_keeper_once_and_leave_with_their_own_topic(topics: Topics) -> None:
    topics.freeze()
    last = topics.make("Ada", dict.fromkeys("abcdef", 1))
    middle, first = topics.make("Bob", {"a": 1, "b": 1}), topics.make("Bob", {"a": 1})
    for topic_id, reads in ((last, 1), (middle, 2), (first, 4)):
        for _ in range(reads):
            asked = {"q": "", "topic_ids": [topic_id], "field_names": ["a"]}
            topics.do("POST", "query", asked)
    topics.settle()

    def reads_of(*ids: str) -> list[Any]:
        return [pytest.approx(topics.read(each)["salience_parts"]["access"]) for each in ids]

    assert merged(topics, middle, first) == middle
    topics.change(middle, title="Ada")
    assert merged(topics, last, middle) == last
    assert reads_of(last) == [0.7]
    topics.wait(30 * DAY_S)
    for each in (middle, first):
        unmerge(topics, each)
    topics.settle()

    assert reads_of(last, middle, first) == [0.05, 0.1, 0.2]


def test_topics_of_one_title_are_merged_by_themselves_and_stay_apart_once_parted(
    topics: Topics,
) -> None:
    keeper = topics.make("Billing", {"owner": "a", "port": 1})
    twin = topics.make("Billing", {"owner": "b"})

    topics.wait()

    assert topics.read(twin)["id"] == keeper
    assert (topics.values(keeper, "owner"), twin in topics.read(keeper)["absorbed"]) == (
        ["b", "a"],
        True,
    )
    topics.do("POST", f"topics/{twin}/unmerge", {})
    assert [topics.values(each, "owner") for each in (keeper, twin)] == [["a"], ["b"]]
    assert topics.refusal("POST", f"topics/{twin}/unmerge", {})[0] == 409
    topics.wait()
    assert topics.read(twin)["id"] == twin


def test_merging_and_parting_are_logged_with_their_reasons(topics: Topics) -> None:
    keeper, other = topics.make("Ada", {"a": 1, "b": 2}), topics.make("Ada", {"a": 1})
    merged(topics, keeper, other)

    body = {"why": "two people"}
    key = {"idempotency-key": "k"}
    first, again = (topics.call("POST", f"topics/{other}/unmerge", body, **key) for _ in range(2))

    newest, oldest = topics.actions()
    assert (oldest["action"], oldest["why"]) == (
        f"merged:{other}->:{keeper}:Ada",
        "same scope, kind and title",
    )
    assert (oldest["topics"], oldest["agreement"], oldest["principal"]) == (
        [other, keeper],
        1.0,
        "local",
    )
    assert newest["action"] == f"unmerged:{other}"
    assert (first.body["topic_id"], first.body["unmerged_from"]) == (other, keeper)
    assert (again.body, again.headers["idempotency-replayed"]) == (first.body, "true")
    assert topics.kinds(other).count("unmerged") == 1
    event = topics.last(keeper)
    assert (event["kind"], event["why"]) == ("unmerged", "two people")


def test_what_was_parted_is_not_merged_again_nor_by_way_of_a_third(topics: Topics) -> None:
    one, other = topics.make("Ada", {"a": 1, "b": 1}), topics.make("Ada")
    merged(topics, one, other)
    unmerge(topics, other)
    third = topics.make("Ada", {"a": 1})

    topics.reason()

    ends = {each: topics.read(each)["id"] for each in (one, other, third)}
    assert ends[one] != ends[other]
    assert topics.reason()["actions"] == []


def test_one_topic_takes_in_50_and_the_log_says_why_no_more(topics: Topics) -> None:
    keeper = topics.make("Ada", {"a": 1})
    for _ in range(2):
        several = [topics.make("Ada") for _ in range(MAX_ABSORBED // 2)]
        assert merged(topics, keeper, *several[::12]) == keeper
    left = topics.make("Ada")

    for _ in range(2):
        topics.reason()

    assert len(topics.read(keeper)["absorbed"]) == MAX_ABSORBED
    assert are_apart(topics, keeper, left)
    refusals = [each for each in topics.actions() if "not_merged" in each["action"]]
    assert [(each["topics"], each["why"]) for each in refusals] == [
        ([left, keeper], "one topic takes in 50 others at most")
    ]


def test_no_chain_of_aliases_grows_longer_than_readers_follow(topics: Topics) -> None:
    ids = [topics.make("Ada")]
    for _ in range(MAX_CHAIN):
        topics.change(ids[-1], archived=True)
        ids.append(topics.make("Ada"))
        topics.reason()
    assert topics.read(ids[0])["id"] == ids[-1]
    topics.change(ids[-1], archived=True)
    last = topics.make("Ada")

    topics.reason()

    assert topics.read(last)["id"] == last
    topics.append(ids[0], "told", 1)
    assert topics.values(ids[-1], "told") == [1]


def test_what_cannot_be_parted_is_refused(topics: Topics) -> None:
    alpha, beta = topics.of("alpha"), topics.of("beta")
    keeper, other = (topics.make("Ada", {"a": 1}, scope="alpha") for _ in range(2))
    topics.append(other, "b", 2)
    keeper, other = other, keeper
    topics.append(other, "c", 2)
    topics.append(keeper, "d", 2)
    path = f"topics/{other}/unmerge"
    alone = topics.refusal("POST", path, {})
    assert merged(topics, keeper, other, scope="alpha") == keeper

    assert alone == (409, "the topic is not merged into another one")
    assert topics.refusal("POST", "topics/gone/unmerge", {}) == (404, "topic not found")
    assert beta.refusal("POST", path, {}) == (404, "topic not found")
    topics.do("POST", f"topics/{keeper}/promote-nested", {"field_names": ["c"], "child_title": "C"})
    words = "a field of the merged topic was moved to another topic since: undo that first"
    assert topics.refusal("POST", path, {}) == (409, words)
    topics.change(keeper, sensitivity="hyper")
    assert alpha.refusal("POST", path, {}) == (404, "topic not found")


def test_an_older_merge_is_undone_behind_the_newer_ones_alone(topics: Topics) -> None:
    middle = topics.make("Ada", {"a": 1, "b": 2})
    last = topics.make("Bob", dict.fromkeys("abcdef", 1))
    first, second = (merged_anew(topics, middle, {"a": each}) for each in "fs")
    topics.change(middle, title="Bob")
    assert merged(topics, last, middle) == last

    def refused(topic_id: str) -> tuple[int, str]:
        return topics.refusal("POST", f"topics/{topic_id}/unmerge", {})

    words = "topic {0} was merged into topic {1} since: unmerge topic {0} first"
    assert refused(first) == refused(second) == (409, words.format(middle, last))
    unmerge(topics, middle)
    assert refused(first) == (409, words.format(second, middle))
    unmerge(topics, second)
    unmerge(topics, first)

    assert are_apart(topics, first, second, middle, last)
    assert [topics.values(each, "a") for each in (middle, first, second)] == [[1], ["f"], ["s"]]


def test_it_comes_out_as_sensitive_as_what_it_was_in(topics: Topics) -> None:
    keeper, other = topics.make("Ada", {"a": 1}), topics.make("Ada")
    merged(topics, keeper, other)
    topics.change(keeper, sensitivity="high")

    unmerge(topics, other)

    assert topics.read(other)["sensitivity"] == "high"


def test_what_was_written_or_archived_meanwhile_is_whose_it_is(tuned: Topics) -> None:
    keeper = tuned.make("Ada", {"a": "k", "x": 1, "y": 1})
    other = tuned.make("Ada", {"a": "o", "b": "o"})
    merged(tuned, keeper, other)
    for number in range(9):
        tuned.append(keeper, "b", f"{number}")
    tuned.append(other, "a", "since", valid_from="2001-01-01T00:00:00Z")

    unmerge(tuned, other)

    assert tuned.values(keeper, "a") == ["k", "since"]
    assert tuned.values(keeper, "b") == [f"{number}" for number in range(8, -1, -1)]
    assert (tuned.values(other, "a"), tuned.values(other, "b")) == (["o"], ["o"])


def test_a_value_that_came_back_with_a_line_since_the_merge_stays(topics: Topics) -> None:
    keeper, other = topics.make("Ada", {"x": 1}), topics.make("Ada", {"f": "other"})
    topics.append(keeper, "f", "2001", valid_from="2001-01-01T00:00:00Z")
    assert merged(topics, keeper, other) == keeper
    path, title = f"topics/{keeper}", {"child_title": "C", "relationship_kind": "has"}
    child = topics.do("POST", f"{path}/promote-nested", {"field_names": ["f"], **title})
    child_id = child["child_topic_id"]
    topics.append(child_id, "f", "2010", valid_from="2010-01-01T00:00:00Z")
    topics.do("POST", f"{path}/undo-nested", {"child_topic_id": child_id})
    assert topics.values(keeper, "f") == ["other", "2010", "2001"]

    unmerge(topics, other)

    assert topics.values(keeper, "f") == ["2010", "2001"]


def test_a_field_of_a_newer_alias_stays_when_an_older_one_is_erased(topics: Topics) -> None:
    keeper = topics.make("Ada", {"x": 1, "f": "k"})
    topics.do("DELETE", f"topics/{keeper}/fields/f")
    older, newer = (merged_anew(topics, keeper, {"f": each}) for each in "ab")

    topics.do("DELETE", f"topics/{older}?erase=true")

    assert topics.values(keeper, "f")[0] == "b"
    unmerge(topics, newer)
    assert topics.values(newer, "f") == ["b"]


def test_several_who_have_the_same_merged_at_once_end_in_one_topic_that_has_all(
    topics: Topics,
) -> None:
    ids = [topics.make("Ada", {f"f{number}": "x"}) for number in range(6)]

    at_once([partial(topics.call, "POST", "reason", {"scope": "", "dry_run": False})] * 6)

    keeper = merged(topics, *ids)
    assert set(topics.read(keeper)["absorbed"]) == set(ids) - {keeper}
    assert len(topics.read(keeper)["fields"]) == len(ids)


TITLES = ("Glacier hike", "Tax return", "Violin lesson", "Harbour crane")
WHICH = st.integers(0, len(TITLES) - 1)
DEEDS = st.one_of(
    st.tuples(st.just("append"), WHICH, st.sampled_from("fg")),
    st.tuples(st.just("merge"), WHICH, WHICH),
    st.tuples(st.just("unmerge"), WHICH, st.none()),
)


@settings(max_examples=examples(15))
@given(done=st.lists(DEEDS, min_size=6, max_size=14))
def test_after_any_merges_and_partings_histories_are_those_of_who_wrote_them(
    tuned_api: Api, done: list[Any]
) -> None:
    topics, scope = Topics(tuned_api), f"law-{next(NUMBERS)}"
    topics.freeze()
    ids = [topics.make(each, scope=scope) for each in TITLES]
    into: dict[str, str | None] = dict.fromkeys(ids)
    merges: list[str] = []
    written: dict[str, list[tuple[str, int]]] = {each: [] for each in ids}

    def end_of(topic_id: str) -> str:
        above = into[topic_id]
        return topic_id if above is None else end_of(above)

    for number, (deed, which, more) in enumerate(done):
        topic_id = ids[which]
        if deed == "append":
            topics.append(topic_id, more, number)
            written[end_of(topic_id)].append((more, number))
        elif deed == "merge" and end_of(topic_id) != end_of(ids[more]):
            one, other = end_of(topic_id), end_of(ids[more])
            topics.change(other, title=topics.read(one)["title"])
            topics.reason(scope)
            for each in (one, other):
                found = topics.read(each)["id"]
                into[each] = None if found == each else found
                merges += [each] if found != each else []
        elif deed == "unmerge" and into[topic_id] is not None:
            newest = [each for each in merges if into[topic_id] in (each, into[each])][-1]
            if newest != topic_id:
                assert topics.refusal("POST", f"topics/{topic_id}/unmerge", {})[0] == 409
                continue
            unmerge(topics, topic_id)
            merges.remove(topic_id)
            topics.change(topic_id, title=f"{TITLES[which]} {number}")
            into[topic_id] = None
        topics.api.functions.clock.advance(SECOND)

    for end in {end_of(each) for each in ids}:
        inside = [each for each in ids if end_of(each) == end]
        told = sorted(one for each in inside for one in written[each])
        shown = topics.read(end)
        assert set(shown["absorbed"]) == set(inside) - {end}
        assert shown["fields"].keys() == {name for name, _ in told}
        for name in shown["fields"]:
            assert topics.values(end, name) == [value for each, value in told if each == name][::-1]
