"""The walk over the table for anchors, and the anchors."""
