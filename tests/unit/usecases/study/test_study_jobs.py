"""Jobs of studying: begun, read, cancelled, resumed; and the removal of a document."""

from collections.abc import Callable

import pytest

from membrane.domain.language.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.violations import validate
from membrane.domain.study.jobs import StudyStage
from membrane.domain.study.requests import ReadStudy, RemoveDocument, StartStudy
from membrane.domain.topics.requests.editing import AppendField, CreateTopic
from membrane.usecases.study.read_study import read_study
from membrane.usecases.study.remove_document import remove_document
from membrane.usecases.study.run_study import Rest, fail_study, run_study
from membrane.usecases.study.start_study import start_study
from membrane.usecases.topics.editing.fields import append_field
from membrane.usecases.topics.editing.topics import create_topic
from membrane_local.chat_models import ScriptedChat
from tests.worlds.studies import MANUAL, Student, contents_of, values_of
from tests.worlds.tools import key

NEVER = Rest("done")


def can_be_cancelled_after(steps: int, job_id: str, student: Student) -> bool:
    """Whether the job is before its end after so many steps."""
    for _ in range(steps):
        student.step(job_id)
    return student.job(job_id).stage not in (StudyStage.TIDYING, StudyStage.DONE)


def test_a_begun_study_has_an_execution_with_the_ids_alone() -> None:
    student = Student()

    job_id = student.start()

    assert student.executions == {f"{job_id}-1": {"study": {"id": job_id, "attempt": 1}}}


def test_a_repeat_under_a_key_returns_the_job_as_it_is() -> None:
    student = Student()
    request = validate(StartStudy, {"document": MANUAL, "title": "The kettle"})
    first = start_study(request, student.call("key"), student.services)

    again = start_study(request, student.call("key"), student.services)

    assert again.replayed
    assert again.body["id"] == first.body["id"]
    assert len(student.executions) == 1


def test_a_key_of_a_different_request_is_refused() -> None:
    student = Student()
    request = validate(StartStudy, {"document": MANUAL, "title": "The kettle"})
    start_study(request, student.call("key"), student.services)
    other = student.call("key")._replace(fingerprint=b"other")

    with pytest.raises(AlreadyExists):
        start_study(request, other, student.services)


def test_a_scope_that_the_key_may_not_write_is_refused_and_nothing_is_kept() -> None:
    student = Student()

    with pytest.raises(PermissionDenied):
        student.start(scope="team:b")

    assert not student.executions
    assert not student.services.blobs.blobs  # type: ignore[attr-defined]  # FakeBlobs


def test_only_the_beginner_sees_the_job() -> None:
    student = Student()
    job_id = student.start()
    other = student.call()._replace(principal=key(scopes=("team:a", "team:b")))

    with pytest.raises(NotFound):
        read_study(ReadStudy(id=job_id), other, student.services)


def test_a_job_expires_but_the_topics_stay() -> None:
    student = Student()
    job_id = student.study()["id"]

    student.later(8 * 86_400)

    with pytest.raises(NotFound):
        read_study(ReadStudy(id=job_id), student.call(), student.services)
    assert "Safety" in student.topics


@pytest.mark.parametrize("steps", range(12))
def test_a_cancelled_study_leaves_nothing(steps: int) -> None:
    student = Student()
    job_id = student.start()
    if not can_be_cancelled_after(steps, job_id, student):
        return

    student.cancel(job_id)
    student.finish(job_id)

    assert student.reply(job_id)["state"] == "cancelled"
    assert not student.topics


@pytest.mark.parametrize("steps", range(12))
def test_a_cancelled_edition_leaves_the_edition_before(steps: int) -> None:
    student = Student()
    student.study()
    before = contents_of(student)
    student.later()
    job_id = student.start(
        MANUAL.replace("Keep children", "Keep all children") + "\n\n# New\n\nText."
    )
    if not can_be_cancelled_after(steps, job_id, student):
        return

    student.cancel(job_id)
    student.finish(job_id)

    assert contents_of(student) == before


@pytest.mark.parametrize("steps", range(1, 14))
def test_a_cancelled_study_with_a_model_leaves_nothing(steps: int) -> None:
    student = Student(ScriptedChat())
    job_id = student.start()
    if not can_be_cancelled_after(steps, job_id, student):
        return

    student.cancel(job_id)
    student.finish(job_id)

    assert not student.topics


