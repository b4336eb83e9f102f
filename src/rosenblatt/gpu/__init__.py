"""Learning on a GPU through torch and Triton; other packages use it only through `training.backends`."""
