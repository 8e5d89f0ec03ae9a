"""The service against its OpenAPI document: requests that fit it, and requests that do not."""

from collections.abc import Mapping
from typing import Any

import pytest
import schemathesis
from hypothesis import settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from schemathesis import Case, HookContext
from schemathesis.config import SchemathesisConfig

from membrane_local.http.server import Application, Message, Receive, Send
from membrane_openapi.document import document
from tests.worlds.api import Api
from tests.worlds.depth import cases, examples, is_deep

CONFIG: dict[str, Any] = {
    "seed": 20_261_121,
    "request-timeout": 600,  # seconds; how busy the machine is must not matter
    "generation": {"max-examples": examples(15), "deterministic": True, "no-shrink": True},
    "phases": {
        "coverage": {"enabled": is_deep()},  # each limit of each schema, met and passed
        "fuzzing": {"error-feedback": {"enabled": False}},
    },
    "operations": [
        {  # messages have the forms of many providers, and the document names the usual ones
            "include-name": "POST /v1/messages",
            "checks": {"negative_data_rejection": {"enabled": False}},
        },
        {  # an item that does not fit is refused alone, in an entry of a reply that is 200
            "include-name": "POST /v1/ingest/batch",
            "phases": {"coverage": {"enabled": False}},
            "checks": {"negative_data_rejection": {"enabled": False}},
        },
        {
            "include-name": "POST /v1/documents/batch",
            "phases": {"coverage": {"enabled": False}},
            "checks": {"negative_data_rejection": {"enabled": False}},
        },
        {  # no schema says that two parameters exclude each other
            "include-name": "DELETE /v1/documents/{path}",
            "checks": {"positive_data_acceptance": {"enabled": False}},
        },
        {  # null in place of the list of labels is sent as a label
            "include-name": "GET /v1/namespaces",
            "checks": {"negative_data_rejection": {"enabled": False}},
        },
        {  # an object in place of the list of scopes is sent as several scopes, which is a list
            "include-name": "GET /v1/metrics",
            "checks": {"negative_data_rejection": {"enabled": False}},
        },
    ],
    "checks": {
        "unsupported_method": {"enabled": False},  # API Gateway answers 404 there
        "negative_data_rejection": {"expected-statuses": [400, 401, 403, 404, 409, 413]},
    },
}

LARGE = 1_000

UNDRAWABLE = (
    *("idempotency_key", "custom_curve", "consistency_tokens", "cursor", "as_of", "user"),
    *("similar_to", "if-match", "if-none-match"),
    *("parts", "audio", "function_call"),
)
OF_WHAT_IS_THERE = ("ref_topic_id", "topic_ids", "valid_from", "end")
"""The same, where they are sent; replies have fields of these names, too."""


LISTS: Mapping[str, Any] = {
    "#/components/schemas/PlanEdge": {"type": "array", "maxItems": 0},
    "#/components/schemas/EdgeInput": {"type": "array", "maxItems": 0},
    "#/components/schemas/ChatMessage": {"const": [{"role": "user", "content": "hello"}]},
}
"""What is drawn for a list, by the schema of the items."""


class WithoutConstants(HypothesisProvider):
    """Draws no words of this code base: a change elsewhere would change what is asked here."""

    def _maybe_draw_constant(self, *_kind: Any, **_bounds: Any) -> None:
        """None, where another provider draws now and then what the modules say."""


AVAILABLE_PROVIDERS["without-constants"] = WithoutConstants


