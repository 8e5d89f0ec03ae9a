"""`membrane salience ID` against the stack in this process, on a clock that stands still."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from membrane_cli.cli import main
from membrane_cli.http_client import Answer, HttpClient
from membrane_cli.salience.command import show_salience
from tests.integration.http.test_routes import EVENT
from tests.worlds.api import Api
from tests.worlds.refusals import an_error, refuses

START = "2027-01-15T08:00:00Z"
HOUR_S = 3_600


@dataclass(frozen=True, slots=True)
class Caller(HttpClient):
    """A client that is answered in this process."""

    answer: Callable[[str, str], Answer] = field(kw_only=True)

    def call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        assert (body, headers) == (None, None)
        return self.answer(method, path)


@pytest.fixture
def still(api: Api) -> Api:
    """The stack with a clock that stands still, at a known instant."""
    api.functions.clock.freeze(frozen=True)
    assert api.post("/_dev/clock", {"set": START}).status == 200
    return api


def shown(api: Api, record_id: str, *, key: str | None = None, clock: int = 200) -> list[str]:
    """The lines that it prints."""

    def answer(method: str, path: str) -> Answer:
        if path == "/_dev/clock" and clock != 200:
            raise an_error("UNAVAILABLE", f"the answer is {clock}, but not JSON")
        reply = api.call(method, path, key=key)
        return Answer(reply.status, reply.headers, reply.body)

    return printed(record_id, answer)


def printed(record_id: str, answer: Callable[[str, str], Answer], curves: Any = None) -> list[str]:
    file = StringIO()
    client = Caller("in this process", answer=answer)
    show_salience(
        record_id,
        client,
        Console(file=file, width=72, force_terminal=True, color_system=None),
        curves or {},
    )
    return [line.rstrip() for line in file.getvalue().splitlines()]


def pass_time(api: Api, hours: float) -> None:
    assert api.post("/_dev/clock?wait", {"advance_seconds": hours * HOUR_S}).status == 200


def ingested(api: Api, **fields: Any) -> str:
    return str(api.post("/v1/ingest/event", {**EVENT, **fields}).record["id"])


def kept(api: Api, **lifecycle: Any) -> str:
    """The id of an episode with a chosen id."""
    record = {
        "id": "mine",
        "type": "episodic",
        "sensitivity": "low",
        "payload": {"kind": "episodic", "timeline": [{"t": START, "event_kind": "a", "ref": "b"}]},
        "lifecycle": lifecycle,
    }
    assert api.post("/v1/records", {"record": record}).status == 201
    return "mine"


def change(api: Api, record_id: str, deed: str, **fields: Any) -> None:
    assert api.post(f"/v1/records/{record_id}/{deed}", fields).status == 200


def test_it_draws_what_was_what_happened_and_what_will_be(still: Api) -> None:
    own = kept(still)
    pass_time(still, 3)
    change(still, own, "reinforce", actor="alice", rationale="it helped")
    pass_time(still, 1)
    change(still, own, "penalize", amount=0.1, rationale="but not much")
    pass_time(still, 1)

    lines = shown(still, own)

    assert lines == [
        "mine: episodic, exponential, half-life 1 h, auto_prune",
        "salience 0.03125 now: due 2027-01-15 17:57:57, in 4 h 57 min: a sweep then prunes it",
        "",
        "     1 ┤•",
        "       │••",
        "       │ •••",
        "       │   ••",
        "       │    •••",
        "   0.5 ┤      ••••",
        "       │         ••••",
        "       │            ••••        R•••",
        "       │               •••••••     ••••••",
        "       │                     ••••       P••",
        "     0 ┼──────────────────────────────────•••••••·······················",
        "                                                ╵now",
        "        2027-01-15 08:00:00                          2027-01-15 16:00:00",
        "",
        "    when (UTC)           action     salience          by whom: why",
        " ──────────────────────────────────────────────────────────────────────",
        " R  2027-01-15 11:00:00  reinforce  0.125 -> 0.325    alice: it helped",
        " P  2027-01-15 12:00:00  decay      0.1625 -> 0.0625  local: penalty:",
        "                                                      but not much",
        "",
    ]


def test_what_was_pruned_is_drawn_from_its_audit_alone(still: Api) -> None:
    own = kept(still)
    pass_time(still, 10)
    still.post("/_dev/invoke/DecayFunction", {})
    assert still.get(f"/v1/records/{own}").status == 404

    lines = shown(still, own)

    assert lines == [
        "mine, deleted 2027-01-15 18:00:00: drawn from its audit alone",
        "",
        "     1 ┤•",
        "       │••",
        "       │ ••",
        "       │  ••",
        "       │   •••",
        "   0.5 ┤     •••",
        "       │       •••",
        "       │         ••••",
        "       │            ••••••",
        "       │                 •••••••••••",
        "     0 ┼───────────────────────────••••••••••••••••••••••••••••••••••••X",
        "",
        "        2027-01-15 08:00:00                          2027-01-15 18:00:00",
        "",
        "    when (UTC)           action  salience        by whom: why",
        " ──────────────────────────────────────────────────────────────────────",
        " X  2027-01-15 18:00:00  decay   1 -> 0.0009766  decay-service: decay",
        "                                                 applied: 1.0000 ->",
        "                                                 0.0010 …",
        " X  2027-01-15 18:00:00  delete                  decay-service:",
        "                                                 auto-pruned: salience",
        "                                                 fell to 0.001",
        "",
    ]


def test_what_is_pinned_is_level(still: Api) -> None:
    own = ingested(still)
    pass_time(still, 1)
    change(still, own, "pin")
    pass_time(still, 4)

    lines = shown(still, own)

    assert lines[1] == "salience 0.5 now: pinned, it does not fade"
    assert any("C••••••••••" in line for line in lines)


@pytest.mark.parametrize(
    ("lifecycle", "fate"),
    [
        ({"deletion_policy": "manual_only"}, "no sweep prunes it, however little is left"),
        ({"decay": {"min_salience": 0.2}}, "it keeps its floor, and no sweep prunes it"),
        ({"decay": {"max_age_seconds": 7_200}}, "in 59 min 50 s: a sweep then prunes it"),
        ({"decay": {"max_age_seconds": 3_610}}, "due since 2027-01-15 09:00:10, the next sweep"),
    ],
)
def test_it_tells_what_becomes_of_the_record(
    still: Api, lifecycle: dict[str, Any], fate: str
) -> None:
    kept(still, **lifecycle)
    still.post("/_dev/clock", {"advance_seconds": HOUR_S + 10})

    lines = shown(still, "mine")

    assert fate in lines[1]


def custom(_method: str, path: str) -> Answer:
    """An API with one record, which fades by a curve of its deployment."""
    profile = {"curve": "custom", "custom_curve": "steps", "half_life_seconds": HOUR_S}
    lifecycle = {
        "decay": {**profile, "reinforcement_gain": 0.2},
        "last_reinforced_at": "0001-01-01T00:00:00Z",
        "deletion_policy": "auto_prune",
    }
    created = {"action": "create", "timestamp": START, "actor": "a", "rationale": "b"}
    chained = {"principal": "c", "previous_hash": "", "hash": "d"}
    bodies = {
        "/v1/records/a%2Fb": {
            "record": {"salience": 0.75, "type": "episodic", "lifecycle": lifecycle}
        },
        "/v1/records/a%2Fb/audit": {"audit_log": [{**created, **chained}], "deleted_at": None},
        "/_dev/clock": {"now": "2027-01-15T09:00:00Z"},
    }
    return Answer(200, {}, bodies[path])


def test_a_curve_of_the_deployment_must_be_given() -> None:
    with refuses("INVALID_ARGUMENT", match="the curve steps: give it with --custom-curves"):
        printed("a/b", custom)

    lines = printed("a/b", custom, {"steps": ((0, 1), (1, 0.75), (4, 0))})

    assert lines[0] == "a/b: episodic, steps, half-life 1 h, auto_prune"
    assert "due 2027-01-15 11:59:46, in 2 h 59 min" in lines[1]


@pytest.mark.parametrize("body", [{}, {"message": "hello"}, ["record"], "record", None])
def test_another_api_is_told_from_this_one(body: Any) -> None:
    with refuses("UNAVAILABLE", match="has no record: is that the API"):
        printed("mine", lambda _method, _path: Answer(200, {}, body))


def test_nothing_is_shown_of_what_the_record_says(still: Api) -> None:
    own = ingested(still, summary="the-secret", tags=["tag-secret"])

    assert "secret" not in "\n".join(shown(still, own))


def test_what_people_wrote_gives_the_terminal_no_commands(still: Api) -> None:
    own = ingested(still)
    change(still, own, "reinforce", actor="[red]eve\x1b[2J", rationale="a\nb\x07" + "x" * 100)

    text = "\n".join(shown(still, own))

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]eve" in text
    assert "x" * 37 not in text


@pytest.mark.parametrize("clock", [200, 502], ids=["forbidden", "not JSON"])
def test_who_is_not_told_the_stacks_time_sees_the_record_at_this_machines(
    still: Api, clock: int
) -> None:
    still.functions.clock.set_to(datetime.now(UTC) - timedelta(hours=1))
    own = ingested(still)
    pass_time(still, 1)
    reader = still.key_for(permissions=("read",))

    lines = shown(still, own, key=reader, clock=clock)

    assert lines[1].startswith("salience 0.5 now")
    assert any(line.strip().startswith("1 ┤•") for line in lines)


def test_a_record_that_is_not_there_is_told_in_a_sentence(still: Api) -> None:
    with refuses("NOT_FOUND", match="record not found"):
        shown(still, "nobody")


def test_what_was_deleted_by_hand_untouched_is_told_in_a_sentence(still: Api) -> None:
    own = ingested(still)
    assert still.call("DELETE", f"/v1/records/{own}").status == 204

    with refuses("NOT_FOUND", match="the audit has no salience"):
        shown(still, own)


@pytest.mark.parametrize(
    "options",
    [
        ["--url", "localhost"],
        ["--url", "http://127.0.0.1:1", "--width", "39"],
        ["--url", "http://127.0.0.1:1", "--width", "wide"],
        ["--url", "http://127.0.0.1:1", "--prune-threshold", "0"],
        ["--url", "http://127.0.0.1:1", "--prune-threshold", "nan"],
    ],
)
def test_a_command_line_that_is_wrong_is_refused(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["salience", "mine", *options])

    assert ended.value.code == 2
    assert "membrane salience: error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "nobody answers at http://127.0.0.1:1"),
        (["--custom-curves", "[]"], "must be a JSON object of curves by name"),
        (["--custom-curves", '{"a": [[0, 2]]}'], "MEMBRANE_TUNING: CustomCurves"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = main(["salience", "mine", "--url", "http://127.0.0.1:1", *options])

    error = capsys.readouterr().err
    assert (ended, error.count("\n")) == (1, 1)
    assert error.startswith("membrane salience: ")
    assert words in error
