"""The last act: what is not used fades and is pruned; what proves useful stays.

The clock stands still but where it is moved by hand, so every number is exact.
"""

import math
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from membrane.domain.salience.function import PRUNE_THRESHOLD
from membrane_cli.demo.stage import DemoError, expect, show_audit, table
from membrane_cli.http_client import HttpClient
from membrane_cli.salience.command import show_salience

FADING = {
    "source": "coding-agent",
    "event_kind": "user_input",
    "ref": "msg-002",
    "summary": "User mentioned the weather",
}
USEFUL = {**FADING, "ref": "msg-003", "summary": "User said how to run the tests"}

HALF_LIFE_S = 3_600
"""An event's, by default: so half-lives are hours here."""
HOURS, USE_HOUR, LAST_HOUR = (1, 2, 5), 5, 10
DUE_S = math.ceil(-HALF_LIFE_S * math.log2(PRUNE_THRESHOLD))
"""When an event that began with a salience of 1 may be pruned."""

HEADINGS = ("after", "salience", "2^(-t/h)", "if every hourly sweep multiplied it")


def show_forgetting(console: Console, client: HttpClient) -> None:
    """Let time pass over two events of which one proves useful, sweep, and see what is left."""
    expect(200, client.call("POST", "/_dev/clock", {"frozen": True}))
    expect(200, client.call("POST", "/_dev/reset", {}))
    fading, useful = _ingested(client, FADING), _ingested(client, USEFUL)
    time, rows = _Time(client), table("Time passes over an event that nobody uses", *HEADINGS)
    for hour in HOURS:
        time.move_to(hour * HALF_LIFE_S)
        rows.add_row(*_compared(client, fading, hour))
    used = _reinforced(client, useful)
    time.move_to(DUE_S - 1)
    time.move_to(LAST_HOUR * HALF_LIFE_S)
    rows.add_row(*_compared(client, fading, LAST_HOUR))
    console.print("\n", rows, sep="")
    console.print(
        "The hourly schedule swept meanwhile, the last time one second before the event was due, "
        f"and pruned nothing: {PRUNE_THRESHOLD:g} is left after {DUE_S} s.",
        highlight=False,
    )
    _sweep(console, client, fading)
    _show_kept(console, client, used)


@dataclass(slots=True)
class _Time:
    """Time since both events, which passes in leaps."""

    client: HttpClient
    passed_s: int = 0

    def move_to(self, passed_s: int) -> None:
        """Let time pass, and what is due then be done: the hourly schedule, too."""
        leap = {"advance_seconds": passed_s - self.passed_s}
        expect(200, self.client.call("POST", "/_dev/clock?wait", leap))
        self.passed_s = passed_s


def _ingested(client: HttpClient, event: dict[str, str]) -> dict[str, Any]:
    record = expect(201, client.call("POST", "/v1/ingest/event", event))["record"]
    if (record["salience"], record["lifecycle"]["decay"]["half_life_seconds"]) != (1, HALF_LIFE_S):
        raise DemoError("an event does not begin with 1 and a half-life of an hour")
    return dict(record)


def _compared(client: HttpClient, record: dict[str, Any], hour: int) -> tuple[str, ...]:
    """What the API says, what is right, and what a sweep gives that decays a decayed value.

    Each of its sweeps applies the whole time since the anchor to what the last one had left.
    """
    read = _salience(client, record)
    right, compounded = 2.0**-hour, 2.0 ** -(hour * (hour + 1) / 2)
    if not math.isclose(read, right, rel_tol=1e-9):
        raise DemoError(f"after {hour} h the salience is {read}, not {right}")
    return f"{hour} h", f"{read:.10g}", f"{right:.10g}", f"{compounded:.3g}"


def _salience(client: HttpClient, record: dict[str, Any]) -> float:
    answer = client.call("GET", f"/v1/records/{record['id']}")
    return float(expect(200, answer)["record"]["salience"])


def _reinforced(client: HttpClient, record: dict[str, Any]) -> dict[str, Any]:
    why = {"rationale": "it answered a question"}
    answer = client.call("POST", f"/v1/records/{record['id']}/reinforce", why)
    return dict(expect(200, answer)["record"])


def _sweep(console: Console, client: HttpClient, faded: dict[str, Any]) -> None:
    reply = expect(200, client.call("POST", "/_dev/invoke/DecayFunction", {}))
    if reply.get("pruned") != {"episodic": 1}:
        raise DemoError(f"one event is due, but decay answers {reply}")
    gone = expect(404, client.call("GET", f"/v1/records/{faded['id']}"))
    pruned = ", ".join(f"{number} {kind}" for kind, number in reply["pruned"].items())
    console.print(
        f"\nDecay after {LAST_HOUR} h: {pruned} record pruned. Reading it is {gone['status']} "
        f"{gone['code']} now; its audit is still there.\n",
        highlight=False,
    )
    show_audit(console, client, faded["id"])


def _show_kept(console: Console, client: HttpClient, used: dict[str, Any]) -> None:
    left, right = _salience(client, used), used["salience"] * 2.0 ** -(LAST_HOUR - USE_HOUR)
    if not math.isclose(left, right, rel_tol=1e-9):
        raise DemoError(f"the reinforced event has a salience of {left}, not {right}")
    console.print(
        "The other event proved useful after "
        f"{USE_HOUR} h, was reinforced, and stays. `membrane salience` draws it:\n",
        highlight=False,
    )
    show_salience(used["id"], client, console, {})