def drawable(schema: Any) -> Any:
    """The document without what cannot be drawn; all of it has tests of its own.

    That is: the limits of 100,000 characters and 10,000 elements; JSON as text, which is any text
    to JSON Schema; a plan's edges, and its nodes beyond one; curves that the settings name; the
    envelope around a record; cursors and tokens, which only a reply can give; topics that must be
    there, and with them two of the ways to place what is told; instants of the past, which no
    schema tells from those to come; the end of a validity, which no schema compares with its start;
    the key in a body, beside which a header is not looked at, and the headers for a version, beside
    which no version may stand in a body; the user, whom most keys refuse; the
    entity that others are like, beside which no words may stand; the targets of an erasure but its
    ids, because no other target may stand beside ids; messages of a conversation in the forms of
    providers, and with instructions, which stand at the beginning alone; and the messages of a
    chat, the last of which must be the user's and have a text.
    """
    match schema:
        case {"contentMediaType": _}:
            return {"const": ""}
        case {
            "anyOf": [{"$ref": "#/components/schemas/IngestRecord"}, kept]
            | [{"required": ["text"]} as kept, {"type": "object"}]
        }:
            return drawable(kept)
        case {"items": {"$ref": str(item)}} if item in LISTS:
            return LISTS[item]
        case {"items": {"$ref": "#/components/schemas/PlanNode-Input"}}:
            return schema | {"maxItems": 1}
        case {"enum": [*words, "custom"] | [*words, "system", "developer", "reasoning"]}:
            return {"enum": words}
        case {"properties": {"placement": {"enum": [*words, "extend_topic", "version_field"]}}}:
            parts = drawable(schema["properties"])
            del parts["topic_id"]
            return {"type": "object", "properties": parts | {"placement": {"enum": words}}}
        case {"properties": {"ids": ids, "subject": _, "dry_run": dry_run}}:
            parts = {"ids": drawable(ids) | {"type": "array"}, "dry_run": dry_run}
            return schema | {"properties": parts, "required": ["ids"]}
        case dict():
            return {
                name: drawable(value)
                for name, value in schema.items()
                if name not in UNDRAWABLE
                and not (name in OF_WHAT_IS_THERE and "anyOf" in value)
                and not (name in ("maxLength", "maxItems") and value > LARGE)
            }
        case list():
            return [drawable(value) for value in schema if not is_undrawable(value)]
        case _:
            return schema


def with_places(whole: Any) -> Any:
    """The document with one place of a document and of its list: no schema decodes segments."""
    components = whole["components"]
    parameters = components["parameters"]
    for name, place in (("path", "notes/tea"), ("list-path", "notes/tea/items")):
        parameters = parameters | {name: parameters[name] | {"schema": {"const": place}}}
    return whole | {"components": components | {"parameters": parameters}}


def is_undrawable(parameter: Any) -> bool:
    """Whether it is one of a query, of that kind."""
    if not isinstance(parameter, dict):
        return False
    name = parameter.get("$ref", "").removeprefix("#/components/parameters/")
    return parameter.get("name", name) in UNDRAWABLE


class Behind:
    """What answers: tests are collected before there is a stack."""

    application: Application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        await self.application(scope, receive, send)


DOCUMENT = document()
OPERATION_IDS: list[str] = [
    each["operationId"] for path in DOCUMENT["paths"].values() for each in path.values()
]
SAMPLE = cases(OPERATION_IDS, OPERATION_IDS[::3])

schema = schemathesis.openapi.from_dict(
    drawable(with_places(DOCUMENT)), config=SchemathesisConfig.from_dict(CONFIG)
).exclude(lambda asked: asked.operation.definition.raw["operationId"] not in SAMPLE)
schema.app = Behind()


@schema.hook
def map_body(_context: HookContext, body: Any) -> Any:
    """To JSON Schema, 1.0 is an integer; to the service it is not."""
    match body:
        case dict():
            return {name: map_body(_context, value) for name, value in body.items()}
        case list():
            return [map_body(_context, value) for value in body]
        case float() if body.is_integer():
            return int(body)
        case _:
            return body


@pytest.fixture
def own(api: Api) -> Api:
    """The stack as the application behind the document."""
    schema.app.application = api.application
    return api


def test_what_is_drawn_for_is_the_sample_of_the_operations() -> None:
    selected = schema.statistic.operations

    assert (selected.total, selected.selected) == (len(OPERATION_IDS), len(SAMPLE))


@schema.parametrize()
@settings(backend="without-constants")
def test_every_reply_is_one_that_the_document_promises(case: Case[Any], own: Api) -> None:
    # With a key for every scope a preview must name those that it is to go through.
    secret = own.key_for(scopes=("project",)) if case.path == "/v1/decay/preview" else own.secret
    case.call_and_validate(headers={"Authorization": f"Bearer {secret}"})
