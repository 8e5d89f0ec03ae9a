"""What follows a change of a topic: its search entry, and that it is reasoned about."""
