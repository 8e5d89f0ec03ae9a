"""A running stack as the commands need one: the local port, the API, AWS, and a deployment."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from http import HTTPStatus
from typing import TYPE_CHECKING

from botocore import exceptions
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from membrane.domain.language.errors import NotFound, Unavailable
from membrane_cli.check.account import Clients, Parameters, missing_in_account
from membrane_cli.doctor import Diagnosis
from membrane_cli.http_client import HttpClient
from membrane_cli.options import API_KEY, URL, USUAL_URL
from membrane_cli.recovery import BUCKET, Table, stream_arn, table_gaps, table_properties
from membrane_cli.stacks import DeployedStack
from membrane_local.dev_options import DEFAULT_PORT
from membrane_local.http.server import open_port
from membrane_local.refusals import OptionRefused

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client


def diagnose_local_stack() -> Iterator[Diagnosis]:
    try:
        with closing(open_port(DEFAULT_PORT)):
            yield Diagnosis("port", f"{DEFAULT_PORT} is free")
    except OptionRefused:
        advice = "is it a `membrane dev`? `membrane dev --port 0` takes a free one"
        yield Diagnosis("port", f"{DEFAULT_PORT} is taken", advice)
    yield _api(os.environ.get(URL), os.environ.get(API_KEY))


def _api(url: str | None, key: str | None) -> Diagnosis:
    if not url:
        return Diagnosis("API", f"{URL} is not set, so the commands ask {USUAL_URL}")
    client = HttpClient(url, key, timeout_s=5)
    try:
        health = client.call("GET", "/health").status
        listed = client.call("GET", "/v1/records?limit=1").status
    except (Unavailable, ValueError) as error:
        return Diagnosis("API", f"could not reach {url}", f"{error}; see {URL}")
    if health != HTTPStatus.OK:
        return Diagnosis("API", f"{url} answers {health}", f"is that the API? See {URL}")
    if listed in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return Diagnosis("API", f"{url} answers, and refuses the key", f"see {API_KEY}")
    return Diagnosis("API", f"{url} answers, and takes the key")


HASTY = Config(connect_timeout=3, read_timeout=3, retries={"total_max_attempts": 1})
ONLY_TO_DEPLOY = "only a deployment needs AWS"


def diagnose_cloud(stack: str | None) -> Iterator[Diagnosis]:
    """Region and credentials; of a named stack also the rest, and there every gap is fatal."""
    for each in _diagnose(stack):
        yield each if stack is None else each._replace(is_fatal=bool(each.advice))


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
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError):
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
        yield from _diagnose_stack(DeployedStack(stack, cloudformation))


def _diagnose_stack(stack: DeployedStack) -> Iterator[Diagnosis]:
    import boto3  # noqa: PLC0415 - boto3 takes longest to load

    try:
        parameters = stack.parameters
    except NotFound:
        yield Diagnosis("stack", f"there is no {stack.name} in this Region", "see `sam deploy`")
        return
    except (BotoCoreError, ClientError) as error:
        yield Diagnosis("stack", f"could not read {stack.name}", str(error))
        return
    yield from diagnose_account(stack.name, parameters, boto3.client)
    dynamodb = boto3.client("dynamodb", config=HASTY)
    try:
        table = Table(dynamodb, stack.table, table_properties(parameters), stack.tags)
    except (BotoCoreError, ClientError, NotFound) as error:
        yield Diagnosis("table", "could not be read", str(error))
        return
    s3, functions = boto3.client("s3", config=HASTY), boto3.client("lambda", config=HASTY)
    yield from diagnose_storage(stack, table, s3, functions)


def diagnose_account(stack: str, deployed: Parameters, clients: Clients) -> Iterator[Diagnosis]:
    lacking = missing_in_account(clients, deployed)
    for each in lacking:
        yield Diagnosis(each.parameter, "the account does not have it", each.reason)
    if not lacking:
        embedder = deployed["EmbeddingModel"] or deployed["Embedder"]
        yield Diagnosis("stack", f"the account has what {stack} needs, to embed by {embedder}, too")


EVENT_SOURCE = "IndexFunctionChanges"
"""The logical id that SAM gives to the event source between the stream and the index function."""


def diagnose_storage(
    stack: DeployedStack, table: Table, s3: "S3Client", functions: "LambdaClient"
) -> Iterator[Diagnosis]:
    diagnoses: Mapping[str, Callable[[], Sequence[Diagnosis]]] = {
        "table": lambda: _diagnose_table(stack, table),
        "stream": lambda: [_diagnose_event_source(stack, table, functions)],
        "bucket": lambda: [_diagnose_bucket(stack, s3)],
    }
    for name, diagnose in diagnoses.items():
        try:
            yield from diagnose()
        except (BotoCoreError, ClientError, NotFound) as error:
            yield Diagnosis(name, "could not be read", str(error))


def _diagnose_table(stack: DeployedStack, table: Table) -> list[Diagnosis]:
    repair = f"membrane recover --table {table.name} --stack {stack.name}"
    lacking = [
        Diagnosis(gap.setting, gap.found, f"{gap.action}: run `{repair}`")
        for gap in table_gaps(table)
    ]
    return lacking or [Diagnosis("table", f"{table.name} has every setting of the template")]


def _diagnose_event_source(
    stack: DeployedStack, table: Table, functions: "LambdaClient"
) -> Diagnosis:
    source = functions.get_event_source_mapping(UUID=stack.resource(EVENT_SOURCE))
    read, stream = source.get("EventSourceArn"), stream_arn(table)
    state = source.get("State", "absent")
    if read != stream:
        advice = f"deploy with TableStreamArn={stream}"
        return Diagnosis("stream", f"the index function reads another stream, {read}", advice)
    if state != "Enabled":
        return Diagnosis("stream", f"the event source is {state}", "enable the event source")
    return Diagnosis("stream", "the index function reads the stream")


def _diagnose_bucket(stack: DeployedStack, s3: "S3Client") -> Diagnosis:
    bucket = stack.resource(BUCKET)
    found = s3.get_bucket_versioning(Bucket=bucket).get("Status", "off")
    if found == "Enabled":
        return Diagnosis("bucket", f"{bucket} answers, and keeps removed blobs")
    advice = "deploy the template again: a removed blob could not be brought back"
    return Diagnosis("bucket", f"the versioning of {bucket} is {found}", advice)
