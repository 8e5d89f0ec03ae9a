"""Topics as replies show them, now or as of an instant."""
