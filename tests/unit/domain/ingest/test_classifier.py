"""Which type of memory each kind of candidate becomes (seed 000, "Classification Rules")."""

import pytest

from membrane.domain.ingest.policy import classify


@pytest.mark.parametrize(
    ("kind", "memory_type"),
    [
        ("event", "episodic"),
        ("tool_output", "episodic"),
        ("observation", "semantic"),
        ("outcome", "episodic"),
        ("working_state", "working"),
    ],
)
def test_each_kind_of_candidate_becomes_its_type_of_memory(kind: str, memory_type: str) -> None:
    classified = classify(kind)

    assert classified == memory_type


@pytest.mark.parametrize(
    "kind", ["", "dream", "Observation", "OBSERVATION", "semantic", " working"]
)
def test_an_unknown_kind_becomes_an_episode(kind: str) -> None:
    classified = classify(kind)

    assert classified == "episodic"
