"""Find, list, merge and split entities."""
