"""Salience as a function of time, for a single value and for arrays; decay profiles."""
