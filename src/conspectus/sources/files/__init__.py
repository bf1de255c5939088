"""A folder, read just in time and offered as items; nothing here writes, ranks, or follows a way out of the folder."""
