"""Which type of memory each kind of candidate becomes."""

import pytest

from membrane.domain.ingest.policy import TYPES
from membrane.domain.language.vocabulary import CandidateKind


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
    classified = TYPES[CandidateKind(kind)]

    assert classified == memory_type
