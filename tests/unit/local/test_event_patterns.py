"""Event patterns as EventBridge has them, and no more of them than is matched."""

from typing import Any

import pytest

from membrane_local.events.patterns import matches, supported_pattern
from membrane_local.refusals import TemplateError

CREATED = {
    "source": "aws.s3",
    "detail-type": "Object Created",
    "resources": ["arn:aws:s3:::blobs"],
    "detail": {"bucket": {"name": "blobs"}, "object": {"key": "imports/a.ndjson", "size": 5}},
}


@pytest.mark.parametrize(
    "pattern",
    [
        {"source": ["aws.s3"]},
        {"source": ["other", "aws.s3"]},
        {"source": [{"prefix": "aws."}]},
        {"detail": {"object": {"key": [{"prefix": "imports/"}]}}},
        {"detail": {"object": {"size": [5]}}},
        {"resources": ["arn:aws:s3:::blobs"]},
        {"source": ["aws.s3"], "detail": {"bucket": {"name": ["blobs"]}}},
    ],
)
def test_an_event_with_all_that_is_named_matches(pattern: dict[str, Any]) -> None:
    assert matches(supported_pattern(pattern), CREATED)


@pytest.mark.parametrize(
    "pattern",
    [
        {"source": ["AWS.S3"]},
        {"source": [{"prefix": "s3"}]},
        {"source": ["aws.s3"], "detail-type": ["Object Deleted"]},
        {"detail": {"object": {"key": [{"prefix": "exports/"}]}}},
        {"detail": {"object": {"size": ["5"]}}},
        {"detail": {"object": {"size": [True]}}},
        {"detail": {"object": {"size": [{"prefix": "5"}]}}},
        {"detail": {"object": {"etag": [None]}}},
        {"detail": {"bucket": {"name": {"first": ["b"]}}}},
        {"absent": ["x"]},
    ],
)
def test_an_event_without_any_of_it_does_not(pattern: dict[str, Any]) -> None:
    assert not matches(supported_pattern(pattern), CREATED)


def test_numbers_are_no_truth_values() -> None:
    assert not matches(supported_pattern({"n": [1]}), {"n": True})
    assert matches(supported_pattern({"n": [True]}), {"n": True})
    assert matches(supported_pattern({"n": [None]}), {"n": None})


@pytest.mark.parametrize(
    "pattern",
    [
        {},
        [],
        {"source": "aws.s3"},
        {"source": []},
        {"source": [["aws.s3"]]},
        {"source": [{"anything-but": {"wildcard": "a*"}}]},
        {"source": [{"wildcard": "a*"}]},
        {"source": [{"prefix": "a", "suffix": "b"}]},
        {"source": [{"prefix": 1}]},
        {"detail": {"size": [{"numeric": ["!", 5]}]}},
        {"$or": [{"source": ["a"]}]},
        {"detail": {}},
    ],
)
def test_a_pattern_that_would_be_matched_otherwise_than_in_aws_is_refused(pattern: Any) -> None:
    with pytest.raises(TemplateError):
        supported_pattern(pattern)


REMOVED = {
    "eventName": "REMOVE",
    "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
    "dynamodb": {
        "Keys": {"pk": {"S": "vector#1"}, "sk": {"S": "vector"}},
        "OldImage": {"stale": {"BOOL": True}, "tags": {"L": [{"S": "a"}, {"S": "b"}]}},
    },
}
"""A record of the table's stream."""

BY_SERVICE = {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]}


@pytest.mark.parametrize(
    "pattern",
    [
        {"eventName": ["REMOVE"], "userIdentity": BY_SERVICE},
        {"dynamodb": {"OldImage": {"stale": {"BOOL": [True]}}}},
        {"dynamodb": {"OldImage": {"stale": {"BOOL": [{"exists": True}]}}}},
        {"dynamodb": {"NewImage": {"stale": {"BOOL": [{"exists": False}]}}}},
        {"dynamodb": {"NewImage": [{"exists": False}]}},
        {"dynamodb": {"OldImage": {"tags": {"L": {"S": ["b"]}}}}},
        {"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "vector#"}]}}}},
        {"dynamodb": {"Keys": {"pk": {"S": [{"anything-but": {"prefix": "record#"}}]}}}},
        {"eventName": [{"anything-but": ["INSERT", "MODIFY"]}]},
        {"eventName": [{"equals-ignore-case": "remove"}]},
        {"$or": [{"eventName": ["INSERT"]}, {"userIdentity": BY_SERVICE}]},
    ],
)
def test_a_record_of_the_stream_passes_a_filter_of_lambda(pattern: dict[str, Any]) -> None:
    assert matches(supported_pattern(pattern), REMOVED)


@pytest.mark.parametrize(
    "pattern",
    [
        {"userIdentity": {"type": [{"exists": False}]}},
        {"userIdentity": [{"exists": True}]},
        {"dynamodb": {"NewImage": {"stale": {"BOOL": [{"exists": True}]}}}},
        {"dynamodb": {"NewImage": {"stale": {"BOOL": [{"anything-but": [False]}]}}}},
        {"dynamodb": {"Keys": {"pk": {"S": [{"anything-but": {"prefix": "vector#"}}]}}}},
        {"eventName": [{"anything-but": ["INSERT", "REMOVE"]}]},
        {"dynamodb": {"OldImage": {"tags": {"L": {"S": ["c"]}}}}},
        {"$or": [{"eventName": ["INSERT"]}, {"eventName": ["MODIFY"]}]},
    ],
)
def test_a_record_of_the_stream_is_kept_back_by_a_filter_of_lambda(pattern: dict[str, Any]) -> None:
    assert not matches(supported_pattern(pattern), REMOVED)


@pytest.mark.parametrize("relations", [["=", 5], [">", 4, "<=", 5], [">=", 5]])
def test_a_number_within_the_limits_matches(relations: list[Any]) -> None:
    assert matches(supported_pattern({"size": [{"numeric": relations}]}), {"size": 5})


@pytest.mark.parametrize("size", [4, 10, "7", True, None])
def test_a_number_beyond_the_limits_or_no_number_does_not(size: Any) -> None:
    assert not matches(
        supported_pattern({"size": [{"numeric": [">", 4, "<", 10]}]}), {"size": size}
    )
