"""Captures that a model reads on: what the model sees, what counts of the answer, and failures."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from membrane_local.functions import FunctionError
from membrane_local.template import read_template
from tests.builders.proposals import answer, fact, label, mention, reference, relation
from tests.fakes.chat_models import Reports
from tests.fakes.interpreters import HeldBack
from tests.faults.asking import messages
from tests.integration.conftest import NO_SCHEDULES, stilled
from tests.integration.erasure.test_erasures import run, start
from tests.integration.http.test_capture_rules import entity
from tests.integration.http.test_large_values import uploaded
from tests.worlds.api import Api, api_with
from tests.worlds.chat_endpoint import ChatEndpoint, chat_endpoint, in_turn, says, sends
from tests.worlds.depth import steps
from tests.worlds.faults import Killed, Moment, at, hooks, killed_at
from tests.worlds.learner import TEAM, Learner, triple
from tests.worlds.template import TEMPLATE

FUNCTION = "InterpretFunction"
CONTENT = "Ana owns billing. Billing depends on Ledger and went down."
ALPHA = "project:alpha"
PREDICATES = {"owned_by": "replace", "split": "keep", "forked": "fork", "disputed": "contest"}
LEAST = 100_000
"""Tokens of a day, as few as the parameter takes."""

HIDDEN = [{"scope": "project:beta"}, {"sensitivity": "hyper"}]


@dataclass(frozen=True, slots=True)
class Model:
    """A stack whose captures a model behind an endpoint interprets, when a test says so."""

    api: Api
    endpoint: ChatEndpoint

    def captured(self, content: Any = CONTENT, **fields: Any) -> dict[str, Any]:
        """The record of a capture, which nothing reads on by itself."""
        usual = {"source": "agent", "source_kind": "event", "scope": ALPHA, "sensitivity": "low"}
        reply = self.api.post("/v1/capture", {**usual, "content": content, **fields})
        assert reply.status == 201, reply.body
        return dict(reply.body["primary_record"])

    def entity(self, name: str, *aliases: str, **fields: Any) -> str:
        """The id of a new entity."""
        return entity(self.api, name, *aliases, **fields)

    def said(self, value: str, **fields: Any) -> str:
        """The id of a fact that a person reports of billing."""
        fact = {"subject": "billing", "predicate": "owned_by", "object": value}
        asked = {"source": "agent", "scope": ALPHA, "sensitivity": "low", **fact, **fields}
        return str(self.api.post("/v1/ingest/observation", asked).record["id"])

    def answers(self, **lists: list[dict[str, Any]]) -> None:
        """Let the model answer with the lists from now on."""
        self.endpoint.answer = says(json.dumps(answer(**lists)), {"total_tokens": 1_000})

    def reads(self, held: dict[str, Any]) -> str:
        """The outcome of a try; raises FunctionError."""
        event = {"record_id": held["id"], "version": 1}
        return str(self.api.invoke(FUNCTION, event)["outcome"])

    def interpreted(self, held: dict[str, Any], **lists: list[dict[str, Any]]) -> dict[str, Any]:
        """The capture after the model answered with the lists."""
        self.answers(**lists)
        assert self.reads(held) == "interpreted"
        return self.record(held["id"])

    def record(self, record_id: str) -> dict[str, Any]:
        return self.api.get(f"/v1/records/{record_id}").record

    def listed(self, kind: str, scope: str = ALPHA) -> list[dict[str, Any]]:
        """The records of the type in the scope that are neither deleted nor retracted."""
        page = self.api.get(f"/v1/records?scope={scope}&type={kind}&limit=100").body["records"]
        return [each for each in page if each.get("scope", "") == scope]

    def facts(self) -> list[tuple[str, Any]]:
        """Subject and object of every fact."""
        payloads = (each["payload"] for each in self.listed("semantic"))
        return sorted((each["subject"], each["object"]) for each in payloads)

    def names(self, scope: str = ALPHA) -> list[str]:
        """The names of the entities."""
        return sorted(each["payload"]["canonical_name"] for each in self.listed("entity", scope))

    def prompt(self) -> str:
        """What the model was asked last."""
        _, _, body = self.endpoint.requests[-1]
        return str(body["messages"][1]["content"])

    def tried_at_last(self, held: dict[str, Any]) -> bool:
        """Whether the last try of the message of a capture fails."""
        event = messages({"record_id": held["id"], "version": 1})
        event["Records"][0]["attributes"]["ApproximateReceiveCount"] = "5"
        return bool(self.api.invoke(FUNCTION, event)["batchItemFailures"])

    def fails_at_last(self, held: dict[str, Any]) -> dict[str, Any]:
        """The capture after the last try of its message failed."""
        assert self.tried_at_last(held)
        return self.record(held["id"])

    def serve(self, **parts: Any) -> None:
        """Let the function work with something else."""
        self.api.serve(FUNCTION, **parts)

    def leaves_tokens(self, number: int) -> None:
        """Let the rest of the day have so many tokens."""
        template = self.api.functions.template
        parameters = {**template.parameters, "InterpreterDailyTokens": f"{LEAST}"}
        self.api.functions.template = read_template(TEMPLATE, parameters)
        self.api.functions.start_afresh()
        self.endpoint.answer = says(json.dumps(answer()), {"total_tokens": LEAST - number})
        assert self.reads(self.captured("a long text")) == "interpreted"
        self.endpoint.requests.clear()

    def kept(self, partition: str) -> list[Any]:
        """The items of a partition of the table."""
        return [each for place, each in self.api.stored().items() if place.startswith(partition)]


@pytest.fixture(scope="module")
def stack() -> Iterator[Model]:
    with chat_endpoint() as endpoint:
        parameters = {
            "Interpreter": "openai",
            "InterpreterModel": "some-model",
            "InterpreterUrl": endpoint.url,
            "ConflictPolicies": json.dumps(PREDICATES),
            **NO_SCHEDULES,
        }
        with api_with(parameters) as api:
            yield Model(api, endpoint)


@pytest.fixture
def model(stack: Model) -> Iterator[Model]:
    """The stack with an empty store, a standing clock, and a stream that nobody reads."""
    stilled(stack.api)
    stack.endpoint.requests.clear()
    stack.answers()
    template = stack.api.functions.template
    yield stack
    stack.api.functions.template = template
    stack.api.functions.start_afresh()


def targets(record: dict[str, Any]) -> set[tuple[str, str]]:
    return {(each["predicate"], each["target_id"]) for each in record.get("relations", [])}


def meanwhile(act: Callable[[], object], **lists: list[dict[str, Any]]) -> Any:
    """Answers with the lists after the act."""
    usual = says(json.dumps(answer(**lists)), {"total_tokens": 1_000})

    def respond(handler: BaseHTTPRequestHandler) -> None:
        act()
        usual(handler)

    return respond


# --- what a model sees ---------------------------------------------------------------------------


def test_the_model_sees_content_context_reason_and_what_the_capture_may_mean(model: Model) -> None:
    ledger = model.entity("Ledger", "ledger-svc")
    deploy = model.captured({"ref": "deploy:7", "text": "started"})
    model.entity("Unrelated")
    content = {"ref": "deploy:7", "text": CONTENT}
    held = model.captured(content, context={"place": "standup"}, reason_to_remember="an outage")

    model.interpreted(held)

    asked = model.prompt()
    for each in (CONTENT, "standup", "an outage", f'"id":"{deploy["id"]}"'):
        assert each in asked
    assert f'{{"id":"{ledger}","name":"Ledger","aliases":["ledger-svc"]}}' in asked
    assert ALPHA not in asked
    assert "Unrelated" not in asked


@pytest.mark.parametrize(
    ("kind", "content", "seen"),
    [
        (
            "tool_output",
            {"tool_name": "psql", "args": {"query": "select 1"}, "result": ["one row"]},
            ("tool_name: psql", "query: select 1", "one row"),
        ),
        (
            "working_state",
            {"thread_id": "t-1", "state": "blocked", "summary": "for Ana", "next_actions": ["go"]},
            ("for Ana", "go", "t-1 blocked"),
        ),
    ],
)
def test_every_part_of_a_capture_is_read(
    model: Model, kind: str, content: Any, seen: Sequence[str]
) -> None:
    model.interpreted(model.captured(content, source_kind=kind))

    assert [each for each in seen if each not in model.prompt()] == []


def test_a_large_capture_is_read_from_the_bucket(model: Model) -> None:
    claim = uploaded(model.api, json.dumps({"text": CONTENT, "log": "x" * 200_000}).encode())

    model.interpreted(model.captured(claim))

    assert CONTENT in model.prompt()


@pytest.mark.parametrize("hidden", [*HIDDEN, {"sensitivity": "medium"}])
def test_the_model_is_offered_nothing_out_of_the_sight_of_the_capture(
    model: Model, hidden: dict[str, str]
) -> None:
    ledger = model.entity("Ledger", **hidden)
    shared = model.entity("Ana", scope="", sensitivity="public")
    held = model.captured()

    after = model.interpreted(
        held,
        mentions=[mention("Ledger", entity_id=each) for each in (ledger, "invented")],
        relations=[relation(ledger)],
        references=[reference(ledger, ref="Ledger", words="Ledger")],
    )

    assert ledger not in model.prompt()
    assert shared in model.prompt()
    assert targets(after) == targets(held) == {("mentions_entity", shared)}


def test_a_bounded_number_of_candidates_is_offered_and_none_that_was_retracted(
    model: Model,
) -> None:
    names = [f"Service{chr(65 + number)}x" for number in range(24)]
    for name in names:
        model.entity(name)
    falcon, delta = model.entity("Project Falcon"), model.entity("Project Falcon Delta")
    assert model.api.post(f"/v1/records/{delta}/retract", {}).status == 200

    model.interpreted(model.captured(" ".join(names)))
    assert model.prompt().count('"aliases"') == 20
    model.interpreted(model.captured("the Project Falcon Delta review"))
    assert falcon in model.prompt()
    assert delta not in model.prompt()


# --- what counts of an answer --------------------------------------------------------------------


def test_a_model_reads_on_where_the_rules_ended(model: Model) -> None:
    ledger = model.entity("Ledger")
    held = model.captured()

    after = model.interpreted(
        held,
        mentions=[mention("Ana", words="Ana owns"), mention("billing", entity_kind="project")],
        relations=[relation(ledger), relation(ledger, confidence=0.1)],
        labels=[label(), label("OUTAGE")],
        facts=[fact(confidence=0.35), fact(confidence=0.2)],
    )

    interpretation = after["interpretation"]
    assert interpretation["status"] == "resolved"
    assert interpretation["topical_labels"] == ["outage"]
    words = {each["surface"]: each.get("words", "") for each in interpretation["mentions"]}
    assert words == {"Ledger": "", "Ana": "Ana owns", "billing": "billing"}
    assert model.names() == ["Ana", "Ledger", "billing"]
    (stated,) = model.listed("semantic")
    assert (stated["payload"]["subject"], stated["payload"]["object"]) == ("billing", "Ana")
    assert (stated["confidence"], stated["sensitivity"]) == (0.35, "low")
    assert [each["source_id"] for each in stated["payload"]["evidence"]] == [held["id"]]
    assert {each["predicate"] for each in stated["relations"]} == {
        *("subject_entity", "object_entity"),
    }
    assert sorted(each["predicate"] for each in after["relations"]) == [
        *("depends_on", "derived_semantic", *["mentions_entity"] * 3),
    ]
    entry = after["audit_log"][-1]
    assert (entry["actor"], entry["principal"]) == ("interpretation", "interpretation")
    assert entry["rationale"] == "interpreted by openai-some-model"


def test_a_reference_is_resolved_and_a_part_of_no_confidence_is_no_relation(model: Model) -> None:
    seen = model.captured({"ref": "r-7", "text": "seen"})["id"]
    ledger = model.entity("Ledger")
    held = model.captured({"text": f"{CONTENT} See r-7 and OPS-7", "refs": [seen]})

    after = model.interpreted(
        held,
        relations=[relation(ledger, confidence=0.0), relation(ledger, predicate="Contested_By")],
        references=[reference(seen)],
    )

    found = {each["ref"]: each for each in after["interpretation"]["reference_candidates"]}
    assert (found["OPS-7"]["target_record_id"], found["OPS-7"]["resolved"]) == (seen, True)
    related = [each["predicate"] for each in after["interpretation"]["relation_candidates"]]
    assert related == ["depends_on"]
    assert {each for each, _ in targets(after)} == {"references_record", "mentions_entity"}


INVENTED = "the model says so"


@pytest.mark.parametrize(
    ("content", "lists"),
    [
        (CONTENT, {"mentions": [mention("Eve"), mention("Ana", words=INVENTED)]}),
        (CONTENT, {"facts": [fact(words=INVENTED), fact(subject="Bob"), fact(object="Bob")]}),
        (CONTENT, {"facts": [fact(words="Ana owns bill"), fact(predicate="\t"), fact(object=" ")]}),
        ("billing is a, - is", {"facts": [fact(object="billing", words="- is")]}),
        ("@ owns @ billing", {"facts": [fact(object="@", words="owns @ billing")]}),
        (CONTENT, {"labels": [label(words="secret"), label(" ")]}),
        (CONTENT, {"references": [reference("r-1"), reference(words="")]}),
        (CONTENT, {"relations": [relation("e-9"), relation(words=INVENTED), relation("")]}),
        ("Joanna owns billing", {"mentions": [mention("Ann", words="Joanna")]}),
        ("Joanna owns billing", {"facts": [fact(object="Ann", words="Joanna owns billing")]}),
        (CONTENT, {"mentions": [mention("Ana", confidence=0.4)]}),
        ("x, the", {"mentions": [mention("the"), mention("x")]}),
    ],
)
def test_what_does_not_rest_on_the_content_makes_nothing(
    model: Model, content: str, lists: Any
) -> None:
    after = model.interpreted(model.captured(content), **lists)

    assert after.get("relations", []) == []
    assert after["interpretation"].get("topical_labels", []) == []
    assert (model.names(), model.facts()) == ([], [])


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("Ana  owns\n\tbilling", fact(words="ana OWNS billing")),
        ("billing's owner (Ana)", fact(words="billing's owner (Ana")),
        ("Straße ist billing", fact(object="STRASSE", words="STRASSE ist")),
        ("请注意billing由安娜负责的", fact(object="安娜", words="由安娜负责")),
    ],
)
def test_words_are_compared_in_the_normal_form_of_names(
    model: Model, content: str, part: dict[str, Any]
) -> None:
    model.interpreted(model.captured(content), facts=[part])

    assert len(model.facts()) == 1


def test_names_lead_to_known_entities_which_gain_nothing(model: Model) -> None:
    ana = model.entity("Ana Petrova", "Ana")
    before = model.record(ana)
    held = model.captured("ana, the boss, moved billing for ANA")

    after = model.interpreted(
        held,
        mentions=[
            mention("ana", entity_kind="tool", confidence=0.3, aliases=["boss"]),
            mention("boss", aliases=["ana"]),
            mention("billing", aliases=["moved"]),
        ],
        facts=[fact(subject="ana", object="billing", words="boss, moved billing")],
    )

    found = {each["surface"]: each for each in after["interpretation"]["mentions"]}
    assert {found[each]["canonical_entity_id"] for each in ("ana", "boss")} == {ana}
    assert model.record(ana) == before
    assert model.names() == ["Ana Petrova", "billing"]
    (billing,) = [each for each in model.listed("entity") if each["id"] != ana]
    assert "aliases" not in billing["payload"]
    assert model.facts() == [("Ana Petrova", "billing")]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_names_of_hidden_entities_make_entities_of_the_capture_s_place(
    model: Model, hidden: dict[str, str]
) -> None:
    ana = model.entity("Ana", **hidden)

    after = model.interpreted(model.captured(), mentions=[mention("Ana")], facts=[fact()])

    assert ana not in str(after)
    made = [each for each in model.listed("entity") if each["id"] != ana]
    assert [(each["scope"], each["sensitivity"]) for each in made] == [(ALPHA, "low")]
    (stated,) = model.listed("semantic")
    assert ana not in str(stated)


@pytest.mark.parametrize("predicate", ["owned_by", "forked", "disputed"])
def test_what_a_person_said_is_contested_at_most(model: Model, predicate: str) -> None:
    said = model.said("Bob", predicate=predicate)

    model.interpreted(model.captured(), facts=[fact(predicate=predicate)])

    assert model.record(said)["payload"]["revision"]["status"] == "contested"
    assert model.facts() == [("billing", "Ana"), ("billing", "Bob")]


def test_the_fact_that_contests_the_most_fits_a_transaction(model: Model) -> None:
    said = []
    for year in range(2000, 2030):
        window = {"start": f"{year}-01-01T00:00:00Z", "end": f"{year + 1}-01-01T00:00:00Z"}
        said.append(model.said(f"{year}", predicate="disputed", **window))

    model.interpreted(model.captured(), mentions=[mention()], facts=[fact(predicate="disputed")])

    assert ("billing", "Ana") in model.facts()
    found = [model.record(each)["payload"].get("revision", {}).get("status") for each in said]
    assert found.count("contested") > 20


@pytest.mark.parametrize(
    "elsewhere", [{"predicate": "split"}, {"scope": "project:beta"}, {"sensitivity": "hyper"}]
)
def test_facts_under_keep_and_of_other_places_stay_as_they_are(
    model: Model, elsewhere: dict[str, str]
) -> None:
    said = model.said("Bob", **elsewhere)
    before = model.record(said)

    model.interpreted(model.captured(), facts=[fact(predicate=before["payload"]["predicate"])])

    assert model.record(said) == before


def test_an_equal_fact_gains_evidence_once_and_one_that_the_capture_states_none(
    model: Model,
) -> None:
    known = model.said("Ana")
    first = model.captured()
    after = model.interpreted(first, facts=[fact(), fact(confidence=0.2)])
    stated = {"subject": "billing", "predicate": "owned_by", "object": "Ana"}
    second = model.captured({**stated, "text": CONTENT}, source_kind="observation")
    model.interpreted(second, facts=[fact()])

    assert ("derived_semantic", known) in targets(after)
    evidence = [each["source_id"] for each in model.record(known)["payload"]["evidence"]]
    assert [evidence.count(each["id"]) for each in (first, second)] == [1, 1]
    assert model.facts() == [("billing", "Ana")]


def test_one_interpretation_makes_a_bounded_number_of_entities_and_facts(model: Model) -> None:
    names = [f"name{number}" for number in range(40)]
    text = " ".join(f"{each} owns billing," for each in names)
    held = model.captured(text)

    after = model.interpreted(
        held,
        mentions=[mention(each) for each in names],
        facts=[fact(object=each, words=f"{each} owns billing") for each in names],
    )

    assert 0 < len(model.names()) < 40
    assert 0 < len(model.facts()) < 40
    assert len(after["relations"]) <= 50
    unnamed = [
        each for each in after["interpretation"]["mentions"] if not each.get("canonical_entity_id")
    ]
    assert len(unnamed) + len(model.names()) == 40


def test_what_does_not_count_and_the_tokens_are_measured(model: Model) -> None:
    told: list[tuple[str, float, dict[str, str]]] = []

    def measure(metric: str, value: float, _unit: str, /, **dimensions: str) -> None:
        told.append((metric, value, dimensions))

    model.serve(measure=measure)

    model.interpreted(model.captured(), facts=[fact(words=INVENTED)] * 3)

    assert ("DroppedProposals", 3, {"reason": "not_in_content"}) in told
    assert ("InterpreterTokens", 1_000, {}) in told
    assert ("InterpretedCaptures", 1, {}) in told


def test_facts_beyond_the_bound_of_an_interpretation_are_measured(model: Model) -> None:
    told: list[tuple[str, float, dict[str, str]]] = []

    def measure(metric: str, value: float, _unit: str, /, **dimensions: str) -> None:
        told.append((metric, value, dimensions))

    model.serve(measure=measure)
    names = [f"name{number}" for number in range(15)]
    many = model.captured(" ".join(f"{each} owns billing," for each in names))
    model.interpreted(many, facts=[fact(object=each, words=f"{each} owns") for each in names])

    assert ("LeftOutFacts", 3, {"reason": "too_many"}) in told


def test_every_object_of_the_schema_that_the_model_is_given_is_strict(model: Model) -> None:
    model.interpreted(model.captured())

    _, _, body = model.endpoint.requests[-1]
    schema = body["response_format"]["json_schema"]["schema"]
    lists = [each["items"] for each in schema["properties"].values()]
    assert len(lists) == 5
    for each in (schema, *lists):
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])


# --- once, and in vain ---------------------------------------------------------------------------


def test_a_capture_is_read_once_and_nothing_else_is_read(model: Model) -> None:
    held = model.captured()
    after = model.interpreted(held, mentions=[mention("Ana")])
    plain = {"id": model.said("Bob")}

    assert model.reads(held) == "repeated"
    assert model.record(held["id"]) == after
    assert model.reads(plain) == model.reads({"id": "unknown"}) == "gone"
    assert len(model.endpoint.requests) == 1


def test_what_a_caller_deleted_is_not_made_again(model: Model) -> None:
    held = model.captured()
    model.endpoint.answer = sends(b"{}", 500)
    model.fails_at_last(held)
    after = model.interpreted(held, mentions=[mention("Ana")], facts=[fact()])
    assert after["interpretation"]["status"] == "resolved"
    assert "failure" not in after["interpretation"]
    for each in (*model.listed("entity"), *model.listed("semantic")):
        assert model.api.call("DELETE", f"/v1/records/{each['id']}").status == 204

    other = model.captured()
    model.interpreted(other, facts=[fact()])

    assert (model.names(), model.facts()) == ([], [("billing", "Ana")])


def test_an_entity_of_a_killed_try_that_a_caller_deleted_is_not_made_again(model: Model) -> None:
    held = model.captured()
    model.answers(mentions=[mention("Ana")])
    written = "after-call.dynamodb.TransactWriteItems"

    def end(**_: object) -> None:
        events.unregister(written, end)
        raise Killed

    events = hooks(model.api.functions.store.dynamodb)
    events.register(written, end)
    with pytest.raises(Killed):
        model.reads(held)
    (entity,) = model.listed("entity")
    assert model.api.call("DELETE", f"/v1/records/{entity['id']}").status == 204
    model.api.post("/_dev/clock", {"advance_seconds": 300})

    after = model.interpreted(held, mentions=[mention("Ana")])

    assert after["interpretation"]["status"] == "tentative"
    assert model.names() == []


@pytest.mark.parametrize(
    ("answering", "reason"),
    [
        (sends(b"{}", 429), "busy"),
        (sends(b"{}", 500), "unavailable"),
        (says("no JSON"), "malformed"),
        (says(json.dumps(answer() | {"notes": "hello"})), "malformed"),
        (says(json.dumps(answer(facts=[fact(object={"a": 1})]))), "malformed"),
    ],
    ids=["429", "500", "no JSON", "another member", "another type"],
)
def test_after_the_last_try_the_capture_says_why_and_a_later_success_takes_that_away(
    model: Model, answering: Any, reason: str
) -> None:
    held = model.captured()
    model.endpoint.answer = answering

    after = model.fails_at_last(held)

    failed = {**held["interpretation"], "status": "failed", "failure": reason}
    assert after["interpretation"] == failed
    assert after["audit_log"][-1]["rationale"] == f"not interpreted: {reason}"
    assert after["audit_log"][-1]["principal"] == "interpretation"
    assert model.fails_at_last(held) == after
    later = model.interpreted(held, mentions=[mention("Ana")])
    assert later["interpretation"]["status"] == "resolved"


def test_a_message_that_fails_comes_again_later_and_the_others_are_done(model: Model) -> None:
    first, second = (model.captured(text)["id"] for text in ("One", "Two"))
    reports, held_back = Reports(), HeldBack()
    model.serve(report=reports, hold_back=held_back)
    model.endpoint.answer = in_turn([says(json.dumps(answer())), sends(b"{}", 500)])
    bodies = [{"record_id": each, "version": 1} for each in (first, second, "gone")]

    failed = model.api.invoke(FUNCTION, messages(*bodies, {}))["batchItemFailures"]

    assert [each["itemIdentifier"] for each in failed] == ["1", "3"]
    codes = [code for rpc, code in reports.told if rpc == "InterpretCapture"]
    assert codes == ["OK", "UNAVAILABLE", "NOT_FOUND", "INVALID_ARGUMENT"]
    assert held_back.messages == [("1", 120)]


@pytest.mark.parametrize(
    "event",
    [{}, {"record_id": "a"}, {"record_id": 1, "version": 2}, {"record_id": "a", "version": "2"},
     {"record_id": "a", "version": 2, "content": "x"}],
)  # fmt: skip
def test_any_other_event_is_refused(model: Model, event: dict[str, Any]) -> None:
    with pytest.raises(FunctionError, match="not an event of the interpret function"):
        model.api.invoke(FUNCTION, event)


def test_a_message_without_a_model_is_done_and_no_success(model: Model) -> None:
    held, reports = model.captured(), Reports()
    model.serve(interpreter=None, report=reports)

    assert not model.tried_at_last(held)
    assert [code for _, code in reports.told] == ["FAILED_PRECONDITION"]


def test_of_two_workers_at_once_one_asks_and_writes_everything(model: Model) -> None:
    held = model.captured()

    def work() -> None:
        with pytest.raises(FunctionError, match="another worker"):
            model.reads(held)

    model.endpoint.answer = meanwhile(work, facts=[fact(), fact(object="Ledger")])

    assert model.reads(held) == "interpreted"
    assert model.facts() == [("billing", "Ana"), ("billing", "Ledger")]
    assert len(model.endpoint.requests) == 1


def test_a_capture_of_a_killed_worker_is_free_after_four_minutes(model: Model) -> None:
    held = model.captured()

    def end(*_: Any) -> None:
        raise Killed

    services = model.api.functions.worlds
    model.serve(measure=end)
    model.answers(facts=[fact()])
    with pytest.raises(Killed):
        model.reads(held)
    model.api.functions.worlds = services

    with pytest.raises(FunctionError, match="another worker"):
        model.reads(held)
    model.api.post("/_dev/clock", {"advance_seconds": 239})
    with pytest.raises(FunctionError, match="another worker"):
        model.reads(held)
    model.api.post("/_dev/clock", {"advance_seconds": 1})
    assert model.reads(held) == "interpreted"
    assert model.facts() == [("billing", "Ana")]


@pytest.mark.parametrize("query", ["", "?erase=true"])
def test_a_capture_that_goes_while_the_model_thinks_leaves_nothing(
    model: Model, query: str
) -> None:
    held = model.captured()

    def remove() -> None:
        assert model.api.call("DELETE", f"/v1/records/{held['id']}{query}").status == 204

    model.endpoint.answer = meanwhile(remove, mentions=[mention("Ana")], facts=[fact()])

    assert model.reads(held) == "gone"
    assert (model.names(), model.facts()) == ([], [])


@pytest.mark.parametrize("move", [{"sensitivity": "high"}, {"scope": "project:beta"}])
def test_a_capture_that_moves_while_the_model_thinks_leaves_nothing_in_the_old_place(
    model: Model, move: dict[str, str]
) -> None:
    held = model.captured()
    lists = {"mentions": [mention("Ana")], "facts": [fact()]}

    def revise() -> None:
        assert model.api.call("PATCH", f"/v1/records/{held['id']}", move).status == 200

    model.endpoint.answer = meanwhile(revise, **lists)

    with pytest.raises(FunctionError):
        model.reads(held)
    assert (model.names(), model.facts()) == ([], [])
    after = model.interpreted(held, **lists)
    made = [model.record(target) for _, target in targets(after)]
    assert len(made) == 2
    place = {"scope": ALPHA, "sensitivity": "low", **move}
    assert all({name: each[name] for name in place} == place for each in made)


@pytest.mark.parametrize("erase", [False, True])
def test_facts_of_a_model_go_with_the_capture_and_known_ones_lose_the_evidence(
    model: Model, *, erase: bool
) -> None:
    known = model.said("Ana")
    held = model.captured()
    model.interpreted(
        held, facts=[fact(), fact(object="Ledger", words="Billing depends on Ledger")]
    )

    query = "?erase=true" if erase else ""
    assert model.api.call("DELETE", f"/v1/records/{held['id']}{query}").status == 204

    assert model.facts() == [("billing", "Ana")]
    assert held["id"] not in str(model.record(known)["payload"])


def test_a_capture_erased_at_any_call_of_its_interpretation_leaves_no_fact(model: Model) -> None:
    table = model.api.functions.store.dynamodb
    lists = {"mentions": [mention("Ana")], "facts": [fact(), fact(subject="Ledger")]}
    for step in steps():
        model.api.application.reset()
        model.api.post("/_dev/stream", {"paused": True})
        held = model.captured("Ana owns billing. Ana owns Ledger")
        path = f"/v1/records/{held['id']}?erase=true"
        model.answers(**lists)
        moment = Moment(step, lambda path=path: model.api.call("DELETE", path))  # type: ignore[misc]  # a default
        with at(moment, table):
            outcome = model.reads(held)
        assert outcome == "interpreted" or (moment.has_come and outcome == "gone")
        if not moment.has_come:
            break
        assert model.facts() == []
        assert model.names() in ([], ["Ana"])
    assert step > 10


# --- tokens --------------------------------------------------------------------------------------


def test_a_question_counts_as_the_most_it_may_take_until_it_is_answered(model: Model) -> None:
    one, other = model.captured(), model.captured("Bob owns billing")
    model.leaves_tokens(9_000)

    def ask_too() -> None:
        with pytest.raises(FunctionError, match="no tokens left today"):
            model.reads(other)

    model.endpoint.answer = meanwhile(ask_too, mentions=[mention("Ana")])
    assert model.reads(one) == "interpreted"
    model.answers(mentions=[mention("Bob")])
    assert model.reads(other) == "interpreted"

    assert len(model.endpoint.requests) == 2
    lasting = [*model.kept("interpreter-tokens"), *model.kept("interpreter-claims")]
    assert len(lasting) == 4
    assert all("expires_at" in each for each in lasting)


@pytest.mark.parametrize(("status", "left"), [(429, 2), (500, 1)])
def test_a_failure_takes_tokens_unless_the_model_was_busy(
    model: Model, status: int, left: int
) -> None:
    held = model.captured()
    model.leaves_tokens(9_000)
    model.endpoint.answer = sends(b"{}", status)

    for _ in range(2):
        with pytest.raises(FunctionError):
            model.reads(held)

    assert len(model.endpoint.requests) == left


def test_a_capture_without_tokens_is_sent_anew_and_after_two_weeks_has_failed(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, str, int]] = []
    held = model.captured(lifecycle={"decay": {"half_life_seconds": 2_592_000}})
    model.leaves_tokens(1)
    monkeypatch.setattr(model.api.functions, "send", lambda *message: sent.append(message))

    reports = Reports()
    model.serve(report=reports)

    assert not model.tried_at_last(held)
    assert reports.told[-1][1] == "RESOURCE_EXHAUSTED", "it is no success"
    assert sent == [("InterpretQueue", f'{{"record_id":"{held["id"]}","version":1}}', 900)]
    assert model.record(held["id"])["interpretation"] == held["interpretation"]

    model.api.post("/_dev/clock", {"advance_seconds": 14 * 86_400 + 1})
    model.leaves_tokens(1)
    after = model.fails_at_last(held)
    assert after["interpretation"]["failure"] == "out_of_tokens"
    assert len(sent) == 1


def test_a_capture_of_a_scope_that_is_being_erased_has_not_failed(model: Model) -> None:
    held = model.captured()
    erasure_id = start(model.api, scope=ALPHA)
    with killed_at(12, model.api.functions.store.dynamodb):
        run(model.api, erasure_id)
    model.answers(mentions=[mention("Ana")])
    held_back = HeldBack()
    model.serve(hold_back=held_back)

    model.tried_at_last(held)

    assert (model.names(), held_back.messages) == ([], [])
    run(model.api, erasure_id)


# --- traces --------------------------------------------------------------------------------------

SAID = "Ana owns billing since May"


def trace_of(agent: Learner, thread: str, result: Any = SAID) -> dict[str, Any]:
    """The trace of a thread of two steps, of which the second has the result."""
    agent.event(thread, "Find the owner of billing")
    agent.end(agent.call(thread, "ask", {"who": "owner"}, result))
    (trace,) = agent.made()["traces"]
    return dict(trace)


def test_a_model_reads_a_trace_once_and_the_trace_still_counts_in_a_skill(model: Model) -> None:
    agent = Learner(model.api)
    trace = trace_of(agent, "t-1")

    after = model.interpreted(trace, facts=[fact()], mentions=[mention()])

    assert "Find the owner of billing" in model.prompt()
    assert SAID in model.prompt()
    (stated,) = agent.facts()
    assert stated["payload"]["object"] == "Ana"
    assert [each["source_id"] for each in stated["payload"]["evidence"]] == [trace["id"]]
    assert (stated["scope"], stated["sensitivity"]) == (after["scope"], after["sensitivity"])
    assert model.reads(trace) == "repeated"
    agent.event("t-2", "Find the owner of billing")
    agent.end(agent.call("t-2", "ask", {"who": "owner"}, "Bob owns billing"))
    (skill,) = agent.made()["skills"]
    assert skill["traces"][0] == trace["id"]


@pytest.mark.parametrize("erase", [False, True])
def test_a_fact_of_a_model_counts_once_and_goes_with_a_step_of_the_trace(
    model: Model, *, erase: bool
) -> None:
    agent = Learner(model.api)
    trace = trace_of(agent, "t-1", {**triple("billing", "Ana"), "note": SAID})
    (stated,) = agent.facts()
    before = agent.lasting(stated["id"])

    model.interpreted(trace, facts=[fact()])

    assert agent.lasting(stated["id"]) == before
    agent.delete(agent.sources(trace["id"])[-1], erase=erase)
    assert agent.status(stated["id"]) == ("gone" if erase else "retracted")


def test_an_erased_fact_of_a_model_does_not_return_with_a_skill_of_the_trace(
    model: Model,
) -> None:
    agent = Learner(model.api)
    trace = trace_of(agent, "t-1")
    model.interpreted(trace, facts=[fact()])
    (stated,) = agent.facts()
    agent.delete(stated["id"], erase=True)
    agent.event("t-2", "Find the owner of billing")
    agent.end(agent.call("t-2", "ask", {"who": "owner"}, "no answer"))

    (skill,) = agent.made()["skills"]

    assert trace["id"] in skill["traces"]
    assert [each["payload"]["subject"] for each in agent.facts()] == ["task"]


def test_facts_of_a_trace_contest_known_facts_and_each_other(model: Model) -> None:
    agent = Learner(model.api)
    known = model.said("Ida", subject="lexer", predicate="disputed", scope=TEAM)
    ends = (("parser", "Ada"), ("parser", "Bob"), ("lexer", "Eve"))
    agent.end(agent.call("t-1", "owners", {}, [triple(*each, "disputed") for each in ends]))

    (trace,) = agent.made()["traces"]

    found = {each["payload"]["object"]: each for each in agent.facts()}
    assert found.keys() == {"Ada", "Bob", "Eve", "Ida"}
    assert agent.status(found["Ada"]["id"]) == agent.status(known) == "contested"
    stated = {target for each, target in targets(agent.record(trace["id"]))}
    assert stated >= {found[name]["id"] for name in ("Ada", "Bob", "Eve")}


def test_a_trace_that_went_before_the_model_reads_it_states_nothing(model: Model) -> None:
    agent = Learner(model.api)
    trace = trace_of(agent, "t-1")
    agent.delete(trace["id"])
    model.answers(facts=[fact()])

    assert model.reads(trace) == "gone"
    assert model.endpoint.requests == []