def test_a_cancelled_study_keeps_what_others_added() -> None:
    student = Student()
    job_id = student.start()
    while "Safety" not in student.topics:
        student.step(job_id)
    own = AppendField(id=student.topics["Safety"].id, field_name="note", value="mine")
    append_field(own, student.call(), student.services)

    student.cancel(job_id)
    student.finish(job_id)

    assert values_of(student.topics["Safety"]) == {"note": "mine"}


def test_an_execution_before_the_cancellation_does_nothing_more() -> None:
    student = Student()
    job_id = student.start()
    student.cancel(job_id)

    rest = run_study(job_id, 1, student.services, lambda: False)

    assert rest == Rest("done")
    assert student.reply(job_id)["state"] == "cancelling"


def test_a_finished_study_cannot_be_cancelled_or_resumed() -> None:
    student = Student()
    job_id = student.study()["id"]

    with pytest.raises(FailedPrecondition, match="is done"):
        student.cancel(job_id)
    with pytest.raises(FailedPrecondition, match="nothing to resume"):
        student.resume(job_id)


def test_a_failed_study_says_why_and_goes_on_where_it_stopped() -> None:
    student = Student()
    job_id = student.start()
    student.step(job_id)
    student.step(job_id)
    fail_study(job_id, 1, "Unavailable", student.services)
    failed = student.reply(job_id)

    student.resume(job_id)
    student.finish(job_id)

    assert (failed["state"], failed["stage"]) == ("failed", "studying")
    assert failed["reason"] == "the job stopped after an error: Unavailable"
    assert student.reply(job_id)["made"]["fields"] == 5
    assert [*student.executions] == [f"{job_id}-1", f"{job_id}-2"]


def test_a_refusal_fails_the_study_at_once() -> None:
    student = Student()
    job_id = student.start()
    student.services.blobs.erase(student.job(job_id).text_object)

    assert student.run(job_id) == NEVER

    assert "study the document again" in student.reply(job_id)["reason"]


def test_the_failure_of_an_earlier_attempt_does_not_count() -> None:
    student = Student()
    job_id = student.start()
    student.resume(job_id)

    fail_study(job_id, 1, "Unavailable", student.services)

    assert student.reply(job_id)["state"] == "running"


def test_an_unknown_job_needs_no_work() -> None:
    assert run_study("unknown", 1, Student().services, lambda: False) == NEVER


def test_the_preview_of_a_removal_counts_and_changes_nothing() -> None:
    student = Student()
    document_id = student.study()["document_id"]
    before = contents_of(student)

    reply = student.remove(document_id)

    assert contents_of(student) == before
    assert (reply["purpose"], reply["dry_run"], reply["state"]) == ("removal", True, "done")
    assert reply["removed"] == {"topics": 5, "revisions": 7, "kept": 0}


def test_a_removal_takes_back_what_rests_on_the_document_alone() -> None:
    student = Student()
    document_id = student.study()["document_id"]
    own = AppendField(id=student.topics["Safety"].id, field_name="note", value="mine")
    append_field(own, student.call(), student.services)
    other = CreateTopic(title="Other")
    create_topic(other, student.call(), student.services)

    reply = student.remove(document_id, dry_run=False)

    assert sorted(student.topics) == ["Other", "Safety"]
    assert values_of(student.topics["Safety"]) == {"note": "mine"}
    assert reply["removed"] == {"topics": 4, "revisions": 7, "kept": 1}


def test_a_removal_leaves_other_documents() -> None:
    student = Student()
    first = student.study(source="a")["document_id"]
    student.study("# Other\n\nText.", source="b")

    student.remove(first, dry_run=False)

    assert values_of(student.topics["Other"]) == {"p0001": "Text."}


def test_a_removal_takes_back_what_a_model_made() -> None:
    student = Student(ScriptedChat())
    document_id = student.study()["document_id"]

    student.remove(document_id, dry_run=False)

    assert not student.topics
    student.later()
    assert student.study()["made"]["fields"] == 5


