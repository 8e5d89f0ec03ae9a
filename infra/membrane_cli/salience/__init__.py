"""`membrane salience`: the salience of a record over time, drawn in the terminal."""
