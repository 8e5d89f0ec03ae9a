"""Create, change and read records of any type."""
