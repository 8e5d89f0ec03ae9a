"""What AWS asks for, in US dollars: on demand, in us-east-1, without free tiers."""

from dataclasses import dataclass

LISTED = "2026-11-22"
"""The day on which the list was made."""

REGION = "us-east-1"
WHOLE_PROCESSOR_MB = 1_769
"""Memory at which a function has a whole processor (Lambda, "Configure function memory")."""
REQUEST_S = 0.005
"""How long a function waits for one request to DynamoDB; an assumption."""
COLD_S = 1.0
"""How long a function takes that a schedule starts once in a while; an assumption."""
MONTH_S = 30 * 24 * 3_600
POLL_S = 20
"""How long one poll of an empty queue waits."""
POLLERS, POLLERS_AT_MOST_CONCURRENT = 2, 5
"""Pollers of an idle queue; MaximumConcurrency keeps five.

Lambda, "Configuring scaling behavior for SQS event source mappings".
"""
LINE_BYTES = 26
"""What CloudWatch adds to each line of a log."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for one unit."""

    dollars: float
    unit: str
    source: str


_SOURCES = {
    "dynamodb": "aws.amazon.com/dynamodb/pricing/on-demand",
    "lambda": "aws.amazon.com/lambda/pricing",
    "api": "aws.amazon.com/api-gateway/pricing",
    "cloudwatch": "aws.amazon.com/cloudwatch/pricing",
    "sqs": "aws.amazon.com/sqs/pricing",
    "transfer": "aws.amazon.com/ec2/pricing/on-demand",
    "kms": "aws.amazon.com/kms/pricing",
    "scheduler": "aws.amazon.com/eventbridge/pricing",
    "s3": "aws.amazon.com/s3/pricing",
    "states": "aws.amazon.com/step-functions/pricing",
}


def _price(dollars: float, unit: str, service: str) -> Price:
    return Price(dollars, unit, _SOURCES[service])


WRU = _price(0.625e-6, "write request unit", "dynamodb")
RRU = _price(0.125e-6, "read request unit", "dynamodb")
INDEXED_BYTE = _price(0.52e-9, "byte that a vector index takes", "dynamodb")
EXAMINED_BYTE = _price(0.002e-9, "byte that a vector search examines", "dynamodb")
STORED_BYTE = _price(0.25e-9, "byte and month of the table and its indexes", "dynamodb")
RECOVERABLE_BYTE = _price(0.20e-9, "byte and month of the table, for recovery", "dynamodb")
GB_SECOND = _price(0.0000133334, "GB-second of a function on arm64", "lambda")
INVOCATION = _price(0.2e-6, "invocation", "lambda")
API_REQUEST = _price(1.0e-6, "request to the HTTP API", "api")
LOGGED_BYTE = _price(0.50e-9, "byte that goes into a log", "cloudwatch")
LOG_MONTH_BYTE = _price(0.03e-9, "byte and month of a log", "cloudwatch")
ALARM_METRIC = _price(0.10, "metric of an alarm and month", "cloudwatch")
CUSTOM_METRIC = _price(0.30, "metric of our own and month", "cloudwatch")
DASHBOARD = _price(3.0, "dashboard and month", "cloudwatch")
KEY = _price(1.0, "key and month", "kms")
SQS_REQUEST = _price(0.40e-6, "request to a queue", "sqs")
SENT_BYTE = _price(0.09e-9, "byte that goes from AWS to the internet", "transfer")
SCHEDULED_RUN = _price(1.0e-6, "invocation by a schedule", "scheduler")
S3_WRITE = _price(5.0e-6, "request that puts an object or lists objects", "s3")
S3_READ = _price(0.4e-6, "request that gets an object", "s3")
TRANSITION = _price(25.0e-6, "transition of a standard state machine", "states")

ASSUMPTIONS = (
    f"on demand in {REGION} as listed on {LISTED}, without free tiers",
    f"a function takes its CPU time at {WHOLE_PROCESSOR_MB} MB = 1 processor of this machine",
    f"{REQUEST_S * 1e3:.0f} ms for each request to DynamoDB, one after the other",
    "functions are warm, the authorizer's answer is kept, every request succeeds",
    "vectors are a model until measured: `membrane cost --stack NAME` reads the bytes of a stack",
)
"""Of every price of an operation."""
