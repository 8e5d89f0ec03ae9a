"""A sign of life that needs no key and touches no store."""

from membrane.adapters.aws_lambda.invocation import Reply


def alive() -> Reply:
    """The reply to `GET /health`."""
    return {
        "statusCode": 200,
        "headers": {"content-type": "application/json"},
        "body": '{"status":"ok"}',
    }
