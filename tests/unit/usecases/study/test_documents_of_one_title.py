"""Documents of one title and different sources stay two, whoever compares or names them."""

from typing import Any

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.topics.requests.editing import (
    AppendField,
    ChangeTopic,
    DeleteTopic,
    Reason,
    RestoreTopic,
    UnmergeTopic,
)
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.study.claims import take_claim
from membrane.usecases.study.document_topics import find_document_topic
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import leave_topic
from membrane.usecases.topics.editing.fields import append_field
from membrane.usecases.topics.editing.topics import change_topic, delete_topic, restore_topic
from membrane.usecases.topics.reasoning.merging import merge_topics, unmerge_topic
from membrane.usecases.topics.reasoning.reason import reason_on_request
from membrane.usecases.topics.reasoning.reason_in_background import reason_about
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.topic_tellers import field, tell
from tests.fakes.topic_world import fake_topics
from tests.worlds.merged_topics import merge
from tests.worlds.studies import Student
from tests.worlds.tools import SCOPE

PUMP = "# Readme\n\nThe pump moves water.\n\n## Care\n\nOil the pump each month.\n"
OVEN = "# Readme\n\nThe oven bakes bread.\n\n## Safety\n\nNever touch the door.\n"


def readmes() -> tuple[Student, str, str]:
    """A caller who has studied two documents, and the ids of the documents."""
    student = Student()
    pump = student.study(PUMP, "Readme", source="pump/README.md")["document_id"]
    student.later()
    oven = student.study(OVEN, "Readme", source="oven/README.md")["document_id"]
    student.later()
    return student, pump, oven


def statuses(student: Student) -> dict[str, TopicStatus]:
    """The statuses of all topics, by id."""
    return {each.id: each.status for each in fake_topics(student.services).topics.values()}


def told(student: Student, title: str = "Readme", kind: str | None = "document") -> str:
    """The id of the topic in which an observation is placed."""
    note: dict[str, Any] = {"title": title, "topic_kind": kind, "fields": [field("note", "mine")]}
    return str(tell(student.services, student.principal, scope=SCOPE, **note)["topic_id"])


def test_the_reasoning_in_the_background_merges_no_documents() -> None:
    student, pump, oven = readmes()
    student.services.topics.mark(SCOPE, [pump, oven])

    reason_about(SCOPE, student.services, lambda _=0.0: False)

    assert {*statuses(student).values()} == {TopicStatus.ACTIVE}
    assert statuses(student).keys() >= {pump, oven}


def test_a_request_to_reason_plans_no_merge_of_documents() -> None:
    student, _, _ = readmes()

    plan = reason_on_request(Reason(scope=SCOPE), student.call(), student.services)

    assert plan.body["actions"] == []


def test_a_document_whose_kind_a_caller_has_changed_is_merged_with_nothing() -> None:
    student, pump, oven = readmes()
    for each in (pump, oven):
        change_topic(ChangeTopic(id=each, topic_kind="manual"), student.call(), student.services)

    assert not merge_topics(pump, oven, SERVICE, student.services)


def test_a_removal_takes_one_of_two_documents() -> None:
    student, pump, oven = readmes()
    student.services.topics.mark(SCOPE, [pump, oven])
    reason_about(SCOPE, student.services, lambda _=0.0: False)

    removed = student.remove(oven, dry_run=False)

    assert removed["removed"]["topics"] == 3
    assert {title for title in student.topics if title != "Readme"} == {"Care"}
    assert statuses(student)[pump] is TopicStatus.ACTIVE
    assert statuses(student)[oven] is TopicStatus.DELETED


def test_an_observation_of_kind_and_title_makes_a_topic_beside_the_documents() -> None:
    student, pump, oven = readmes()

    topic_id = told(student)

    assert topic_id not in (pump, oven)
    assert told(student) == topic_id


def test_an_observation_of_kind_and_title_finds_no_restored_document() -> None:
    student, pump, oven = readmes()
    delete_topic(DeleteTopic(id=pump), student.call(), student.services)
    restore_topic(RestoreTopic(id=pump), student.call(), student.services)

    assert told(student) not in (pump, oven)


def test_a_merged_document_is_neither_studied_nor_removed() -> None:
    student, pump, oven = readmes()
    merge(student.services, pump, oven)
    before = statuses(student)

    with pytest.raises(FailedPrecondition, match=f"POST /v1/topics/{oven}/unmerge"):
        student.remove(oven, dry_run=False)
    with pytest.raises(FailedPrecondition, match=f"POST /v1/topics/{oven}/unmerge"):
        student.start(OVEN, "Readme", source="oven/README.md")

    assert statuses(student) == before


def test_a_document_that_is_merged_while_its_study_waits_fails_the_study() -> None:
    student, pump, oven = readmes()
    job_id = student.start(OVEN, "Readme", source="oven/README.md")
    merge(student.services, pump, oven)

    student.finish(job_id)

    reply = student.reply(job_id)
    assert reply["state"] == "failed"
    assert f"POST /v1/topics/{oven}/unmerge" in reply["reason"]


def test_a_removal_of_the_keeper_leaves_the_merged_document() -> None:
    student, pump, oven = readmes()
    merge(student.services, pump, oven)

    student.remove(pump, dry_run=False)
    unmerge_topic(UnmergeTopic(id=oven), student.call(), student.services)

    assert statuses(student)[oven] is TopicStatus.ACTIVE
    assert "Safety" in student.topics
    assert "Care" not in student.topics
    assert student.study(OVEN, "Readme", source="oven/README.md")["made"]["topics"] == 0


def test_a_topic_that_was_merged_meanwhile_leaves_its_keeper_alone() -> None:
    student, pump, oven = readmes()
    job_id = student.start(OVEN, "Readme", source="oven/README.md")
    job = take_claim(student.job(job_id), student.services)
    merge(student.services, pump, oven)

    leave_topic(oven, (), Work.of(job, student.services), is_whole=True)

    assert statuses(student)[pump] is TopicStatus.ACTIVE


def test_a_deleted_document_cannot_be_removed_again() -> None:
    student, _, oven = readmes()
    student.remove(oven, dry_run=False)

    with pytest.raises(NotFound):
        student.remove(oven)


def test_a_document_outside_the_trust_is_absent() -> None:
    student, pump, _ = readmes()
    other = student.principal.trust._replace(scopes=frozenset(["team:other"]))

    assert find_document_topic(pump, other, student.services.topics) is None


def test_a_topic_of_a_callers_own_kind_document_is_found_by_its_title() -> None:
    student = Student()
    first = told(student, "Minutes")
    append = AppendField(id=first, field_name="more", value="text")
    append_field(append, student.call(), student.services)

    assert told(student, "minutes") == first
