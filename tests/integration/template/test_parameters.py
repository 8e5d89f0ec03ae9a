"""Parameters of template.yaml: each setting, with the defaults of the code."""

import re
from enum import StrEnum
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, SourcePrincipals
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.wiring.environment import DIMENSIONS, PREFIX, EmbedderKind
from membrane.wiring.settings import TABLE, read_settings
from membrane_local.functions import require_settings
from membrane_local.refusals import Refused
from membrane_local.template import read_template
from tests.worlds.cloud import INDEX_QUEUE, TOPIC_QUEUE
from tests.worlds.template import (
    TEMPLATE,
    Environment,
    arn,
    default_environment,
    document,
    functions,
    listed,
    nodes,
    own_arns,
    parameters,
    ref,
    resources,
    shared,
    target,
)
from tests.worlds.template_rights import rights

ERASE_FUNCTION = "MEMBRANE_ERASE_FUNCTION"
SIGNING_KEY = "MEMBRANE_SIGNING_KEY"
RECOVERY_DAYS = "MEMBRANE_RECOVERY_DAYS"
FENCE_WAIT_S = "MEMBRANE_FENCE_WAIT_SECONDS"
DEAD_LETTERS = "MEMBRANE_DEAD_LETTERS"
OF_ERASURES = (ERASE_FUNCTION, SIGNING_KEY, RECOVERY_DAYS, FENCE_WAIT_S, DEAD_LETTERS)
"""Settings of the erasure; only the local stack sets the wait for writers, to be quick."""
EXPORT_FUNCTION = "MEMBRANE_EXPORT_FUNCTION"
CONSOLIDATE_FUNCTION = "MEMBRANE_CONSOLIDATE_FUNCTION"
STUDY_MACHINE = "MEMBRANE_STUDY_MACHINE"
CORS_ORIGINS = "MEMBRANE_CORS_ORIGINS"
AUTHORIZER = "MEMBRANE_AUTHORIZER"
IAM_RIGHTS = "MEMBRANE_IAM_RIGHTS"
"""Set by builds with another authorizer than API keys alone."""


INTERPRETER_QUEUE = "MEMBRANE_INTERPRETER_QUEUE"
INTERPRETER_TRIES = "MEMBRANE_INTERPRETER_TRIES"
INTERPRETS_TRACES = "MEMBRANE_INTERPRETS_TRACES"
CAPTURES_FOR_A_MODEL = {"Fn::If": ["Interpreting", ref("InterpretQueue"), ""]}
OF_INTERPRETER = {
    "MEMBRANE_INTERPRETER": "Interpreter",
    "MEMBRANE_INTERPRETER_MODEL": "InterpreterModel",
    "MEMBRANE_INTERPRETER_URL": "InterpreterUrl",
    "MEMBRANE_INTERPRETER_SECRET_ARN": "InterpreterSecretArn",
    "MEMBRANE_INTERPRETER_DAILY_TOKENS": "InterpreterDailyTokens",
}
"""The parameter of each setting of the model."""
OF_CHAT = {
    "MEMBRANE_CHAT_MODEL": "ChatModel",
    "MEMBRANE_CHAT_URL": "ChatUrl",
    "MEMBRANE_CHAT_SECRET_ARN": "ChatSecretArn",
    "MEMBRANE_CHAT_DAILY_TOKENS": "ChatDailyTokens",
    "MEMBRANE_CHAT_DAILY_TOKENS_OF_KEY": "ChatDailyTokensOfKey",
}
"""The parameter of each setting of conversations."""
OF_TOKENS = {
    "MEMBRANE_OIDC_ISSUER": "OidcIssuer",
    "MEMBRANE_OIDC_AUDIENCE": "OidcAudience",
    "MEMBRANE_OIDC_RIGHTS": "OidcRights",
}
"""The parameter of each setting of access tokens."""

ASKING_A_CHAT_MODEL = ("ChatFunction", "StudyFunction")


