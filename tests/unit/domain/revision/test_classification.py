"""How a record is filed: what the audit says of it, and who may make it less sensitive."""

from typing import Any

import pytest

from membrane.domain.ingest.builder import Why
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.history import content_before, content_of
from membrane.domain.revision.classification import (
    reclassified_version,
    require_any_change,
    require_raised,
)
from membrane.domain.revision.requests import Reclassify
from membrane.domain.salience.decay_defaults import PolicyDefaults
from tests.builders.records import RECORD_ID, a_making
from tests.builders.revised_records import a_fact_in_store

WHY = Why("eval", "why")


def asked(**fields: Any) -> Reclassify:
    return validate(Reclassify, {"id": RECORD_ID, **fields})


@pytest.mark.parametrize(
    "fields", [{"scope": ""}, {"sensitivity": "low"}, {"tags": []}, {"retracted": False}]
)
def test_one_field_is_enough_to_ask_for(fields: dict[str, Any]) -> None:
    require_any_change(asked(**fields))

    with pytest.raises(InvalidArgument, match="nothing is to be changed"):
        require_any_change(asked(rationale="why"))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"scope": "b"}, "scope changed: why"),
        ({"scope": ""}, "scope changed: why"),
        ({"sensitivity": "high", "tags": ["secret"]}, "sensitivity low -> high, 0 tags -> 1 tags"),
        ({"scope": "team"}, "classification confirmed: why"),
    ],
)
def test_the_audit_tells_the_sensitivity_of_tags_how_many_and_of_scopes_no_name(
    fields: dict[str, Any], told: str
) -> None:
    after = reclassified_version(
        a_fact_in_store(), asked(**fields), WHY, a_making(), PolicyDefaults()
    )

    assert after.trail[-1].rationale.startswith(told)
    assert "secret" not in after.trail[-1].rationale
    assert "team" not in after.trail[-1].rationale


def test_the_history_leads_back_to_how_it_was_filed() -> None:
    stored = a_fact_in_store(tags=["a"])
    request = asked(scope="b", sensitivity="high", tags=["a", "b"])

    after = reclassified_version(stored, request, WHY, a_making(), PolicyDefaults())

    (delta,) = after.history
    assert content_before(content_of(after.record), delta) == content_of(stored.record)


@pytest.mark.parametrize("level", [None, "low", "high"])
def test_anybody_may_raise_a_sensitivity_and_an_administrator_lower_it(level: str | None) -> None:
    raised = None if level is None else Sensitivity(level)

    require_raised(Sensitivity.LOW, raised, is_admin=False)
    require_raised(Sensitivity.HYPER, raised, is_admin=True)

    with pytest.raises(PermissionDenied):
        require_raised(Sensitivity.LOW, Sensitivity.PUBLIC, is_admin=False)
