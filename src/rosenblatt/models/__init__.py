"""scikit-learn estimators, and saved models that work without scikit-learn."""
