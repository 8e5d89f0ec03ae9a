"""Events of API Gateway: callers by this build's guard alone, and bodies in any wrapping."""

import base64
import json
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from membrane.adapters.aws_lambda.http.gateway import answer_http, caller
from membrane.adapters.aws_lambda.http.guarded_callers import signer_claims
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.access.guards import Guard, Guarding
from membrane.domain.access.principals import Principal, Source, principal_of
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.access.api_keys import create_key
from membrane.wiring.world import World
from tests.builders.requests import RULE
from tests.fakes.chat_models import Reports
from tests.fakes.clock import FakeClock, FakeKeys
from tests.worlds.memory import make_world

ROLE = "arn:aws:iam::123456789012:role/agents"
SESSION = "arn:aws:sts::123456789012:assumed-role/agents/monday"
CLAIMS = {"sub": "agents", "groups": ["staff", "agents"], "email_verified": True, "exp": 1}
PASSED = {"sub": "agents", "groups": "[staff agents]", "email_verified": "true", "exp": "1"}
OF_ROLE = {**RULE, "when": {"arn": ROLE}, "actor": "{role}", "scopes": ["user:{role}"]}


def guard_of(by: Guarding, *rules: dict[str, Any]) -> Guard:
    """The guard that a function reads from the environment of the build."""
    table = "MEMBRANE_IAM_RIGHTS" if by is Guarding.IAM else "MEMBRANE_OIDC_RIGHTS"
    environment = {
        "MEMBRANE_TABLE": "table",
        "MEMBRANE_BUCKET": "bucket",
        "MEMBRANE_OIDC_ISSUER": "https://id.example",
        "MEMBRANE_OIDC_AUDIENCE": "memory",
        "MEMBRANE_AUTHORIZER": by,
        table: json.dumps(rules),
    }
    return World(environment=environment).guard


def token(claims: dict[str, Any]) -> str:
    """A token whose signature API Gateway would have verified."""
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{payload}.c2ln"


def event(
    contexts: dict[str, Any], authorization: str = f"Bearer {token(CLAIMS)}"
) -> dict[str, Any]:
    return {
        "routeKey": "POST /v1/ingest/event",
        "headers": {"authorization": authorization},
        "requestContext": {"http": {}, "authorizer": contexts},
        "body": '{"source": "agent", "event_kind": "build", "ref": "evt-1"}',
    }


def signed(arn: str = SESSION) -> dict[str, Any]:
    iam = {"accountId": "123456789012", "userArn": arn, "callerId": "AROA:monday"}
    return event({"iam": iam})


def with_token(**parts: Any) -> dict[str, Any]:
    return event({"jwt": {"claims": PASSED, "scopes": None}}, **parts)


OF_KEY = {"actor_id": "a", "permissions": ["read"], "scopes": ["*"], "max_sensitivity": "low"}
OF_GUARD = {
    Guarding.KEY: event({"lambda": OF_KEY}),
    Guarding.IAM: signed(),
    Guarding.JWT: with_token(),
}


@pytest.mark.parametrize(
    ("arn", "claims"),
    [
        (SESSION, {"arn": ROLE, "account": "123456789012", "role": "agents"}),
        (
            "arn:aws-us-gov:sts::123456789012:assumed-role/a/b@c.example",
            {
                "arn": "arn:aws-us-gov:iam::123456789012:role/a",
                "account": "123456789012",
                "role": "a",
            },
        ),
        (
            "arn:aws:iam::123456789012:user/ops/ana",
            {
                "arn": "arn:aws:iam::123456789012:user/ops/ana",
                "account": "123456789012",
                "user": "ana",
            },
        ),
        ("arn:aws:iam::123456789012:root", {"arn": "arn:aws:iam::123456789012:root"}),
        (f"x{SESSION}", {"arn": f"x{SESSION}"}),
        (f"{SESSION}/{ROLE}", {"arn": f"{SESSION}/{ROLE}"}),
    ],
)
def test_a_session_counts_as_its_role_and_nothing_else_does(
    arn: str, claims: dict[str, str]
) -> None:
    assert signer_claims(arn) == claims


def test_a_role_has_the_rights_of_its_rule_whatever_its_session_is_called() -> None:
    guard = guard_of(Guarding.IAM, OF_ROLE)

    principal = caller(signed(), guard)

    assert (principal.actor_id, principal.scopes) == ("iam:agents", ("user:agents",))
    assert principal.permissions == {Permission.READ}
    assert caller(signed(SESSION.replace("monday", "tuesday")), guard) == principal


def test_a_token_has_the_rights_of_its_rule_as_at_mcp() -> None:
    checked = {**RULE, "when": {"groups": "agents", "email_verified": True}}

    principal = caller(with_token(), guard_of(Guarding.JWT, checked))

    assert (principal.actor_id, principal.scopes) == ("oidc:agents", ("user:agents",))
    assert principal.source is Source.TOKEN


