"""Work after a write, triggered by the table's stream."""
