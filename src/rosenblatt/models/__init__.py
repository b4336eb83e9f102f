"""scikit-learn estimators, and saved models without scikit-learn."""
