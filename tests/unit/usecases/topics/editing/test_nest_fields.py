"""Nested field bundles: fields shown as one, which stay fields."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.topics.nesting import Container, shown_fields
from membrane.domain.topics.requests.editing import (
    DeleteField,
    NestFields,
    SetFieldRef,
    UnnestFields,
)
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.topic_editors import (
    append,
    ask,
    happened,
    history,
    made,
    refused,
    standing,
)
from tests.fakes.topic_world import topical


def nest(topic_id: str, *names: str, key: str = "address") -> NestFields:
    return NestFields(id=topic_id, field_names=names, nest_key=key)


def unnest(topic_id: str, key: str = "address") -> UnnestFields:
    return UnnestFields(id=topic_id, nest_key=key)


def shown(services: TopicServices, topic_id: str) -> dict[str, Any]:
    """By name the current values, those of containers as objects."""
    return {
        name: {inner: _value(field) for inner, field in each.fields.items()}
        if isinstance(each, Container)
        else _value(each)
        for name, each in shown_fields(standing(services, topic_id), detached=True).items()
    }


def _value(field: Any) -> Any:
    return None if field.current is None else field.current.value


def test_fields_are_shown_as_one_and_by_themselves_again(services: TopicServices) -> None:
    topic_id = made(services, street="Rue A", city="Paris", pet="a cat")

    assert ask(nest(topic_id, " street ", "", "city", "street", key=" address "), services) == {
        "ok": True,
        "topic_id": topic_id,
        "nest_key": "address",
        "moved_fields": ["street", "city"],
    }
    assert shown(services, topic_id) == {
        "address": {"city": "Paris", "street": "Rue A"},
        "pet": "a cat",
    }
    assert ask(unnest(topic_id), services) == {
        "ok": True,
        "topic_id": topic_id,
        "nest_key": "address",
        "restored_fields": ["city", "street"],
    }
    assert shown(services, topic_id) == {"city": "Paris", "pet": "a cat", "street": "Rue A"}


def test_both_are_audited_and_the_container_says_how_it_came_to_be(
    services: TopicServices,
) -> None:
    topic_id = made(services, city="Paris")

    ask(NestFields(id=topic_id, field_names=("city",), nest_key="g", provenance="llm"), services)
    made_by = standing(services, topic_id).groups["g"].made
    ask(unnest(topic_id, "g"), services)

    assert (made_by.operation, made_by.provenance) == ("nested_fields_in_topic", "llm")
    assert (made_by.why_changed, made_by.principal) == ("grouped fields into g", "owner")
    events = {str(each.kind): each.detail for each in standing(services, topic_id).trail}
    assert events["fields_nested_in_topic"] == {"nest_key": "g", "moved_fields": ["city"]}
    assert events["fields_unnested_from_bundle"] == {"nest_key": "g", "restored_fields": ["city"]}


def test_an_inner_field_is_written_to_in_place(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    ask(nest(topic_id, "city"), services)

    append(services, topic_id, "address.city", "Rome")
    append(services, topic_id, "address.street", "Via A")
    nested = shown(services, topic_id)
    ask(unnest(topic_id), services)

    assert nested == {"address": {"city": "Rome", "street": "Via A"}}
    assert history(services, topic_id, "city") == ["Rome", "Paris"]
    assert history(services, topic_id, "street") == ["Via A"]


def test_the_container_itself_takes_no_value(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    ask(nest(topic_id, "city"), services)

    with refused(
        services,
        InvalidArgument,
        "fields.0.name is a nested field bundle: write to its fields, named <bundle>.<field>",
    ):
        append(services, topic_id, "address", "Rome")


def test_what_cannot_be_nested_is_refused_in_the_peers_words_and_order(
    services: TopicServices,
) -> None:
    topic_id = made(services, street="Rue A", city="Paris")
    append(services, topic_id, "dotted.name", "x")

    for names, key, words in (
        ((), " ", "nest_key required"),
        ((" ", ""), "address", "field_names must name at least one field"),
        (("address", "no"), "address", "nest_key must not be one of the grouped field names"),
        (("no",), "city", "field already exists: city"),
        (("city",), "dotted", "field already exists: dotted.name"),
        (("city", "no"), "address", "field not found: no"),
        (
            ("city",),
            "x" * 252,
            "a nested field's whole name would be longer than 256 characters",
        ),
    ):
        with refused(services, InvalidArgument, words):
            ask(nest(topic_id, *names, key=key), services)
    with refused(services, NotFound, "topic not found"):
        ask(nest("no", "city"), services)


def test_a_bundle_is_not_nested_again(services: TopicServices) -> None:
    topic_id = made(services, street="Rue A", city="Paris")
    ask(nest(topic_id, "street"), services)

    for name, key in (
        ("address", "person"),
        ("address.street", "person"),
        ("city", "address.more"),
    ):
        named = name if key == "person" else key
        words = f"a nested field bundle cannot be nested again: {named}"
        with refused(services, InvalidArgument, words):
            ask(nest(topic_id, name, key=key), services)
    with refused(services, InvalidArgument, "field already exists: address"):
        ask(nest(topic_id, "city"), services)


def test_what_cannot_be_unnested_is_refused_in_the_peers_words_and_order(
    services: TopicServices,
) -> None:
    topic_id = made(services, street="Rue A", city="Paris", pet="a cat")
    ask(nest(topic_id, "street", "city"), services)
    append(services, topic_id, "city", "Rome")

    for key, words in (
        (" ", "nest_key required"),
        ("no", "field not found: no"),
        ("pet", "field 'pet' is not a nested field bundle"),
        (
            "address",
            "cannot restore field 'city': name missing or already exists on topic",
        ),
    ):
        with refused(services, InvalidArgument, words):
            ask(unnest(topic_id, key), services)
    for name in ("address.street", "address.city"):
        ask(DeleteField(id=topic_id, name=name), services)
    with refused(services, InvalidArgument, "nested bundle has no inner fields"):
        ask(unnest(topic_id), services)
    with refused(services, NotFound, "topic not found"):
        ask(unnest("no"), services)


def test_a_deleted_field_makes_way_and_keeps_its_history(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    append(services, topic_id, "address.city", "Oslo")
    ask(DeleteField(id=topic_id, name="address.city"), services)

    ask(nest(topic_id, "city"), services)
    append(services, topic_id, "city", "Rome")
    ask(DeleteField(id=topic_id, name="city"), services)
    ask(unnest(topic_id), services)

    assert shown(services, topic_id) == {"city": "Paris"}
    kept = [history(services, topic_id, name) for name in standing(services, topic_id).fields]
    assert sorted(kept) == [["Oslo"], ["Paris"], ["Rome"]]


def test_a_reference_goes_with_its_field(services: TopicServices) -> None:
    place, topic_id = made(services, "Paris"), made(services, city="Paris")
    ask(nest(topic_id, "city"), services)

    ask(SetFieldRef(id=topic_id, name="address.city", ref_topic_id=place), services)
    ask(unnest(topic_id), services)

    assert standing(services, topic_id).fields["city"].ref_topic_id == place
    assert happened(services, topic_id)[-1] == "fields_unnested_from_bundle"


NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), NAMES),
        st.tuples(st.just("nest"), st.sets(NAMES, min_size=1).map(tuple)),
        st.tuples(st.just("unnest"), st.none()),
    ),
    max_size=12,
)


@given(steps=STEPS)
def test_whatever_is_nested_and_written_meanwhile_all_histories_are_whole(steps: list[Any]) -> None:
    services = topical()
    topic_id = made(services)
    told: dict[str, list[int]] = {}
    grouped: set[str] = set()
    has_group = False

    for number, (step, what) in enumerate(steps):
        if step == "append":
            name = f"g.{what}" if what in grouped else what
            append(services, topic_id, name, number)
            told.setdefault(what, []).insert(0, number)
        elif step == "nest" and not has_group and set(what) <= told.keys():
            ask(nest(topic_id, *what, key="g"), services)
            grouped, has_group = set(what), True
        elif step == "unnest" and has_group:
            ask(unnest(topic_id, "g"), services)
            grouped, has_group = set(), False

    for name, values in told.items():
        whole = f"g.{name}" if name in grouped else name
        assert history(services, topic_id, whole) == values
    assert len(standing(services, topic_id).fields) == len(told)
