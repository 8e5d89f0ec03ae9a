"""Table, bucket and queues of template.yaml: private, encrypted, and outliving the stack."""

from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import pytest

from membrane_local.template import read_template, template_of
from tests.builders.stored_records import stored
from tests.worlds.agreed import (
    ANCHORS,
    EXPORTS,
    IMPORTS,
    PORTIONS,
    RESTORES,
    RESULTS,
    SEARCHED,
    STUDIES,
    Encoding,
    LearningMark,
    Stage,
    jobs,
    objects,
    vector_attributes,
    vector_item,
    waiting_keys,
)
from tests.worlds.cloud import AN_ENTRY, Cloud
from tests.worlds.template import (
    DAY_S,
    TEMPLATE,
    arn,
    document,
    functions,
    listed,
    parameters,
    ref,
    resources,
    timeout_s,
)
from tests.worlds.template_rights import UPLOADS, on_partitions, rights


def test_the_table_survives_mistakes() -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()

    assert table["DeletionProtectionEnabled"] is True
    assert table["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": True,
        "RecoveryPeriodInDays": ref("RecoveryDays"),
    }
    assert parameters()["RecoveryDays"]["Default"] == parameters()["RecoveryDays"]["MaxValue"] == 35
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["SSESpecification"]["SSEEnabled"] is True
    assert table["SSESpecification"]["SSEType"] == "KMS"
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_what_holds_memory_outlives_the_stack() -> None:
    for name in ("Table", "Bucket", "BucketPolicy", "Key", "SigningKey"):
        resource = document()["Resources"][name]
        assert resource["DeletionPolicy"].startswith("Retain"), name
        assert resource["UpdateReplacePolicy"] == "Retain", name


def test_the_bucket_and_the_signing_key_go_where_the_deployment_that_makes_them_fails() -> None:
    going = {
        name
        for name, resource in document()["Resources"].items()
        if resource.get("DeletionPolicy") == "RetainExceptOnCreate"
    }

    assert going == {"Bucket", "BucketPolicy", "SigningKey"}, "blobs may need the key of an update"


def test_the_bucket_is_private_and_encrypted() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]


def test_what_was_imported_is_removed_after_as_many_days_as_the_operator_says() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    rules = bucket["LifecycleConfiguration"]["Rules"]

    kept = {
        rule["Prefix"]: rule["ExpirationInDays"] for rule in rules if "ExpirationInDays" in rule
    }
    assert kept == {
        UPLOADS: 2,
        PORTIONS: 2,
        **dict.fromkeys((EXPORTS, STUDIES), ref("ExportDays")),
        **dict.fromkeys((IMPORTS, RESTORES, RESULTS), ref("ImportDays")),
    }
    assert all(rule["Status"] == "Enabled" for rule in rules)
    assert parameters()["ImportDays"]["MinValue"] * DAY_S > objects.MAX_HOPS * timeout_s(
        "ImportLinesFunction"
    )
    assert parameters()["ExportDays"]["MinValue"] * DAY_S > jobs.DAY_HOPS * timeout_s(
        "ExportFunction"
    )


def test_a_removed_blob_stays_as_long_as_the_table_can_be_restored() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    rules = bucket["LifecycleConfiguration"]["Rules"]

    removed = {
        rule["Prefix"]: rule["NoncurrentVersionExpiration"]["NoncurrentDays"]
        for rule in rules
        if "NoncurrentVersionExpiration" in rule
    }
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    recoverable = {"blobs/": ref("RecoveryDays"), ANCHORS: ref("RecoveryDays")}
    at_once = (UPLOADS, PORTIONS, IMPORTS, RESTORES, EXPORTS, STUDIES, RESULTS)
    assert removed == {**recoverable, **dict.fromkeys(at_once, 1)}
    assert [rule for rule in rules if rule.get("ExpiredObjectDeleteMarker")] == [rules[-1]]


def test_parts_of_a_file_that_was_never_sent_whole_are_removed() -> None:
    (bucket,) = resources("AWS::S3::Bucket").values()

    prefixes = [
        rule["Prefix"]
        for rule in bucket["LifecycleConfiguration"]["Rules"]
        if "AbortIncompleteMultipartUpload" in rule
    ]
    assert prefixes == [IMPORTS, RESTORES]


def test_with_a_key_of_its_own_the_bucket_takes_nothing_under_another() -> None:
    (policy,) = resources("AWS::S3::BucketPolicy").values()
    of_key = [each["Fn::If"] for each in policy["PolicyDocument"]["Statement"] if "Fn::If" in each]
    header = "s3:x-amz-server-side-encryption-aws-kms-key-id"

    refused = [(condition, statement["Condition"]) for condition, statement, _ in of_key]

    assert all(each["Action"] == "s3:PutObject" for _, each, _ in of_key)
    assert all(each["Effect"] == "Deny" for _, each, _ in of_key)
    assert refused == [
        ("OwnKey", {"Null": {header: "false"}, "StringNotEquals": {header: arn("Key")}}),
        ("OwnKey", {"StringEquals": {"s3:x-amz-server-side-encryption": "AES256"}}),
    ]


def test_who_writes_the_table_may_use_its_key_by_way_of_dynamodb() -> None:
    for name in functions():
        writing = {
            action
            for statement in on_partitions(name)
            for action in listed(statement["Action"])
            if action.removeprefix("dynamodb:") in ("PutItem", "UpdateItem", "DeleteItem")
        }
        by_way = [
            each["Condition"]
            for each in rights(name)
            if "kms:Encrypt" in listed(each["Action"]) and each["Resource"] == arn("Key")
        ]
        through = {"kms:ViaService": {"Fn::Sub": "dynamodb.${AWS::Region}.amazonaws.com"}}
        assert by_way == [{"StringEquals": through}] * bool(writing), name


