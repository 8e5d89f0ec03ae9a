"""The rights that template.yaml grants each function, and whether they allow a call."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from tests.worlds.template import SOMEWHERE, functions, listed, nodes, resources, target

UPLOADS = "uploads/"


def allowing(resource: Any) -> list[dict[str, Any]]:
    """Every statement of a resource that allows something."""
    found = [each for each in nodes(resource) if isinstance(each, dict) and "Effect" in each]
    return [each for each in found if each["Effect"] == "Allow"]


def rights(function: str) -> list[dict[str, Any]]:
    """What the function's role allows it, with and without a key of its own."""
    role = resources("AWS::IAM::Role")[target(functions()[function]["Role"])]
    shared_policies = [resources("AWS::IAM::ManagedPolicy")[policy] for policy in attached(role)]
    later_policies = [
        policy
        for policy in resources("AWS::IAM::RolePolicy").values()
        if target(policy["RoleName"]) == target(functions()[function]["Role"])
    ]
    return allowing([role.get("Policies", []), *shared_policies, *later_policies])


def attached(role: Mapping[str, Any]) -> list[str]:
    """The managed policies of a role, also those that hang on a condition."""
    found = [each for each in nodes(role.get("ManagedPolicyArns", [])) if isinstance(each, dict)]
    return [each["Ref"] for each in found if each.get("Ref", "AWS::NoValue") != "AWS::NoValue"]


def uses(service: str, statement: Mapping[str, Any]) -> bool:
    return any(action.startswith(f"{service}:") for action in listed(statement["Action"]))


UNLIMITED = (
    "dynamodb:DescribeStream",
    "dynamodb:ListStreams",
    "dynamodb:Scan",
    "dynamodb:SearchVectors",
)


def is_unlimited(statement: Mapping[str, Any]) -> bool:
    """Whether no partition can limit it: a stream, a scan, a search, an index by digests."""
    of_digests = statement["Resource"] == {"Fn::Sub": "${Table.Arn}/index/natural"}
    return of_digests or any(action in UNLIMITED for action in listed(statement["Action"]))


def is_on_partitions(statement: Mapping[str, Any]) -> bool:
    return uses("dynamodb", statement) and not is_unlimited(statement)


def on_partitions(function: str) -> list[dict[str, Any]]:
    return [each for each in rights(function) if is_on_partitions(each)]


def uses_stream(statement: Mapping[str, Any]) -> bool:
    """Lambda itself reads the stream, in the function's name."""
    return any("Stream" in action for action in listed(statement["Action"]))


def partitions(statement: Mapping[str, Any]) -> list[str]:
    """The partitions of the table that a statement is limited to."""
    (partitions,) = (
        keys["dynamodb:LeadingKeys"]
        for operator, keys in statement["Condition"].items()
        if operator in ("ForAllValues:StringEquals", "ForAllValues:StringLike")
        and "dynamodb:LeadingKeys" in keys
    )
    return list(partitions)


TELLS_ABSENT = {
    "Effect": "Allow",
    "Action": "s3:ListBucket",
    "Resource": {"Fn::GetAtt": ["Bucket", "Arn"]},
}
"""Without it S3 says of an absent object that it is forbidden. Who erases lists by it, too."""


SIGNS = {
    "Effect": "Allow",
    "Action": "s3:PutObject",
    "Resource": {"Fn::Sub": "${Bucket.Arn}/uploads/*"},
}
"""Used by whoever holds an address that the function signed: S3 asks for the signer's rights."""


SIGNS_EXPORTS = {
    "Effect": "Allow",
    "Action": "s3:GetObject",
    "Resource": {"Fn::Sub": "${Bucket.Arn}/exports/*"},
}
"""Used by whoever holds a link to a part of an export: S3 asks for the signer's rights."""


def allows(statement: Mapping[str, Any], action: str, place: str) -> bool:
    """Whether a statement allows an action on a partition, an object or a prefix of objects."""
    if action not in listed(statement["Action"]):
        return False
    if action == "s3:ListBucket":
        prefix = {"StringEquals": {"s3:prefix": place}}
        return statement == TELLS_ABSENT or bool(statement["Condition"] == prefix)
    if action == "s3:ListBucketVersions":
        prefixes = listed(statement["Condition"]["StringLike"]["s3:prefix"])
        return any(fnmatchcase(place, prefix) for prefix in prefixes)
    if action.startswith("s3:"):
        objects = [each["Fn::Sub"] for each in listed(statement["Resource"])]
        return any(fnmatchcase(f"${{Bucket.Arn}}/{place}", each) for each in objects)
    if is_unlimited(statement):
        return place in (SOMEWHERE, statement["Resource"].get("Fn::Sub"))
    return any(fnmatchcase(place, pattern) for pattern in partitions(statement))


def allows_all(statement: Mapping[str, Any], action: str, places: Iterable[str]) -> bool:
    """Whether one statement allows an action on all places that one request names."""
    return all(allows(statement, action, place) for place in places)
