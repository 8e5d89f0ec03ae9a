"""The table's shared parts: keys, attributes, reads, writes and failures."""
