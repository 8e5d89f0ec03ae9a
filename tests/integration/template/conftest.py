"""Every function of the template, run in this process."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import boto3
import pytest

from membrane_local.clock import DevClock
from membrane_local.functions import Functions
from membrane_local.memory.database import Database
from membrane_local.storage.bucket_endpoint import BucketEndpoint, LocalSigner
from membrane_local.storage.clients import client_of, streams_of
from membrane_local.storage.objects import Objects
from membrane_local.storage.stores import BUCKET, TABLE, Store
from membrane_local.storage.table import TableStream, ensure_table, stream_of
from membrane_local.template import Template, read_template
from tests.worlds.agreed import FENCE_PERIOD_S
from tests.worlds.cloud import CONTESTED, REPLACED, SCRIPTED, Cloud
from tests.worlds.every_archive import BucketImports
from tests.worlds.every_topic import live_through_everything
from tests.worlds.moto_bucket import light_bucket
from tests.worlds.stores import blobs_in
from tests.worlds.template import TEMPLATE
from tests.worlds.tuning import tuned


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    """The functions as the template's defaults deploy them, over an empty table and bucket."""
    with over_nothing() as made:
        yield made


@pytest.fixture(scope="session")
def lived() -> Cloud:
    """The recorded calls of every function, each run through all its work; the stack is closed."""
    with over_nothing() as made:
        live_through_everything(made)
    return made


@contextmanager
def over_nothing() -> Iterator[Cloud]:
    """The functions over an empty table and bucket."""
    small = {**SCRIPTED, "TopicMaxHistory": "3"}
    policies = {"ConflictPolicies": json.dumps({CONTESTED: "contest", REPLACED: "replace"})}
    template, former = (
        read_template(TEMPLATE, tuned({**small, **policies})),
        read_template(TEMPLATE, tuned(small)),
    )
    with light_bucket():
        database = Database()
        dynamodb = client_of(database)
        s3 = boto3.client("s3", region_name="us-east-1")
        ensure_table(dynamodb, TABLE, template.table)
        s3.create_bucket(Bucket=BUCKET)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        blobs, imports = blobs_in(s3, BUCKET), BucketImports(lambda: s3, BUCKET)
        stream = TableStream(streams_of(database), stream_of(dynamodb, TABLE, template.table))
        store = Store(
            dynamodb,
            blobs,
            lambda: None,
            imports,
            BucketEndpoint(Objects(BUCKET)),
            stream,
            LocalSigner.of_new_key(),
        )
        clock = DevClock()
        now, earlier = (_functions(each, store, clock) for each in (template, former))
        made = Cloud(store, now, earlier)
        made.functions.send = lambda *message: made.sent.append(message)
        made.functions.invoke_later = lambda *call: made.started.append(call)
        made.functions.start_execution = lambda machine, _, event: made.started.append(
            (machine, event)
        )
        dynamodb.meta.events.register("provide-client-params.dynamodb", made.note)
        s3.meta.events.register("provide-client-params.s3", made.note)
        yield made


def _functions(template: Template, store: Store, clock: DevClock) -> Functions:
    """The functions, each of which looks at the fences before every write."""
    looks = count(step=2 * FENCE_PERIOD_S)
    return Functions(template, store, clock, elapsed_s=looks.__next__, pause=lambda _: None)
