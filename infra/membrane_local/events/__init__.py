"""What happens without a caller: the bus, queues, schedules and asynchronous invocations."""
