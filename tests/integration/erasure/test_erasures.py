"""Erasures over the local stack: nothing of the person is left, and the rest stays."""

import hashlib
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from threading import current_thread
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.jobs import ERASE
from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.adapters.dynamodb.erasure import erasure_store
from membrane.adapters.dynamodb.jobs import DynamoJobs
from membrane.domain.documents.items import Receipt
from membrane.domain.documents.model import put
from membrane.domain.erasure import jobs
from membrane.domain.language.json_text import canonical_json, compact_json
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.records import evidence
from membrane.domain.study.jobs import STUDIES, Job
from membrane.table.keys import study_key
from membrane.usecases.ports.surroundings import Signature
from membrane.usecases.study.work import keep_study
from membrane_local.http_messages import Request
from membrane_local.storage.stores import TABLE
from tests.builders.stored_documents import (
    chunk,
    content,
    large_value,
    making,
    place,
    store_next,
    written,
)
from tests.builders.stored_records import noise
from tests.builders.studies import study_job
from tests.fakes.clock import FakeFences
from tests.worlds.api import Api
from tests.worlds.archiving import exported, restored
from tests.worlds.faults import Killed, Moment, at, die
from tests.worlds.planted_person import (
    NAME,
    SCOPE,
    bucket_of,
    live,
    places_with,
    report_event,
)
from tests.worlds.recall import advance
from tests.worlds.verified_stacks import verified

OTHER = "user:adam"
WORDS = ("zedekiah", "Zedekiah", "obadiah", "Obadiah")
NO_TRAIL: Any = {"S": "no trail"}


@contextmanager
def by_hand(api: Api) -> Iterator[None]:
    """Let no function start by itself: the test runs the erasure."""
    invoke_later = api.functions.invoke_later
    api.functions.invoke_later = lambda *_: None
    try:
        yield
    finally:
        api.functions.invoke_later = invoke_later


def start(api: Api, **asked: Any) -> str:
    """The id of a new erasure, of which no step is done."""
    with by_hand(api):
        reply = api.post("/v1/erasures", {"dry_run": False, **asked})
    assert reply.status == 202, reply.body
    return str(reply.body["id"])


def run(api: Api, erasure_id: str) -> None:
    assert api.invoke("EraseFunction", {ERASE: {"id": erasure_id}}) == {"left": False}


def erase(api: Api, **asked: Any) -> Mapping[str, Any]:
    """The state of an erasure that has run to its end."""
    erasure_id = start(api, **asked)
    run(api, erasure_id)
    return state(api, erasure_id)


def state(api: Api, erasure_id: str) -> Mapping[str, Any]:
    reply = api.get(f"/v1/erasures/{erasure_id}")
    assert reply.status == 200, reply.body
    return dict(reply.body)


def certificate(api: Api, erasure_id: str) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The certificate, whose signature holds, and the entries of all pages."""
    entries: list[Mapping[str, Any]] = []
    cursor = ""
    while True:
        reply = api.get(f"/v1/erasures/{erasure_id}/certificate?cursor={cursor}")
        assert reply.status == 200, reply.body
        entries += reply.body["entries"]
        cursor = reply.body.get("next_cursor", "")
        if not cursor:
            break
    signed = reply.body["certificate"]
    signer = api.functions.store.signer
    assert signer.verify(canonical_json(signed), Signature(**reply.body["signature"]))
    lines = b"".join(canonical_json(entry) + b"\n" for entry in entries)
    assert hashlib.sha256(lines).hexdigest() == signed["entries_sha256"]
    return signed, entries


def counts(listed: list[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """The number of findings by kind and action."""
    found: dict[tuple[str, str], int] = {}
    for each in listed:
        key = (each["kind"], each["action"])
        found[key] = found.get(key, 0) + each["count"]
    return found


def fact(api: Api, subject: str, **fields: Any) -> str:
    asked = {"source": "test", "subject": subject, "predicate": "likes", "object": "tea"}
    return str(api.post("/v1/ingest/observation", asked | fields).record["id"])


def whole_fact(api: Api, subject: str, evidence: list[str], scope: str) -> str:
    refs = [
        {"source_type": "record", "source_id": each, "timestamp": "2026-01-01T00:00:00Z"}
        for each in evidence
    ]
    said = {"kind": "semantic", "subject": subject, "predicate": "is", "object": "known"}
    payload: dict[str, Any] = {**said, "validity": {"mode": "global"}, "evidence": refs}
    record = {"type": "semantic", "sensitivity": "low", "scope": scope, "payload": payload}
    return str(api.post("/v1/records", record).record["id"])


@pytest.mark.parametrize("items", [1, 7, 200])
def test_after_the_erasure_of_a_scope_the_name_is_nowhere(
    api: Api, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, items: int
) -> None:
    monkeypatch.setattr(erasure_store, "ITEMS", items)
    live(api)
    assert len(places_with(NAME, api, bucket_of(api))) > 50

    ended = erase(api, scope=SCOPE)

    assert ended["state"] == "done"
    assert ended["unreadable"] == 0
    assert places_with(NAME, api, bucket_of(api)) == []
    assert NAME not in "".join(capfd.readouterr())


def test_the_records_and_topics_of_others_stay_as_they_were(api: Api) -> None:
    live(api)
    live(api, OTHER)
    before = {place: item for place, item in api.stored().items() if OTHER in repr(item)}

    erase(api, scope=SCOPE)

    after = api.stored()
    assert {place: after[place] for place in before} == before


def test_an_erasure_killed_ten_times_amid_writes_leaves_nothing(api: Api) -> None:
    live(api)
    erasure_id = start(api, scope=SCOPE, reason="the law")
    deaths = 0
    assert api.get("/_dev/queues?wait").status == 200
    api.application.deliveries.pause(paused=True)

    with ThreadPoolExecutor(2, thread_name_prefix=WRITER) as pool:
        writing = [pool.submit(write_until_refused, api) for _ in range(2)]
        while state(api, erasure_id)["state"] != "done":
            try:
                with at(Death(20 + 2 * deaths), api.functions.store.dynamodb):
                    run(api, erasure_id)
            except Killed:
                deaths += 1
        written = sum(each.result() for each in writing)

    api.application.deliveries.pause(paused=False)
    signed, entries = certificate(api, erasure_id)
    assert deaths >= 10
    assert places_with(NAME, api, bucket_of(api)) == []
    records = [each for each in entries if each["kind"] == "record"]
    assert len({each["id"] for each in records}) == len(records)
    assert counts(signed["removed"])[("record", "erase")] == len(records) >= written


WRITER = "writer"
OUTLIVING = (WRITER, "agenda")
"""Beginnings of the names of threads that outlive the erasure's process; some are of the stack."""


