"""Salience as a function of time, for one value and for arrays, and the fields of its curve."""
