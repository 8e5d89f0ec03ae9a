"""The events of tests/events: `<folder of the function>_<where it comes from>.json`."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.access import DynamoKeys
from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures
from membrane.adapters.dynamodb.jobs import DynamoJobs
from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.erasure import jobs as erasures
from membrane.domain.erasure.jobs import certificate_of
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.study import jobs as studies
from membrane.usecases.access.api_keys import create_key
from membrane.usecases.study.work import keep_study
from membrane_local.template import Function, read_template
from tests.event_files import content_of, names_in_order, path_of
from tests.fakes.bucket import FakeBlobs

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

PROJECT = Path(__file__).resolve().parents[1]
_ENTITIES = ("records_ingest_entity", "records_ingest_entity_too")
NEEDED_BY = {
    "export": ("exports_create",),
    "ingest_outcome": ("ingest_event_bus",),
    "retrieve": ("ingest_working_state_http", *_ENTITIES),
    "revisions": ("records_ingest", *_ENTITIES),
    "query": ("topics_create",),
    "studies": ("topics_create_document",),
    "reason": ("topics_create",),
}
"""What must have happened before a function's events make sense, by the function's folder."""


STUDIED_TEXT = b"# Payment service\n\nThe payment service takes payments by card.\n"


@dataclass(frozen=True, slots=True)
class SampleEvent:
    """One event, and the function that it is for."""

    name: str
    function: Function

    @property
    def path(self) -> Path:
        return path_of(self.name)

    @property
    def content(self) -> dict[str, Any]:
        return content_of(self.name)


def sample_objects() -> dict[str, bytes]:
    """The objects in the events of the import and of the restore, and the text of the study."""
    events = (sample_event("import_lines_bus"), sample_event("restore_bus"))
    lines = {
        event.content["detail"]["object"]["key"]: event.path.with_suffix(".ndjson").read_bytes()
        for event in events
    }
    return {**lines, _study_under_way(datetime.now(UTC)).text_object: STUDIED_TEXT}


def sample_event(name: str) -> SampleEvent:
    """The event of that name; raises LookupError where it is for no function."""
    fitting = [each for each in deployed_functions() if name.startswith(f"{each.folder.name}_")]
    if not fitting:
        raise LookupError(f"{name} begins with no function's folder")
    return SampleEvent(name, max(fitting, key=lambda each: len(each.folder.name)))


def sample_events() -> list[SampleEvent]:
    """All of them, in an order in which each finds what it asks for."""
    return [sample_event(name) for name in names_in_order()]


def events_for(function: Function) -> list[SampleEvent]:
    """The events of one function, in order."""
    return [each for each in sample_events() if each.function == function]


@cache
def deployed_functions() -> tuple[Function, ...]:
    """The functions of the template; direct invocation is open, as the bus is."""
    defaults = read_template(PROJECT / "template.yaml").parameters
    return read_template(
        PROJECT / "template.yaml", {"DirectPrincipal": defaults["BusPrincipal"]}
    ).functions


def keep_sample_key(dynamodb: "DynamoDBClient", table: str) -> None:
    """Store the API key that the events carry."""
    create_key(
        Principal("agent", frozenset(Permission), ("*",), Sensitivity.HYPER),
        None,
        keys=DynamoKeys(dynamodb, table),
        now=datetime(2026, 11, 21, tzinfo=UTC),
        new_secret=lambda: "sample-key",
    )


def keep_sample_receipt(dynamodb: "DynamoDBClient", table: str) -> None:
    """Store the receipt that an event asks for, of a retrieval that somebody made now."""
    receipt = AnswerReceipt(
        id="sample-receipt",
        principal="coding-agent",
        identity=principal_of("coding-agent", Permission, ["*"], "hyper").identity,
        asked_at="2026-11-21T10:00:00Z",
        query={"task_descriptor": "Which tests are still to be run?"},
        trust={"max_sensitivity": "hyper", "scopes": None},
        returned=0,
        explained=(),
        considered=0,
        left_out=2,
        withheld=0,
        hidden=0,
    )
    DynamoReceipts(dynamodb, table, lambda: datetime.now(UTC)).keep(receipt)


def body_of(reply: Mapping[str, Any]) -> dict[str, Any]:
    return dict(json.loads(reply["body"]))


def keep_sample_erasure(dynamodb: "DynamoDBClient", table: str) -> None:
    """Store the erasure that events ask for, which is done."""
    store = DynamoErasures(dynamodb, table, FakeBlobs(), lambda: datetime.now(UTC))
    caller = principal_of("coding-agent", Permission, ["*"], "hyper")
    job = erasures.Job(
        id="sample-erasure",
        target=None,
        target_sha256="0" * 64,
        reason="request 2026-117",
        principal=None,
        actor_id=caller.actor_id,
        owner=caller.identity,
        is_dry_run=False,
        started_at="2026-11-21T10:00:00Z",
        stage=erasures.Stage.DONE,
        done_at="2026-11-21T10:00:09Z",
    )
    store.keep(job.as_json(), None, is_open=False)
    certificate = certificate_of(job, (), "2026-11-21T10:00:09Z", ())
    signature = {"key_id": "sample", "algorithm": "ECDSA_SHA_256", "value": ""}
    signed = {"certificate": certificate, "signature": signature}
    store.keep_certificate("sample-erasure", signed)


def keep_sample_studies(dynamodb: "DynamoDBClient", table: str) -> None:
    """Store the studies that events ask for: a study under way, and a study that has failed."""
    now = datetime.now(UTC)
    store = DynamoJobs(dynamodb, table, lambda: now)
    under_way = _study_under_way(now)
    failed = replace(
        under_way,
        id="stopped-study",
        stage=studies.StudyStage.FAILED,
        stopped_at=studies.StudyStage.PREPARING,
    )
    for job in (under_way, failed):
        keep_study(job, None, store)


def _study_under_way(now: datetime) -> studies.Job:
    return studies.Job(
        id="sample-study",
        purpose=studies.Purpose.STUDY,
        document="sample-document",
        title="Payment service",
        source="manuals/payment.md",
        scope="",
        sensitivity=Sensitivity.LOW,
        principal=principal_of("coding-agent", Permission, ["*"], "hyper"),
        sha256=hashlib.sha256(STUDIED_TEXT).hexdigest(),
        characters=len(STUDIED_TEXT),
        started_at="2026-11-21T10:00:00Z",
        updated_at="2026-11-21T10:00:00Z",
        expires_at_s=int((now + timedelta(days=30)).timestamp()),
        stage=studies.StudyStage.PREPARING,
    )


def _is_http_answer(reply: Mapping[str, Any]) -> bool:
    """Whether a request succeeded, or was refused as it must be.

    MCP refuses a stream and the end of a session; a stack without a model leads no conversation.
    """
    if reply["statusCode"] == 405:
        return bool(reply["headers"]["allow"] == "POST")
    if reply["statusCode"] == 503:
        return "ChatModel" in body_of(reply)["detail"]
    if reply["headers"].get("content-type", "").startswith("text/event-stream"):
        frame = json.loads(reply["body"].removeprefix("data: "))
        return frame["type"] == "error" and "ChatModel" in frame["detail"]
    results = body_of(reply).get("results", []) if "body" in reply else []
    return 200 <= reply["statusCode"] < 300 and not any("error" in each for each in results)


def is_answer(reply: Any) -> bool:
    """Whether a reply says that all went well, in the words of its kind of function."""
    match reply:
        case {"statusCode": _}:
            return _is_http_answer(reply)
        case {"isAuthorized": authorized}:
            return bool(authorized)
        case {"batchItemFailures": failures}:
            return not failures
        case {"id": _, "audit_log": [_, *_]} | {"records": [{"id": _}, *_]}:
            return True
        case {"primary_record": {"id": _}} | {"started": 0} | {"stage": "done"}:
            return True
        case {"failed": failed, "indexed": _}:
            return not failed
        case {"done": True, "failed": failed, "drift": drift}:
            return not failed and not drift
        case {"findings": [], "next": None} | {"state": "done"}:
            return True
        case {"status": "done", "refused": 0} | {"removed": 0} | {"failed": 0, "left": False}:
            return True
        case _:
            return False