@dataclass(slots=True)
class Death(Moment):
    """Ends the erasure's process at its first call from the step on; all others live on."""

    happening: Callable[[], object] = die

    def __call__(self, **_: object) -> None:
        """One step more, unless a process of others takes it."""
        is_own = not current_thread().name.startswith(OUTLIVING)
        if is_own and next(self.steps) >= self.step:
            self.happening()


def write_until_refused(api: Api) -> int:
    """The number of events that were taken before the fence stood."""
    for number in range(500):
        event = {"source": NAME, "event_kind": NAME, "ref": f"{NAME} {number}", "scope": SCOPE}
        reply = api.post("/v1/ingest/event", event)
        if reply.status == 409:
            return number
        assert reply.status == 201, reply.body
    return 500


def test_dead_letters_and_imported_files_with_the_scope_go_and_all_others_stay(api: Api) -> None:
    queues = api.application.deliveries.queues
    letters = {name: queues[name] for name in ("IngestEventDeadLetters", "UndeliveredEvents")}
    lost = {"source": NAME, "event_kind": "e", "ref": "1", "scope": SCOPE}
    letters["IngestEventDeadLetters"].send(json.dumps(lost))
    letters["IngestEventDeadLetters"].send(json.dumps(lost | {"scope": OTHER, "source": "a"}))
    letters["UndeliveredEvents"].send(json.dumps({"requestPayload": {"detail": lost}}))
    for scope in (SCOPE, OTHER):
        line = {"rpc": "IngestEvent", "source": scope, "event_kind": "e", "ref": "1"}
        import_file(api, f"{len(scope)}.ndjson", line | {"scope": scope})
    assert api.get("/_dev/queues?wait").status == 200

    erased = erase(api, scope=SCOPE)

    found = counts(erased["removed"])
    assert found[("dead_letter", "remove")] == 2
    assert found[("import_file", "remove")] == 1
    assert places_with(NAME, api, bucket_of(api)) == []
    assert len(letters["IngestEventDeadLetters"].waiting()) == 1
    files = [each.name for each in api.functions.store.imports.list_files()]
    assert files == [f"imports/{len(OTHER)}.ndjson"]


def test_exports_and_files_to_restore_that_may_hold_the_scope_are_removed(api: Api) -> None:
    live(api)
    fact(api, "somebody else", scope=OTHER)
    exported(api, {"scope": OTHER})
    exported(api, {"scope": SCOPE})
    assert restored(api, exported(api), "whole.ndjson")["refused"] == 0

    erased = erase(api, scope=SCOPE)

    found = counts(erased["removed"])
    assert found[("export", "remove")] == 2
    assert found[("restore_file", "remove")] == 1
    assert places_with(NAME, api, bucket_of(api)) == []
    (left,) = api.get("/v1/exports").body["exports"]
    assert left["scopes"] == [OTHER]
    assert api.get(f"/v1/exports/{left['id']}").body["parts"]


def test_an_erasure_of_a_subject_removes_every_export(api: Api) -> None:
    fact(api, NAME, scope=OTHER)
    exported(api, {"scope": OTHER})

    erased = erase(api, subject=NAME)

    assert counts(erased["removed"])[("export", "remove")] == 1
    assert api.get("/v1/exports").body["exports"] == []
    assert places_with(NAME, api, bucket_of(api)) == []


def study(api: Api, job_id: str, scope: str, document: str = "document") -> None:
    """A study under way, with the text of the document and the plan in the bucket."""
    clock = api.functions.clock.now
    job = study_job(job_id, clock(), scope=scope, document=document, title=f"{scope} of {NAME}")
    keep_study(job, None, DynamoJobs(api.functions.store.dynamodb, TABLE, clock))
    for name in job.objects:
        api.functions.store.blobs.write(name, f"{NAME} in {scope}".encode())


