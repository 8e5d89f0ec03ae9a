"""AWS as a deployment needs AWS: a Region, credentials, and the stack's embedding model."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
)

from membrane.domain.language.errors import NotFound
from membrane_cli.check.account import Account, account_here, missing_in_account
from membrane_cli.check.stack import deployed_parameters
from membrane_cli.doctor.diagnosis import Diagnosis
from membrane_cli.doctor.storage import Storage, diagnose_storage
from membrane_cli.recovery.command import stack_tags, table_properties
from membrane_cli.recovery.table_gaps import Table
from membrane_cli.stacks import DeployedStack

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient

HASTY = Config(connect_timeout=3, read_timeout=3, retries={"total_max_attempts": 1})
ONLY_TO_DEPLOY = "only a deployment needs AWS"


def diagnose_cloud(stack: str | None) -> Iterator[Diagnosis]:
    """Region and credentials; with the name of a stack also the account, the model and storage.

    For a named stack, every gap is fatal.
    """
    for each in _diagnose(stack):
        yield each if stack is None else replace(each, is_fatal=bool(each.advice))


def _diagnose(stack: str | None) -> Iterator[Diagnosis]:
    import boto3  # noqa: PLC0415 - boto3 takes longest to load

    region = boto3.session.Session().region_name
    if region is None:
        advice = f"set AWS_DEFAULT_REGION, or run `aws configure`; {ONLY_TO_DEPLOY}"
        yield Diagnosis("Region", "none is set", advice)
        return
    yield Diagnosis("Region", region)
    try:
        caller = boto3.client("sts", config=HASTY).get_caller_identity()
    except (NoCredentialsError, PartialCredentialsError):
        advice = f"run `aws configure`, or `aws sso login`; {ONLY_TO_DEPLOY}"
        yield Diagnosis("AWS", "no credentials", advice)
        return
    except ClientError as error:
        yield Diagnosis("AWS", "the credentials are refused", str(error))
        return
    except BotoCoreError as error:
        yield Diagnosis("AWS", "could not reach AWS", f"{error}; {ONLY_TO_DEPLOY}")
        return
    yield Diagnosis("AWS", caller["Arn"])
    if stack is not None:
        cloudformation = boto3.client("cloudformation", config=HASTY)
        yield from diagnose_deployment(stack, cloudformation, account_here())
        yield from _diagnose_storage(DeployedStack(stack, cloudformation))


def _diagnose_storage(stack: DeployedStack) -> Iterator[Diagnosis]:
    import boto3  # noqa: PLC0415 - boto3 takes longest to load

    try:
        parameters = deployed_parameters(stack.name, stack.cloudformation)
        if parameters is None:
            return  # `diagnose_deployment` says so
        table = Table(
            boto3.client("dynamodb", config=HASTY),
            stack.table,
            table_properties(parameters),
            stack_tags(stack.name, stack.cloudformation),
        )
    except (BotoCoreError, ClientError, NotFound) as error:
        yield Diagnosis("table", "could not be read", str(error))
        return
    s3, functions = boto3.client("s3", config=HASTY), boto3.client("lambda", config=HASTY)
    yield from diagnose_storage(Storage(stack, table, s3, functions))


def diagnose_deployment(
    stack: str, cloudformation: "CloudFormationClient", account: Account
) -> Iterator[Diagnosis]:
    """The account's gaps for the parameters of a stack."""
    try:
        deployed = deployed_parameters(stack, cloudformation)
    except (BotoCoreError, ClientError) as error:
        yield Diagnosis("stack", f"could not read {stack}", str(error))
        return
    if deployed is None:
        yield Diagnosis("stack", f"there is no {stack} in this Region", "see `sam deploy`")
        return
    lacking = missing_in_account(account, deployed)
    for each in lacking:
        yield Diagnosis(each.parameter, "the account does not have it", each.reason)
    if not lacking:
        embedder = deployed["EmbeddingModel"] or deployed["Embedder"]
        yield Diagnosis("stack", f"the account has what {stack} needs, to embed by {embedder}, too")
