"""Rights in template.yaml: what a function does, and nothing else."""

import re
from fnmatch import fnmatchcase

from tests.builders.stored_records import stored
from tests.worlds.agreed import ATTRIBUTES, READ, Relation, edge_item
from tests.worlds.cloud import Cloud
from tests.worlds.template import (
    arn,
    arn_of,
    document,
    functions,
    listed,
    nodes,
    ref,
    resources,
    shared,
    target,
    without_choices,
)
from tests.worlds.template_rights import (
    SIGNS,
    SIGNS_EXPORTS,
    TELLS_ABSENT,
    allowing,
    allows,
    allows_all,
    attached,
    is_on_partitions,
    is_unlimited,
    on_partitions,
    partitions,
    rights,
    uses,
    uses_stream,
)

MAKING_FACTS = (
    "RecordsFunction",
    "RevisionsFunction",
    "IngestBatchFunction",
    "IngestObservationFunction",
    "CaptureFunction",
    "ImportLinesFunction",
    "InterpretFunction",
)
"""What may make a fact active looks at what the natural index knows of the same."""


OF_TOPICS = ("TopicsFunction", "QueryFunction", "ReasonFunction")
"""What is served by all that topics need, the search included."""


OF_INDEXES = {"rank": ["topics#*"], "due": ["topics-due", "topic-changes-due"]}
"""The partitions of topics in the indexes, apart from those of records."""

OF_LISTS = {"rank": ["rank#*", "removed#*"]}
"""The partitions for lists, which show removed records, too."""
OF_LEARNING = {"learning": ["waiting#*", "alike#*"]}
"""The partitions of what waits to be learned from, and of what is found by its likeness."""
OF_MADE = {"learning": ["made#*"]}
"""The partitions of what was made of evidence."""
OF_ERASURES = {"due": ["erasures-open"]}

SIGNING_KEY = "SigningKey"

FOLLOWS_REINDEX = {
    "Effect": "Allow",
    "Action": "dynamodb:GetItem",
    "Resource": arn("Table"),
    "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["settings"]}},
}
"""What functions that search may do while an embedder is changed."""


def test_no_statement_allows_every_action_every_resource_or_everyone() -> None:
    for name, resource in document()["Resources"].items():
        for statement in allowing(resource):
            assert not {"NotAction", "NotResource", "NotPrincipal"} & statement.keys(), name
            assert not any("*" in action for action in listed(statement["Action"])), name
            assert "*" not in listed(statement.get("Principal", "")), name
            assert "*" not in listed(statement.get("Principal", {}).get("AWS", "")), name
            # In a queue's own policy * is that queue, and a policy of several has no other word.
            # X-Ray's actions know no resource.
            if resource["Type"] != "AWS::SQS::QueuePolicy" and not uses("xray", statement):
                assert "*" not in listed(statement.get("Resource", "")), name


def test_a_function_has_no_rights_but_those_that_the_template_spells_out() -> None:
    own_policies = resources("AWS::IAM::ManagedPolicy")

    for name, properties in functions().items():
        role = resources("AWS::IAM::Role")[target(properties["Role"])]
        assert "Policies" not in properties, name
        assert set(attached(role)) <= own_policies.keys(), name


def test_every_function_may_write_traces_while_x_ray_keeps_them_and_not_otherwise() -> None:
    (policy,) = (
        name
        for name, each in resources("AWS::IAM::ManagedPolicy").items()
        if any(uses("xray", statement) for statement in allowing(each))
    )

    while_traced = {"Fn::If": ["Traced", ref(policy), ref("AWS::NoValue")]}
    for name, properties in functions().items():
        role = resources("AWS::IAM::Role")[target(properties["Role"])]
        assert while_traced in role["ManagedPolicyArns"], name
        assert not any(uses("xray", each) for each in allowing(role)), name
    assert shared()["Tracing"] == ref("Tracing")
    assert document()["Resources"][policy]["Condition"] == "Traced"
    (statement,) = allowing(resources("AWS::IAM::ManagedPolicy")[policy])
    assert statement["Action"] == [
        *("xray:PutTraceSegments", "xray:PutTelemetryRecords"),
        *("xray:GetSamplingRules", "xray:GetSamplingTargets"),
    ]