def studies(api: Api) -> list[str]:
    """The items of studies, and the names of their objects."""
    folder = bucket_of(api)
    objects = [each for each in (folder / STUDIES).rglob("*") if each.is_file()]
    items = [place for place in api.stored() if place.startswith("study#")]
    return [*items, *sorted(str(each.relative_to(folder)) for each in objects)]


def test_a_study_of_the_scope_is_removed_with_its_document(api: Api) -> None:
    study(api, "gone", SCOPE)
    study(api, "kept", OTHER)

    erased = erase(api, scope=SCOPE)

    assert counts(erased["removed"])[("study", "remove")] == 1
    kept = study_job("kept", api.functions.clock.now())
    assert studies(api) == ["study#kept study", *sorted(kept.objects)]


def test_the_erasure_of_a_topic_removes_the_study_of_the_document_with_the_topic(api: Api) -> None:
    topic = {"topic_id": "whales", "title": "whales", "scope": OTHER}
    assert api.post("/v1/topics", topic).status < 300
    study(api, "gone", OTHER, document="whales")

    erased = erase(api, ids=["whales"])

    assert counts(erased["removed"])[("study", "remove")] == 1
    assert studies(api) == []


def keep_documents(api: Api, scope: str) -> None:
    """A large value, a former version and a list in a scope, with the receipt of a write."""
    store, clock = api.functions.store, api.functions.clock.now
    documents = DynamoDocuments(
        store.dynamodb, TABLE, store.blobs, FakeFences().require_open, clock, Retention()
    )
    where = place(NAME, scope=scope)
    value, text = large_value(where)
    made = put(None, where, content(value), making())
    large = store_next(documents, None, made, large={value: text})
    long = written(documents, where, f'"{NAME}{noise(3_000)}"', before=large)
    made = put(long, where, content(f'"of {NAME}"'), making())
    store_next(documents, long, made)
    documents.put_chunks([(None, chunk(where, items=[NAME]))])
    receipt = Receipt(where, b"1")
    documents.note(f"identity of {scope}", "op-1", receipt)


def document_items(api: Api) -> list[str]:
    """The items of documents, and the names of the values in the bucket."""
    blobs = [blob.name for blob in api.functions.store.blobs.list_blobs()]
    items = [place for place in api.stored() if place.startswith("document")]
    return sorted([*items, *(name for name in blobs if "document@" in name)])


@pytest.mark.parametrize("scope", [SCOPE, "project:other#documents"])
def test_documents_of_the_scope_are_removed_with_everything_beside(api: Api, scope: str) -> None:
    keep_documents(api, OTHER)
    kept = document_items(api)
    keep_documents(api, scope)

    erased = erase(api, scope=scope)

    removed = counts(erased["removed"])
    assert (removed["document", "erase"], removed["document", "remove"]) == (1, 3)
    left = {*document_items(api)} - {*kept}
    head = f"documents#=erased:{erased['id']} {place(NAME, scope=scope).id}"
    assert {each.split("#")[0] for each in left} == {"document", "documents"}
    assert [each for each in left if each.startswith("documents#")] == [head]
    assert len(kept) == 6


def test_a_study_that_goes_on_during_its_removal_is_removed_by_the_next_walk(api: Api) -> None:
    """With what the study has written behind the removal of its objects."""
    study(api, "gone", SCOPE)
    store = DynamoJobs(api.functions.store.dynamodb, TABLE, api.functions.clock.now)
    erasure_id = start(api, scope=SCOPE)
    steps: list[int] = []

    def go_on(**_: object) -> None:
        found = store.find(study_key("gone"))
        if steps or found is None:
            return
        job = Job.of_json(found.progress)
        api.functions.store.blobs.write(job.text_object, NAME.encode())
        steps.append(keep_study(job, found, store).revision)

    hooks = api.functions.store.dynamodb.meta.events
    hooks.register("provide-client-params.dynamodb.DeleteItem", go_on, "go on")
    run(api, erasure_id)
    hooks.unregister("provide-client-params.dynamodb.DeleteItem", unique_id="go on")

    assert steps == [2]
    assert state(api, erasure_id)["state"] == "done"
    assert studies(api) == []


def import_file(api: Api, name: str, line: Mapping[str, Any]) -> None:
    """Import a file with the line to the end."""
    headers = {"host": "127.0.0.1", "authorization": f"Bearer {api.secret}"}
    content = BytesIO(json.dumps(line).encode())
    request = Request("PUT", f"/_dev/imports/{name}", "wait", headers, b"", content)
    assert api.application.answer(request).status < 300


def test_a_fenced_scope_takes_no_writes_until_the_erasure_ends(api: Api) -> None:
    event = report_event(api)
    erasure_id = start(api, scope=SCOPE)
    with suppress(Killed), at(Death(12), api.functions.store.dynamodb):
        run(api, erasure_id)

    fresh = {"source": "a", "event_kind": "b", "ref": "c", "scope": SCOPE}
    refused = api.post("/v1/ingest/event", fresh)
    changed = api.post(f"/v1/records/{event['id']}/reinforce", {})
    topic = api.post("/v1/topics", {"title": "t", "scope": SCOPE})
    elsewhere = api.post("/v1/ingest/event", fresh | {"scope": OTHER})
    run(api, erasure_id)

    assert refused.status == 409
    assert erasure_id in refused.body["detail"]
    assert changed.status in (404, 409)
    assert topic.status == 409
    assert elsewhere.status == 201
    assert api.post("/v1/ingest/event", fresh).status == 201


