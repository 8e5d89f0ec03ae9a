"""Topics as they are kept, over HTTP: whole, in order, apart, at what cost, and beside damage."""

from functools import partial
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.threads import at_once
from tests.worlds.topic_client import DAY_S, Topics, field, values

FAR = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00.000001Z",
    "0999-12-31T23:59:59Z",
    "1969-12-31T23:59:59.999999Z",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00.000001Z",
    "2026-03-01T09:00:00Z",
    "2026-03-01T09:00:00.1Z",
    "2026-03-01T09:00:00.11Z",
)
"""In order, as a careless key would not have them."""

ODD = ("a#b", "", "日本", "x" * 250, "=", "user:a b", "%2F", "🧠")
"""Texts that a careless key would mix up."""


def test_a_history_is_in_the_order_of_its_instants_to_the_last_digit(topics: Topics) -> None:
    told = [field("n", number, valid_from=at) for number, at in enumerate(FAR)]

    made = topics.tell(*told[5:], *told[:5], title="Ada")["topic_id"]

    assert topics.values(made, "n") == list(range(len(FAR)))[::-1]
    for position, at in enumerate(FAR):
        then = values(topics.field(made, "n", as_of=at))
        assert then == list(range(position + 1))[::-1]


def test_kinds_scopes_and_names_of_any_text_do_not_mix(topics: Topics) -> None:
    ends = [topics.make(f"Topic {n}", scope=scope) for n, scope in enumerate(ODD)]
    for kind in ODD:
        topics.relate(ends[0], kind, ends[1])
    fields = [field(f"f{name}", name) for name in ODD]
    told = topics.tell(*fields, topic_id=ends[2], scope=ODD[2])

    assert [topics.listed(scope=scope) for scope in ODD if scope] == [
        [end] for end, scope in zip(ends, ODD, strict=True) if scope
    ]
    edges = topics.graph(topic_id=ends[1])["edges"]
    assert sorted(each["kind"] for each in edges) == sorted(ODD)
    assert len(told["applied"]) == len(ODD)
    shown = topics.read(ends[2])["fields"]
    assert {name: values(each) for name, each in shown.items()} == {f"f{n}": [n] for n in ODD}


