"""Topics in the shape of replies, current or as of an instant."""