def test_functions_that_authenticate_alone_reach_api_keys_and_can_only_read_them() -> None:
    reaching = [
        (name, statement["Action"])
        for name in functions()
        for statement in on_partitions(name)
        if any(fnmatchcase("keys", pattern) for pattern in partitions(statement))
    ]

    reader = "dynamodb:GetItem"
    asking = ("AuthorizerFunction", "McpFunction", "ChatFunction")
    assert reaching == [(name, reader) for name in asking]


def test_what_no_partition_can_limit_is_limited_otherwise() -> None:
    found = {
        name: [each for each in rights(name) if uses("dynamodb", each) and is_unlimited(each)]
        for name in functions()
    }

    of_stream = arn_of("Table", "StreamArn")
    listing, scanning = found["IndexFunction"][1:]
    assert found["IndexFunction"][0]["Resource"] == of_stream
    assert listing["Resource"] == {"Fn::Sub": "${Table.Arn}/stream/*"}
    assert scanning["Condition"] == {
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "ForAllValues:StringEquals": {
            "dynamodb:Attributes": [
                *("pk", "sk", "receipt_for", "removed", "deleted_at"),
                {"Fn::FindInMap": ["Vectors", ref("EmbeddingDimensions"), "Embedder"]},
            ]
        },
    }
    (counting,) = found["MetricsFunction"]
    assert counting["Condition"] == {
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "ForAllValues:StringEquals": {"dynamodb:Attributes": [*READ, "rank_pk", "sensitivity"]},
    }
    natural, searching = found["RetrieveFunction"]
    assert natural["Resource"] == {"Fn::Sub": "${Table.Arn}/index/natural"}
    assert searching["Resource"]["Fn::Sub"] == "${Table.Arn}/index/vectors_*"
    assert all(found[name] == [natural] for name in (*MAKING_FACTS, "ConsolidateFunction"))
    assert found["TopicsFunction"] == found["ReasonFunction"] == [natural, searching]
    assert found["QueryFunction"] == [searching]
    assert found["ChatFunction"] == [natural, searching]
    assert found["McpFunction"] == [counting, natural, searching]
    walkers = {"AnchorFunction", "EraseFunction", "VerifyFunction"}  # every item counts
    for name in walkers:
        (walking,) = found[name]
        assert (walking["Action"], walking["Resource"]) == ("dynamodb:Scan", arn("Table"))
    (walking,) = found["ExportFunction"]
    assert walking["Condition"] == {
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "ForAllValues:StringEquals": {"dynamodb:Attributes": list(ATTRIBUTES)},
    }
    limited = {
        "ChatFunction",
        "IndexFunction",
        "MetricsFunction",
        "McpFunction",
        "RetrieveFunction",
    }
    limited |= {*OF_TOPICS, *MAKING_FACTS}
    others = found.keys() - limited - walkers - {"ConsolidateFunction", "ExportFunction"}
    assert not any(found[name] for name in others)


def test_the_index_function_writes_vectors_and_nothing_of_a_record_but_the_flag() -> None:
    writing = [
        (action.removeprefix("dynamodb:"), partition, statement["Condition"])
        for statement in on_partitions("IndexFunction")
        for action in listed(statement["Action"])
        for partition in partitions(statement)
        if action in ("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem")
    ]

    ((update, _, condition),) = (each for each in writing if each[1].startswith("record#"))
    assert update == "UpdateItem"
    assert condition["ForAllValues:StringEquals"] == {
        "dynamodb:Attributes": ["pk", "sk", "stale", "deleted_at"]
    }
    assert {action for action, partition, _ in writing if partition == "vector#*"} == {"PutItem"}


