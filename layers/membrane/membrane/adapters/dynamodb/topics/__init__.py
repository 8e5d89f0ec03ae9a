"""Topics with revisions, edges, reads and receipts, in the table."""
