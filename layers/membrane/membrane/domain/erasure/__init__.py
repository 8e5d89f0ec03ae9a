"""The erasure of a person or a scope: target, findings and certificate."""
