"""The torture suite: inputs that break context builders, run against this project and the public ones, in one table."""
