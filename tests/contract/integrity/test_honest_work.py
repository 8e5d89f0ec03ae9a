"""No finding comes from honest work: any sequence of calls and sweeps, anchored amid."""

import pytest
from hypothesis import Phase
from hypothesis.stateful import rule

from tests.contract.revision.test_revision_model import Revising
from tests.worlds.anchored_tables import anchored, findings
from tests.worlds.depth import cases, examples
from tests.worlds.revision_machine import run_from_seed

STEPS, EXAMPLES, SEEDS = 60, 4, cases(range(5), range(1))


class Anchored(Revising):
    """All that callers and the sweep may do, and the anchors of some days."""

    @rule()
    def anchor(self) -> None:
        """The schedule comes."""
        self.begin()
        anchored(self.services)

    def teardown(self) -> None:
        """Nothing is found of what was done."""
        self.anchor()
        self.begin(hours=24)
        assert findings(self.services, self.table.topics) == []
        super().teardown()


@pytest.mark.parametrize("number", SEEDS)
def test_no_record_departs_from_its_anchors_by_honest_work(number: int) -> None:
    most = examples(EXAMPLES)

    steps = run_from_seed(Anchored, number, most, STEPS, Phase.generate)

    assert max(steps) > STEPS