def test_the_template_sets_every_setting_and_no_other_variable() -> None:
    environment = Environment({"MEMBRANE_TABLE": "table", "MEMBRANE_BUCKET": "bucket"})

    for section in TABLE:
        read_settings(section, environment)

    own = {
        name: each["Environment"]["Variables"]
        for name, each in functions().items()
        if "Environment" in each
    }
    of_single_functions = {
        *(INDEX_QUEUE, TOPIC_QUEUE, EXPORT_FUNCTION, CONSOLIDATE_FUNCTION, INTERPRETER_QUEUE),
        *(STUDY_MACHINE, CORS_ORIGINS, AUTHORIZER),
        *OF_ERASURES,
        *OF_INTERPRETER,
        *OF_TOKENS,
        *OF_CHAT,
        *(INTERPRETER_TRIES, IAM_RIGHTS),
        INTERPRETS_TRACES,
    }
    assert set(shared()["Environment"]["Variables"]) == environment.asked - of_single_functions
    assert own == {
        "ExportsFunction": {EXPORT_FUNCTION: ref("ExportFunction")},
        "IndexFunction": {
            INDEX_QUEUE: ref("IndexQueue"),
            TOPIC_QUEUE: ref("TopicQueue"),
            INTERPRETER_QUEUE: CAPTURES_FOR_A_MODEL,
            CONSOLIDATE_FUNCTION: ref("ConsolidateFunction"),
        },
        "ChatFunction": {
            "AWS_LAMBDA_EXEC_WRAPPER": {
                "Fn::If": ["ChatStreams", "/var/task/start", ref("AWS::NoValue")]
            },
            **{name: ref(each) for name, each in (OF_CHAT | OF_TOKENS).items()},
        },
        "StudiesFunction": {
            STUDY_MACHINE: ref("StudyMachine"),
            **{name: ref(each) for name, each in OF_CHAT.items()},
        },
        "StudyFunction": {name: ref(each) for name, each in OF_CHAT.items()},
        "McpFunction": {
            **{name: ref(each) for name, each in OF_TOKENS.items()},
            CORS_ORIGINS: ref("CorsOrigins"),
        },
        "QueryFunction": {TOPIC_QUEUE: ref("TopicQueue")},
        "ReasonFunction": {TOPIC_QUEUE: ref("TopicQueue")},
        "ErasuresFunction": {ERASE_FUNCTION: ref("EraseFunction")},
        "EraseFunction": {
            SIGNING_KEY: ref("SigningKey"),
            RECOVERY_DAYS: ref("RecoveryDays"),
            DEAD_LETTERS: {"Fn::Join": [" ", [named(queue) for queue in dead_letter_queues()]]},
        },
        "RecordsFunction": {SIGNING_KEY: ref("SigningKey")},
        "AnchorFunction": {SIGNING_KEY: ref("SigningKey")},
        "VerifyFunction": {SIGNING_KEY: ref("SigningKey")},
        "ConsolidateFunction": {INTERPRETS_TRACES: {"Fn::If": ["Interpreting", "true", "false"]}},
        "InterpretFunction": {
            **{variable: ref(parameter) for variable, parameter in OF_INTERPRETER.items()},
            INTERPRETER_TRIES: {"Fn::FindInMap": ["Tries", "Interpret", "Most"]},
            INTERPRETER_QUEUE: ref("InterpretQueue"),
        },
    }


def named(queue: str) -> dict[str, Any]:
    """The reference to a queue, which only some stacks have."""
    condition = document()["Resources"][queue].get("Condition")
    if condition is None:
        return ref(queue)
    return {"Fn::If": [condition, ref(queue), ref("AWS::NoValue")]}


def dead_letter_queues() -> list[str]:
    """The queues that no function reads, in the order of the template."""
    return [name for name in resources("AWS::SQS::Queue") if name.endswith(("Letters", "Events"))]


def test_a_function_that_is_told_of_a_queue_may_send_to_it() -> None:
    for name, properties in functions().items():
        sending = [
            each["Resource"] for each in rights(name) if "sqs:SendMessage" in listed(each["Action"])
        ]
        named = properties.get("Environment", {}).get("Variables", {})
        for queue in (named[each] for each in named.keys() & {INDEX_QUEUE, TOPIC_QUEUE}):
            assert arn(target(queue)) in sending, name
        if INTERPRETER_QUEUE in named:
            assert arn("InterpretQueue") in sending, name


def test_the_function_that_interprets_may_hold_its_messages_back_and_no_other_function() -> None:
    holding = {
        name: each["Resource"]
        for name in functions()
        for each in rights(name)
        if "sqs:ChangeMessageVisibility" in listed(each["Action"])
    }

    assert holding.pop("InterpretFunction") == arn("InterpretQueue")
    assert "InterpretQueue" not in str(holding)


