"""The storage of a deployed stack: table, stream, bucket, and the index function's event source."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from membrane.domain.language.errors import NotFound
from membrane_cli.doctor.diagnosis import Diagnosis
from membrane_cli.recovery.command import BUCKET
from membrane_cli.recovery.table_gaps import Table, stream_arn, table_gaps
from membrane_cli.stacks import DeployedStack

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client

EVENT_SOURCE = "IndexFunctionChanges"
"""The logical id that SAM gives to the event source between the stream and the index function."""


@dataclass(frozen=True, slots=True)
class Storage:
    """A stack, and clients of the services that store and index."""

    stack: DeployedStack
    table: Table
    s3: "S3Client"
    functions: "LambdaClient"


def diagnose_storage(storage: Storage) -> Iterator[Diagnosis]:
    """Everything that the table, the stream and the bucket lack."""
    for name, diagnose in (
        ("table", _diagnose_table),
        ("stream", _diagnose_event_source),
        ("bucket", _diagnose_bucket),
    ):
        try:
            yield from diagnose(storage)
        except (BotoCoreError, ClientError, NotFound) as error:
            yield Diagnosis(name, "could not be read", str(error))


def _diagnose_table(storage: Storage) -> Iterator[Diagnosis]:
    table = storage.table
    gaps = table_gaps(table)
    repair = f"membrane recover --table {table.name} --stack {storage.stack.name}"
    for gap in gaps:
        yield Diagnosis(gap.setting, gap.found, f"{gap.action}: run `{repair}`")
    if not gaps:
        yield Diagnosis("table", f"{table.name} has every setting of the template")


def _diagnose_event_source(storage: Storage) -> Iterator[Diagnosis]:
    """Whether the index function reads the table's present stream."""
    source = storage.functions.get_event_source_mapping(UUID=storage.stack.resource(EVENT_SOURCE))
    read, stream = source.get("EventSourceArn"), stream_arn(storage.table)
    state = source.get("State", "absent")
    if read != stream:
        advice = f"deploy with TableStreamArn={stream}"
        yield Diagnosis("stream", f"the index function reads another stream, {read}", advice)
    elif state != "Enabled":
        yield Diagnosis("stream", f"the event source is {state}", "enable the event source")
    else:
        yield Diagnosis("stream", "the index function reads the stream")


def _diagnose_bucket(storage: Storage) -> Iterator[Diagnosis]:
    bucket = storage.stack.resource(BUCKET)
    found = storage.s3.get_bucket_versioning(Bucket=bucket).get("Status", "off")
    if found == "Enabled":
        yield Diagnosis("bucket", f"{bucket} answers, and keeps removed blobs")
    else:
        advice = "deploy the template again: a removed blob could not be brought back"
        yield Diagnosis("bucket", f"the versioning of {bucket} is {found}", advice)
