"""Thousands of bad bodies over every route: no 5xx, and nothing is left behind."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.agreed import ROWS
from tests.worlds.api import Api
from tests.worlds.depth import examples

BODIES = 2_400
"""Over all routes together."""

HOSTILE_TEXTS = [
    "",
    "{",
    "[]",
    "null",
    '"text"',
    "0",
    "{}",
    '{"source": 1e999}',
    '{"source": NaN}',
    '{"source": "a", "source": "b"}',
    '{"source": "\\ud800"}',
    "[" * 100_000,
    '{"a":' * 70 + "1" + "}" * 70,
    '{"result": ' + "9" * 5000 + "}",
    "\x00",
    '{"timestamp": "9999-12-31T23:59:59-01:00"}',
    '{"timestamp": "0001-01-01T00:00:00+01:00"}',
    '{"source": "a", "event_kind": "b", "ref": "c", "tags": {"0": "x"}}',
    '{"__proto__": {}, "constructor": null}',
]

GOOD: dict[str, dict[str, Any]] = {
    "/v1/ingest/event": EVENT,
    "/v1/ingest/tool-output": REPORTS["tool-output"],
    "/v1/ingest/observation": REPORTS["observation"],
    "/v1/ingest/working-state": REPORTS["working-state"],
    "/v1/ingest/outcome": {
        "source": "judge",
        "target_record_id": "absent",
        "outcome_status": "success",
    },
    "/v1/messages": {"thread_id": "t-1", "messages": [{"role": "user", "content": "Hi"}]},
    "/v1/capture": {"source": "agent", "source_kind": "agent_turn", "content": {"project": "acme"}},
    "/v1/records": SKILL,
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=30)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
wrong = values.filter(lambda value: not isinstance(value, str)) | st.sampled_from(
    [[], {}, True, -1, 1e300, ["x"] * 200, {"a": {"b": []}}, "x" * 100_001]
)


@st.composite
def bad_bodies(draw: st.DrawFn) -> tuple[str, str, bytes]:
    """A route and a body: hostile text, bytes, any JSON, or a good body with one part spoilt."""
    operation = draw(st.sampled_from(ROWS))
    method, path = operation.route.split(" ")
    content = draw(
        st.one_of(
            st.sampled_from(HOSTILE_TEXTS).map(str.encode),
            st.binary(max_size=60),
            values.map(json.dumps).map(str.encode),
            _spoilt(GOOD.get(path, {"actor": "me"})),
        )
    )
    return method, path.replace("{id}", "absent"), content


def _spoilt(good: dict[str, Any]) -> st.SearchStrategy[bytes]:
    names = st.sampled_from([*good, "sensitivity", "scope", "timestamp", "tags", "lifecycle", "x"])
    spoilt = st.builds(lambda name, value: {**good, name: value}, names, wrong)
    return spoilt.map(json.dumps).map(str.encode)


def test_no_bad_body_is_a_fault_or_leaves_anything(local_api: Api) -> None:
    local_api.application.reset()
    before = local_api.stored()
    statuses: dict[int, int] = {}

    @settings(max_examples=examples(BODIES), database=None)
    @given(bad_bodies())
    def send(request: tuple[str, str, bytes]) -> None:
        reply = local_api.send(*request)
        statuses[reply.status] = statuses.get(reply.status, 0) + 1
        assert reply.status < 500, (request, reply.body)
        if reply.status < 300:  # a spoilt part may still be legal; then it is a whole record
            local_api.application.reset()
        else:
            assert reply.body["code"] in ("INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION")

    send()

    assert sum(statuses.values()) >= examples(BODIES) * 5 // 6
    assert statuses[400] > examples(BODIES) * 5 // 12
    local_api.application.reset() if 201 in statuses else None
    assert local_api.stored() == before
