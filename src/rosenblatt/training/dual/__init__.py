"""The perceptron in dual form: w = Σ delta·φ(x) over the updates, accessed only through a kernel."""
