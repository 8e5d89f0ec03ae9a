"""Event patterns as EventBridge has them, and no more of them than is matched."""

from typing import Any

import pytest

from membrane_local.events.patterns import checked, matches
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
    assert matches(checked(pattern), CREATED)


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
    assert not matches(checked(pattern), CREATED)


def test_numbers_are_no_truth_values() -> None:
    assert not matches(checked({"n": [1]}), {"n": True})
    assert matches(checked({"n": [True]}), {"n": True})
    assert matches(checked({"n": [None]}), {"n": None})


@pytest.mark.parametrize(
    "pattern",
    [
        {},
        [],
        {"source": "aws.s3"},
        {"source": []},
        {"source": [["aws.s3"]]},
        {"source": [{"anything-but": "aws.s3"}]},
        {"source": [{"prefix": "a", "suffix": "b"}]},
        {"source": [{"prefix": 1}]},
        {"detail": {"size": [{"numeric": [">", 5]}]}},
        {"$or": [{"source": ["a"]}]},
        {"detail": {}},
    ],
)
def test_a_pattern_that_would_be_matched_otherwise_than_in_aws_is_refused(pattern: Any) -> None:
    with pytest.raises(TemplateError):
        checked(pattern)
