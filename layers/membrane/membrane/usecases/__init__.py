"""The operations of the service: each module reads, decides and writes."""
