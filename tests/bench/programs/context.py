"""Lambda's context object, as far as handlers and their logger look at it."""


class Context:
    """What the runtime hands to a handler."""

    aws_request_id = "8f5b1f3e-6a04-4e1d-9c35-0d2f4b8a1e67"
    function_name = "bench"
    memory_limit_in_mb = "512"
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:bench"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000
