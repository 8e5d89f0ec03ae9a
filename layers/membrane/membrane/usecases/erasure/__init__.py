"""Erase everything of a person or a scope, with a certificate."""
