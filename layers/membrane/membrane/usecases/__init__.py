"""The operations of the service; a module reads, decides and writes."""
