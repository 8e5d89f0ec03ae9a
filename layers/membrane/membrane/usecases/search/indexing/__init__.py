"""Update the search index after changes."""
