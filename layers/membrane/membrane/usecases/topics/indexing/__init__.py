"""What follows a change of a topic: its vector, and that it is reasoned about."""