@pytest.mark.parametrize(
    "value",
    [
        {"$blob": 1, "large": {"of": "record-1", "sha256": "0" * 64, "size": 9}},
        {"value": 1},
        "é日🧠" * 20_000,
        ["x" * 150_000, {"deep": [[[None, True, 0.1]]]}],
        None,
        "",
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_value_comes_back_as_it_was_sent(topics: Topics, value: Any) -> None:
    made = topics.make(fields={"v": value}, summary="s" * 90_000)

    assert topics.values(made, "v") == [value]
    assert topics.read(made)["summary"] == "s" * 90_000


def test_every_event_of_a_long_life_is_kept(topics: Topics) -> None:
    made = topics.make()
    for number in range(40):
        topics.append(made, f"f{number}", number)

    trail = topics.read(made)["topic_history"]

    told = [each["detail"]["fields"] for each in trail if each["kind"] == "fields"]
    assert told == [[f"f{number}"] for number in range(40)]


def test_of_two_long_changes_at_once_each_is_whole(topics: Topics) -> None:
    made, friend = topics.make("Ada"), topics.make("Bob")

    def change(number: int) -> int:
        fields = [field(f"f{each}", number) for each in range(120)]
        edges = [{"to_topic_id": friend, "kind": f"k{each}"} for each in range(50)]
        body = {"topic_id": made, "fields": fields, "edges": edges}
        return topics.call("POST", "ingest", body).status

    def look() -> int:
        shown = topics.read(made)["fields"]
        assert len(shown) in (0, 120)
        assert len({repr(values(each)) for each in shown.values()}) <= 1
        return 200

    replies = at_once([partial(change, 1), partial(look), partial(change, 2), partial(look)])

    assert set(replies) <= {200, 409}
    shown = topics.read(made)["fields"]
    assert len({repr(values(each)) for each in shown.values()}) == 1
    assert len(topics.graph(topic_id=made)["edges"]) in (0, 50)


def test_what_histories_name_is_never_collected(tuned: Topics) -> None:
    made = tuned.make()
    for number in range(8):
        tuned.append(made, "log", f"{number}" * 150_000)
    tuned.delete(tuned.make("Gone", {"log": "g" * 150_000}), erase=True)
    tuned.wait(3 * DAY_S)

    for _ in range(2):
        tuned.api.invoke("CollectBlobsFunction", {})

    assert [each[:1] for each in tuned.values(made, "log")] == [f"{n}" for n in range(7, -1, -1)]


# --- costs --------------------------------------------------------------------------------------


def cost_of(topics: Topics, spent: Cost, method: str, path: str, body: Any = None) -> Cost:
    """What a request costs, once what is kept in memory is warm."""
    topics.call(method, path, body)
    topics.settle()
    return spent_by(partial(topics.call, method, path, body), spent)


QUERIES: dict[str, dict[str, Any]] = {
    "semantic": {"q": "lighthouse"},
    "named": {"q": "lighthouse", "topic_ids": ["own-1", "own-2"]},
    "by salience": {"q": "", "stages": ["structural", "temporal"]},
    "explained": {"q": "lighthouse", "explain": True},
}


def test_a_query_costs_the_same_however_many_topics_there_are_elsewhere(topics: Topics) -> None:
    own, spent = topics.of("own"), meter(topics.api.functions.store.dynamodb)
    quiet = {"reinforce": False}

    def costs() -> dict[str, Cost]:
        return {
            kind: cost_of(own, spent, "POST", "query", {**asked, **quiet})
            for kind, asked in QUERIES.items()
        }

    for number in range(8):
        topics.make(
            f"Lighthouse number {number}", {"keeper": "Ada"}, topic_id=f"own-{number}", scope="own"
        )
    topics.settle()
    before = costs()
    for number in range(12):
        topics.make(f"Lighthouse number {number}", scope=f"other-{number % 3}")
    topics.settle()
    elsewhere = costs()
    for number in range(8, 20):
        topics.make(f"Lighthouse number {number}", topic_id=f"own-{number}", scope="own")
    topics.settle()
    more = costs()

    assert elsewhere == before
    for kind in ("semantic", "named", "explained"):
        assert more[kind].requests == before[kind].requests


def test_a_hidden_topic_costs_what_an_absent_one_costs(topics: Topics) -> None:
    low, spent = topics.of("a", ceiling="low"), meter(topics.api.functions.store.dynamodb)
    topics.make(topic_id="above", scope="a", sensitivity="high", summary="s" * 90_000)
    topics.make(topic_id="elsewhere", scope="b", summary="s" * 90_000)

    paths = [f"topics/{each}" for each in ("absent", "above", "elsewhere")]
    absent, above, elsewhere = (cost_of(low, spent, "GET", path) for path in paths)

    assert absent == above == elsewhere


def test_a_list_a_namesake_and_a_parting_take_few_requests(topics: Topics) -> None:
    spent = meter(topics.api.functions.store.dynamodb)
    for number in range(10):
        topics.make(f"Topic {number}")
    topics.wait(3_600)
    listing = cost_of(topics, spent, "GET", "topics")

    def parting(number: int) -> int:
        """The requests that it takes to part two topics of so many fields."""
        fields = [field(f"field {each}", number) for each in range(number)]
        keeper, alias = (
            topics.tell(*fields, *more, placement="new_topic", title=f"Twins {number}")["topic_id"]
            for more in ([field("more", 1)], [])
        )
        topics.reason()
        assert topics.read(alias)["id"] == keeper
        topics.settle()
        return spent_by(partial(topics.do, "POST", f"topics/{alias}/unmerge", {}), spent).requests

    few, many = parting(20), parting(220)

    assert listing.requests <= 6
    assert many - few <= 200 / 100 + 2


# --- damage -------------------------------------------------------------------------------------


def damage(topics: Topics, partition: str, place: str, /, **attributes: Any) -> None:
    """Make attributes of an item no texts of ours."""
    (item,) = (
        item
        for item in topics.api.stored().values()
        if item["pk"]["S"] == partition and item["sk"]["S"].startswith(place)
    )
    topics.api.functions.store.dynamodb.put_item(TableName=TABLE, Item={**item, **attributes})


def test_a_damaged_topic_keeps_back_no_other(topics: Topics) -> None:
    made = [topics.make(title) for title in ("Ada", "Ada", "ada", "Bob", "bob")]
    old = topics.make("Old", scope="b")
    broken = topics.make("Broken", scope="b")
    topics.settle()
    for each in (made[0], broken):
        damage(topics, f"topic#{each}", "topic", document={"S": "{"})

    plan = topics.reason(dry_run=True)
    done = topics.reason()
    topics.wait(365 * DAY_S)
    topics.schedule()

    assert (plan["planned"], plan["complete"]) == (2, True)
    assert len(topics.actions()) >= len(done["actions"]) == 2
    assert len({topics.read(each)["id"] for each in made[1:3]}) == 1
    assert len({topics.read(each)["id"] for each in made[3:]}) == 1
    assert topics.read(old)["archived"]
    assert topics.call("GET", f"topics/{made[0]}").status == 500


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("topic", {"version": {"S": "one"}}),
        ("topic", {"sensitivity": {"S": "secret"}}),
        ("topic", {"document": {"S": '{"title": "a"}'}}),
        ("topic", {"document": {"M": {"sha256": {"S": "0" * 64}}}}),
        ("topic", {"trail": {"S": '[{"who": "me"}]'}}),
        ("rev#", {"document": {"S": "[]"}}),
        ("rev#", {"mark": {"S": "gone"}}),
        ("out#", {"kind": {"N": "1"}}),
        ("access", {"document": {"S": '{"topic": 1}'}}),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_is_damaged_is_an_error_and_never_another_answer(
    topics: Topics, kind: str, attributes: dict[str, Any]
) -> None:
    made, other = topics.make(), topics.make("Bob")
    topics.tell(field("a", 1), field("a", 2), topic_id=made)
    topics.relate(made, "knows", other)
    topics.do("POST", "query", {"q": "", "topic_ids": [made]})
    topics.settle()
    first = topics.api.stored()
    revisions = [each for each in first if each.startswith(f"topic#{made} rev#")]
    if kind == "rev#":
        kind = revisions[0].partition(" ")[2]

    damage(topics, f"topic#{made}", kind, **attributes)

    path = f"graph?topic_id={made}" if kind == "out#" else f"topics/{made}"
    assert topics.call("GET", path).status == 500
    assert topics.read(other)["title"] == "Bob"
