"""Observations, the placement of an observation, and the resulting change of a topic."""