def test_the_defaults_of_the_template_are_those_of_the_code() -> None:
    named = {"MEMBRANE_TABLE": "Table", "MEMBRANE_BUCKET": "Bucket"}
    of_the_code = {**named, "MEMBRANE_STACK": "AWS::StackName"}

    for section in ("stack", "policy", "retention", "learning", "search", "topics"):
        of_the_template = read_settings(section, default_environment())
        assert of_the_template == read_settings(section, of_the_code)


def test_a_parameter_has_the_name_of_its_setting_in_camel_case() -> None:
    names = {each.name for _, settings in TABLE.values() for each in settings}
    words = {"".join(map(str.capitalize, name.split("_"))): name for name in names}

    for properties in (shared(), *functions().values()):
        for variable, value in properties.get("Environment", {}).get("Variables", {}).items():
            if variable.startswith(PREFIX) and target(value) in parameters().keys() - {"Tuning"}:
                assert words[target(value)] == variable.removeprefix(PREFIX)


def test_a_certificate_names_the_days_for_which_backups_hold_what_was_erased() -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    recovery = table["PointInTimeRecoverySpecification"]

    assert recovery["RecoveryPeriodInDays"] == ref("RecoveryDays")
    assert parameters()["RecoveryDays"]["Default"] == read_settings("erasure", {}).recovery_days


def test_the_function_that_takes_erasures_may_start_the_function_that_it_names() -> None:
    named = functions()["ErasuresFunction"]["Environment"]["Variables"][ERASE_FUNCTION]

    started = [
        each["Resource"]
        for each in rights("ErasuresFunction")
        if each["Action"] == "lambda:InvokeFunction"
    ]
    assert started == [own_arns(target(named))]


def test_events_may_only_ingest_into_one_scope_up_to_low_and_direct_invoke_is_closed() -> None:
    def principal(actor_id: str) -> Principal:
        return Principal(actor_id, frozenset({Permission.INGEST}), ("events",), Sensitivity.LOW)

    assert read_settings("sources", default_environment()) == SourcePrincipals(
        bus=principal("event-bus"),
        queue=principal("queue"),
        direct=None,
        imports=principal("import"),
    )


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        ("", True),
        ("https://models.example/v1/chat/completions", True),
        ("http://models.example/v1", False),
        ("http://127.0.0.1:11434/v1", False),
    ],
)
def test_the_endpoint_of_a_model_is_https_in_aws(url: str, *, fits: bool) -> None:
    pattern = parameters()["InterpreterUrl"]["AllowedPattern"]

    assert (re.fullmatch(pattern, url) is not None) is fits


def test_on_this_machine_alone_the_endpoint_of_a_model_may_be_http() -> None:
    chosen = {"Interpreter": "openai", "InterpreterModel": "some-model"}
    local = {**chosen, "InterpreterUrl": "http://127.0.0.1:11434/v1"}
    remote = {**chosen, "InterpreterUrl": "http://models.example/v1"}

    require_settings(read_template(TEMPLATE, local))
    with pytest.raises(Refused, match="InterpreterUrl: must be a URL that begins with https"):
        require_settings(read_template(TEMPLATE, remote))
    with pytest.raises(Refused, match="InterpreterUrl: must be an address that begins"):
        read_template(TEMPLATE, {**chosen, "InterpreterUrl": "ftp://models.example"})


@pytest.mark.parametrize(
    ("parameter", "value", "fits"),
    [
        ("OidcIssuer", "https://id.example/tenant/", True),
        ("OidcIssuer", "http://127.0.0.1:8123", False),
        ("OidcIssuer", "https://id.example/?a", False),
        ("OidcAudience", "https://memory.example/mcp", True),
        ("OidcAudience", "two words", False),
        ("OidcRights", '[\n  {"when": {}}\n]', True),
        ("OidcRights", "{}", False),
        ("OidcRights", f"[{' ' * 1_501}]", False),
    ],
)
def test_access_tokens_are_set_by_values_that_the_function_can_read(
    parameter: str, value: str, *, fits: bool
) -> None:
    pattern = parameters()[parameter]["AllowedPattern"]

    assert (re.fullmatch(pattern, value) is not None) is fits


def test_unless_set_no_access_token_is_accepted() -> None:
    defaults = {
        variable: parameters()[parameter]["Default"] for variable, parameter in OF_TOKENS.items()
    }

    assert read_settings("tokens", defaults) == read_settings("tokens", {})


