"""Tamper evidence: leaves of records and topics, Merkle roots, signed anchors and findings."""
