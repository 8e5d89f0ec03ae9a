"""Capture: whatever a runtime saw becomes evidence, linked to the mentioned entities."""
