"""Telling of a topic without a placement: the service finds where it belongs."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import Aborted, InvalidArgument, PermissionDenied
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.periods import periods_in
from membrane.domain.topics.placing.apply_observation import place_in_topic
from membrane.domain.topics.placing.statements import ObservedFact
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.rendering import searchable_topic
from membrane.domain.topics.requests.editing import ChangeTopic, DeleteTopic
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.placing.place_topic import place_observation
from tests.builders.requests import OWNER
from tests.builders.topic_editors import ask, happened, history, refused, standing
from tests.builders.topic_tellers import answered, field, indexed, tell, told
from tests.fakes.clock import BackOff
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics
from tests.growth import calls
from tests.worlds.threads import at_once

WATCHER = principal_of("watcher", ["ingest"], ["alpha"], "low")


@pytest.fixture
def lenient(topics: FakeTopics, back_off: BackOff) -> TopicServices:
    """A world in which topics are soon alike."""
    return topical(topics=topics, back_off=back_off, topic_policy=TopicPolicy(similarity=0.5))


def test_what_is_first_told_of_becomes_a_topic(services: TopicServices) -> None:
    reply = tell(services, title="Ada", topic_kind="person", fields=[field("city", "Paris")])

    made = reply["topic_id"]
    assert reply["placement"] == {
        "decision": "new_topic",
        "resolved_by": None,
        "score": None,
        "fields": {"city": "new"},
    }
    assert reply["applied"] == [f"created_topic:{made}", "field:city"]


@pytest.mark.parametrize("placement", [{}, {"placement": None}, {"placement": "auto"}])
def test_the_same_title_in_any_spelling_is_the_same_topic(
    services: TopicServices, placement: dict[str, Any]
) -> None:
    made = told(services, field("city", "Paris"), title="Ada Lovelace", topic_kind="person")

    reply = tell(
        services,
        **placement,
        title="  ada  LOVELACE ",
        topic_kind="Person",
        fields=[field("city", "Rome"), field("pet", "a cat")],
    )

    topic = standing(services, made)
    assert reply["topic_id"] == made
    assert (topic.title, topic.kind) == ("Ada Lovelace", "person")
    assert reply["placement"] == {
        "decision": "extend_topic",
        "resolved_by": "title",
        "score": None,
        "fields": {"city": "version", "pet": "new"},
    }


def test_one_field_that_says_otherwise_is_a_version(services: TopicServices) -> None:
    made = told(services, field("city", "Paris"), title="Ada")

    reply = tell(services, title="Ada", fields=[field("city", "Rome")])

    assert (reply["topic_id"], reply["applied"]) == (made, ["version:city"])
    assert reply["placement"]["decision"] == "version_field"
    assert history(services, made, "city") == ["Rome", "Paris"]


def test_what_is_known_already_is_not_written_again(
    services: TopicServices, topics: FakeTopics
) -> None:
    made = told(services, field("city", "Paris"), field("age", 36), title="Ada")
    before = standing(services, made)

    reply = tell(services, title="Ada", fields=[field("city", "Paris"), field("age", 36.0)])

    assert reply["applied"] == ["unchanged:city", "unchanged:age"]
    assert reply["placement"]["fields"] == {"city": "unchanged", "age": "unchanged"}
    assert reply["version_ids"] == {
        name: each.current.id for name, each in before.fields.items() if each.current
    }
    assert standing(services, made) == before
    assert len(topics.changes) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"field_type": "json"},
        {"ref_topic_id": None},
        {"valid_from": "2025-01-01T00:00:00Z"},
    ],
)
def test_another_type_reference_or_earlier_time_is_a_version(
    services: TopicServices, more: dict[str, Any]
) -> None:
    city = told(services, title="Paris")
    made = told(services, field("home", "x", ref_topic_id=city), title="Ada")

    reply = tell(services, title="Ada", fields=[field("home", "x", **more)])

    assert reply["placement"]["fields"] == {"home": "version"}
    assert len(history(services, made, "home")) == 2


def test_what_is_refused_is_named_by_its_place_in_the_request(services: TopicServices) -> None:
    told(services, field("city", "Paris"), field("age", 36), title="Ada")
    known = field("city", "Paris")

    for wrong, words in (
        (field("age", "x", field_type="int"), "fields.1.value is not of the field's type, int"),
        (
            field("age", 36, valid_from="2027-01-01T00:00:00Z"),
            "fields.1.valid_from must not be in the future",
        ),
    ):
        with refused(services, InvalidArgument, words):
            tell(services, title="Ada", fields=[known, wrong])


def test_a_field_that_is_told_of_twice_is_written_twice(services: TopicServices) -> None:
    made = told(services, field("city", "Paris"), title="Ada")

    tell(services, title="Ada", fields=[field("city", "Rome"), field("city", "Paris")])

    assert history(services, made, "city") == ["Paris", "Rome", "Paris"]


def test_a_large_value_that_is_known_is_not_written_again(services: TopicServices) -> None:
    text = "x" * LARGE_VALUE_BYTES
    made = told(services, field("log", text), title="Ada")

    replies = [tell(services, title="Ada", fields=[field("log", each)]) for each in (text, "x")]

    assert [each["applied"] for each in replies] == [["unchanged:log"], ["version:log"]]
    assert len(history(services, made, "log")) == 2


def test_a_value_of_another_type_is_refused_as_it_is_of_a_topic_that_is_named(
    services: TopicServices,
) -> None:
    made = told(services, field("age", 36), title="Ada")

    for body in ({"title": "Ada"}, {"placement": "extend_topic", "topic_id": made}):
        with refused(services, InvalidArgument, "fields.0.value is not of the field's type, int"):
            tell(services, OWNER, fields=[field("age", value=True)], **body)

    tell(services, title="Ada", fields=[field("age", "forty", field_type="string")])
    assert history(services, made, "age") == ["forty", 36]


def test_what_was_so_at_the_time_already_is_known_however_late_it_is_told(
    services: TopicServices,
) -> None:
    since = {year: {"valid_from": f"{year}-01-01T00:00:00Z"} for year in range(2019, 2025)}
    made = told(services, field("city", "Paris", **since[2020]), title="Ada")
    tell(services, title="Ada", fields=[field("city", "Rome", **since[2023])])
    first = history(services, made, "city")

    replies = [
        tell(services, title="Ada", fields=[field("city", value, **since[year])])
        for year, value in ((2020, "Paris"), (2021, "Paris"), (2022, "Oslo"), (2022, "Oslo"))
    ]
    earlier = tell(services, title="Ada", fields=[field("city", "Paris", **since[2019])])

    assert first == ["Rome", "Paris"]
    assert [each["applied"] for each in [*replies, earlier]] == [
        ["unchanged:city"],
        ["unchanged:city"],
        ["version:city"],
        ["unchanged:city"],
        ["version:city"],
    ]
    assert replies[2]["version_ids"] == replies[3]["version_ids"]
    assert history(services, made, "city") == ["Rome", "Oslo", "Paris", "Paris"]


def test_why_something_known_is_told_again_is_noted(services: TopicServices) -> None:
    made = told(services, field("city", "Paris"), field("age", 36), title="Ada")
    more = {"why_changed": "seen on a letter", "impact_expected": "none"}

    reply = tell(services, title="Ada", fields=[field("city", "Paris", **more), field("age", 36)])

    event = services.topics.events(standing(services, made))[-1]
    assert reply["applied"] == ["unchanged:city", "unchanged:age"]
    assert (event.kind, event.why) == ("fields", "seen on a letter")
    assert event.detail == {"fields": ["city"], "unchanged": True, "impact_expected": "none"}
    assert history(services, made, "city") == ["Paris"]


def test_kinds_and_scopes_tell_topics_of_one_title_apart(services: TopicServices) -> None:
    asked: list[dict[str, Any]] = [
        {},
        {"topic_kind": "planet"},
        {"topic_kind": "metal"},
        {"scope": "alpha"},
        {"topic_kind": "planet"},
    ]

    made = [tell(services, title="Mercury", **more)["topic_id"] for more in asked]

    assert made[4] == made[1]
    assert len(set(made)) == 4


def test_untitled_topics_are_not_taken_for_each_other(services: TopicServices) -> None:
    made = [
        tell(services, title=each, fields=[field("a", number)])["topic_id"]
        for number, each in enumerate(("", " ", "untitled", "Untitled"))
    ]

    assert len(set(made)) == 4


def test_without_a_kind_the_only_topic_of_the_title_is_told_of(services: TopicServices) -> None:
    person = told(services, field("city", "Paris"), title="Ada", topic_kind="person")
    told(services, title="Ada Lovelace", topic_kind="person")
    indexed(services)

    reply = tell(services, title="ADA", fields=[field("pet", "a cat")])

    assert (reply["topic_id"], reply["placement"]["resolved_by"]) == (person, "title")
    assert standing(services, person).kind == "person"
    assert tell(services, title="Ada", topic_kind="")["topic_id"] != person


def test_without_a_kind_none_of_several_topics_of_the_title_is_preferred(
    services: TopicServices,
) -> None:
    kinds = [told(services, title="Mercury", topic_kind=each) for each in ("planet", "metal")]
    indexed(services)

    made = tell(services, title="Mercury", fields=[field("mass", "little")])["topic_id"]

    assert made not in kinds
    assert tell(services, title="Mercury", fields=[field("a", 1)])["topic_id"] == made


@pytest.mark.parametrize(
    "more",
    [
        {"fields": [field("b", 2), field("a", 1)], "title": "untitled"},
        {"topic_kind": "note"},
        {"summary": "more"},
        {"scope": "alpha"},
        {"fields": [field("a", 1), field("b", 3)]},
    ],
)
def test_without_a_title_the_same_words_are_the_same_topic(
    services: TopicServices, more: dict[str, Any]
) -> None:
    body: dict[str, Any] = {"fields": [field("a", 1), field("b", 2)]}
    made, again = [tell(services, **body) for _ in range(2)]

    other = tell(services, **body | more)

    assert again["topic_id"] == made["topic_id"]
    assert again["placement"]["resolved_by"] == "content"
    assert again["applied"] == ["unchanged:a", "unchanged:b"]
    assert (other["topic_id"] == made["topic_id"]) == ("title" in more)


def test_what_says_nothing_is_a_topic_of_its_own(services: TopicServices) -> None:
    assert tell(services)["topic_id"] != tell(services)["topic_id"]


def test_many_who_tell_the_same_without_a_title_make_one_topic(services: TopicServices) -> None:
    def one() -> str:
        return str(tell(services, fields=[field("fact", "the moon is far")])["topic_id"])

    [made] = set(at_once([one] * 8))

    assert history(services, made, "fact") == ["the moon is far"]


def test_a_topic_that_is_named_is_extended_in_full(services: TopicServices) -> None:
    made = told(services, field("city", "Paris"), title="Ada")

    reply = tell(
        services, topic_id=made, title="Ada L.", fields=[field("city", "Paris"), field("a", 1)]
    )

    assert reply["placement"]["resolved_by"] == "topic_id"
    assert reply["applied"] == ["unchanged:city", "field:a"]
    assert standing(services, made).title == "Ada L."


def test_what_is_like_a_topic_goes_to_it(lenient: TopicServices) -> None:
    made = told(lenient, field("runs_on", "three virtual machines"), title="Billing service")
    told(lenient, field("watered_by", "Ada"), title="Office plants")
    indexed(lenient)

    reply = tell(
        lenient,
        title="The billing services",
        fields=[field("runs_on", "four virtual machines")],
    )

    assert reply["topic_id"] == made
    assert reply["placement"]["resolved_by"] == "similarity"
    assert 0.5 <= reply["placement"]["score"] <= 1.0
    assert standing(lenient, made).title == "Billing service"
    assert history(lenient, made, "runs_on") == ["four virtual machines", "three virtual machines"]


@pytest.mark.parametrize(
    "more",
    [
        {"title": "Bob Smith"},
        {"title": "Alice Smith 2"},
        {"title": "Alice Smith", "topic_kind": "robot"},
        {"title": "Alice", "sensitivity": "high"},
        {"title": "Alice", "scope": "beta"},
    ],
)
def test_what_is_like_a_topic_but_cannot_be_told_of_it_does_not(
    lenient: TopicServices, more: dict[str, Any]
) -> None:
    fields = [field("team", "billing"), field("city", "Paris"), field("desk", "by the window")]
    made = told(lenient, *fields, title="Alice Smith", topic_kind="person", scope="alpha")
    indexed(lenient)

    reply = tell(lenient, fields=fields, **({"scope": "alpha"} | more))

    assert reply["topic_id"] != made
    assert reply["placement"]["decision"] == "new_topic"


def test_without_a_title_it_is_found_by_its_fields_and_gives_none(lenient: TopicServices) -> None:
    made = told(lenient, field("runs_on", "three virtual machines"))
    indexed(lenient)

    reply = tell(lenient, title="Billing", fields=[field("runs_on", "three virtual machines")])
    again = tell(lenient, title="billing", fields=[field("a", 1)])

    assert (reply["topic_id"], reply["placement"]["resolved_by"]) == (made, "similarity")
    assert standing(lenient, made).title == "Billing"
    assert (again["topic_id"], again["placement"]["resolved_by"]) == (made, "title")


def test_what_is_archived_is_found_by_its_title_and_active_again(services: TopicServices) -> None:
    made = told(services, title="Ada")
    ask(ChangeTopic(id=made, archived=True), services)

    reply = tell(services, title="Ada")

    assert reply["topic_id"] == made
    assert standing(services, made).status is TopicStatus.ACTIVE
    assert happened(services, made)[-1] == "revived"


def test_the_title_of_a_deleted_topic_is_free(services: TopicServices) -> None:
    gone = told(services, title="Ada")
    ask(DeleteTopic(id=gone), services)

    made = tell(services, title="Ada")["topic_id"]

    assert made != gone
    assert tell(services, title="Ada")["topic_id"] == made


def test_a_topic_of_the_title_is_found_when_its_holder_is_gone(services: TopicServices) -> None:
    holder, other = told(services, title="Ada"), told(services, title="Ada")
    ask(DeleteTopic(id=holder), services)

    reply = tell(services, title="Ada", fields=[field("a", 1)])
    ask(ChangeTopic(id=other, sensitivity=Sensitivity.HIGH), services)
    again = tell(services, title="Ada", fields=[field("a", 1)])

    assert (reply["topic_id"], reply["placement"]["resolved_by"]) == (other, "title")
    assert again["topic_id"] == other


def test_a_topic_that_was_renamed_over_a_held_title_is_found_by_it(
    services: TopicServices, topics: FakeTopics
) -> None:
    holder, other = told(services, title="Ada"), told(services, title="Grace")
    ask(ChangeTopic(id=other, title="Ada"), services)
    ask(ChangeTopic(id=holder, title="Ada Lovelace"), services)

    assert tell(services, title="ada", fields=[field("a", 1)])["topic_id"] == other
    [laid] = topics.changes[-1].heads
    assert [each.record_id for each in laid.holders] == [other]


def test_beside_a_holder_that_is_hidden_the_topic_of_the_title_is_found(
    services: TopicServices,
) -> None:
    hidden = told(services, title="Ada", scope="alpha", sensitivity="high")
    seen = told(services, title="Ada", scope="alpha", sensitivity="low")

    made = [
        tell(services, WATCHER, title="Ada", fields=[field("a", each)])["topic_id"]
        for each in range(2)
    ]

    assert hidden != seen
    assert made == [seen, seen]


def test_who_tells_more_than_the_request_trusts_is_refused(services: TopicServices) -> None:
    trust = {"max_sensitivity": "low"}
    secret = told(services, title="Zeus", sensitivity="high")
    words = "the request's trust does not cover what it would write"

    for body in (
        {"title": "Hera", "sensitivity": "high"},
        {"title": "Hera", "sensitivity": "high", "placement": "new_topic"},
        {"title": "Hera", "scope": "beta", "trust": {"scopes": ["alpha"]}},
        {"title": "Zeus", "fields": [field("a", 1)]},
    ):
        with refused(services, PermissionDenied, words):
            tell(services, **{"trust": trust} | body)

    assert tell(services, title="Zeus")["topic_id"] == secret


def test_who_may_not_see_a_topic_gets_one_of_its_own(services: TopicServices) -> None:
    hidden = told(services, title="Ada", scope="alpha", sensitivity="high")

    made = tell(services, WATCHER, title="Ada", fields=[field("a", 1)])["topic_id"]
    again = tell(services, WATCHER, title="Ada", fields=[field("a", 1)])
    above = tell(services, title="Ada", scope="alpha", sensitivity="high")["topic_id"]

    assert made != hidden
    assert (again["topic_id"], again["applied"]) == (made, ["unchanged:a"])
    assert above == hidden


def test_what_is_more_sensitive_hides_no_topic(services: TopicServices) -> None:
    made = told(services, title="Ada", sensitivity="low")

    secret = tell(services, title="Ada", sensitivity="high")["topic_id"]

    assert standing(services, made).sensitivity is Sensitivity.LOW
    assert secret != made
    assert tell(services, title="Ada", sensitivity="high")["topic_id"] == secret
    assert tell(services, title="Ada")["topic_id"] == made


def test_an_explicit_new_topic_under_a_title_that_is_held_leaves_its_holder(
    services: TopicServices,
) -> None:
    first, second = told(services, title="Ada"), told(services, title="Ada")

    reply = tell(services, title="Ada")

    assert first != second
    assert reply["topic_id"] == first


def test_many_who_tell_the_same_at_once_make_one_topic(services: TopicServices) -> None:
    def one(number: int) -> str:
        fields = [field("city", "Paris"), field(f"seen by {number}", number)]
        return str(tell(services, title="Ada", fields=fields)["topic_id"])

    [topic_id] = set(at_once([partial(one, number) for number in range(8)]))

    assert history(services, topic_id, "city") == ["Paris"]
    assert len(standing(services, topic_id).fields) == 9


def test_one_request_that_comes_twice_at_once_is_done_once(services: TopicServices) -> None:
    def one() -> dict[str, Any]:
        return tell(services, key="k", placement="new_topic", title="Ada", fields=[field("a", 1)])

    replies = at_once([one] * 8)

    assert replies == replies[:1] * 8
    assert history(services, replies[0]["topic_id"], "a") == [1]


def test_a_race_for_a_title_is_lost_by_one_who_then_extends(
    topics: FakeTopics, back_off: BackOff
) -> None:
    services = topical(topics=_Overtaken(topics), back_off=back_off)

    reply = tell(services, title="Ada", fields=[field("b", 2)])

    assert reply["placement"]["resolved_by"] == "title"
    assert sorted(standing(services, reply["topic_id"]).fields) == ["a", "b"]
    assert len(topics.topics) == 1


class _Overtaken(FakeTopics):
    """Another one makes the topic just before the first commit."""

    def __init__(self, topics: FakeTopics) -> None:
        super().__init__(topics.records, topics=topics.topics)
        self.overtaken = False

    def commit(self, change: Any) -> None:
        """See DynamoTopics."""
        if not self.overtaken:
            self.overtaken = True
            tell(topical(topics=self), key="other", title="Ada", fields=[field("a", 1)])
        super().commit(change)


# --- what records tell ---------------------------------------------------------------------------


def observed(**changes: Any) -> ObservedFact:
    """A fact of a record."""
    usual: dict[str, Any] = {
        "subject": "Ada",
        "predicate": "lives in",
        "object": "Paris",
        "scope": "alpha",
        "sensitivity": Sensitivity.LOW,
        "record_id": "r1",
    }
    return ObservedFact(**{**usual, **changes})


Place = Callable[..., Topic]


@pytest.fixture
def place(services: TopicServices) -> Place:
    """What becomes of an observation."""

    def placed(**changes: Any) -> Topic:
        seen = observed(**changes)
        answer = place_observation(seen, WATCHER, services)
        return standing(services, str(answer.body["topic_id"]))

    return placed


def test_a_fact_becomes_a_revision_that_names_its_record(place: Place) -> None:
    topic = place(observed_at="2026-02-01T00:00:00Z")

    current = topic.fields["lives in"].current
    assert (topic.title, topic.scope, topic.sensitivity) == ("Ada", "alpha", Sensitivity.LOW)
    assert current is not None
    assert (current.value, current.evidence, current.provenance) == ("Paris", "r1", "observation")
    assert current.valid_from == "2026-02-01T00:00:00Z"


def test_a_record_whose_statement_stands_is_placed_no_second_time(
    place: Place, services: TopicServices
) -> None:
    place()
    later = place(record_id="r2", object="Rome")

    with pytest.raises(Aborted):
        place()

    assert standing(services, later.id) == later
    assert history(services, later.id, "lives in") == ["Rome", "Paris"]


def test_each_record_has_a_revision_of_its_own_for_what_it_states(
    place: Place, services: TopicServices
) -> None:
    place()

    topic = place(record_id="r2")

    assert history(services, topic.id, "lives in") == ["Paris", "Paris"]


def test_what_somebody_tells_has_a_revision_of_its_own_beside_that_of_a_record(
    place: Place, services: TopicServices
) -> None:
    topic = place()

    answered(services, title="Ada", scope="alpha", fields=[field("lives in", "Paris")])

    assert history(services, topic.id, "lives in") == ["Paris", "Paris"]


def test_a_fact_that_was_told_already_leaves_its_record_behind(
    place: Place, services: TopicServices
) -> None:
    answered(services, title="Ada", scope="alpha", fields=[field("lives in", "Paris")])

    topic = place(record_id="r2")

    event = services.topics.events(topic)[-1]
    assert event.kind == "fields"
    assert event.detail == {"fields": ["lives in"], "unchanged": True, "evidence": "r2"}
    assert history(services, topic.id, "lives in") == ["Paris"]


def test_a_fact_of_another_type_changes_the_fields_type(
    place: Place, services: TopicServices
) -> None:
    place(object=36)

    topic = place(record_id="r2", object="about forty")

    assert topic.fields["lives in"].type == "string"
    assert history(services, topic.id, "lives in") == ["about forty", 36]


def test_a_fact_of_a_time_to_come_holds_from_now(place: Place) -> None:
    current = place(observed_at="2027-01-01T00:00:00Z").fields["lives in"].current

    assert current is not None
    assert current.valid_from == current.recorded_at


def test_names_are_cut_and_cleaned(place: Place) -> None:
    topic = place(subject="A" * 2_000, predicate="lives\nin " + "x" * 300)

    [name] = topic.fields
    assert (len(topic.title), len(name), name[:9]) == (1_000, 256, "lives in ")


def test_a_fact_about_nothing_is_refused(place: Place) -> None:
    with pytest.raises(InvalidArgument):
        place(predicate=" \n")


def test_a_value_in_the_bucket_is_read(place: Place, records: FakeRecords) -> None:
    large = LargeValue("r1", "0" * 64, 7)
    records.values[large] = b'"Paris"'

    current = place(object=large).fields["lives in"].current

    assert current is not None
    assert current.value == "Paris"


def test_a_request_and_its_replay_are_told_apart(services: TopicServices) -> None:
    first = answered(services, key="k", title="Ada", fields=[field("a", 1)])
    again = answered(services, key="k", title="Ada", fields=[field("a", 1)])

    assert first.body["placement"]["resolved_by"] is None
    assert (again.body, again.replayed) == (first.body, True)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"scope": "beta"}, "the key does not cover this scope"),
        ({"sensitivity": "high"}, "the key's highest sensitivity is below the record's"),
        (
            {"sensitivity": "low", "trust": {"max_sensitivity": "public"}},
            "the request's trust does not cover what it would write",
        ),
    ],
)
@pytest.mark.parametrize("reader", [periods_in, searchable_topic])
def test_whoever_may_not_write_is_refused_before_the_text_is_read(
    services: TopicServices, asked: dict[str, Any], words: str, reader: Callable[..., object]
) -> None:
    def refuse() -> None:
        with refused(services, PermissionDenied, words):
            tell(services, WATCHER, title="Ada", summary="x may " * 16_000, **asked)

    assert calls(reader, refuse) == 0


def test_whoever_may_write_has_the_text_read(services: TopicServices) -> None:
    def write() -> None:
        tell(services, WATCHER, title="Ada", summary="x may ")

    assert calls(periods_in, write) == 1


def test_whoever_may_not_raise_a_named_topic_is_refused_before_the_text_is_read(
    services: TopicServices,
) -> None:
    made = told(services, title="Ada", scope="alpha", sensitivity="low")

    def refuse() -> None:
        with refused(
            services, PermissionDenied, "the key's highest sensitivity is below the record's"
        ):
            tell(services, WATCHER, topic_id=made, summary="x may " * 16_000, sensitivity="medium")

    assert calls(place_in_topic, refuse) == 0
