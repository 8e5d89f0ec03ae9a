"""The lines of an imported file: syntax, order, and names already taken."""
