"""Serve a model that learns from requests: HTTP API, durable log, followers and a status page."""
