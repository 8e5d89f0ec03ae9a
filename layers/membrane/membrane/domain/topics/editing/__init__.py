"""What editors may do with a topic: its head, its fields, its edges."""
