"""The export of a memory as lines of text, and the way back."""
