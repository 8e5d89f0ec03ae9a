"""The lifecycle evaluations of `make eval`, against a local stack of their own."""

from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, dev
from tests.eval.evaluations import EVALUATIONS, evaluated


@pytest.fixture(scope="module")
def aging_stack() -> Iterator[Stack]:
    """A stack whose clock the evaluations move by years."""
    with dev("--api-key", "local-key") as stack:
        yield stack


@pytest.mark.parametrize("name", EVALUATIONS)
def test_a_lifecycle_evaluation_passes_over_all_facts(aging_stack: Stack, name: str) -> None:
    (verdict,) = evaluated([name], aging_stack)

    assert verdict.passed, verdict
    assert verdict.plain, "the questions find what the change takes out of the answer"
