"""What is told of a topic, and what becomes of the topic by it."""
