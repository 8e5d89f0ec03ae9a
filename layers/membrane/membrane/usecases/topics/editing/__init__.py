"""Edits of topics, a verb a module; an edit is a single change."""
