"""Use cases of keyed documents."""
