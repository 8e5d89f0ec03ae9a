"""The local stack: template.yaml's functions, events and storage in a single process."""
