"""Commands that read and write memories, over the Python client."""
