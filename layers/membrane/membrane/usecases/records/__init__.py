"""Create, change, read and keep records, whatever their type."""
