"""Everything without a caller: bus, queues, schedules, the stream, asynchronous invocations."""
