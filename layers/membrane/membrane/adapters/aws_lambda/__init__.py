"""The edge: what Lambda hands to a handler, and what it takes back."""
