"""The operations of the service: a module per verb, which reads, decides and writes."""
