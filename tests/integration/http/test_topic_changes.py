"""What each edit of a topic does over HTTP: what is so then, what is told, what is refused."""

from typing import Any

import pytest

from tests.worlds.topic_client import DAY_S, Topics, field

SERVERS_OWN = "01234567-89ab-8def-8123-456789abcdef"
NO_SCOPE = "the key does not cover this scope"
ABOVE = "the key's highest sensitivity is below the record's"
UNSCOPED = "writing an unscoped record needs a key for all scopes"


# --- topics -------------------------------------------------------------------------------------


def test_a_topic_is_made_as_it_was_asked_for(topics: Topics) -> None:
    made = topics.make("Ada", summary="a pilot", topic_kind="person", salience=2.5)
    untitled = topics.make("  ", topic_id="")

    shown = topics.read(made)
    assert (shown["title"], shown["summary"], shown["topic_kind"]) == ("Ada", "a pilot", "person")
    assert (shown["scope"], shown["sensitivity"], shown["archived"]) == ("", "low", False)
    assert shown["salience"] == pytest.approx(2.5, rel=1e-3)
    assert topics.kinds(made) == ["created"]
    assert topics.read(untitled)["title"] == "untitled"


def test_the_id_of_another_topic_is_refused_whoever_may_see_that(topics: Topics) -> None:
    topics.make(topic_id="ada", scope="other", sensitivity="hyper")

    replies = [topics.of("own").call("POST", "topics", {"topic_id": "ada"})]
    topics.delete("ada")
    replies.append(topics.call("POST", "topics", {"topic_id": "ada"}))

    told = [(each.status, each.body["detail"]) for each in replies]
    assert told == [(409, "topic already exists")] * 2


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("topics", {"topic_id": SERVERS_OWN}, "topic_id"),
        ("topics", {"topic_id": "a b"}, "topic_id"),
        ("topics", {"topic_id": ".."}, "topic_id"),
        ("topics", {"title": 5}, "title"),
        ("topics", {"title": "x" * 1_001}, "title"),
        ("topics", {"salience": -1}, "salience"),
        ("topics", {"salience": "2"}, "salience"),
        ("topics", {"topic_kind": "x" * 257}, "topic_kind"),
        ("topics/ada/fields", {"field_name": " "}, "field_name"),
        ("topics/ada/fields", {"field_name": "a\x1fb"}, "field_name"),
        ("topics/ada/fields", {"field_name": "x" * 257}, "field_name"),
        ("topics/ada/fields", {"field_name": "a", "max_history": 10_001}, "max_history"),
        ("topics/ada/fields", {"field_name": "a", "valid_from": "yesterday"}, "valid_from"),
        ("topics/ada/fields", {"field_name": "a", "value": {"$upload": "x"}}, "value"),
        ("topics/ada/relationships", {"to_topic_id": "ada", "kind": "x" * 257}, "kind"),
        ("topics", {"titel": "Ada"}, "titel"),
        ("topics/ada/fields", {"value": "x"}, "field_name"),
        ("topics/ada/fields", {"field_name": "a", "field_type": "number"}, "field_type"),
        ("topics/ada/relationships", {"kind": "knows"}, "to_topic_id"),
        ("topics/ada/nest-fields", {"nest_key": "k", "field_names": "a"}, "field_names"),
        ("PATCH topics/ada", {"archived": "yes"}, "archived"),
        ("PATCH topics/ada", {"scope": "other"}, "scope"),
        ("DELETE topics/ada/relationships?kind=knows", None, "to_topic_id"),
        ("DELETE topics/ada/relationships?kind=a", {"kind": "b"}, "kind"),
        ("PUT topics/ada/fields/a/ref", {"ref_topic_id": 5}, "ref_topic_id"),
        ("PUT topics/ada/fields/a/ref", {"id": "other"}, "id"),
        ("PUT topics/ada/fields/a/ref", {"name": "other"}, "name"),
        ("GET topics/ada/fields/a?with_history=1", None, "with_history"),
        ("GET topics/ada/fields/a?archived=true&archived=true", None, "archived"),
        ("GET topics/ada/fields/a?archived=", None, "archived"),
        ("GET topics/ada/fields/a?depth=1", None, "unknown query parameter"),
        *((f"GET graph?{each}", None, each[:5]) for each in ("limit=-1", "limit=1e3", "depth=1.0")),
    ],
)
def test_what_is_not_well_formed_is_named(
    topics: Topics, path: str, body: dict[str, Any] | None, named: str
) -> None:
    topics.make(topic_id="ada")

    method, _, place = path.rpartition(" ")
    reply = topics.call(method or "POST", place, body)

    assert reply.status == 400
    told = [each["field"] for each in reply.body.get("errors", ())]
    assert named in (told or reply.body["detail"])


