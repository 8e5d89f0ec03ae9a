"""Studies of documents over HTTP: accepted, read by their principal alone, and refused."""

import hashlib
import json
from typing import Any

import pytest

from tests.integration.http.test_large_values import opened, put, uploaded
from tests.integration.http.test_openapi import compiled
from tests.integration.http.test_rights import STUDY
from tests.worlds.api import Api, Reply

REPLY = compiled({"$ref": "#/components/schemas/StudyReply"})
OF_ONE_STUDY = (
    "GET /v1/studies/{id}",
    "POST /v1/studies/{id}/cancel",
    "POST /v1/studies/{id}/resume",
)
CHANGES = OF_ONE_STUDY[1:]
UNSTORABLE = "x" * 3_000
"""More characters than a key of the table may have."""


def start(api: Api, key: str | None = None, **others: Any) -> Reply:
    """The reply to a request for a study."""
    return api.post("/v1/studies", {**STUDY, **others}, key=key)


def ended(api: Api, study_id: str, key: str | None = None) -> dict[str, Any]:
    """The study once nothing is under way any more."""
    assert api.get("/_dev/queues?wait").status == 200
    reply = api.get(f"/v1/studies/{study_id}", key=key)
    assert reply.status == 200, reply.body
    return dict(reply.body)


def asked_of(
    api: Api, route: str, study_id: str, key: str | None = None, body: Any = None
) -> Reply:
    """The reply to a request of the route about the study."""
    method, path = route.replace("{id}", study_id).split(" ")
    return api.call(method, path, body, key=key)


def fields_of(refused: Reply) -> set[str]:
    return {each["field"] for each in refused.body["errors"]}


