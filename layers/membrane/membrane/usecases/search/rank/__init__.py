"""The order by salience: merged walks down the rank index."""
