"""What a request for a graph may ask for, and the texts of refusals."""

from typing import Any

import pytest

from membrane.domain.graph.requests import (
    USUAL_EDGES,
    USUAL_HOPS,
    USUAL_NODES,
    USUAL_ROOTS,
    RetrieveGraph,
)
from membrane.domain.language.violations import validate
from tests.builders.records import refusal

TYPES = "episodic, working, semantic, competence, plan_graph, entity"


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"root_limit": -1}, "root_limit must be between 0 and 10000"),
        ({"node_limit": -1}, "node_limit must be between 0 and 10000"),
        ({"edge_limit": 10_001}, "edge_limit must be between 0 and 10000"),
        ({"max_hops": -2}, "max_hops must be between -1 and 10000"),
        ({"max_hops": 10_001}, "max_hops must be between -1 and 10000"),
        ({"max_hops": True}, "max_hops must be an integer"),
        ({"min_salience": -0.1}, "min_salience must be non-negative and finite"),
        ({"memory_types": ["anything"]}, f"memory_types[0] must be one of: {TYPES}"),
        ({"node_types": ["anything"]}, f"node_types[0] must be one of: {TYPES}"),
        (
            {"task_descriptor": "a" * 100_001},
            "task_descriptor exceeds maximum length of 100000",
        ),
        ({"predicates": ["p"] * 101}, "predicates has more than 100 elements"),
    ],
)
def test_a_refusal_names_the_field_and_the_limit(asked: dict[str, Any], text: str) -> None:
    assert str(refusal(RetrieveGraph, asked)) == text


def test_what_is_left_out_has_the_usual_value() -> None:
    request = validate(RetrieveGraph, {"max_hops": None})

    assert (request.root_limit, request.node_limit) == (USUAL_ROOTS, USUAL_NODES)
    assert (request.edge_limit, request.max_hops) == (USUAL_EDGES, USUAL_HOPS)