@pytest.mark.parametrize(
    ("method", "query", "asked"),
    [
        ("PUT", "", {"value": NAME, "scope": SCOPE, "operation_id": "of-the-caller"}),
        ("DELETE", f"?scope={SCOPE}&items=1", {"idempotency_key": "of-the-caller"}),
    ],
)
def test_a_refused_write_of_a_document_leaves_nothing_in_a_fenced_scope(
    api: Api, method: str, query: str, asked: dict[str, Any]
) -> None:
    path = "/v1/documents/people/ada"
    assert api.post(f"{path}/items", {"items": [NAME], "scope": SCOPE}).status == 200
    erasure_id = start(api, scope=SCOPE)
    with suppress(Killed), at(Death(12), api.functions.store.dynamodb):
        run(api, erasure_id)
    before = api.stored()

    refused = api.call(method, f"{path}{query}", asked)

    assert refused.status == 409
    assert erasure_id in refused.body["detail"]
    assert api.stored() == before


def test_a_dry_run_counts_and_lists_and_changes_nothing(api: Api) -> None:
    live(api)
    before = api.stored()

    listed = erase(api, scope=SCOPE, dry_run=True)

    assert listed["state"] == "listed"
    assert counts(listed["found"])[("record", "erase")] > 10
    assert counts(listed["found"])[("topic", "erase")] == 3
    assert {each["id"] for each in listed["findings"]}
    after = api.stored()
    assert {place: after[place] for place in before} == before
    assert api.get(f"/v1/erasures/{listed['id']}/certificate").status == 409


def test_the_certificate_names_every_record_and_its_chain_verifies(api: Api) -> None:
    live(api)

    erasure_id = str(erase(api, scope=SCOPE)["id"])
    signed, entries = certificate(api, erasure_id)

    assert signed["target"]["kind"] == "scope"
    assert NAME not in json.dumps([signed, entries])
    for entry in entries:
        if entry["kind"] == "record":
            trail = api.get(f"/v1/records/{entry['id']}/audit?verify=true").body
            assert trail["audit_count"] == entry["audit_count"]
            assert trail["audit_log"][-1]["hash"] == entry["hash_after"]
            assert trail["audit_log"][-1]["previous_hash"] == entry["hash_before"]
            assert trail["verified"] is True


def test_what_rests_on_an_erased_record_alone_goes_and_the_rest_loses_the_reference(
    api: Api,
) -> None:
    first, second = fact(api, "Eve", scope=SCOPE), fact(api, "Adam", scope=OTHER)
    alone = whole_fact(api, "tea", [first], OTHER)
    both = whole_fact(api, "garden", [first, second], OTHER)
    chained = whole_fact(api, "fruit", [alone], OTHER)

    _, entries = certificate(api, str(erase(api, ids=[first])["id"]))

    assert {(each["id"], each["kind"], each["ground"]) for each in entries} == {
        (first, "record", "named"),
        (alone, "record", "rests_on"),
        (chained, "record", "rests_on"),
        (both, "evidence", "rests_on"),
    }
    assert len(entries) == 4
    for each in (first, alone, chained):
        assert api.get(f"/v1/records/{each}").status == 404
    evidence = api.get(f"/v1/records/{both}").record["payload"]["evidence"]
    assert [each["source_id"] for each in evidence] == [second]


def test_a_derived_fact_is_listed_and_goes_with_its_evidence_whatever_it_replaced(
    api: Api,
) -> None:
    first, second = (captured(api, text) for text in ("first", "second"))
    old = fact(api, "garden", scope=OTHER)
    alone = derived(api, [first], old)
    both = derived(api, [first, second], fact(api, "gate", scope=OTHER))
    listed = erase(api, ids=[first], dry_run=True)

    _, entries = certificate(api, str(erase(api, ids=[first])["id"]))

    grounds = {(each["id"], each["kind"], each["ground"]) for each in entries}
    assert grounds == {
        (first, "record", "named"),
        (alone, "record", "rests_on"),
        (both, "evidence", "rests_on"),
    }
    assert {(each["id"], each["kind"], each["ground"]) for each in listed["findings"]} == grounds
    assert api.get(f"/v1/records/{alone}").status == 404
    evidence = api.get(f"/v1/records/{both}").record["payload"]["evidence"]
    assert [each["source_id"] for each in evidence] == [second]


def captured(api: Api, summary: str) -> str:
    asked = {"source": "test", "event_kind": "note", "ref": summary, "scope": OTHER}
    return str(api.post("/v1/ingest/event", asked).record["id"])


def derived(api: Api, evidence: list[str], old: str) -> str:
    """A fact without a reported source, in place of the old fact."""
    refs = [
        {"source_type": "episodic", "source_id": each, "timestamp": "2026-01-01T00:00:00Z"}
        for each in evidence
    ]
    said = {"kind": "semantic", "subject": "garden", "predicate": "is", "object": "open"}
    payload: dict[str, Any] = {**said, "validity": {"mode": "global"}, "evidence": refs}
    record = {"type": "semantic", "sensitivity": "low", "payload": payload}
    reply = api.post(f"/v1/records/{old}/supersede", {"new_record": record, "rationale": "news"})
    return str(reply.record["id"])