def test_a_study_is_accepted_at_once_and_read_until_it_is_done(api: Api) -> None:
    started = start(api, source="notes/tea.md", scope="project")

    done = ended(api, started.body["id"])

    assert started.status == 202
    assert [*REPLY.iter_errors(started.body), *REPLY.iter_errors(done)] == []
    said = {"title": "Tea", "source": "notes/tea.md", "scope": "project", "with_model": False}
    text = STUDY["document"].encode()
    said |= {"characters": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    for shown in (started.body, done):
        assert {name: shown[name] for name in said} == said
        assert (shown["purpose"], shown["dry_run"]) == ("study", False)
    assert (done["state"], done["stage"], done["id"]) == ("done", "done", started.body["id"])
    assert api.get(f"/v1/topics/{done['document_id']}").status == 200


def test_a_document_is_taken_back_by_the_id_of_its_topic(api: Api) -> None:
    studied = ended(api, start(api).body["id"])
    asked = {"document_id": studied["document_id"]}

    counting, removing = (
        api.post("/v1/studies/remove", {**asked, **dry}) for dry in ({}, {"dry_run": False})
    )
    counted, removed = (ended(api, each.body["id"]) for each in (counting, removing))

    assert (counting.status, removing.status) == (202, 202)
    assert [*REPLY.iter_errors(counting.body), *REPLY.iter_errors(removed)] == []
    assert (counted["purpose"], counted["dry_run"], removed["dry_run"]) == ("removal", True, False)
    assert counted["removed"] == removed["removed"]
    assert counted["removed"]["topics"] > 0
    assert api.get(f"/v1/topics/{studied['document_id']}").status == 404


@pytest.mark.parametrize(
    ("mark", "metadata"),
    [
        ("---", "title: Deploy guide\nlayout: post\ntags: [a, b]"),
        ("+++", '# for Hugo\ntitle = "Deploy guide"\n[params]\nlayout = "post"'),
    ],
    ids=["YAML", "TOML"],
)
def test_front_matter_is_a_field_of_the_document_and_no_topic(
    api: Api, mark: str, metadata: str
) -> None:
    text = "First words.\n\n---\n\n# Deploying\n\nPush the tag.\n\n---\n\nThen wait.\n"

    studied = ended(api, start(api, document=f"{mark}\n{metadata}\n{mark}\n{text}").body["id"])

    titles = [each["title"] for each in api.get("/v1/topics").body["topics"]]
    assert sorted(titles) == ["Deploying", "Tea", "Tea"]
    assert studied["progress"]["paragraphs"]["total"] == 3
    document = f"/v1/topics/{studied['document_id']}"
    field = api.get(document).body["fields"]["front_matter"]
    assert [each["value"] for each in field["history"]] == [metadata]

    ended(api, start(api, document=text).body["id"])

    assert "front_matter" not in api.get(document).body["fields"]


@pytest.mark.parametrize("study_id", ["absent", UNSTORABLE], ids=["absent", "unstorable"])
@pytest.mark.parametrize("route", OF_ONE_STUDY)
def test_a_study_that_is_not_there_is_not_found(api: Api, route: str, study_id: str) -> None:
    assert asked_of(api, route, study_id).status == 404


def test_a_document_that_is_not_there_is_not_taken_back(api: Api) -> None:
    stored = api.stored()

    refused = api.post("/v1/studies/remove", {"document_id": "absent", "dry_run": False})

    assert refused.status == 404
    assert api.stored() == stored


@pytest.mark.parametrize(
    ("others", "field"),
    [
        ({"document": " \n\t"}, "document"),
        ({"document": ""}, "document"),
        ({"document": ["Ada likes green tea."]}, "document"),
        ({"document": None}, "document"),
        ({"document": {"$upload": "no id!"}}, "document"),
        ({"title": "  "}, "title"),
        ({"title": "x" * 301}, "title"),
        ({"title": None}, "title"),
        ({"source": "x" * 2_001}, "source"),
        ({"scope": "project:*"}, "scope"),
        ({"sensitivity": "secret"}, "sensitivity"),
        ({"with_model": "yes"}, "with_model"),
        ({"chat_model": "llama"}, "chat_model"),
    ],
)
def test_a_malformed_request_is_refused_and_names_the_field(
    api: Api, others: dict[str, Any], field: str
) -> None:
    stored = api.stored()

    refused = start(api, **others)

    assert (refused.status, fields_of(refused)) == (400, {field})
    assert api.stored() == stored


def test_an_uploaded_document_is_studied(api: Api) -> None:
    text = "# Tea\n\nAda likes gr\u00fcnen tea.\n"
    claim = uploaded(api, json.dumps(text).encode())

    started = start(api, document=claim)

    assert started.status == 202
    assert started.body["characters"] == len(text)
    assert started.body["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert ended(api, started.body["id"])["state"] == "done"


@pytest.mark.parametrize("content", [" \n", ["Ada likes green tea."], 7], ids=str)
def test_an_upload_without_a_document_is_refused_and_names_the_field(
    api: Api, content: object
) -> None:
    claim = uploaded(api, json.dumps(content).encode())

    refused = start(api, document=claim)

    assert (refused.status, fields_of(refused)) == (400, {"document"})


def test_nobody_studies_the_upload_of_another_principal(api: Api) -> None:
    content = json.dumps(STUDY["document"]).encode()
    upload = opened(api, content)
    assert put(api, upload, content).status == 200
    stored = api.stored()

    refused = start(
        api,
        api.key_for(actor_id="stranger"),
        document={"$upload": upload["upload_id"]},
    )

    assert (refused.status, refused.body["detail"]) == (404, "upload not found")
    assert api.stored() == stored


@pytest.mark.parametrize(
    "other",
    [{"actor_id": "stranger"}, {"scopes": ("project",)}, {"max_sensitivity": "low"}],
    ids=["another actor", "other scopes", "another ceiling"],
)
@pytest.mark.parametrize("route", OF_ONE_STUDY)
def test_another_principal_neither_reads_nor_changes_a_study(
    api: Api, route: str, other: dict[str, Any]
) -> None:
    own, rights = api.key_for(), {"actor_id": "agent", **other}
    permissions = ("ingest", "read", "revise")
    stranger = api.key_for(permissions=permissions, **rights)
    study_id = start(api, own).body["id"]
    before = ended(api, study_id, own)

    hidden, absent = (asked_of(api, route, each, stranger) for each in (study_id, "absent"))

    assert (hidden.status, hidden.problem) == (404, absent.problem)
    assert ended(api, study_id, own) == before


@pytest.mark.parametrize(
    ("rights", "others"),
    [
        ({"permissions": ("read", "revise", "admin")}, {}),
        ({"scopes": ("project",)}, {"scope": "other"}),
        ({"max_sensitivity": "low"}, {"sensitivity": "high"}),
    ],
    ids=["without ingest", "outside the scopes", "above the ceiling"],
)
def test_a_study_needs_the_rights_to_write_its_topics(
    api: Api, rights: dict[str, Any], others: dict[str, str]
) -> None:
    key = api.key_for(**rights)
    stored = api.stored()

    refused = start(api, key, **others)

    assert (refused.status, refused.body["code"]) == (403, "PERMISSION_DENIED")
    assert api.stored() == stored


def test_a_repeat_under_an_idempotency_key_is_the_same_study(api: Api) -> None:
    first, again = (start(api, idempotency_key="tea-1") for _ in range(2))

    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert (first.status, again.status) == (202, 200)
    assert again.body["id"] == first.body["id"]
    assert list(REPLY.iter_errors(again.body)) == []


def test_an_idempotency_key_takes_no_other_document(api: Api) -> None:
    first = start(api, idempotency_key="tea-1")

    refused = start(api, idempotency_key="tea-1", document="# Tea\n\nAda likes black tea.\n")

    assert (refused.status, refused.body["code"]) == (409, "ALREADY_EXISTS")
    done = ended(api, first.body["id"])
    assert (done["state"], done["sha256"]) == ("done", first.body["sha256"])


@pytest.mark.parametrize("body", [None, {}], ids=["absent", "empty"])
@pytest.mark.parametrize("route", CHANGES)
def test_a_study_that_is_done_is_neither_cancelled_nor_resumed(
    api: Api, route: str, body: Any
) -> None:
    study_id = start(api).body["id"]
    before = ended(api, study_id)

    refused = asked_of(api, route, study_id, body=body)

    assert (refused.status, refused.body["code"]) == (409, "FAILED_PRECONDITION")
    assert ended(api, study_id) == before


@pytest.mark.parametrize("route", CHANGES)
def test_a_change_of_a_study_takes_no_fields(api: Api, route: str) -> None:
    refused = asked_of(api, route, "absent", body={"reason": "too long"})

    assert (refused.status, fields_of(refused)) == (400, {"reason"})