def test_a_topic_is_written_only_where_the_key_may(topics: Topics) -> None:
    alpha, beta = topics.of("alpha"), topics.of("beta")
    own, everyones = alpha.make(), topics.make()

    assert topics.read(own)["scope"] == "alpha"
    assert alpha.refusal("POST", "topics", {"scope": "beta"}) == (403, NO_SCOPE)
    assert alpha.refusal("POST", "topics", {"sensitivity": "high"}) == (403, ABOVE)
    assert alpha.refusal("PATCH", f"topics/{own}", {"sensitivity": "high"}) == (403, ABOVE)
    for method, body in (("PATCH", {"title": "Bob"}), ("DELETE", None)):
        assert beta.refusal(method, f"topics/{own}", body) == (404, "topic not found")
        assert alpha.refusal(method, f"topics/{everyones}", body) == (403, UNSCOPED)
    erasing = ("DELETE", f"topics/{everyones}?erase=true")
    assert alpha.refusal(*erasing) == (403, UNSCOPED)


def test_what_is_left_out_or_null_stays_and_an_empty_text_clears(topics: Topics) -> None:
    made = topics.make("Ada", summary="a pilot", topic_kind="person")

    topics.change(made, title="Ada L.", summary=None)
    renamed = topics.read(made)
    topics.change(made, title="", summary="", topic_kind="")
    cleared = topics.read(made)

    names = ("title", "summary", "topic_kind")
    assert [renamed[name] for name in names] == ["Ada L.", "a pilot", "person"]
    assert [cleared[name] for name in names] == ["untitled", "", ""]


def test_the_trail_names_what_changed_and_who_changed_it_but_no_value(topics: Topics) -> None:
    made = topics.make()

    topics.change(made, title="Ada L.", summary="secret", salience=3.0)

    event = topics.last(made)
    assert (event["kind"], event["detail"]) == (
        "meta",
        {"changed": ["salience", "summary", "title"]},
    )
    with topics.unchanged():
        topics.change(made, title="Ada L.", archived=False)


def test_a_salience_that_is_given_holds_from_then_on(topics: Topics) -> None:
    topics.freeze()
    made = topics.make()
    topics.wait(30 * DAY_S)
    topics.change(made, salience=4.0)
    given = topics.read(made)["salience"]
    topics.wait(30 * DAY_S)

    assert (given, topics.read(made)["salience"]) == (pytest.approx(4.0), pytest.approx(2.0))


def test_what_was_archived_is_taken_up_as_salient_as_a_new_one(topics: Topics) -> None:
    topics.freeze()
    fresh, given = topics.make(), topics.make("Bob")
    for each in (fresh, given):
        topics.change(each, archived=True)
    topics.wait(365 * DAY_S)

    topics.change(fresh, archived=False)
    topics.change(given, archived=False, salience=0.2)

    assert topics.kinds(fresh) == ["created", "archived", "revived"]
    saliences = [topics.read(each)["salience"] for each in (fresh, given)]
    assert saliences == [pytest.approx(1.0), pytest.approx(0.2)]


def test_a_sensitivity_is_raised_by_anybody_and_lowered_by_administrators(topics: Topics) -> None:
    reviser = topics.of("*", ceiling="hyper", permissions=("read", "revise"))
    made = topics.make()

    reviser.change(made, sensitivity="high")

    words = "lowering a topic's sensitivity needs the permission admin"
    assert reviser.refusal("PATCH", f"topics/{made}", {"sensitivity": "low"}) == (403, words)
    topics.change(made, sensitivity="low")
    assert topics.read(made)["sensitivity"] == "low"