@pytest.mark.parametrize("items", [1, 200])
@pytest.mark.parametrize("left", [range(3), range(3, 8), range(1), range(0)])
def test_a_fact_stays_while_a_capture_of_others_states_it(
    api: Api, monkeypatch: pytest.MonkeyPatch, left: range, items: int
) -> None:
    monkeypatch.setattr(erasure_store, "ITEMS", items)
    monkeypatch.setattr(evidence, "MAX_EVIDENCE", 5)
    captures, fact_id = captures_of_one_fact(api, 8)
    assert evidence_in(api, fact_id) == captures[3:]
    gone = [each for number, each in enumerate(captures) if number not in left]
    listed = erase(api, ids=gone, dry_run=True)

    erased = erase(api, ids=gone)

    signed, entries = certificate(api, str(erased["id"]))
    assert places_in(entries) == places_in(listed["findings"])
    found, removed = counts(listed["found"]), counts(signed["removed"])
    for counted in (("record", "erase"), ("evidence", "rewrite")):
        assert removed.get(counted) == found.get(counted)
    of_fact = [(each["kind"], each["ground"]) for each in entries if each["id"] == fact_id]
    if left:
        assert set(evidence_in(api, fact_id)) == {captures[number] for number in left}
        assert of_fact == [("evidence", "rests_on")] * (3 not in left)
    else:
        assert api.get(f"/v1/records/{fact_id}").status == 404
        assert of_fact == [("record", "rests_on")]


def test_a_fact_outlives_the_hundred_captures_that_it_lists(api: Api) -> None:
    captures, fact_id = captures_of_one_fact(api, 150)
    listed = evidence_in(api, fact_id)
    assert listed == captures[50:]

    erase(api, ids=listed)

    assert set(evidence_in(api, fact_id)) == {*captures[:50]}

    erase(api, ids=captures[:50])

    assert api.get(f"/v1/records/{fact_id}").status == 404


def test_a_fact_goes_with_evidence_of_which_a_part_was_erased_before(api: Api) -> None:
    first, second = fact(api, "ada", scope=OTHER), fact(api, "bea", scope=OTHER)
    resting = whole_fact(api, "cleo", [first, second], OTHER)
    why = {"actor": "ada", "rationale": "asked for"}
    assert api.call("DELETE", f"/v1/records/{first}?erase=true", why).status == 204
    listed = erase(api, ids=[first, second], dry_run=True)

    erased = erase(api, ids=[first, second])

    _, entries = certificate(api, str(erased["id"]))
    assert places_in(entries) == places_in(listed["findings"])
    assert places_in(entries) == {("record", second, "named"), ("record", resting, "rests_on")}
    assert api.get(f"/v1/records/{resting}").status == 404


def captures_of_one_fact(api: Api, number: int) -> tuple[list[str], str]:
    """The ids of captures that state one fact, the oldest first, and the id of the fact."""
    said = {"subject": "garden", "predicate": "is", "object": "open"}
    asked = {"source": "test", "source_kind": "observation", "scope": OTHER}
    replies = [
        api.post("/v1/capture", {**asked, "content": {**said, "text": f"look {each}"}}).body
        for each in range(number)
    ]
    (fact_id,) = (
        each["id"] for each in replies[0]["created_records"] if each["type"] == "semantic"
    )
    return [each["primary_record"]["id"] for each in replies], fact_id


def evidence_in(api: Api, fact_id: str) -> list[str]:
    evidence = api.get(f"/v1/records/{fact_id}").record["payload"]["evidence"]
    return [each["source_id"] for each in evidence]


def places_in(findings: list[Mapping[str, Any]]) -> set[tuple[str, str, str]]:
    return {(each["kind"], each["id"], each["ground"]) for each in findings}


def test_an_erased_subject_takes_its_facts_and_topics_and_lists_mentions(api: Api) -> None:
    about = fact(api, "Eve", scope=OTHER)
    mention = fact(api, "Adam", object="a friend of Eve", scope=OTHER)
    other = fact(api, "Evening", scope=OTHER)
    topic = api.post("/v1/topics", {"title": "Eve", "scope": OTHER}).body["topic_id"]

    erased = erase(api, subject="Eve")

    grounds = {each["id"]: (each["ground"], each["action"]) for each in erased["findings"]}
    assert grounds == {
        about: ("is_about", "erase"),
        mention: ("mentions", "keep"),
        topic: ("is_about", "erase"),
    }
    assert api.get(f"/v1/records/{about}").status == 404
    assert api.get(f"/v1/topics/{topic}").status == 404
    assert api.get(f"/v1/records/{mention}").status == 200
    assert api.get(f"/v1/records/{other}").status == 200


def spellings(erasure: Any) -> dict[str, tuple[int, bool]]:
    return {each["text"]: (each["found"], each["erases"]) for each in erasure["spellings"]}


