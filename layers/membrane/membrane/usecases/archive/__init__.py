"""Export the memory into a file, and restore records from the lines of a file."""
