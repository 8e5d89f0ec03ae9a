"""A document becomes topics by its sections and paragraphs."""

from itertools import count

import pytest

from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.study.origins import origin_in
from membrane.domain.topics.requests.editing import AppendField, DeleteTopic
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.study.pieces import PIECE_CHARACTERS
from membrane.usecases.study.run_study import Rest
from membrane.usecases.topics.editing.fields import append_field
from membrane.usecases.topics.editing.topics import delete_topic
from tests.fakes.topic_world import fake_topics
from tests.worlds.studies import MANUAL, Student, contents_of, values_of
from tests.worlds.tools import key

EDITION = MANUAL.replace("Keep children away", "Keep all children away").replace(
    "Use vinegar and water. Rinse twice.\n", ""
)


def test_sections_become_topics_and_paragraphs_become_fields() -> None:
    student = Student()

    reply = student.study()

    assert values_of(student.topics["Safety"]) == {
        "p0001": "Never open the lid while the water boils. The steam burns.",
        "p0002": "Keep children away from the kettle.",
    }
    assert reply["state"] == "done"
    assert reply["made"]["topics"] == 4
    assert reply["made"]["fields"] == 5


def test_all_units_are_accounted_for() -> None:
    progress = Student().study()["progress"]

    assert progress == {
        "sections": {"done": 4, "total": 4},
        "paragraphs": {"done": 5, "total": 5},
        "sentences": {"done": 8, "total": 8},
    }


def test_a_field_names_its_place_in_the_document() -> None:
    student = Student()

    reply = student.study()

    field = student.topics["Safety"].fields["p0002"]
    assert field.current is not None
    origin = origin_in(field.current.provenance)
    assert origin is not None
    assert origin.document == reply["document_id"]
    assert MANUAL[slice(*origin.span)] == "Keep children away from the kettle."
    assert (
        field.current.why_changed == f"Safety, characters {origin.span.start} to {origin.span.end}"
    )


def test_a_section_is_linked_with_the_section_around() -> None:
    student = Student()

    reply = student.study()

    topics = student.topics
    store = student.services.topics
    around = store.find_edge(topics["Care › Descaling"].id, topics["Care"].id, "section_of")  # noqa: RUF001
    assert around is not None
    assert store.find_edge(topics["Care"].id, reply["document_id"], "section_of") is not None


def test_a_link_in_the_text_refers_to_the_section() -> None:
    student = Student()

    reply = student.study()

    topics = student.topics
    store = student.services.topics
    assert store.find_edge(topics["Care"].id, topics["Safety"].id, "refers_to") is not None
    assert reply["made"]["links"] == 1


def test_the_document_told_again_writes_nothing() -> None:
    student = Student()
    student.study()
    before = {each.id: each.version for each in student.topics.values() if each.kind != "document"}
    student.later()

    reply = student.study()

    after = {each.id: each.version for each in student.topics.values() if each.kind != "document"}
    assert after == before
    assert reply["made"] == {
        "topics": 0,
        "fields": 0,
        "revisions": 0,
        "unchanged": 5,
        "withdrawn": 0,
        "links": 0,
        "partial": 0,
    }


def test_a_link_that_a_new_edition_adds_is_counted_alone() -> None:
    student = Student()
    student.study()
    student.later()

    edition = MANUAL.replace("Use vinegar", "See [Care](#care). Use vinegar")
    reply = student.study(edition)

    assert reply["made"]["links"] == 1


def test_a_link_of_a_killed_step_is_counted_once() -> None:
    student, job_id, writes = Student(), "", count()
    while not any(kind == "refers_to" for _, _, kind in fake_topics(student.services).links):
        student = Student()
        job_id = student.start()
        student.run_until_killed(job_id, next(writes))
    assert student.reply(job_id)["made"]["links"] == 0

    student.later()
    student.finish(job_id)

    assert student.reply(job_id)["made"]["links"] == 1


