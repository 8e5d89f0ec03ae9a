"""What a line becomes: the report that it is, in order, in whatever form the text has."""

from dataclasses import replace

import pytest

from membrane.adapters.aws_lambda.events.imports import import_object
from membrane.domain.access.principals import principal_of
from membrane.domain.records.idempotency import keyed_id
from membrane.usecases.imports import work as import_work
from membrane.usecases.ports.services import SourcePrincipals
from tests.builders.principals import IMPORT_IDENTITY
from tests.worlds.importing import Context, World, episode, event, outcome, skill, text


def test_every_line_becomes_what_it_reports_as_the_import_principals(world: World) -> None:
    state = {"rpc": "IngestWorkingState", "source": "a", "thread_id": "t", "state": "planning"}
    fact = {"rpc": "IngestObservation", "source": "a", "subject": "user", "predicate": "likes"}
    tool = {"rpc": "IngestToolOutput", "source": "a", "tool_name": "grep"}

    result = world.imported(event(1), state, {**fact, "object": "tea"}, tool, skill())

    assert (result["status"], result["lines"], result["created"]) == ("done", 5, 5)
    types = sorted(str(stored.record.type) for stored in world.stored().values())
    assert types == ["competence", "episodic", "episodic", "semantic", "working"]
    for stored in world.stored().values():
        assert stored.record.scope == "events"
        assert stored.record.audit_log[0].principal == "import"


def test_each_line_is_reported_as_any_request_is(world: World) -> None:
    world.imported(event(1), {"rpc": "IngestEvent"}, skill())

    assert sorted(world.reports.told) == [
        ("IngestEvent", "INVALID_ARGUMENT"),
        ("IngestEvent", "OK"),
        ("IngestRecord", "OK"),
    ]


def test_the_same_object_put_again_makes_nothing_new(world: World) -> None:
    world.imported(event(1), event(2))
    before = world.stored()

    again = world.imported(event(1), event(2))

    assert world.stored() == before
    assert (again["created"], again["replayed"]) == (0, 2)


def test_the_same_line_twice_in_an_object_is_two_reports(world: World) -> None:
    result = world.imported(event(1), event(1))

    assert result["created"] == 2


def test_a_lines_own_key_wins(world: World) -> None:
    result = world.imported(event(1, idempotency_key="k"), event(1, idempotency_key="k"))

    assert (result["created"], result["replayed"]) == (1, 1)
    assert list(world.stored()) == [keyed_id(IMPORT_IDENTITY, "IngestEvent", "k")]


def test_nothing_in_a_line_widens_what_imports_may_do(world: World) -> None:
    lines = [event(1, scope="project:alpha"), event(2, sensitivity="medium")]

    result = world.imported(*lines, event(3))

    assert (result["created"], result["refused"]) == (1, 2)
    assert {refusal["code"] for refusal in result["refusals"]} == {"PERMISSION_DENIED"}


def test_an_outcome_finds_the_record_that_a_line_before_it_makes(world: World) -> None:
    made = keyed_id(IMPORT_IDENTITY, "IngestEvent", "k")

    result = world.imported(
        episode("e-1"), outcome("e-1"), event(1, idempotency_key="k"), outcome(made)
    )

    assert result["created"] == 4
    assert {stored.record.payload.outcome for stored in world.stored().values()} == {"success"}  # type: ignore[union-attr]  # both are episodes


def test_outcomes_of_one_record_keep_their_order(world: World) -> None:
    judges = [f"judge {number}" for number in range(20)]

    world.imported(episode("e-1"), *(outcome("e-1", judge) for judge in judges))

    entries = world.stored()["e-1"].record.audit_log[1:]
    assert [judge for judge in judges for entry in entries if entry.actor == judge] == judges


def test_a_record_can_point_at_one_that_a_line_before_it_makes(world: World) -> None:
    related = skill(id="b", relations=[{"predicate": "after", "target_id": "a"}])

    result = world.imported(skill(id="a"), related)

    assert (result["created"], result["refusals"]) == (2, [])


def test_of_two_records_with_one_id_the_first_line_wins(world: World) -> None:
    result = world.imported(skill(id="a", tags=["first"]), skill(id="a", tags=["second"]))

    assert world.stored()["a"].record.tags == ("first",)
    assert [refusal["line"] for refusal in result["refusals"]] == [2]


def test_blank_lines_crlf_a_mark_and_a_missing_end_are_no_obstacle(world: World) -> None:
    content = b"\xef\xbb\xbf" + b"\r\n \r\n".join(text(event(n)).strip() for n in (1, 2, 3))

    world.run(world.put(content))

    result = world.result()
    assert (result["status"], result["lines"], result["blank"]) == ("done", 5, 2)
    assert (result["created"], result["refused"]) == (3, 0)
    assert result["bytes_done"] == result["bytes_total"] == len(content)


def test_an_empty_object_is_done_at_once(world: World) -> None:
    result = world.imported()

    assert (result["status"], result["lines"], result["bytes_total"]) == ("done", 0, 0)


def test_an_object_is_read_in_pieces_and_never_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_work, "PIECE_BYTES", 64)

    result = world.imported(*map(event, range(20)))

    assert result["created"] == 20
    assert world.summaries() == sorted(f"event {number}" for number in range(20))


def test_a_line_names_its_user_where_imports_have_a_user_prefix(world: World) -> None:
    users = ("alice", "bob")
    lines = [event(1, user=user, idempotency_key="k") for user in users]
    of_users = principal_of("import", ["ingest"], ["events:*"], "low", user_prefix="events:")
    importing = replace(world.services, sources=SourcePrincipals(imports=of_users))

    reply = import_object(world.put(text(*lines, event(2, user="x*"))), Context(), importing)

    assert (reply["created"], reply["refused"]) == (2, 1)
    assert {each.scope for each in world.stored().values()} == {f"events:{user}" for user in users}


def test_a_line_that_names_a_user_is_refused_by_imports_without_users(world: World) -> None:
    world.imported(event(1, user="alice"), event(2))

    assert len(world.stored()) == 1
    assert world.refusals() == [
        {
            "line": 1,
            "code": "PERMISSION_DENIED",
            "reason": "user is not taken: the principal has no user prefix: "
            "see the parameter ImportPrincipal",
        }
    ]
    assert ("IngestEvent", "PERMISSION_DENIED") in world.reports.told
