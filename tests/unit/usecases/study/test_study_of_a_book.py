"""A book of 638 KB, with a kill in each of its steps."""

from dataclasses import replace
from pathlib import Path

from membrane.usecases.study.run_study import run_study
from tests.worlds.dying_records import KilledError
from tests.worlds.studies import DyingStore, Student, WritesLeft, contents_of

BOOK = (Path(__file__).parents[3] / "samples" / "moby_dick.md").read_text("utf-8")
TITLE = "Moby-Dick; or, The Whale"


def test_a_book_killed_in_every_step_before_the_step_is_kept_is_studied_to_the_same_end() -> None:
    untouched, student = Student(), Student()
    expected = untouched.study(BOOK, TITLE)
    job_id = student.start(BOOK, TITLE)
    kills = 0

    while student.reply(job_id)["state"] != "done":
        kills += run_is_killed(student, job_id)
        student.step(job_id)

    assert kills > 3 * 66  # chapters, each studied, linked and tidied
    assert student.reply(job_id)["made"] == expected["made"]
    assert contents_of(student) == contents_of(untouched)


def run_is_killed(student: Student, job_id: str) -> bool:
    """A run whose process ends after all writes of a step, before the job is kept."""
    studies = DyingStore(student.services.studies, {"keep"}, WritesLeft(0))
    dying = replace(student.services, studies=studies)
    try:
        run_study(job_id, student.job(job_id).attempt, dying, lambda: False)
    except KilledError:
        return True
    return False
