"""Makes a DynamoDB client as anybody makes one, and tells what it took to be ready.

Then it puts the item that it is given, on a stubbed network.
"""

import time

import boto3

client = boto3.client("dynamodb")
ready_s, spent_s = time.monotonic(), time.process_time()

from tests.bench.programs.first_request import finish  # noqa: E402 - not part of what is timed

finish(ready_s, spent_s, lambda item: client.put_item(TableName="Table", Item=item))
