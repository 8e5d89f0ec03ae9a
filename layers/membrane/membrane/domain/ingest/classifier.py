"""Which type of memory a candidate becomes (seed 000, "Classification Rules")."""

from membrane.domain.language.vocabulary import CandidateKind, MemoryType

_TYPES: dict[str, MemoryType] = {
    CandidateKind.EVENT: MemoryType.EPISODIC,
    CandidateKind.TOOL_OUTPUT: MemoryType.EPISODIC,
    CandidateKind.OBSERVATION: MemoryType.SEMANTIC,
    CandidateKind.OUTCOME: MemoryType.EPISODIC,
    CandidateKind.WORKING_STATE: MemoryType.WORKING,
}


def classify(kind: str) -> MemoryType:
    """The type for a candidate of that kind; an unknown kind is episodic."""
    return _TYPES.get(kind, MemoryType.EPISODIC)
