"""The record: document, stored state, history, audit trail and limits."""