@pytest.mark.parametrize("archived", [False, True])
def test_a_deleted_topic_is_absent_until_it_is_restored_as_it_was(
    topics: Topics, *, archived: bool
) -> None:
    topics.freeze()
    made = topics.make(fields={"city": "Paris"})
    topics.change(made, archived=archived)
    before = topics.read(made)
    topics.delete(made)

    for method, path, body in (
        ("DELETE", "", None),
        ("PATCH", "", {"title": "Bob"}),
        ("POST", "/fields", {"field_name": "city", "value": "Rome"}),
    ):
        assert topics.refusal(method, f"topics/{made}{path}", body) == (404, "topic not found")
    assert topics.do("POST", f"topics/{made}/restore", {}) == {"topic_id": made}

    after = topics.read(made)
    assert (after["archived"], after["fields"]) == (archived, before["fields"])
    assert topics.kinds(made)[-2:] == ["deleted", "restored"]
    path = f"topics/{made}/restore"
    assert topics.refusal("POST", path, {}) == (409, "the topic is not deleted")


def test_of_what_is_erased_nothing_is_left_in_the_topics_around_it(topics: Topics) -> None:
    erased, other = topics.make("Dusk", {"city": "Planted"}), topics.make("Ada")
    topics.relate(other, "longs for", erased)
    topics.point(other, "goal", erased)

    topics.delete(erased, erase=True)

    stored = repr(topics.api.stored())
    assert not [word for word in ("Dusk", "Planted", "longs for") if word in stored]
    assert topics.read(other)["fields"]["goal"]["ref_topic_id"] is None
    assert topics.graph(topic_id=other)["edges"] == []
    assert topics.refusal("DELETE", f"topics/{erased}") == (404, "topic not found")
    words = "the topic was erased; nothing is left to restore"
    assert topics.refusal("POST", f"topics/{erased}/restore", {}) == (409, words)
    assert topics.refusal("POST", "topics", {"topic_id": erased})[0] == 409
    assert topics.do("DELETE", f"topics/{erased}?erase=true") == {"deleted": erased}
    assert topics.refusal("DELETE", "topics/never?erase=true") == (404, "topic not found")


# --- fields -------------------------------------------------------------------------------------


def test_a_revision_says_all_that_was_said_of_it(topics: Topics) -> None:
    made = topics.make()
    said = {"why_changed": "she moved", "impact_expected": "none", "provenance": "llm"}

    version = topics.append(made, "city", "Paris", valid_from="2020-01-01T00:00:00Z", **said)
    topics.append(made, "empty", "")

    (revision,) = topics.field(made, "city")["history"]
    assert revision.items() >= {"id": version, "valid_from": "2020-01-01T00:00:00Z", **said}.items()
    event = topics.read(made)["topic_history"][1]
    assert (event["kind"], event["detail"], event["why"]) == (
        "fields",
        {"fields": ["city"]},
        "she moved",
    )
    assert topics.field(made, "empty")["history"][0]["provenance"] == "ui"


def test_a_field_keeps_its_type_unless_another_is_given_and_takes_null(topics: Topics) -> None:
    made = topics.make(fields={"age": 36})
    asked = ("POST", f"topics/{made}/fields", {"field_name": "age", "value": "old"})

    topics.append(made, "age", None)
    refused = topics.refusal(*asked)
    topics.append(made, "age", "old", field_type="string")

    assert refused == (400, "fields.0.value is not of the field's type, int")
    assert topics.field(made, "age")["field_type"] == "string"
    assert topics.values(made, "age") == ["old", None, 36]


TYPES: list[tuple[str, Any]] = [
    *(("string", 1), ("int", "1"), ("int", True), ("int", 1.5), ("float", "1"), ("bool", 1)),
    *(("date", "2026-02-30"), ("date", "2026-2-3"), ("datetime", "2026-02-03"), ("list", {})),
]


def test_a_field_has_the_type_of_its_first_value_and_values_of_no_other(topics: Topics) -> None:
    firsts: dict[str, Any] = {
        "string": "x",
        "bool": True,
        "int": 1,
        "float": 1.5,
        "list": [],
        "json": {},
    }
    made = topics.make(fields=firsts)
    topics.append(made, "later", None)
    topics.append(made, "later", 7)

    types = {name: each["field_type"] for name, each in topics.read(made)["fields"].items()}
    assert types == {**{each: each for each in firsts}, "later": "int"}
    for kind, value in TYPES:
        body = {"field_name": "new", "value": value, "field_type": kind}
        words = f"fields.0.value is not of the field's type, {kind}"
        reply = topics.call("POST", f"topics/{made}/fields", body)
        assert (reply.status, reply.body["detail"]) == (400, words)


