"""The replay viewer: plain JavaScript without dependencies, as a page or as a widget."""
