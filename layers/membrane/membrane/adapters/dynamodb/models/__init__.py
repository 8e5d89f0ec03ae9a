"""The tokens that language models took, in the table."""
