"""Many callers at once on one record, and the sweep beside them, over the whole local stack."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT, SKILL
from tests.worlds.api import Api, Reply, repeated
from tests.worlds.depth import crowd
from tests.worlds.threads import at_once

CALLERS = crowd()
FADED = timedelta(seconds=35_877)
"""After which an event of an hour's half-life is due."""


def reinforcing(api: Api, record_id: str) -> partial[Reply]:
    return partial(api.post, f"/v1/records/{record_id}/reinforce", {"actor": "agent"})


def frozen_skill(api: Api, gain: float) -> str:
    """A record of salience 0, while time stands still, so that gains add up."""
    api.functions.clock.freeze(frozen=True)
    decay = {"reinforcement_gain": gain}
    skill = {**SKILL, "salience": 0.0, "lifecycle": {"decay": decay}}
    return str(api.post("/v1/records", {"id": "skill-1", **skill}).record["id"])


def trail_of(api: Api, record_id: str) -> list[dict[str, Any]]:
    """The audit trail, which verifies."""
    reply = api.get(f"/v1/records/{record_id}/audit?verify=true")
    assert reply.body["verified"] is True
    return list(reply.body["audit_log"])


def reinforced(trail: list[dict[str, Any]]) -> int:
    return sum(entry["action"] == "reinforce" for entry in trail)


def test_many_callers_at_once_each_reinforce_a_record_once(api: Api) -> None:
    record_id = frozen_skill(api, gain=0.01)

    replies = at_once([partial(repeated, reinforcing(api, record_id))] * CALLERS)

    assert {reply.status for reply in replies} == {200}
    trail = trail_of(api, record_id)
    assert reinforced(trail) == CALLERS
    record = api.get(f"/v1/records/{record_id}").record
    assert record["salience"] == pytest.approx(CALLERS * 0.01, rel=1e-9)
    gains = [entry["salience_after"] - entry.get("salience_before", 0.0) for entry in trail[1:]]
    assert gains == pytest.approx([0.01] * CALLERS)


def test_callers_that_race_the_sweep_keep_a_record_or_come_too_late(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    made = [
        api.post("/v1/ingest/event", {**EVENT, "ref": f"r-{n}"}).record["id"] for n in range(24)
    ]
    clock.advance(FADED)

    sweeping = partial(api.call, "POST", "/_dev/invoke/DecayFunction", {})
    replies = at_once([sweeping, *(reinforcing(api, record_id) for record_id in made), sweeping])

    assert [reply.status for reply in (replies[0], replies[-1])] == [200, 200]
    for record_id, reply in zip(made, replies[1:-1], strict=True):
        assert reply.status in (200, 404)
        assert api.get(f"/v1/records/{record_id}").status == reply.status
        actions = [entry["action"] for entry in trail_of(api, record_id)[1:]]
        assert actions == (["reinforce"] if reply.status == 200 else ["decay", "delete"])
