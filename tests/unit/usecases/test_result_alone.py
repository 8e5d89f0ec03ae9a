"""A part of a consolidation that fails alone: what operators hear of the failure."""

import pytest

from membrane.domain.language.errors import Aborted, ScopeFenced
from membrane.usecases.learning.find_matches import result_alone
from tests.fakes.chat_models import Reports
from tests.worlds.memory import make_world

BROKEN = ValueError("a damaged record")


@pytest.mark.parametrize(
    ("error", "told"),
    [(Aborted("others came first"), []), (ScopeFenced("a"), []), (BROKEN, [BROKEN])],
    ids=["overtaken", "fenced", "broken"],
)
def test_a_failure_waits_for_a_later_run_and_is_told_where_it_is_a_fault(
    error: Exception, told: list[Exception]
) -> None:
    reports, failed = Reports(), list[Exception]()

    def fail() -> None:
        raise error

    result_alone(fail, make_world(report=reports), failed)

    assert failed == [error]
    assert reports.faults == told
