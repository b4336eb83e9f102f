"""Norms, inner products, projections and distances, named as in the lecture notes.

Vectors may be anything that `numpy.asarray` accepts; results are floats or float64 arrays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput

Vector = NDArray[np.float64]


def l1_norm(x: ArrayLike) -> float:
    """Return the l1 norm of a vector, Σ |xⱼ|.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The vector.

    Returns
    -------
    float
        The sum of the absolute values of its coordinates.

    Raises
    ------
    BadInput
        If `x` is not one vector.

    Examples
    --------
    >>> l1_norm([3, -4])
    7.0
    """
    return float(np.abs(_vector("x", x)).sum())


def l2_norm(x: ArrayLike) -> float:
    """Return the Euclidean norm of a vector, (Σ xⱼ²)^½, without overflow or underflow of the squares.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The vector.

    Returns
    -------
    float
        Its length ‖x‖.

    Raises
    ------
    BadInput
        If `x` is not one vector.

    Examples
    --------
    >>> l2_norm([3, -4])
    5.0
    >>> l2_norm([3e300, 4e300])
    5e+300
    """
    return math.hypot(*_vector("x", x))


def inner(x: ArrayLike, z: ArrayLike) -> float:
    """Return the inner product of two vectors, x·z = Σ xⱼ zⱼ.

    Parameters
    ----------
    x, z : array-like of shape (n_features,)
        The vectors.

    Returns
    -------
    float
        The inner product.

    Raises
    ------
    BadInput
        If the vectors differ in length, or one of them is not a vector.

    Examples
    --------
    >>> inner([1, 2], [3, -1])
    1.0
    """
    x, z = _pair(x, z)
    return float(x @ z)


def angle(x: ArrayLike, z: ArrayLike) -> float:
    """Return the angle between two vectors in radians: x·z = ‖x‖ ‖z‖ cos(angle).

    Parameters
    ----------
    x, z : array-like of shape (n_features,)
        The vectors.

    Returns
    -------
    float
        The angle, from 0 to π.

    Raises
    ------
    BadInput
        If a vector is zero, or the vectors differ in length.

    Examples
    --------
    >>> angle([1, 0], [0, 2]) == math.pi / 2
    True
    >>> angle([1, 1], [2, 2])
    0.0
    """
    x, z = _pair(x, z)
    x, z = _unit("x", x), _unit("z", z)
    # Kahan's form: arccos(x·z) loses half of the digits near 0 and π, this form loses none.
    return 2 * math.atan2(l2_norm(x - z), l2_norm(x + z))


def project_on_vector(x: ArrayLike, onto: ArrayLike) -> Vector:
    """Return the projection of x onto the line through the origin and `onto`: (x·v / ‖v‖²) v.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The vector to project.
    onto : array-like of shape (n_features,)
        A vector v along the line.

    Returns
    -------
    ndarray of shape (n_features,)
        The point of the line nearest to `x`.

    Raises
    ------
    BadInput
        If `onto` is zero, or the vectors differ in length.

    Examples
    --------
    >>> project_on_vector([2, 3], onto=[4, 0])
    array([2., 0.])
    """
    x, onto = _pair(x, onto)
    v = _unit("onto", onto)
    return (x @ v) * v


def project(x: ArrayLike, w: ArrayLike, b: float = 0.0) -> Vector:
    """Return the point of the hyperplane w·x + b = 0 nearest to x: x − (w·x + b)/‖w‖² · w.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The point to project.
    w : array-like of shape (n_features,)
        The normal vector of the hyperplane.
    b : float, default=0.0
        The offset (intercept) of the hyperplane.

    Returns
    -------
    ndarray of shape (n_features,)
        The projection of `x`.

    Raises
    ------
    BadInput
        If `w` is zero, or the vectors differ in length.

    Examples
    --------
    >>> project([3, 2], w=[2, 3], b=-6)
    array([2.07692308, 0.61538462])
    """
    x, w = _pair(x, w)
    return x - signed_distance(x, w, b) * _unit("w", w)


def signed_distance(x: ArrayLike, w: ArrayLike, b: float = 0.0) -> float:
    """Return (w·x + b)/‖w‖, the distance to a hyperplane, positive on the side that w points to.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The point.
    w : array-like of shape (n_features,)
        The normal vector of the hyperplane.
    b : float, default=0.0
        The offset (intercept) of the hyperplane.

    Returns
    -------
    float
        The signed distance.

    Raises
    ------
    BadInput
        If `w` is zero, or the vectors differ in length.

    Examples
    --------
    >>> signed_distance([3, 4], w=[0, 2], b=-2)
    3.0
    """
    x, w = _pair(x, w)
    largest = np.abs(w).max(initial=0.0)
    if largest == 0.0:
        raise BadInput("w: the zero vector has no direction; give one with a nonzero entry")
    # scale by a power of two, so that nothing overflows and a score of 0 stays 0
    exponent = -math.frexp(largest)[1]
    half, rest = exponent // 2, exponent - exponent // 2
    w = np.ldexp(np.ldexp(w, half), rest)
    try:
        b = math.ldexp(math.ldexp(b, half), rest)
    except OverflowError:  # w is so short that the distance exceeds the range of doubles
        b = math.copysign(math.inf, b)
    return (float(x @ w) + b) / l2_norm(w)


def distance(x: ArrayLike, w: ArrayLike, b: float = 0.0) -> float:
    """Return the distance from x to the hyperplane w·x + b = 0: |w·x + b|/‖w‖.

    Parameters
    ----------
    x : array-like of shape (n_features,)
        The point.
    w : array-like of shape (n_features,)
        The normal vector of the hyperplane.
    b : float, default=0.0
        The offset (intercept) of the hyperplane.

    Returns
    -------
    float
        The distance.

    Raises
    ------
    BadInput
        If `w` is zero, or the vectors differ in length.

    Examples
    --------
    >>> distance([0, 0], w=[3, 4], b=-10)
    2.0
    """
    return abs(signed_distance(x, w, b))


def most_mistakes(radius: float, margin: float, along: float = 0.0, start_squared: float = 0.0) -> float:
    """Return the perceptron's mistake bound from a radius and a margin.

    The bound is the largest t with t·margin + along ≤ √(start_squared + t·radius²). From w₀ = 0 it is
    (radius/margin)².

    Parameters
    ----------
    radius : float
        The largest norm of an example.
    margin : float
        The margin γ of a separator w* of length 1.
    along : float, default=0.0
        The product w₀·w*, if the run starts at w₀ ≠ 0.
    start_squared : float, default=0.0
        The squared norm ‖w₀‖².

    Returns
    -------
    float
        The bound; infinite if the margin is not positive.

    References
    ----------
    Novikoff, "On convergence proofs on perceptrons" (1962).

    Examples
    --------
    >>> most_mistakes(radius=2.0, margin=0.5)
    16.0
    """
    if margin <= 0.0:
        return math.inf
    # squared: margin²·t² − 2·half·t − rest ≤ 0; divided by margin², so that small margins do not underflow
    ratio = radius / margin
    half = ratio * ratio / 2 - along / margin
    rest = math.sqrt(max(0.0, start_squared - along * along)) / margin
    root = math.hypot(half, rest)
    # for half < 0 the sum would cancel
    most = half + root if half >= 0.0 else rest * (rest / (root - half))
    return math.inf if math.isnan(most) else most


def _vector(name: str, x: ArrayLike) -> Vector:
    vector = np.asarray(x, dtype=np.float64)
    if vector.ndim != 1:
        raise BadInput(f"{name}: expected one vector, got an array of shape {vector.shape}")
    return vector


def _pair(x: ArrayLike, z: ArrayLike) -> tuple[Vector, Vector]:
    first, second = _vector("first vector", x), _vector("second vector", z)
    if first.size != second.size:
        raise BadInput(
            f"vectors of different length: {first.size} and {second.size} numbers; "
            "both must live in the same space"
        )
    return first, second


def _unit(name: str, v: Vector) -> Vector:
    largest = np.abs(v).max(initial=0.0)
    if largest == 0.0:
        raise BadInput(f"{name}: the zero vector has no direction; give one with a nonzero entry")
    scaled = v / largest
    return scaled / l2_norm(scaled)
