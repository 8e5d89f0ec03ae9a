"""Topics with revisions, edges, reads, receipts and statements, in the table."""