def test_a_new_edition_revises_what_changed_and_withdraws_what_is_gone() -> None:
    student = Student()
    student.study()
    student.later()

    made = student.study(EDITION)["made"]

    safety = student.topics["Safety"]
    assert values_of(safety)["p0002"] == "Keep all children away from the kettle."
    assert safety.fields["p0002"].history_length == 2
    assert safety.fields["p0001"].history_length == 1
    assert (made["revisions"], made["unchanged"], made["withdrawn"]) == (1, 3, 1)


def test_a_section_that_is_gone_is_deleted_and_comes_back_with_its_text() -> None:
    student = Student()
    student.study()
    before = contents_of(student)
    student.later()
    shorter, _, _ = MANUAL.partition("### Descaling")

    student.study(shorter)

    assert "Care › Descaling" not in student.topics  # noqa: RUF001
    student.later()
    student.study()
    now = contents_of(student)
    assert now.keys() == before.keys()
    assert [*now["Care › Descaling (document:" + _kind_end(student) + ")"].values()] == [  # noqa: RUF001
        "Use vinegar and water. Rinse twice."
    ]


def _kind_end(student: Student) -> str:
    return student.topics["Safety"].kind.removeprefix("document:")


def test_an_inserted_paragraph_moves_no_other() -> None:
    student = Student()
    student.study()
    student.later()
    inserted = MANUAL.replace("Keep children", "Wear gloves.\n\nKeep children")

    student.study(inserted)

    assert values_of(student.topics["Safety"]) == {
        "p0001": "Never open the lid while the water boils. The steam burns.",
        "p0001-1": "Wear gloves.",
        "p0002": "Keep children away from the kettle.",
    }


def test_a_corrected_field_stays_corrected_until_the_document_changes_there() -> None:
    student = Student()
    student.study()
    safety = student.topics["Safety"]
    correction = AppendField(id=safety.id, field_name="p0002", value="Children may help.")
    student.later()
    append_field(correction, student.call(), student.services)

    student.later()
    student.study()

    assert values_of(student.topics["Safety"])["p0002"] == "Children may help."
    student.later()
    student.study(EDITION)
    assert values_of(student.topics["Safety"])["p0002"] == "Keep all children away from the kettle."


def test_a_long_section_becomes_several_topics_with_every_paragraph() -> None:
    student = Student()
    paragraphs = [f"Paragraph {at} " + "word " * 150 for at in range(40)]

    student.study("# Long\n\n" + "\n\n".join(paragraphs), "Book")

    pieces = [each for title, each in student.topics.items() if title.startswith("Long")]
    texts = {name: text for each in pieces for name, text in values_of(each).items()}
    assert [texts[name] for name in sorted(texts)] == [each.strip() for each in paragraphs]
    assert all(sum(map(len, values_of(each).values())) <= PIECE_CHARACTERS for each in pieces)
    assert "Long (part 2)" in student.topics


def test_a_paragraph_inserted_into_a_long_section_moves_no_other() -> None:
    student = Student()
    paragraphs = [f"Paragraph {at} " + "word " * 150 for at in range(40)]
    student.study("# Long\n\n" + "\n\n".join(paragraphs), "Book")
    before = contents_of(student)
    student.later()

    made = student.study(
        "# Long\n\n" + "\n\n".join([*paragraphs[:9], "New.", *paragraphs[9:]]), "Book"
    )["made"]

    after = contents_of(student)
    new = {
        (title, name)
        for title, values in after.items()
        for name in values.keys() - before.get(title, {}).keys()
    }
    assert len(new) == 1
    assert (made["fields"], made["revisions"], made["unchanged"]) == (1, 0, 40)


def test_a_section_that_a_caller_deleted_stays_deleted_until_its_text_changes() -> None:
    student = Student()
    student.study()
    safety = student.topics["Safety"].id
    delete_topic(DeleteTopic(id=safety), student.call(), student.services)
    student.later()

    again = student.study()

    assert "Safety" not in student.topics
    assert again["made"]["unchanged"] == 5
    student.later()
    student.study(EDITION)
    assert values_of(student.topics["Safety"])["p0002"] == "Keep all children away from the kettle."


