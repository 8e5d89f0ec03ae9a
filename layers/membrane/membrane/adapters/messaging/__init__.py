"""Messages to queues, and invocations of functions."""
