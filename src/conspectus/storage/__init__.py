"""Bytes, whole or not at all: atomic files, the database, the archive, caches; nothing here knows what they mean."""