def test_a_listing_by_subject_names_every_spelling_and_erases_the_one_that_was_asked_for(
    api: Api,
) -> None:
    asked, loud = fact(api, "Eve", scope=OTHER), fact(api, " EVE", scope=OTHER)
    topic = api.post("/v1/topics", {"title": "@eve", "scope": OTHER}).body["topic_id"]
    fact(api, "Evening", scope=OTHER)

    listed = erase(api, subject="Eve", dry_run=True)
    erased = erase(api, subject="Eve")

    assert spellings(listed) == {"Eve": (1, True), " EVE": (1, False), "@eve": (1, False)}
    for found in (listed, erased):
        assert places_in(found["findings"]) == {
            ("record", asked, "is_about"),
            ("record", loud, "is_about"),
            ("topic", topic, "is_about"),
        }
        kept = {each["id"] for each in found["findings"] if each["action"] == "keep"}
        assert kept == {loud, topic}
    assert erased["spellings"] == []
    assert api.get(f"/v1/records/{asked}").status == 404
    assert api.get(f"/v1/records/{loud}").record["payload"]["subject"] == " EVE"
    assert api.get(f"/v1/topics/{topic}").status == 200


def test_the_spellings_that_the_caller_confirms_are_erased_too(api: Api) -> None:
    loud, folded = fact(api, " EVE", scope=OTHER), fact(api, "eve", scope=OTHER)
    named = entity(api, "Adam", aliases=["EVE"])

    erased = erase(api, subject="Eve", spellings=[" EVE", "EVE"])

    found = {each["id"]: each["action"] for each in erased["findings"]}
    assert found == {loud: "erase", named: "erase", folded: "keep"}
    assert api.get(f"/v1/records/{loud}").status == 404
    assert api.get(f"/v1/records/{named}").status == 404
    assert api.get(f"/v1/records/{folded}").status == 200


def test_a_text_that_is_no_spelling_of_the_subject_is_refused_by_name(api: Api) -> None:
    refused = api.post("/v1/erasures", {"subject": "Eve", "spellings": ["EVE", "Adam"]})

    assert refused.status == 400
    assert [each["field"] for each in refused.body["errors"]] == ["spellings"]


def test_the_digest_in_the_certificate_covers_the_confirmed_spellings(api: Api) -> None:
    fact(api, "Eve", scope=OTHER)

    erased = erase(api, subject="Eve", spellings=["eve", "EVE", "Eve"])["id"]

    proof = api.get(f"/v1/erasures/{erased}/certificate").body["certificate"]
    parts = (erased, "subject", "", "Eve", "EVE", "eve")
    framed = b"".join(struct.pack(">I", len(each)) + each.encode() for each in parts)
    assert proof["target"]["sha256"] == hashlib.sha256(framed).hexdigest()


def test_a_listing_with_names_to_confirm_is_gone_after_seven_days(api: Api) -> None:
    fact(api, "EVE", scope=OTHER)
    listed = erase(api, subject="Eve", dry_run=True)["id"]

    advance(api, days=6)
    assert spellings(state(api, listed)) == {"EVE": (1, False)}
    advance(api, days=2)

    assert api.get(f"/v1/erasures/{listed}").status == 404


