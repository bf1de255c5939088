"""One module for each public builder: fixtures in as JSON, outcomes out; it runs in that builder's own environment."""
