"""Writing to a field, deleting one, pointing one at a topic."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import ValidationError

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.requests.editing import (
    AppendField,
    ChangeTopic,
    CreateTopic,
    DeleteField,
    NestFields,
    SetFieldRef,
)
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.requests import ALPHA, BETA
from tests.builders.topic_editors import (
    append,
    ask,
    happened,
    history,
    made,
    refused,
    standing,
)
from tests.fakes.topics import FakeTopics


def test_a_revision_says_all_that_was_said_of_it(services: TopicServices) -> None:
    topic_id = made(services)

    version_id = append(
        services,
        topic_id,
        "city",
        "Paris",
        why_changed="she moved",
        impact_expected="none",
        provenance="llm",
        valid_from="2020-01-01T00:00:00Z",
    )

    revision = standing(services, topic_id).fields["city"].current
    assert revision is not None
    assert (revision.id, revision.value, revision.principal) == (version_id, "Paris", "owner")
    assert (revision.why_changed, revision.impact_expected) == ("she moved", "none")
    assert (revision.provenance, revision.valid_from) == ("llm", "2020-01-01T00:00:00Z")
    event = standing(services, topic_id).trail[-1]
    assert (event.kind, event.detail, event.why) == ("fields", {"fields": ["city"]}, "she moved")


def test_what_is_not_said_is_as_in_the_peer(services: TopicServices) -> None:
    topic_id = made(services)

    ask(AppendField(id=topic_id, field_name="city"), services)

    field = standing(services, topic_id).fields["city"]
    assert field.current is not None
    assert (field.current.value, field.current.provenance) == ("", "ui")
    assert (field.type, field.ref_topic_id) == (FieldType.STRING, None)


def test_a_null_is_a_value(services: TopicServices) -> None:
    topic_id = made(services, age=36)

    append(services, topic_id, "age", None)

    assert history(services, topic_id, "age") == [None, 36]
    assert standing(services, topic_id).fields["age"].type is FieldType.INT


def test_an_appended_field_keeps_its_type_and_its_values_are_checked(
    services: TopicServices,
) -> None:
    topic_id = made(services, age=36)

    with pytest.raises(InvalidArgument, match="int"):
        append(services, topic_id, "age", "old")
    append(services, topic_id, "age", "old", field_type="string")

    assert standing(services, topic_id).fields["age"].type is FieldType.STRING
    assert history(services, topic_id, "age") == ["old", 36]


def test_a_small_max_history_destroys_nothing(services: TopicServices) -> None:
    topic_id = made(services)

    for value in range(5):
        append(services, topic_id, "count", value, max_history=1)

    assert history(services, topic_id, "count") == [4, 3, 2, 1, 0]


def test_a_reference_is_kept_cleared_or_set_as_the_request_says(services: TopicServices) -> None:
    city, topic_id = made(services, "Paris"), made(services)
    refs = []

    for more in (
        {"ref_topic_id": city},
        {},
        {"ref_topic_id": None},
        {"ref_topic_id": city},
        {"ref_topic_id": ""},
    ):
        append(services, topic_id, "home", "there", **more)
        refs.append(standing(services, topic_id).fields["home"].ref_topic_id)

    assert refs == [city, city, None, city, None]


def test_a_reference_to_nothing_refuses_the_write(services: TopicServices) -> None:
    betas = ask(CreateTopic(title="Bob"), services, BETA)["topic_id"]
    alphas = ask(CreateTopic(title="Ada"), services, ALPHA)["topic_id"]

    for nothing in (betas, "no"):
        for asked in (
            AppendField(id=alphas, field_name="home", ref_topic_id=nothing),
            SetFieldRef(id=alphas, name="home", ref_topic_id=nothing),
        ):
            with refused(services, InvalidArgument, f"ref_topic_id not found: {nothing}"):
                ask(asked, services, ALPHA)


def test_a_large_value_goes_to_the_bucket(services: TopicServices, topics: FakeTopics) -> None:
    topic_id = made(services)

    append(services, topic_id, "text", "x" * 200_000)

    (value,) = history(services, topic_id, "text")
    assert isinstance(value, LargeValue)
    assert len(topics.records.values[value]) == 200_002


def test_writing_to_an_archived_topic_takes_it_up_again(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    ask(ChangeTopic(id=topic_id, archived=True), services)

    append(services, topic_id, "city", "Rome")

    assert standing(services, topic_id).status is TopicStatus.ACTIVE
    assert happened(services, topic_id)[-2:] == ["revived", "fields"]


def test_appends_at_once_are_all_kept(services: TopicServices) -> None:
    topic_id = made(services)

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda n: append(services, topic_id, "count", n), range(40)))

    assert len(set(ids)) == 40
    assert sorted(history(services, topic_id, "count")) == list(range(40))


@pytest.mark.parametrize(
    "given",
    [
        {"field_name": ""},
        {"field_name": " "},
        {"field_name": "a\x1fb"},
        {"field_name": "x" * 257},
        {"field_type": "number"},
        {"max_history": 0},
        {"max_history": 10_001},
        {"max_history": "5"},
        {"valid_from": "yesterday"},
        {"value": {"$upload": "x"}},
        {"colour": "red"},
    ],
)
def test_what_is_not_well_formed_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AppendField.model_validate({"id": "ada", "field_name": "city", **given})


def test_a_deleted_field_is_gone_until_it_is_written_to_and_keeps_its_history(
    services: TopicServices,
) -> None:
    topic_id = made(services, pet="a cat")

    assert ask(DeleteField(id=topic_id, name="pet"), services) == {"deleted": "pet"}

    assert standing(services, topic_id).living_fields == {}
    event = standing(services, topic_id).trail[-1]
    assert (event.kind, event.detail) == ("field_deleted", {"fields": ["pet"]})
    append(services, topic_id, "pet", "a dog")
    assert history(services, topic_id, "pet") == ["a dog", "a cat"]


def test_only_what_is_there_is_deleted(services: TopicServices) -> None:
    topic_id = made(services, pet="a cat")

    with refused(services, NotFound, "topic not found"):
        ask(DeleteField(id="no", name="pet"), services)
    with refused(services, NotFound, "field not found"):
        ask(DeleteField(id=topic_id, name="city"), services)
    ask(DeleteField(id=topic_id, name="pet"), services)
    with refused(services, NotFound, "field not found"):
        ask(DeleteField(id=topic_id, name="pet"), services)


def test_a_group_is_deleted_with_its_fields(services: TopicServices) -> None:
    topic_id = made(services, street="Rue A", city="Paris", pet="a cat")
    ask(NestFields(id=topic_id, field_names=("street", "city"), nest_key="address"), services)

    assert ask(DeleteField(id=topic_id, name="address"), services) == {"deleted": "address"}

    topic = standing(services, topic_id)
    assert (set(topic.living_fields), dict(topic.groups)) == ({"pet"}, {})
    append(services, topic_id, "address.city", "Rome")
    assert history(services, topic_id, "address.city") == ["Rome", "Paris"]


def test_a_field_is_pointed_at_a_topic_and_at_none(services: TopicServices) -> None:
    city, topic_id = made(services, "Paris"), made(services, home="there")

    for ref in (city, city, None):
        asked = SetFieldRef(id=topic_id, name="home", ref_topic_id=ref)
        assert ask(asked, services) == {"ok": True}
        assert standing(services, topic_id).fields["home"].ref_topic_id == ref

    events = [each.detail for each in standing(services, topic_id).trail if each.kind == "ref"]
    assert events == [
        {"field": "home", "ref_topic_id": city},
        {"field": "home", "ref_topic_id": None, "former_topic_id": city},
    ]
    assert history(services, topic_id, "home") == ["there"]


def test_a_field_that_is_pointed_at_a_topic_needs_no_value(services: TopicServices) -> None:
    city, topic_id = made(services, "Paris"), made(services, home="there")
    ask(DeleteField(id=topic_id, name="home"), services)

    for name in ("home", "work"):
        ask(SetFieldRef(id=topic_id, name=name, ref_topic_id=city), services)

    topic = standing(services, topic_id)
    assert set(topic.living_fields) == {"home", "work"}
    for field in topic.living_fields.values():
        assert (field.type, field.current, field.ref_topic_id) == (FieldType.STRING, None, city)
    assert len(topic.fields) == 3, "what was deleted keeps its history"


def test_there_is_no_reference_to_clear_where_there_is_no_field(services: TopicServices) -> None:
    topic_id = made(services, street="Rue A")
    ask(NestFields(id=topic_id, field_names=("street",), nest_key="address"), services)

    with refused(services, NotFound, "field not found"):
        ask(SetFieldRef(id=topic_id, name="home"), services)
    with refused(services, NotFound, "topic not found"):
        ask(SetFieldRef(id="no", name="home"), services)
    words = (
        "'address' is a nested field bundle: write to its fields by their whole names, "
        "as in 'address.name'"
    )
    with refused(services, InvalidArgument, words):
        ask(SetFieldRef(id=topic_id, name="address", ref_topic_id=topic_id), services)
