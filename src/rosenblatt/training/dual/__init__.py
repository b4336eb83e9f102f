"""The perceptron in dual form: w = Σ delta·φ(x) over the updates, known only through a kernel."""