def test_what_is_told_of_an_earlier_time_goes_behind_and_changes_no_type(topics: Topics) -> None:
    made = topics.make(fields={"n": 1, "gone": 1})
    topics.delete(made, name="gone")
    early = {"field_type": "string", "valid_from": "2020-01-01T00:00:00Z"}

    for name in ("n", "gone"):
        topics.append(made, name, "x", **early)

    shown = topics.read(made)["fields"]
    assert (shown["n"]["field_type"], topics.values(made, "n")) == ("int", [1, "x"])
    assert (shown["gone"]["field_type"], topics.values(made, "gone")) == ("string", ["x"])
    later = {"field_name": "n", "value": 2, "valid_from": "2999-01-01T00:00:00Z"}
    words = "fields.0.valid_from must not be in the future"
    assert topics.refusal("POST", f"topics/{made}/fields", later) == (400, words)


def test_a_clock_that_goes_back_hides_no_write(topics: Topics) -> None:
    topics.freeze()
    made = topics.make(fields={"a": 1})
    topics.api.functions.clock.set_to(topics.api.functions.clock.now().replace(year=2025))

    topics.append(made, "a", 2)

    assert topics.values(made, "a") == [2, 1]


def test_a_reference_is_kept_cleared_or_set_as_the_request_says(topics: Topics) -> None:
    city, made, refs = topics.make("Paris"), topics.make(), []

    for more in ({"ref_topic_id": city}, {}, {"ref_topic_id": None}, {"ref_topic_id": ""}):
        topics.append(made, "home", "there", **more)
        refs.append(topics.field(made, "home")["ref_topic_id"])

    assert refs == [city, city, None, None]


def test_a_reference_to_what_may_not_be_seen_refuses_the_write(topics: Topics) -> None:
    alpha, betas = topics.of("alpha"), topics.of("beta").make("Bob")
    path = f"topics/{alpha.make()}/fields"

    for nothing in (betas, "no"):
        words = f"ref_topic_id not found: {nothing}"
        body = {"ref_topic_id": nothing}
        assert alpha.refusal("POST", path, {"field_name": "home", **body}) == (400, words)
        assert alpha.refusal("PUT", f"{path}/home/ref", body) == (400, words)


def test_a_field_is_pointed_at_a_topic_and_at_none_with_or_without_a_value(topics: Topics) -> None:
    city, made = topics.make("Paris"), topics.make(fields={"home": "there", "gone": "x"})
    topics.delete(made, name="gone")

    for at in (city, city, None):
        topics.point(made, "home", at)
    for name in ("gone", "work"):
        topics.point(made, name, city)

    shown = topics.read(made)
    events = [each["detail"] for each in shown["topic_history"] if each["kind"] == "ref"]
    assert events[:2] == [
        {"field": "home", "ref_topic_id": city},
        {"field": "home", "ref_topic_id": None, "former_topic_id": city},
    ]
    assert topics.values(made, "home") == ["there"]
    for name in ("gone", "work"):
        assert (shown["fields"][name]["ref_topic_id"], shown["fields"][name]["history"]) == (
            city,
            [],
        )
    asked = ("PUT", f"topics/{made}/fields/no/ref", {"ref_topic_id": None})
    assert topics.refusal(*asked) == (404, "field not found")


@pytest.mark.parametrize("name", ["a/b", "a b", "größe", "a%2Fb", "?&#+", "x" * 256, "__proto__"])
def test_a_field_and_a_link_may_have_any_name(topics: Topics, name: str) -> None:
    ada, bob = topics.make(fields={name: "x"}), topics.make("Bob")

    topics.point(ada, name, bob)
    pointed = topics.field(ada, name)["ref_topic_id"]
    topics.delete(ada, name=name)
    topics.relate(ada, name, bob)
    topics.part(ada, name, bob)

    assert (pointed, topics.read(ada)["fields"]) == (bob, {})
    assert topics.kinds(ada)[-2:] == ["edge_added", "edge_removed"]


def test_a_repeated_edit_is_known_by_its_key(topics: Topics) -> None:
    made = topics.make()
    path, body = f"topics/{made}/fields", {"field_name": "city", "value": "Paris"}

    first, again = (topics.call("POST", path, {**body, "idempotency_key": "k"}) for _ in range(2))
    other = topics.call("POST", path, {**body, "value": "Rome", "idempotency_key": "k"})

    assert (first.body, again.headers["idempotency-replayed"]) == (again.body, "true")
    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert topics.values(made, "city") == ["Paris"]


