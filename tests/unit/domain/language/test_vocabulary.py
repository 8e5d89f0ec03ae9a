"""The words on the wire."""

from enum import StrEnum

import pytest

from membrane.domain.language.vocabulary import (
    AuditAction,
    CandidateKind,
    DecayCurve,
    DeletionPolicy,
    EdgeKind,
    MemoryType,
    OutcomeStatus,
    Permission,
    ProvenanceKind,
    RevisionStatus,
    Sensitivity,
    TaskState,
    ValidityMode,
)


@pytest.mark.parametrize(
    ("enumeration", "words"),
    [
        (MemoryType, "episodic working semantic competence plan_graph entity"),
        (Sensitivity, "public low medium high hyper"),
        (CandidateKind, "event tool_output observation outcome working_state message"),
        (DecayCurve, "exponential linear custom"),
        (DeletionPolicy, "auto_prune manual_only never"),
        (RevisionStatus, "active contested retracted"),
        (ValidityMode, "global conditional timeboxed"),
        (TaskState, "planning executing blocked waiting done"),
        (OutcomeStatus, "success failure partial"),
        (AuditAction, "create revise fork merge delete reinforce decay"),
        (ProvenanceKind, "event artifact tool_call observation outcome"),
        (EdgeKind, "data control"),
        (Permission, "ingest read revise admin"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "words",
)
def test_an_enumeration_has_the_words_of_the_contract(
    enumeration: type[StrEnum], words: str
) -> None:
    spelled = [str(word) for word in enumeration]

    assert spelled == words.split()


def test_sensitivities_have_levels_from_0_for_public_to_4_for_hyper() -> None:
    levels = {str(sensitivity): sensitivity.level for sensitivity in Sensitivity}

    assert levels == {"public": 0, "low": 1, "medium": 2, "high": 3, "hyper": 4}
