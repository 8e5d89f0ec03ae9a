"""Commands for reading and writing memories, over the Python client."""
