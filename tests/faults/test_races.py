"""Two acts on one entity at once end like one act after the other."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.faults.crossings import ERASURE, IN_A_SCOPE, KEPT_OUT, RACES
from tests.faults.harness import Act, Trial, killed_after, sample, stored
from tests.faults.races import Race
from tests.faults.world import Steps
from tests.worlds.agreed import FENCES
from tests.worlds.depth import is_deep

CROSSINGS, OF_FEW = 4, 12
"""The most changes of an act before each of which another act comes without `--deep`: each of
many acts, or of two at most."""

BEFORE = 3
"""The steps of a job that another act crosses up to a change: what was read may be old by then."""


@pytest.mark.parametrize(("act", "others"), RACES, ids=[str(act) for act, _ in RACES])
def test_an_act_amid_another_ends_like_one_of_the_two_orders(
    act: Act, others: Sequence[Act]
) -> None:
    race = Race(act)
    known = race.undisturbed
    numbers: Sequence[int] = range(known.steps)
    if not is_deep():
        changes = sample(known.changing, CROSSINGS if len(others) > 2 else OF_FEW)
        before = range(BEFORE if act.parts else 1)
        numbers = sorted({max(0, each - number) for each in changes for number in before})

    for other in others:
        race.cross(other, numbers)


@pytest.mark.parametrize("act", IN_A_SCOPE, ids=str)
def test_a_scope_under_erasure_refuses_each_write(act: Act) -> None:
    trial = Trial(ERASURE)
    end_behind_the_fence(trial)

    reply = act.do(trial.stage, None)

    assert "the scope is being erased" in reply["body"]


@pytest.mark.parametrize("job", KEPT_OUT, ids=str)
def test_a_scope_under_erasure_is_left_alone_by_jobs(job: Act) -> None:
    trial = Trial(replace(ERASURE, prepare=job.prepare, do=lambda *of: ERASURE.do(of[0], of[1][0])))
    end_behind_the_fence(trial)
    before = trial.replies_on(trial.outcome(None))

    job.do(trial.stage, trial.undisturbed.given)

    after = trial.replies_on(trial.outcome(None))
    assert after.startswith(before), "nothing but the result of a file is new"


def end_behind_the_fence(trial: Trial) -> None:
    """Let the process of an erasure end as soon as the fence stands."""
    for number in range(trial.undisturbed.steps):
        trial.stage.restore(trial.undisturbed.before.saved)
        trial.attempt(Steps(number, lambda step: killed_after(step, lambda: None)))
        if f'"{FENCES}"' in stored(trial.stage):
            return
    pytest.fail("no fence was put up")