def test_writing_to_an_archived_topic_takes_it_up_again(topics: Topics) -> None:
    written, told = topics.make(fields={"city": "Paris"}), topics.make("Bob")
    for each in (written, told):
        topics.change(each, archived=True)

    topics.append(written, "city", "Rome")
    topics.tell(field("a", 1), title="Bob")

    assert not topics.read(told)["archived"]
    assert topics.kinds(written)[-2:] == ["revived", "fields"]


def test_a_deleted_field_is_gone_until_it_is_written_to_anew(topics: Topics) -> None:
    made = topics.make(fields={"pet": 3})
    topics.delete(made, name="pet")
    event = topics.last(made)
    path = f"topics/{made}/fields/pet"
    refused = [topics.refusal(method, path) for method in ("DELETE", "GET")]

    topics.append(made, "pet", "a dog")

    assert (event["kind"], event["detail"]) == ("field_deleted", {"fields": ["pet"]})
    assert refused == [(404, "field not found")] * 2
    assert topics.field(made, "pet")["field_type"] == "string"
    assert topics.values(made, "pet") == ["a dog", 3]


def test_the_values_of_a_topic_have_so_much_room_and_large_values_take_none(topics: Topics) -> None:
    almost = "x" * 100_000
    made = topics.tell(*(field(f"{n}", almost) for n in range(41)), placement="new_topic")
    path, more = f"topics/{made['topic_id']}/fields", {"field_name": "more", "value": almost}

    refused = topics.call("POST", path, more)
    topics.append(made["topic_id"], "large", "x" * 200_000)
    topics.append(made["topic_id"], "0", "")
    topics.do("POST", path, more)

    assert refused.status == 413
    assert "are 4194304 bytes at most" in refused.body["detail"]


# --- links --------------------------------------------------------------------------------------


def test_a_link_has_a_kind_and_a_direction_and_is_there_once(topics: Topics) -> None:
    ada, bob = topics.make("Ada"), topics.make("Bob")

    for ends in ((ada, bob, "knows"), (ada, bob, ""), (bob, ada, "knows"), (ada, ada, "knows")):
        for _ in range(2):
            topics.relate(ends[0], ends[2], ends[1])

    edges = topics.graph(topic_id=ada)["edges"]
    assert len(edges) == 4
    assert topics.kinds(ada) == ["created", *["edge_added"] * 3]
    detail = topics.read(ada)["topic_history"][1]["detail"]
    assert detail == {"to_topic_id": bob, "kind": "knows"}


def test_only_a_link_between_what_the_key_sees_is_made_or_removed(topics: Topics) -> None:
    alpha, betas, gone = topics.of("alpha"), topics.of("beta").make("Bob"), topics.make("Carl")
    own, other = alpha.make(), alpha.make("Eve")
    topics.delete(gone)

    for hidden in (betas, gone, "no"):
        for one, end in ((own, hidden), (hidden, own)):
            path, query = f"topics/{one}/relationships", f"to_topic_id={end}&kind=knows"
            body = {"to_topic_id": end, "kind": "knows"}
            assert alpha.refusal("POST", path, body) == (404, "topic not found")
            assert alpha.refusal("DELETE", f"{path}?{query}") == (404, "topic not found")
    query = f"to_topic_id={other}&kind=likes"
    alpha.relate(own, "knows", other)
    refused = alpha.refusal("DELETE", f"topics/{own}/relationships?{query}")
    assert refused == (404, "relationship not found")


def test_a_link_to_what_was_merged_is_one_to_what_it_is_now(topics: Topics) -> None:
    ada, bob, robert = topics.make("Ada"), topics.make("Bob", {"a": 1}), topics.make("Bob")
    topics.relate(ada, "knows", bob)
    topics.reason()
    assert topics.read(robert)["id"] == bob

    topics.relate(ada, "knows", robert)
    topics.relate(ada, "likes", robert)
    edges = topics.graph(topic_id=ada)["edges"]
    topics.part(ada, "knows", robert)

    assert [(each["to"], each["kind"]) for each in edges] == [(bob, "knows"), (bob, "likes")]
    assert [each["kind"] for each in topics.graph(topic_id=ada)["edges"]] == ["likes"]
