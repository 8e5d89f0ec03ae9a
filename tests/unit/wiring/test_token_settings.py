"""Settings of access tokens: the issuer, the audience and the rules, and each bad value named."""

import json
from typing import Any

import pytest

from membrane.wiring.environment import SettingError
from membrane.wiring.token_settings import TokenSettings, read_token_settings
from tests.builders.token_rules import RULE

ISSUER = "https://id.example/tenant/"
SET = {"MEMBRANE_OIDC_ISSUER": ISSUER, "MEMBRANE_OIDC_AUDIENCE": "https://memory.example/mcp"}


def complaint(variables: dict[str, str], *, allows_loopback: bool = False) -> str:
    with pytest.raises(SettingError) as caught:
        read_token_settings(variables, allows_loopback=allows_loopback)
    return str(caught.value)


def with_rule(**changes: Any) -> dict[str, str]:
    """Settings with a rule that fits every token, and a changed rule."""
    rules = [{**RULE, "when": {}}, {**RULE, **changes}]
    return {**SET, "MEMBRANE_OIDC_RIGHTS": json.dumps(rules)}


def test_unless_set_no_issuer_is_trusted() -> None:
    assert read_token_settings({}) == TokenSettings("", "", ())


def test_an_issuer_needs_an_audience_and_keeps_a_final_slash() -> None:
    settings = read_token_settings(SET)

    assert settings == TokenSettings(ISSUER, "https://memory.example/mcp", ())


def test_rules_are_read_in_their_order() -> None:
    settings = read_token_settings(with_rule())

    assert [rule.when for rule in settings.rules] == [{}, {"groups": "agents"}]


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"MEMBRANE_OIDC_ISSUER": ISSUER},
            "MEMBRANE_OIDC_AUDIENCE: must be set with MEMBRANE_OIDC_ISSUER",
        ),
        (
            {"MEMBRANE_OIDC_AUDIENCE": "memory"},
            "MEMBRANE_OIDC_AUDIENCE: must be empty without MEMBRANE_OIDC_ISSUER",
        ),
        (
            {"MEMBRANE_OIDC_RIGHTS": json.dumps([dict(RULE)])},
            "MEMBRANE_OIDC_RIGHTS: must be [] without MEMBRANE_OIDC_ISSUER",
        ),
        (
            {**SET, "MEMBRANE_OIDC_ISSUER": "http://127.0.0.1:1"},
            "MEMBRANE_OIDC_ISSUER: must be a URL that begins with https:// and has a host",
        ),
        (
            {**SET, "MEMBRANE_OIDC_ISSUER": "https://id.example/?tenant=a"},
            "MEMBRANE_OIDC_ISSUER: must be a URL without a query",
        ),
        ({**SET, "MEMBRANE_OIDC_RIGHTS": "{"}, "MEMBRANE_OIDC_RIGHTS: malformed JSON"),
        ({**SET, "MEMBRANE_OIDC_RIGHTS": "{}"}, "MEMBRANE_OIDC_RIGHTS: must be a JSON array"),
    ],
)
def test_a_bad_combination_is_named(variables: dict[str, str], said: str) -> None:
    assert complaint(variables).startswith(said)


def test_on_this_machine_alone_an_issuer_may_be_http() -> None:
    local = {**SET, "MEMBRANE_OIDC_ISSUER": "http://127.0.0.1:8123"}

    assert read_token_settings(local, allows_loopback=True).issuer == "http://127.0.0.1:8123"
    assert "https" in complaint({**SET, "MEMBRANE_OIDC_ISSUER": "http://id.example"})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"when": []}, "when must be a JSON object of claims"),
        ({"when": {"age": 3}}, "when.age must be a text of 1 character or more, true or false"),
        ({"when": {"team": ""}}, "when.team must be a text"),
        ({"when": {"team": ["a"]}}, "when.team must be a text"),
        ({"when": {"scope": "a b"}}, "when.scope must be one word"),
        ({"when": {"scp": True}}, "when.scp must be one word"),
        ({"actor": ""}, "actor must be a text"),
        ({"actor": 1}, "actor must be a text"),
        ({"actor": "consolidation"}, "actor must be a text, and not the name of an actor of the"),
        ({"actor": "{org}-{sub}"}, "actor: oidc:{org}-{sub} needs a : before each {claim}"),
        ({"actor": "{sub"}, "actor: oidc:{sub has a { or }"),
        ({"permissions": []}, "permissions must be a JSON array of texts"),
        ({"permissions": "read"}, "permissions must be a JSON array of texts"),
        ({"permissions": ["own"]}, "permissions has own; known are"),
        ({"permissions": ["{p}"]}, "permissions has {p}; known are"),
        ({"scopes": []}, "scopes must be a JSON array of texts"),
        ({"scopes": [""]}, "scopes must be a JSON array of texts"),
        ({"scopes": ["{sub}"]}, "scopes: {sub} needs a : before each {claim}"),
        ({"scopes": ["user-{sub}"]}, "scopes: user-{sub} needs a : before each {claim}"),
        ({"scopes": ["{org}:{sub}"]}, "scopes: {org}:{sub} needs a : before each {claim}"),
        ({"scopes": ["user:{a}{b}"]}, "scopes: user:{a}{b} needs a : before each {claim}"),
        ({"scopes": ["user:{ sub }"]}, "scopes: user:{ sub } has a { or }"),
        ({"scopes": ["user:{sub}*"]}, "scopes: user:{sub}* must end in :* to be a prefix"),
        ({"scopes": ["user:{{sub}}"]}, "scopes: user:{{sub}} has a { or }"),
        ({"max_sensitivity": "secret"}, "max_sensitivity must be one of: public, low"),
        ({"max_sensitivity": []}, "max_sensitivity must be one of: public, low"),
        ({"user_prefix": 1}, "user_prefix must be a text"),
        ({"user_prefix": "u:{sub}:"}, "user_prefix needs a prefix among the scopes"),
        (
            {"scopes": ["o:{a}:*"], "user_prefix": "o:{b}:"},
            "user_prefix needs a prefix among the scopes",
        ),
        ({"scopes": ["*"], "user_prefix": "u"}, "user_required needs a user_prefix"),
        ({"user_required": 1}, "user_required must be true or false"),
        ({"user_required": True}, "user_required needs a user_prefix"),
        ({"scope": "a"}, "must be a JSON object of when, actor, permissions, scopes"),
    ],
)
def test_a_malformed_rule_is_named_by_number_and_field(changes: dict[str, Any], said: str) -> None:
    assert complaint(with_rule(**changes)).startswith(f"MEMBRANE_OIDC_RIGHTS: rule 2: {said}")


@pytest.mark.parametrize("missing", RULE)
def test_a_rule_without_a_field_is_refused(missing: str) -> None:
    rule = {name: RULE[name] for name in RULE if name != missing}

    said = complaint({**SET, "MEMBRANE_OIDC_RIGHTS": json.dumps([rule])})

    assert said.startswith("MEMBRANE_OIDC_RIGHTS: rule 1: must be a JSON object of when, actor")
