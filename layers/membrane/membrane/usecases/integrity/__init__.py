"""Anchor the state of the table, and verify the table against the anchors."""
