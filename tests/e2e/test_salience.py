"""`membrane salience`, a process of its own, against a running local stack."""

import subprocess

from tests.e2e.stack import MEMBRANE, Stack

EVENT = {"source": "agent", "event_kind": "user_input", "ref": "msg-1", "summary": "secret"}


def test_a_records_curve_is_drawn_in_the_width_that_was_asked_for(stack: Stack) -> None:
    _, made = stack.call("POST", "/v1/ingest/event", EVENT)
    stack.call("POST", "/_dev/clock", {"frozen": True})
    stack.call("POST", "/_dev/clock", {"advance_seconds": 7_200})
    own = made["record"]["id"]
    stack.call("POST", f"/v1/records/{own}/reinforce", {"rationale": "it helped"})
    place = ["--url", stack.url, "--api-key", stack.secret]

    done = subprocess.run(
        [MEMBRANE, "salience", own, *place, "--width", "64"],
        capture_output=True,
        text=True,
        check=True,
    )

    about, now, _, *drawn = done.stdout.splitlines()
    assert about == f"{own}: episodic, exponential, half-life 1 h, auto_prune"
    assert now.startswith("salience 0.4")
    assert drawn[0].startswith("     1 ┤•")
    assert max(map(len, drawn)) == 64
    assert any("R·" in line for line in drawn)
    assert "local: it helped" in " ".join(done.stdout.split())
    assert "secret" not in done.stdout
