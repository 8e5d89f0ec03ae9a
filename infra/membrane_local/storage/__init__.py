"""The local stack's table and bucket."""
