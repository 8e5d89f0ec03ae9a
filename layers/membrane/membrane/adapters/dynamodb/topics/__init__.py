"""Topics, their revisions, edges and what is kept beside them, in the table."""
