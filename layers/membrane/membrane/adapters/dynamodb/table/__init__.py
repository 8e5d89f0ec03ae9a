"""What every part of the table shares: keys, attributes, reads, writes, failures."""
