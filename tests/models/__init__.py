"""Profiles against the engines, templates and servers they stand for."""