@pytest.mark.parametrize(
    ("by", "asked", "rules", "said"),
    [
        (Guarding.IAM, signed(), [], f"{ROLE}: no rule gives rights"),
        (
            Guarding.IAM,
            signed(ROLE.replace("agents", "agents2")),
            [OF_ROLE],
            "no rule gives rights",
        ),
        (Guarding.IAM, signed(SESSION.replace("1234", "4321")), [OF_ROLE], "no rule gives rights"),
        (Guarding.IAM, signed("arn:aws:iam::1:user/ana"), [{**OF_ROLE, "when": {}}], "claim role"),
        (Guarding.JWT, with_token(), [], "no rule gives rights"),
        (Guarding.JWT, with_token(), [{**RULE, "when": {"groups": "admins"}}], "no rule gives"),
    ],
)
def test_a_caller_without_a_rule_is_refused_with_a_problem(
    by: Guarding, asked: dict[str, Any], rules: list[dict[str, Any]], said: str
) -> None:
    services = make_world().but(guard=guard_of(by, *rules))

    reply = answer_http(asked, (row_of("IngestEvent"),), services)

    assert (reply["statusCode"], json.loads(reply["body"])["code"]) == (403, "PERMISSION_DENIED")
    assert said in json.loads(reply["body"])["detail"]


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "agents", "groups": ["agents"]},
        {"sub": "agents", "groups": ["agents", "staff"]},
        {"sub": "agents", "groups": "agents"},
    ],
)
def test_a_claim_counts_only_with_the_value_that_api_gateway_verified(
    claims: dict[str, Any],
) -> None:
    asked = with_token(authorization=f"Bearer {token(claims)}")

    with pytest.raises(PermissionDenied, match="no rule"):
        caller(asked, guard_of(Guarding.JWT, dict(RULE)))


def test_a_group_with_a_blank_is_not_two_groups() -> None:
    asked = with_token(authorization=f"Bearer {token({**CLAIMS, 'groups': ['staff agents']})}")

    with pytest.raises(PermissionDenied, match="no rule"):
        caller(asked, guard_of(Guarding.JWT, dict(RULE)))


@pytest.mark.parametrize(
    "authorization",
    [
        *("", "Bearer a.b.c", "Bearer e30.W10.c2ln", f"Basic {token(CLAIMS)}", "Bearer e30"),
        *(f"Bearer {token(CLAIMS)}{more}" for more in (".", ",x", f",Bearer {token(CLAIMS)}")),
    ],
)
def test_a_header_that_is_not_one_token_is_refused(authorization: str) -> None:
    with pytest.raises(PermissionDenied, match="must have one access token"):
        caller(with_token(authorization=authorization), guard_of(Guarding.JWT, dict(RULE)))


@pytest.mark.parametrize("other", Guarding)
@pytest.mark.parametrize("by", Guarding)
def test_a_build_takes_the_context_of_its_own_authorizer_alone(
    by: Guarding, other: Guarding
) -> None:
    guard = (
        Guard()
        if by is Guarding.KEY
        else guard_of(by, {**RULE, "when": {}, "actor": "any", "scopes": ["any"]})
    )

    reply = answer_http(OF_GUARD[other], (row_of("IngestEvent"),), make_world().but(guard=guard))
    detail = json.loads(reply["body"])["detail"]

    assert reply["statusCode"] == 403
    assert ("did not pass the authorizer" in detail) is (by is not other)


def test_keys_tokens_and_roles_of_one_name_are_three_identities() -> None:
    unscoped = {"scopes": ["shared"]}
    key = principal_of("agents", ["read"], ["shared"], "low")
    token = caller(with_token(), guard_of(Guarding.JWT, {**RULE, **unscoped}))
    role = caller(signed(), guard_of(Guarding.IAM, {**OF_ROLE, **unscoped}))

    assert len({each.identity for each in (key, token, role)}) == 3
    for taken in (token.actor_id, role.actor_id):
        with pytest.raises(InvalidArgument, match="name another"):
            make_key(key._replace(actor_id=taken))


def make_key(principal: Principal) -> None:
    create_key(principal, None, keys=FakeKeys(), now=FakeClock()(), new_secret=lambda: "secret")


# --- the event of a key ---------------------------------------------------------------------------

BODY = '{"source": "agent", "event_kind": "build", "ref": "evt-1"}'
INGESTS = {**OF_KEY, "permissions": ["ingest"]}


def of_key(**parts: Any) -> dict[str, Any]:
    return {**event({"lambda": INGESTS}), "rawQueryString": "", **parts}


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ({"body": base64.b64encode(BODY.encode()).decode(), "isBase64Encoded": True}, 201),
        ({"body": "%%%", "isBase64Encoded": True}, 400),
        ({"body": base64.b64encode(b"\xff").decode(), "isBase64Encoded": True}, 400),
        ({"body": None}, 400),
        ({"body": ""}, 400),
        ({"rawQueryString": "x=1"}, 400),
        ({"rawQueryString": "x=%ff"}, 400),
    ],
)
def test_a_body_is_read_in_every_wrapping(parts: dict[str, Any], status: int) -> None:
    reply = answer_http(of_key(**parts), (row_of("IngestEvent"),), make_world())

    assert reply["statusCode"] == status


@pytest.mark.parametrize("scopes", ["*", {"*": 1}, None, [], [["*"]]])
def test_a_context_that_the_authorizer_did_not_write_is_no_caller(scopes: Any) -> None:
    context = {"http": {}, "authorizer": {"lambda": {**INGESTS, "scopes": scopes}}}

    for contexts, errors in ((context, (TypeError, ValueError)), ({"http": {}}, KeyError)):
        with pytest.raises(errors):
            answer_http(of_key(requestContext=contexts), (row_of("IngestEvent"),), make_world())


def test_a_reply_that_cannot_be_made_is_reported_as_what_the_caller_gets() -> None:
    class Result:
        @property
        def body(self) -> NoReturn:
            raise TooLarge("the reply would be larger")

    reports, row = Reports(), replace(row_of("IngestEvent"))
    vars(row)["run"] = lambda *_: Result()

    reply = answer_http(of_key(), (row,), make_world(report=reports))

    assert reply["statusCode"] == 413
    assert reports.told == [("IngestEvent", "INVALID_ARGUMENT")]