def test_an_erased_document_can_be_told_again() -> None:
    student = Student(principal=key("read", "ingest", "revise", "admin"))
    first = student.study()["document_id"]
    erase = DeleteTopic(id=first, erase=True)
    delete_topic(erase, student.call(), student.services)
    student.later()

    again = student.study()

    assert again["state"] == "done"
    assert again["document_id"] != first


def test_the_edition_of_another_key_needs_the_right_to_revise() -> None:
    student = Student()
    student.study()
    student.later()
    student.principal = key("read", "ingest")._replace(actor_id="somebody")

    with pytest.raises(PermissionDenied, match="revise"):
        student.start(EDITION)


def test_a_long_section_is_kept_part_by_part() -> None:
    student = Student(settings={"elapsed_s": count(step=30).__next__})
    paragraphs = [f"Paragraph {at} " + "word " * 350 for at in range(6)]
    job_id = student.start("\n\n".join(paragraphs), "Book")
    done: list[int] = []

    while student.step(job_id) != Rest("done"):
        done.append(student.reply(job_id)["progress"]["paragraphs"]["done"])

    assert done == sorted(done)
    assert {1, 2, 3, 4, 5, 6} <= {*done}
    assert student.reply(job_id)["made"]["fields"] == 6


@pytest.mark.parametrize(
    ("document", "words"),
    [("# a\n" * 20_001, "20000 headings"), ("x\n" * 250_001, "250000 lines")],
)
def test_a_document_of_too_many_parts_is_refused(document: str, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        Student().start(document)


def test_two_documents_of_one_title_are_told_apart_by_their_source() -> None:
    student = Student()

    first = student.study(source="a.md")
    second = student.study("# Other\n\nText.", source="b.md")

    assert first["document_id"] != second["document_id"]
    assert "Safety" in student.topics


def test_a_document_that_others_may_not_see_is_another_document() -> None:
    student = Student()

    low = student.study(sensitivity="public")
    high = student.study(sensitivity="low")

    assert low["document_id"] != high["document_id"]


@pytest.mark.parametrize(
    "document", ["No heading at all.", "# \n\ntext", "```\n# code\n```", "a\x00b"]
)
def test_any_text_can_be_studied(document: str) -> None:
    assert Student().study(document)["state"] == "done"


def test_a_run_without_time_leaves_the_rest_to_the_next_run() -> None:
    student = Student()
    job_id = student.start()

    states = [student.step(job_id).state for _ in range(20)]

    assert states[0] == "running"
    assert states[-1] == "done"
    assert student.reply(job_id)["made"]["fields"] == 5


def test_a_study_killed_before_any_write_ends_as_if_it_had_not_been() -> None:
    untouched = Student()
    untouched.study()
    untouched.later()
    expected = untouched.study(EDITION)["made"], contents_of(untouched)
    writes, is_killed = 0, True

    while is_killed:
        student = Student()
        student.study()
        student.later()
        job_id = student.start(EDITION)
        is_killed = student.run_until_killed(job_id, writes)
        student.finish(job_id)
        assert (student.reply(job_id)["made"], contents_of(student)) == expected, writes
        writes += 1

    assert writes > 15


def test_the_objects_of_a_finished_study_are_gone() -> None:
    student = Student()

    student.study()

    assert not [name for name in student.services.blobs.blobs if name.startswith("studies/")]  # type: ignore[attr-defined]  # FakeBlobs


def test_the_topics_are_in_the_scope_and_of_the_sensitivity() -> None:
    student = Student()

    student.study(sensitivity="public")

    assert {(each.scope, each.sensitivity) for each in student.topics.values()} == {
        ("team:a", "public")
    }


def test_deleted_topics_of_the_document_are_no_obstacle() -> None:
    student = Student()
    reply = student.study()
    student.remove(reply["document_id"], dry_run=False)
    statuses = {each.status for each in fake_topics(student.services).topics.values()}
    student.later()

    again = student.study()

    assert statuses == {TopicStatus.DELETED}
    assert again["state"] == "done"
    assert "Safety" in student.topics
