"""Messages to queues and to other functions."""
