"""Capture: whatever a runtime saw becomes evidence, linked to the things that it mentions."""