def test_issuer_and_audience_are_set_together_and_rights_with_both() -> None:
    rules = document()["Rules"]
    empty_issuer = {"Fn::Equals": [ref("OidcIssuer"), ""]}

    assert rules["AudienceOfIssuer"]["RuleCondition"] == {"Fn::Not": [empty_issuer]}
    assert [each["Assert"] for each in rules["AudienceOfIssuer"]["Assertions"]] == [
        {"Fn::Not": [{"Fn::Equals": [ref("OidcAudience"), ""]}]}
    ]
    assert rules["NoTokensWithoutIssuer"]["RuleCondition"] == empty_issuer
    assert [each["Assert"] for each in rules["NoTokensWithoutIssuer"]["Assertions"]] == [
        {"Fn::Equals": [ref("OidcAudience"), ""]},
        {"Fn::Equals": [ref("OidcRights"), "[]"]},
    ]


def test_on_this_machine_alone_an_issuer_may_be_http() -> None:
    audience = {"OidcAudience": "https://memory.example/mcp"}

    require_settings(read_template(TEMPLATE, {**audience, "OidcIssuer": "http://127.0.0.1:8123"}))
    with pytest.raises(Refused, match="OidcIssuer: must be an address that begins with https"):
        read_template(TEMPLATE, {**audience, "OidcIssuer": "ftp://id.example"})


@pytest.mark.parametrize("model", ["", "amazon.titan-embed-text-v2:0"])
def test_a_model_is_named_by_its_id(model: str) -> None:
    assert re.fullmatch(parameters()["EmbeddingModel"]["AllowedPattern"], model)


def test_the_former_model_is_named_and_may_be_asked_as_the_present_one() -> None:
    present, former = (parameters()[f"{name}EmbeddingModel"] for name in ("", "Former"))
    asked = [
        each["Resource"]
        for name in functions().keys() - {*ASKING_A_CHAT_MODEL, "InterpretFunction"}
        for each in rights(name)
        if each["Action"] == "bedrock:InvokeModel"
    ]
    asked += [
        each["Resource"]
        for name in ASKING_A_CHAT_MODEL
        for each in rights(name)
        if each["Action"] == "bedrock:InvokeModel" and "EmbeddingModel" in str(each["Resource"])
    ]

    assert {**present, "Description": ""} == {**former, "Description": ""}
    of_former = {"Fn::If": ["OtherFormerModel", model_arn("Former"), ref("AWS::NoValue")]}
    assert asked
    assert asked == [[model_arn(""), of_former]] * len(asked)


def model_arn(former: str) -> dict[str, object]:
    """The ARN of Bedrock's present or former model."""
    named = ref(f"{former}EmbeddingModel")
    usual = f"Usual{former}Model"
    model = {"Fn::If": [usual, "amazon.titan-embed-text-v2:0", named]}
    arn_of_models = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/${Model}"
    return {"Fn::Sub": [arn_of_models, {"Model": model}]}


@pytest.mark.parametrize(
    "profile",
    [
        "us.amazon.titan-embed-text-v2:0",
        "arn:aws:bedrock:us-east-1:111111111111:inference-profile/x",
    ],
)
def test_an_inference_profile_which_functions_may_not_invoke_is_no_model(profile: str) -> None:
    assert not re.fullmatch(parameters()["EmbeddingModel"]["AllowedPattern"], profile)


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("Embedder", EmbedderKind),
        ("FormerEmbedder", EmbedderKind),
    ],
)
def test_a_parameter_offers_the_words_that_the_code_knows(
    parameter: str, words: type[StrEnum]
) -> None:
    assert parameters()[parameter]["AllowedValues"] == [str(word) for word in words]


@pytest.mark.parametrize("embedder", EmbedderKind)
def test_dimensions_that_the_embedder_does_not_make_are_refused_before_anything_is_deployed(
    embedder: EmbedderKind,
) -> None:
    rule = document()["Rules"][f"DimensionsOf{embedder.capitalize()}"]

    ((allowed, parameter),) = [each["Assert"]["Fn::Contains"] for each in rule["Assertions"]]
    assert rule["RuleCondition"] == {"Fn::Equals": [ref("Embedder"), str(embedder)]}
    assert tuple(map(int, allowed)) == DIMENSIONS[embedder]
    assert parameter == ref("EmbeddingDimensions")


def test_every_parameter_is_used() -> None:
    used = {node["Ref"] for node in nodes(document()) if isinstance(node, dict) and "Ref" in node}

    assert set(parameters()) <= used


def test_the_console_shows_every_parameter_in_one_group_in_the_order_of_the_template() -> None:
    groups = document()["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]

    assert [name for each in groups for name in each["Parameters"]] == list(parameters())
