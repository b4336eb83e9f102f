"""The lab: the lecture notes as pages that compute, in a browser, on this machine."""
