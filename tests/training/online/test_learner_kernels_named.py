"""Named features with a kernel: their order in the dict means nothing."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Learner, kernels
from rosenblatt.errors import BadInput


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial", "laplacian", "linear"])
def test_the_order_of_names_in_an_example_means_nothing(kernel):
    rng = np.random.default_rng(0)
    chosen = kernels.as_kernel(kernel, gamma=0.5)
    one, other = Learner(kernel=chosen), Learner(kernel=chosen)
    names = list("abcdef")
    for step in range(60):
        x = {name: float(value) for name, value in zip(names, rng.normal(size=6), strict=True)}
        y = 1 if x["a"] * x["b"] > 0 else -1
        turned = list(x.items()) if step == 0 else [list(x.items())[k] for k in rng.permutation(6)]
        assert one.learn(x, y) == other.learn(dict(turned), y)
        assert one.decide(x) == other.decide(dict(reversed(turned)))


def test_a_class_that_is_refused_is_not_remembered():
    learner = Learner(multiclass="one_vs_rest", init=np.ones(3))
    with pytest.raises(BadInput):
        learner.learn([1.0, 2.0], "apple")
    assert learner.classes == []