def test_queues_are_encrypted() -> None:
    for name, queue in resources("AWS::SQS::Queue").items():
        assert queue["SqsManagedSseEnabled"] is True, name


def test_the_keys_of_table_and_indexes_are_those_that_the_codec_writes(cloud: Cloud) -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    cloud.report("observation")
    (item,) = cloud.items()
    step = replace(stored(), learning=LearningMark(awaits=Stage.STEP))

    defined = read_template(TEMPLATE).table["AttributeDefinitions"]
    typed = {each["AttributeName"]: each["AttributeType"] for each in defined}
    schemas = [table["KeySchema"], *(each["KeySchema"] for each in table["GlobalSecondaryIndexes"])]
    items = {**vector_item(AN_ENTRY, 1, None, 1, SEARCHED), **item, **waiting_keys(step)}
    assert typed == {
        name: kind
        for name, value in items.items()
        if name.endswith(("pk", "sk")) or name in ("type", "sensitivity")
        for kind in value
    }
    assert [[(key["AttributeName"], key["KeyType"]) for key in schema] for schema in schemas] == [
        [(f"{index}pk", "HASH"), (f"{index}sk", "RANGE")]
        for index in ("", "rank_", "due_", "natural_", "learn_")
    ]


DIMENSIONS = [*map(str, parameters()["EmbeddingDimensions"]["AllowedValues"])]
PRESENT, FORMER = "EmbeddingDimensions", "FormerEmbeddingDimensions"


def vector_indexes(**overrides: str) -> dict[str, Any]:
    """By name those of a table with these parameters."""
    indexes = template_of(document(), TEMPLATE.parent, overrides).table["VectorIndexes"]
    return {index["IndexName"]: index for index in indexes}


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_the_vector_index_is_what_vectors_are_written_for(dimensions: str) -> None:
    (index,) = vector_indexes(**alike(dimensions)).values()

    encoding = Encoding(int(dimensions), "embedder")
    assert index["IndexName"] == encoding.index
    unread = {*vector_attributes(encoding, b"", [1])} - {*encoding.attributes}
    assert {index["VectorAttribute"]["AttributeName"]} == unread
    assert index["Dimensions"] == encoding.size
    searched = [each["AttributeName"] for each in index["SearchSchema"]]
    assert searched == ["search_pk", "type", "sensitivity"]
    assert {*index["Projection"]["NonKeyAttributes"], *searched, "pk", "sk"} == {
        *encoding.attributes
    }


@pytest.mark.parametrize(("before", "after"), [*permutations(DIMENSIONS, 2)])
def test_each_step_from_one_size_of_vectors_to_another_changes_one_index(
    before: str, after: str
) -> None:
    steps = [alike(before), {PRESENT: after, FORMER: before}, alike(after)]
    indexes = [vector_indexes(**step) for step in steps]

    assert [len(each) for each in indexes] == [1, 2, 1]
    for earlier, later in pairwise(indexes):
        assert len(earlier.keys() ^ later.keys()) == 1
        assert all(earlier[name] == later[name] for name in earlier.keys() & later.keys())


@pytest.mark.parametrize("deployed", DIMENSIONS)
def test_no_change_of_one_parameter_changes_two_indexes(deployed: str) -> None:
    standing = alike(deployed)
    before = vector_indexes(**standing)

    for name, parameter in parameters().items():
        for value in map(str, parameter.get("AllowedValues", ())):
            changed = vector_indexes(**standing | {name: value})
            assert len(changed.keys() ^ before.keys()) <= 1, name


def alike(dimensions: str) -> dict[str, str]:
    """The parameters of a table whose embedder is not being changed."""
    return {PRESENT: dimensions, FORMER: dimensions}


def test_a_tombstone_expires_by_the_attribute_that_ttl_looks_at(cloud: Cloud) -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    cloud.http("DELETE /v1/records/{id}", record_id=cloud.report("observation"))

    (item,) = cloud.items()

    ttl = table["TimeToLiveSpecification"]
    assert ttl["Enabled"] is True
    assert item[ttl["AttributeName"]].keys() == {"N"}


def test_the_table_and_its_indexes_refuse_more_than_the_operator_pays_for_a_second() -> None:
    (table,) = resources("AWS::DynamoDB::Table").values()
    none = ref("AWS::NoValue")
    most = {
        "MaxReadRequestUnits": {"Fn::If": ["ReadsLimited", ref("MaxReadUnits"), none]},
        "MaxWriteRequestUnits": {"Fn::If": ["WritesLimited", ref("MaxWriteUnits"), none]},
    }

    for each in (table, *table["GlobalSecondaryIndexes"]):
        assert each["OnDemandThroughput"] == {"Fn::If": ["Limited", most, none]}


def test_a_months_budget_tells_whoever_is_told_of_alarms() -> None:
    (budget,) = resources("AWS::Budgets::Budget").values()

    assert document()["Resources"]["MonthlyCost"]["Condition"] == "Budgeted"
    assert budget["Budget"]["BudgetLimit"] == {"Amount": ref("MonthlyBudget"), "Unit": "USD"}
    told = [
        each["Address"]
        for one in budget["NotificationsWithSubscribers"]
        for each in one["Subscribers"]
    ]
    assert told == [ref("AlarmEmail")] * 2
    assert document()["Conditions"]["Budgeted"] == {
        "Fn::And": [
            {"Fn::Not": [{"Fn::Equals": [ref("MonthlyBudget"), "0"]}]},
            {"Condition": "SomeoneToTell"},
        ]
    }
