"""A model studies a document: passage by passage in a sandbox, then among all topics."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from membrane.domain.chat.allowances import Limits
from membrane.domain.chat.turns import Question, UserTurn
from membrane.domain.language.errors import NotConfigured, Unavailable
from membrane.domain.models.failures import BusyModel
from membrane.domain.study.origins import origin_in
from membrane.domain.study.passages import digest_of
from membrane.domain.topics.requests.editing import CreateTopic
from membrane.usecases.chat.ask_model import OutOfTime
from membrane.usecases.study.run_study import Rest, fail_study
from membrane.usecases.topics.editing.topics import create_topic
from membrane_local.chat_models import ScriptedChat
from tests.fakes.chat_models import FakeChatModel, Step, calls, says
from tests.worlds.studies import MANUAL, Student, contents_of, values_of

ONE = "# Tea\n\nAda likes green tea.\n"


def studying_with(*steps: Step) -> Student:
    return Student(FakeChatModel([*steps]))


def made(title: str = "Ada") -> Step:
    return calls(("memory_create_topic", {"title": title, "topic_id": f"topic-{title}"}))


def wrote(topic: str, name: str = "likes", value: str = "green tea") -> Step:
    return calls(("memory_append_field", {"topic_id": topic, "field_name": name, "value": value}))


def said_to(student: Student, number: int) -> str:
    """The message of the user in a question to the model."""
    assert isinstance(student.model, FakeChatModel)
    return next(
        each.text for each in student.model.asked[number].turns if isinstance(each, UserTurn)
    )


def names_offered(question: Question) -> Sequence[str]:
    return [each.name for each in question.tools]


def test_a_passage_becomes_topics_by_the_tools_that_the_model_calls() -> None:
    student = studying_with(made(), wrote("topic-Ada"), says("I made Ada."), says("Done."))

    reply = student.study(ONE, "Notes")

    assert values_of(student.topics["Ada"]) == {"likes": "green tea"}
    assert (reply["state"], reply["with_model"]) == ("done", True)
    assert (reply["made"]["topics"], reply["made"]["fields"]) == (1, 1)
    assert (reply["cost"]["questions"], reply["cost"]["tokens"]) == (4, 400)


def test_the_field_names_the_passage_whatever_the_model_says() -> None:
    forged = calls(
        (
            "memory_append_field",
            {"topic_id": "topic-Ada", "field_name": "likes", "value": "tea", "provenance": "me"},
        )
    )
    student = studying_with(made(), forged, says(""), says(""))

    reply = student.study(ONE, "Notes")

    field = student.topics["Ada"].fields["likes"]
    assert field.current is not None
    origin = origin_in(field.current.provenance)
    assert origin is not None
    assert (origin.document, origin.section, origin.by_model) == (reply["document_id"], 1, True)
    assert ONE[slice(*origin.span)] == "Ada likes green tea."
    assert origin.passage == digest_of("Tea", "Ada likes green tea.")


def test_nothing_stays_in_the_sandbox_and_topics_are_linked_to_the_document() -> None:
    student = studying_with(made(), says(""), says(""))

    reply = student.study(ONE, "Notes")

    topic = student.topics["Ada"]
    assert topic.kind == f"document:{reply['document_id'][:12]}"
    assert (
        student.services.topics.find_edge(topic.id, reply["document_id"], "made_from") is not None
    )


def test_a_kind_that_the_model_gives_in_phase_b_stays() -> None:
    named = calls(("memory_update_topic", {"topic_id": "topic-Ada", "topic_kind": "person"}))
    student = studying_with(made(), says(""), named, says(""))

    student.study(ONE, "Notes")

    assert student.topics["Ada"].kind == "person"


def test_phase_b_has_the_topics_of_the_sandbox_and_what_phase_a_said() -> None:
    student = studying_with(made(), says("Ada is a person."), says(""))

    student.study(ONE, "Notes")

    note = said_to(student, 2)
    assert "topic-Ada: Ada" in note
    assert "Ada is a person." in note


def test_phase_a_cannot_touch_a_topic_outside_the_sandbox() -> None:
    student = studying_with(made(), wrote("topic-old"), says(""), says(""))
    old = CreateTopic(title="Old", topic_id="topic-old")
    create_topic(old, student.call(), student.services)

    student.study(ONE, "Notes")

    assert values_of(student.topics["Old"]) == {}


def test_a_fact_that_phase_b_adds_to_a_known_topic_is_linked_to_the_document() -> None:
    student = studying_with(made(), says(""), wrote("topic-old"), says(""))
    old = CreateTopic(title="Old", topic_id="topic-old")
    create_topic(old, student.call(), student.services)

    reply = student.study(ONE, "Notes")

    edge = student.services.topics.find_edge("topic-old", reply["document_id"], "fed_from")
    assert edge is not None
    assert student.topics["Old"].kind == ""


def test_each_passage_is_a_question_with_its_place() -> None:
    student = Student(ScriptedChat())

    student.study()

    assert sorted(student.topics) == [
        "The kettle",
        "The kettle › Care",  # noqa: RUF001
        "The kettle › Care › Descaling",  # noqa: RUF001
        "The kettle › Safety",  # noqa: RUF001
    ]


def test_all_units_are_accounted_for() -> None:
    progress = Student(ScriptedChat()).study()["progress"]

    assert all(each["done"] == each["total"] > 0 for each in progress.values())


def test_the_document_told_again_asks_the_model_nothing() -> None:
    student = Student(ScriptedChat())
    student.study()
    student.later()
    before = contents_of(student)

    again = student.study()

    assert again["cost"]["questions"] == 0
    assert contents_of(student) == before
    assert again["made"]["unchanged"] == 5


def test_a_changed_passage_is_studied_again_and_what_rested_on_it_goes() -> None:
    student = Student(ScriptedChat())
    student.study()
    student.later()

    made = student.study(MANUAL.replace("Keep children", "Keep all children"))["made"]

    safety = student.topics["The kettle › Safety"]  # noqa: RUF001
    assert values_of(safety)["p0002"] == "Keep all children away from the kettle."
    assert (made["fields"], made["unchanged"], made["withdrawn"]) == (2, 3, 2)


def test_a_study_without_a_model_takes_the_place_of_a_study_with_one() -> None:
    student = Student(ScriptedChat())
    student.study()
    student.later()

    student.study(with_model=False)

    assert sorted(student.topics) == ["Care", "Care › Descaling", "Safety", "The kettle"]  # noqa: RUF001
    student.later()
    assert student.study()["cost"]["questions"] > 0


def test_a_study_killed_before_any_write_ends_with_the_same_topics() -> None:
    untouched = Student(ScriptedChat())
    untouched.study()
    expected = contents_of(untouched)
    writes, is_killed = 0, True

    while is_killed:
        student = Student(ScriptedChat())
        job_id = student.start()
        is_killed = student.run_until_killed(job_id, writes)
        student.finish(job_id)
        assert contents_of(student) == expected, writes
        assert student.reply(job_id)["made"]["fields"] == 5, writes
        writes += 1

    assert writes > 20


def test_topics_whose_ids_a_killed_step_lost_leave_the_sandbox() -> None:
    student = studying_with(made("lost"), says(""), made("Ada"), says(""))
    job_id = student.start(ONE, "Notes")
    for writes in range(20):
        if "lost" in student.topics:
            break
        student.run_until_killed(job_id, writes)
        student.services.chat_model.asked.clear()  # type: ignore[union-attr]  # a FakeChatModel
    student.model.steps = [made("Ada"), says("")]  # type: ignore[union-attr]  # a FakeChatModel

    student.finish(job_id)

    assert "lost" in student.topics
    assert not [each for each in student.topics.values() if each.kind.startswith("study:")]


def test_a_job_without_tokens_waits_until_the_next_day() -> None:
    student = Student(ScriptedChat(), settings={"limits": Limits(9_000, 9_000)})
    job_id = student.start()

    rest = student.run(job_id)

    assert rest.state == "waiting"
    assert 0 < rest.wait_s <= 86_401
    reply = student.reply(job_id)
    assert reply["state"] == "waiting"
    assert reply["waits_until"] == "2026-03-02T00:00:01.25Z"


def test_a_busy_model_lets_the_job_wait() -> None:
    student = studying_with(BusyModel("busy", 100))
    job_id = student.start(ONE, "Notes")

    assert student.run(job_id) == Rest("waiting", 101)


def test_a_model_that_fails_leaves_the_job_to_a_later_run() -> None:
    student = studying_with(Unavailable("no answer"))
    job_id = student.start(ONE, "Notes")

    with pytest.raises(Unavailable):
        student.run(job_id)

    assert student.reply(job_id)["state"] == "running"


def test_a_model_that_fails_after_calls_is_asked_again_and_writes_once() -> None:
    student = studying_with(made(), Unavailable("no answer"))
    job_id = student.start(ONE, "Notes")
    with pytest.raises(Unavailable):
        student.run(job_id)
    student.model.asked.clear()  # type: ignore[union-attr]  # a FakeChatModel
    student.model.steps = [made(), says(""), says("")]  # type: ignore[union-attr]  # a FakeChatModel

    student.finish(job_id)

    assert student.reply(job_id)["made"]["topics"] == 1


def test_a_study_with_a_model_needs_a_model() -> None:
    with pytest.raises(NotConfigured, match="ChatModel"):
        Student().start(with_model=True)


def test_without_a_word_about_a_model_a_deployment_without_one_studies_by_the_text() -> None:
    assert Student().study()["with_model"] is False


def test_a_job_that_waits_for_days_keeps_its_text() -> None:
    student = studying_with(BusyModel("busy", 86_400))
    job_id = student.start(ONE, "Notes")
    text = student.job(job_id).text_object

    for _ in range(20):
        assert student.run(job_id).state == "waiting"
        student.later(86_401)

    blobs = student.services.blobs
    assert student.services.now() - blobs.written_at[text] <= timedelta(days=2)  # type: ignore[attr-defined]  # FakeBlobs


def out_of_time() -> Step:
    return OutOfTime("the time of the request is used up")


def test_a_passage_without_time_is_read_once_more_and_then_counts_as_partial() -> None:
    student = studying_with(made(), out_of_time(), made(), out_of_time(), says(""))

    reply = student.study(ONE, "Notes")

    assert (reply["state"], reply["made"]["partial"]) == ("done", 1)
    student.later()
    assert student.study(ONE, "Notes")["cost"]["questions"] > 0


def test_a_passage_that_has_time_in_the_second_run_is_whole() -> None:
    student = studying_with(made(), out_of_time(), made(), wrote("topic-Ada"), says(""), says(""))

    reply = student.study(ONE, "Notes")

    assert (reply["made"]["partial"], reply["made"]["fields"]) == (0, 1)


def test_a_topic_to_which_phase_b_gave_a_kind_goes_with_the_document() -> None:
    named = calls(("memory_update_topic", {"topic_id": "topic-Ada", "topic_kind": "person"}))
    student = studying_with(made(), wrote("topic-Ada"), says(""), named, says(""))
    document_id = student.study(ONE, "Notes")["document_id"]

    student.remove(document_id, dry_run=False)

    assert not student.topics


def after_a_fact_of_phase_b() -> Student:
    """Phase B has added a fact to the topic Old; in further studies the model does nothing."""
    student = studying_with(made(), says(""), wrote("topic-old"), says(""))
    old = CreateTopic(title="Old", topic_id="topic-old")
    create_topic(old, student.call(), student.services)
    student.study(ONE, "Notes")
    student.later()
    assert isinstance(student.model, FakeChatModel)
    student.model.steps = [says("")]
    student.model.asked.clear()
    return student


def test_a_fact_of_phase_b_goes_when_no_passage_is_left_on_which_it_rests() -> None:
    student = after_a_fact_of_phase_b()

    student.study("# Coffee\n\nBob likes espresso.\n", "Notes")

    assert values_of(student.topics["Old"]) == {}


def test_a_fact_of_phase_b_stays_while_a_passage_is_left() -> None:
    student = after_a_fact_of_phase_b()

    student.study(f"{ONE}\n# Coffee\n\nBob likes espresso.\n", "Notes")

    assert values_of(student.topics["Old"]) == {"likes": "green tea"}


def test_a_failed_study_leaves_no_topic_in_the_sandbox_and_can_be_resumed() -> None:
    student = studying_with(made(), Unavailable("no answer"))
    job_id = student.start(ONE, "Notes")
    with pytest.raises(Unavailable):
        student.run(job_id)

    fail_study(job_id, 1, "Unavailable", student.services)

    assert not [each for each in student.topics.values() if each.kind.startswith("study:")]
    student.resume(job_id)
    student.model.asked.clear()  # type: ignore[union-attr]  # a FakeChatModel
    student.model.steps = [wrote("topic-Ada"), says(""), says("")]  # type: ignore[union-attr]  # a FakeChatModel
    student.finish(job_id)
    assert values_of(student.topics["Ada"]) == {"likes": "green tea"}


def test_questions_before_a_failure_are_in_the_cost() -> None:
    student = studying_with(made(), BusyModel("busy", 100))
    job_id = student.start(ONE, "Notes")

    student.run(job_id)

    assert student.reply(job_id)["cost"]["tokens"] == 100


def test_a_passage_that_no_day_suffices_for_fails_the_job_at_last() -> None:
    student = Student(ScriptedChat(), settings={"limits": Limits(5_000, 5_000)})
    job_id = student.start()

    for _ in range(5):
        student.run(job_id)
        student.later(86_401)

    reply = student.reply(job_id)
    assert reply["state"] == "failed"
    assert "more tokens than a day has" in reply["reason"]


def test_waits_for_a_busy_model_grow_up_to_an_hour() -> None:
    student = studying_with(BusyModel("busy", 0))
    job_id = student.start(ONE, "Notes")

    waits = [student.run(job_id).wait_s for _ in range(8)]

    assert waits == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]
