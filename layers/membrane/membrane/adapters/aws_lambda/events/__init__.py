"""Events from bus, queue, stream, schedule, imports and direct invocation."""