def test_many_spellings_are_counted_together_beyond_the_room_of_a_job(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MAX_SPELLING_BYTES", 8)
    for each in ("Eve", "EVE", "eve", "@eve"):
        fact(api, each, scope=OTHER)

    listed = erase(api, subject="Eve", dry_run=True)

    found = spellings(listed)
    assert found.pop("") == (2, False)
    assert sum(number for number, _ in found.values()) == 2


def entity(api: Api, name: str, **fields: Any) -> str:
    payload = {"kind": "entity", "canonical_name": name, **fields}
    record = {"type": "entity", "sensitivity": "low", "scope": OTHER, "payload": payload}
    return str(api.post("/v1/records", record).record["id"])


def merged(api: Api, name: str, *others: str) -> tuple[str, ...]:
    """The ids of the entity of a name, and of the entities that it has absorbed."""
    into, *absorbed = (entity(api, each) for each in (name, *others))
    reply = api.post(f"/v1/entities/{into}/merge", {"entity_ids": absorbed})
    assert reply.status == 200, reply.body
    return into, *absorbed


def names_left(api: Api) -> set[str]:
    """The terms of all names of the table."""
    items = [each for place, each in api.stored().items() if place.startswith("names#")]
    buckets = [value for each in items for name, value in each.items() if name.startswith("names_")]
    return {term for bucket in buckets for term in json.loads(bucket["S"])}


@pytest.mark.parametrize("items", [1, 200])
def test_a_person_of_several_names_goes_with_all_of_them_whichever_is_asked_for(
    api: Api, monkeypatch: pytest.MonkeyPatch, items: int
) -> None:
    monkeypatch.setattr(erasure_store, "ITEMS", items)
    for asked in ("Robert Zed", "Bob Zed"):
        ids = merged(api, "Robert Zed", "Bob Zed")
        other = entity(api, "Robert Young")

        erased = erase(api, subject=asked)

        grounds = {each["id"]: (each["ground"], each["action"]) for each in erased["findings"]}
        assert grounds == dict.fromkeys(ids, ("is_about", "erase"))
        assert names_left(api) & {"robert zed", "bob zed"} == set()
        assert "robert young" in names_left(api)
        assert api.get(f"/v1/records/{other}").status == 200
        assert places_with("Zed", api, bucket_of(api)) == []


def test_an_erased_id_takes_what_it_absorbed_along_also_what_that_absorbed(api: Api) -> None:
    middle, first = merged(api, "Bobby Zed", "Rob Zed")
    last = entity(api, "Robert Zed")
    assert api.post(f"/v1/entities/{last}/merge", {"entity_ids": [middle]}).status == 200
    absorbed_alone = merged(api, "Alice Zed", "Al Zed")[1]

    erased = erase(api, ids=[last, absorbed_alone])

    assert {each["id"] for each in erased["findings"]} == {last, middle, first, absorbed_alone}
    assert names_left(api) >= {"alice zed"}
    assert names_left(api) & {"robert zed", "bobby zed", "rob zed", "al zed"} == set()


def test_a_name_that_an_entity_bears_no_longer_goes_with_the_entity(api: Api) -> None:
    gone, kept = entity(api, "Vega Star"), entity(api, "Vega Moon")
    names = {"vega sun": gone, "vega moon": kept}
    stale: Any = {
        "pk": {"S": f"names#={OTHER}"},
        "sk": {"S": "vega"},
        "names_high": {"S": compact_json(names)},
        "names_low": {"S": compact_json({"vega star": gone})},
    }
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=stale)
    former: Any = {**stale, "sk": {"S": "former"}}
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item=former)

    listed = erase(api, ids=[gone], dry_run=True)
    erase(api, ids=[gone])

    assert counts(listed["found"])["entity_names", "rewrite"] == 2
    assert names_left(api) == {"vega moon"}


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_no_erasure_keeps_the_first_word_of_a_name_which_is_a_key_of_the_table(
    api: Api, *, is_dry_run: bool
) -> None:
    entity(api, "Zedekiah", aliases=["Obadiah Miller"])
    asked = {"subject": "Zedekiah", "dry_run": is_dry_run}
    erasure_id = start(api, **asked)
    assert len(places_with("zedekiah", api, bucket_of(api))) == 1

    run(api, erasure_id)

    ended = state(api, erasure_id)
    assert counts(ended["found"])["entity_names", "rewrite"] == 2
    left = {place for word in WORDS for place in places_with(word, api, bucket_of(api))}
    assert [each for each in left if each.startswith("erasure#")] == []
    assert bool(left) is is_dry_run


def test_a_key_for_one_scope_reaches_no_other_scope_through_a_subject(api: Api) -> None:
    live(api)
    live(api, OTHER)
    key = api.key_for(actor_id="tenant", scopes=(SCOPE,))
    before = {place: item for place, item in api.stored().items() if OTHER in repr(item)}

    with by_hand(api):
        reply = api.post("/v1/erasures", {"subject": NAME, "dry_run": False}, key=key)
    run(api, str(reply.body["id"]))

    after = api.stored()
    assert {place: after[place] for place in before} == before
    own = certificate(api, str(reply.body["id"]))[1]
    assert own
    assert all(api.get(f"/v1/records/{each['id']}").status == 404 for each in own)


def test_a_long_chain_of_evidence_elsewhere_does_not_matter(api: Api) -> None:
    report_event(api)
    last = fact(api, "first", scope=OTHER)
    for number in range(60):
        last = whole_fact(api, f"fact {number}", [last], OTHER)

    assert erase(api, scope=SCOPE)["state"] == "done"
    assert api.get(f"/v1/records/{last}").status == 200


def test_a_person_who_comes_back_is_found_again(api: Api) -> None:
    live(api)
    erase(api, scope=SCOPE)
    for each in api.functions.template.functions:
        assert api.functions.worlds[each.logical_id].elapsed_s() > 0
    api.functions.start_afresh()

    fact(api, "garden", scope=SCOPE)
    assert api.get("/_dev/queues?wait").status == 200

    found = api.post("/v1/retrieve", {"task_descriptor": "garden", "trust": {"scopes": [SCOPE]}})
    assert len(found.body["records"]) == 1


def test_an_erasure_killed_after_its_certificate_only_ends(api: Api) -> None:
    live(api)
    erasure_id = start(api, scope=SCOPE)
    with suppress(Killed), at_stage(api, "certified"):
        run(api, erasure_id)
    job = api.stored()[f"erasure#{erasure_id} job"]
    assert json.loads(job["progress"]["S"])["stage"] == "certified"
    refused = api.post(
        "/v1/ingest/event", {"source": "a", "event_kind": "b", "ref": "c", "scope": SCOPE}
    )

    run(api, erasure_id)

    assert refused.status == 409
    certificate(api, erasure_id)
    assert places_with(NAME, api, bucket_of(api)) == []


@contextmanager
def at_stage(api: Api, stage: str) -> Iterator[None]:
    """Let the process end once a job of the stage is kept."""
    hooks: Any = api.functions.store.dynamodb.meta.events

    def look(params: Mapping[str, Any], **_: object) -> None:
        progress = params.get("Item", {}).get("progress", {}).get("S", "")
        if f'"stage":"{stage}"' in progress:
            hooks.register("after-call.dynamodb.PutItem", lambda **_: die(), "stage")

    hooks.register("provide-client-params.dynamodb.PutItem", look, "look")
    try:
        yield
    finally:
        hooks.unregister("provide-client-params.dynamodb.PutItem", unique_id="look")
        hooks.unregister("after-call.dynamodb.PutItem", unique_id="stage")


