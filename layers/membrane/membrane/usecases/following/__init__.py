"""What follows a change on the table's stream."""
