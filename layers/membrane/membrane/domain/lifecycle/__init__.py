"""How a record's salience, decay profile and life change after its creation."""
