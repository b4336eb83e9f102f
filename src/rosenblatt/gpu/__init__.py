"""Learning on a device through torch and Triton; the core reaches it by `training.backends` alone."""
