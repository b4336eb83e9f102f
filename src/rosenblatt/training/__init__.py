"""The training run: settings, states, orders, passes, stopping, history. Estimators and traces share it."""