def test_a_damaged_record_is_reported_and_keeps_back_no_other(api: Api) -> None:
    damaged, sound = report_event(api)["id"], report_event(api)["id"]
    table = api.functions.store.dynamodb
    key: Any = {"pk": {"S": f"record#{damaged}"}, "sk": {"S": "record"}}
    table.update_item(
        TableName=TABLE,
        Key=key,
        UpdateExpression="SET audit = :no",
        ExpressionAttributeValues={":no": NO_TRAIL},
    )

    erased = erase(api, scope=SCOPE)

    assert erased["state"] == "done"
    assert certificate(api, str(erased["id"]))[0]["unreadable"] > 0
    assert f"record#{sound} record" in api.stored()
    assert NAME not in repr(api.stored()[f"record#{sound} record"])


def test_a_user_is_the_users_scope(api: Api) -> None:
    key = api.key_for(scopes=("user:*",), user_prefix="user:")
    report_event(api)

    reply = api.post("/v1/erasures", {"user": NAME, "dry_run": False}, key=key)
    assert reply.status == 202, reply.body
    assert api.get("/_dev/queues?wait").status == 200

    ended = api.get(f"/v1/erasures/{reply.body['id']}?user={NAME}", key=key)
    assert ended.body["state"] == "done"
    assert places_with(NAME, api, bucket_of(api)) == []


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 400),
        ({"ids": ["a"], "scope": SCOPE}, 400),
        ({"subject": "  "}, 400),
        ({"subject": "Eve", "spellings": ["EVE", "Adam"]}, 400),
        ({"scope": SCOPE, "spellings": ["Eve"]}, 400),
        ({"subject": "Eve", "spellings": ["eve"] * 101}, 400),
        ({"subject": "", "scope": SCOPE}, 400),
        ({"ids": [], "scope": SCOPE}, 400),
        ({"ids": ["absent"]}, 404),
        ({"scope": SCOPE, "dry": True}, 400),
        ({"scope": "team:*"}, 400),
    ],
)
def test_a_request_without_one_target_is_refused(
    api: Api, asked: Mapping[str, Any], status: int
) -> None:
    assert api.post("/v1/erasures", asked).status == status


@pytest.mark.parametrize(
    "rights",
    [
        {"permissions": ("ingest", "read", "revise")},
        {"scopes": (OTHER,)},
        {"max_sensitivity": "high"},
    ],
)
def test_an_erasure_needs_admin_over_the_scope_at_every_sensitivity(
    api: Api, rights: Mapping[str, Any]
) -> None:
    key = api.key_for(**rights)

    assert api.post("/v1/erasures", {"scope": SCOPE}, key=key).status == 403


def test_another_key_learns_nothing_of_an_erasure(api: Api) -> None:
    erasure_id = start(api, scope=SCOPE)
    key = api.key_for(actor_id="other", scopes=(SCOPE,))

    assert api.get(f"/v1/erasures/{erasure_id}", key=key).status == 404
    assert api.get(f"/v1/erasures/{erasure_id}/certificate", key=key).status == 404
    assert api.get(f"/v1/erasures/{erasure_id}").status == 200


def test_a_repeat_under_the_key_is_the_same_erasure(api: Api) -> None:
    asked = {"scope": SCOPE, "idempotency_key": "one"}

    first, again = api.post("/v1/erasures", asked), api.post("/v1/erasures", asked)
    assert api.get("/_dev/queues?wait").status == 200
    late = api.post("/v1/erasures", asked)

    assert state(api, first.body["id"])["state"] == "listed"
    assert first.body["id"] == again.body["id"] == late.body["id"]
    for other in ({"dry_run": False}, {"scope": OTHER}, {"reason": "another"}):
        assert api.post("/v1/erasures", asked | other).status == 409


def test_the_schedule_goes_on_with_erasures_under_way(api: Api) -> None:
    report_event(api)
    erasure_id = start(api, scope=SCOPE)

    assert api.invoke("EraseFunction", {ERASE: {}}) == {"started": 0}
    assert api.post("/_dev/clock", {"advance_seconds": 901}).status == 200
    assert api.invoke("EraseFunction", {ERASE: {}}) == {"started": 1}
    assert api.get("/_dev/queues?wait").status == 200

    assert state(api, erasure_id)["state"] == "done"
    assert api.invoke("EraseFunction", {ERASE: {}}) == {"started": 0}


def test_an_erasure_after_an_anchor_is_no_finding_and_anchors_hold_no_name(api: Api) -> None:
    live(api)
    live(api, OTHER)
    assert api.invoke("AnchorFunction", {})["stage"] == "done"

    erase(api, scope=SCOPE)

    assert verified(api) == (0, "")
    assert api.post("/_dev/clock", {"advance_seconds": 7_200}).status == 200
    assert api.invoke("AnchorFunction", {})["stage"] == "done"
    assert verified(api) == (0, "")
    assert places_with(SCOPE, api, bucket_of(api)) == []