def test_a_removal_killed_before_any_write_takes_back_the_same() -> None:
    writes, is_killed = 0, True
    while is_killed:
        student = Student()
        document_id = student.study()["document_id"]
        own = AppendField(id=student.topics["Safety"].id, field_name="note", value="mine")
        append_field(own, student.call(), student.services)
        request = validate(RemoveDocument, {"document_id": document_id, "dry_run": False})
        job_id = str(remove_document(request, student.call(), student.services).body["id"])
        is_killed = student.run_until_killed(job_id, writes)
        student.finish(job_id)
        assert contents_of(student).keys() == {f"Safety (document:{document_id[:12]})"}, writes
        writes += 1

    assert writes > 5


def test_a_topic_that_stands_for_no_document_cannot_be_removed_as_one() -> None:
    student = Student()
    student.study()

    with pytest.raises(InvalidArgument, match="document_id"):
        student.remove(student.topics["Safety"].id)


def test_a_hidden_document_is_absent() -> None:
    student = Student()
    document_id = student.study()["document_id"]
    request = validate(RemoveDocument, {"document_id": document_id})
    other = student.call()._replace(principal=key(scopes=("team:b",)))

    with pytest.raises(NotFound):
        remove_document(request, other, student.services)


class Interrupted:
    """The time of a run, in which something else happens after so many looks."""

    def __init__(self, looks: int, happens: Callable[[], object]) -> None:
        self.looks, self.happens = looks, happens

    def __call__(self) -> bool:
        """No run is out of time."""
        if self.looks == 0:
            self.happens()
        self.looks -= 1
        return False


@pytest.mark.parametrize("looks", range(6))
def test_a_run_under_way_writes_nothing_after_the_cancelled_job_has_begun(looks: int) -> None:
    student = Student()
    job_id = student.start()

    def cancel() -> None:
        student.cancel(job_id)
        student.finish(job_id)

    run_study(job_id, 1, student.services, Interrupted(looks, cancel))

    assert student.reply(job_id)["state"] == "cancelled"
    assert not student.topics


@pytest.mark.parametrize("looks", range(10))
def test_of_two_studies_of_a_document_at_once_the_later_one_wins(looks: int) -> None:
    student = Student()
    job_id = student.start()
    newer = MANUAL.replace("Keep children", "Keep all children")

    def study_newer() -> None:
        student.later()
        student.study(newer)

    run_study(job_id, 1, student.services, Interrupted(looks, study_newer))

    student.run(job_id)

    alone = Student()
    alone.study(newer)
    assert contents_of(student) == contents_of(alone)
    reply = student.reply(job_id)
    assert reply["state"] in ("failed", "done")
    assert reply["state"] == "done" or "study the document again" in reply["reason"]


@pytest.mark.parametrize("looks", range(1, 8))
def test_a_removal_ends_a_study_that_is_under_way(looks: int) -> None:
    student = Student()
    job_id = student.start()

    def remove() -> None:
        student.remove(student.job(job_id).document, dry_run=False)

    run_study(job_id, 1, student.services, Interrupted(looks, remove))
    student.run(job_id)

    assert not student.topics


def test_a_killed_passage_then_cancelled_leaves_nothing() -> None:
    for writes in range(2, 12):
        student = Student(ScriptedChat())
        job_id = student.start()
        student.run_until_killed(job_id, writes)

        student.cancel(job_id)
        student.finish(job_id)

        assert not student.topics, writes


def test_a_removal_killed_before_any_write_counts_the_same() -> None:
    writes, is_killed = 0, True
    while is_killed:
        student = Student()
        document_id = student.study()["document_id"]
        request = validate(RemoveDocument, {"document_id": document_id, "dry_run": False})
        job_id = str(remove_document(request, student.call(), student.services).body["id"])
        is_killed = student.run_until_killed(job_id, writes)
        student.finish(job_id)
        assert student.reply(job_id)["removed"] == {"topics": 5, "revisions": 7, "kept": 0}, writes
        writes += 1


def test_a_failed_cancellation_is_taken_up_again_by_a_repeat() -> None:
    student = Student()
    job_id = student.start()
    student.step(job_id)
    student.cancel(job_id)
    fail_study(job_id, 2, "Unavailable", student.services)

    student.cancel(job_id)
    student.finish(job_id)

    assert student.reply(job_id)["state"] == "cancelled"
    assert not student.topics
