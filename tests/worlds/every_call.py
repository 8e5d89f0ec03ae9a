"""An act on a stage that something disturbs at each call of the store in turn."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from tests.worlds.captures import Act, CaptureStage
from tests.worlds.depth import steps
from tests.worlds.endings import amid
from tests.worlds.faults import Moment

MOST_STEPS = 400


def disturbed(
    stage: CaptureStage,
    act: Act,
    disturb: Callable[[], object],
    *endings: type[BaseException],
    least: int,
) -> Iterator[int]:
    """The number of the call, after each disturbed act; the act may end with one of the endings.

    Fails in the end unless the act has more than `least` calls.
    """
    for step in steps():
        stage.begin()
        moment = Moment(step, disturb)
        with suppress(*endings), amid(stage.table, moment):
            act()
        yield step
        if not moment.has_come:
            break
    assert least < step < MOST_STEPS
