"""One record's salience over time, drawn in the terminal."""