def test_the_verification_puts_nothing_under_a_record_but_the_attributes_of_an_edge() -> None:
    relation = Relation(predicate="cites", target_id="target", weight=1.0)
    edge = edge_item(stored(relations=(relation,)), relation)

    (condition,) = (
        statement["Condition"]
        for statement in on_partitions("VerifyFunction")
        if "dynamodb:PutItem" in listed(statement["Action"]) and "record#*" in partitions(statement)
    )

    assert condition["ForAllValues:StringEquals"] == {"dynamodb:Attributes": [*edge]}


def test_a_function_reaches_the_table_itself_and_of_an_index_only_queries_its_own_partitions() -> (
    None
):
    index = re.compile(r"\$\{Table\.Arn\}/index/([a-z]+)")

    for name in functions():
        for statement in on_partitions(name):
            if statement["Resource"] != arn("Table"):
                found = index.fullmatch(statement["Resource"]["Fn::Sub"])
                assert found, name
                assert statement["Action"] == "dynamodb:Query", name
                own = {
                    "EraseFunction": OF_ERASURES,
                    "RetrieveFunction": {found[1]: [f"{found[1]}#*"], **OF_LISTS, **OF_MADE},
                    "ConsolidateFunction": {found[1]: [f"{found[1]}#*"], **OF_LEARNING},
                    "ChatFunction": {"rank": ["rank#*", "topics#*"]},
                    "McpFunction": {"rank": ["rank#*", "topics#*"]},
                    "StudyFunction": {"rank": ["topics#*"]},
                    **dict.fromkeys(OF_TOPICS, OF_INDEXES),
                }.get(name, {found[1]: [f"{found[1]}#*"]})
                assert set() < set(partitions(statement)) <= set(own[found[1]]), name


def test_a_function_writes_the_log_of_functions_alone() -> None:
    log = target(shared()["LoggingConfig"]["LogGroup"])

    for name in functions():
        assert [each["Resource"] for each in rights(name) if uses("logs", each)] == [arn(log)], name


def test_every_function_may_do_what_it_does_and_nothing_else(lived: Cloud) -> None:
    for name in functions():
        granted = [each for each in rights(name) if uses("dynamodb", each) or uses("s3", each)]
        for action, places in lived.calls[name]:
            assert any(allows_all(each, action, places) for each in granted), (name, action, places)
        for statement in granted:
            if statement in (TELLS_ABSENT, SIGNS, SIGNS_EXPORTS, FOLLOWS_REINDEX) or uses_stream(
                statement
            ):
                continue
            for action in listed(statement["Action"]):
                used = lived.places(name, action)
                assert any(allows(statement, action, place) for place in used), (name, action)
                for pattern in partitions(statement) if is_on_partitions(statement) else []:
                    reached = any(fnmatchcase(place, pattern) for place in used)
                    assert reached, (name, action, pattern)


def test_the_key_is_used_only_where_the_operator_asked_for_one_of_their_own() -> None:
    (key,) = resources("AWS::KMS::Key").keys() - {SIGNING_KEY}

    assert document()["Resources"][key]["Condition"] == "OwnKey"
    for name, resource in document()["Resources"].items():
        always = {**resource, "Properties": without_choices(resource.get("Properties", {}))}
        assert arn(key) not in list(nodes(always)), name


def test_the_functions_that_certify_erasures_and_anchor_the_table_alone_may_sign() -> None:
    key = resources("AWS::KMS::Key")[SIGNING_KEY]
    using = {
        name: each["Action"]
        for name in functions()
        for each in rights(name)
        if arn(SIGNING_KEY) in listed(each["Resource"])
    }

    assert (key["KeyUsage"], key["KeySpec"]) == ("SIGN_VERIFY", "ECC_NIST_P256")
    assert using == {
        "AnchorFunction": ["kms:Sign", "kms:Verify"],
        "EraseFunction": "kms:Sign",
        "RecordsFunction": "kms:Verify",
        "VerifyFunction": "kms:Verify",
    }
