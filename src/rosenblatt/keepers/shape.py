"""The shape of every keeper: which of the weight vectors of a run survive it.

A keeper is a NamedTuple of arrays that the loop writes to, and the hooks it needs of those below, which
the loop calls; a hook that a keeper does not need does nothing. The
loop holds w̃ = scale·v: a rule that shrinks w only changes the scale, so a sparse update stays sparse.
"""

from __future__ import annotations

from rosenblatt.arithmetic.compiling import chosen_by_class, with_default


@with_default
def before_update(keeper, rows, i, delta, factor, offset, scale):
    """v is about to become factor·v + delta·x̃ᵢ (factor is 1 but where v was rescaled or restarted)."""


@with_default
def before_shrink(keeper, scale):
    """The scale is about to change from `scale`."""


@with_default
def before_rescale(keeper, weights):
    """v is about to be multiplied by the scale, to 0 or back into range; then the scale is 1."""


@with_default
def after_quiet(keeper, looks):
    """So many looks have passed without an update. True asks the loop to call `consider`: this vector
    might be better than the one kept, and its errors on all rows decide."""
    return False


@with_default
def answers_first(keeper):
    """Whether each row is answered by what is kept, before it is learned from."""
    return False


@with_default
def value_of_kept(keeper, rows, i, offset, s, scale, quiet):
    """A positive multiple of the value of row i by what is kept, `quiet` looks after the last update; it
    is rounded. s: that of v."""
    return s


@with_default
def take_answer(keeper, mistake, label):
    """The row was answered, wrongly or not."""


@with_default
def errors_to_beat(keeper):
    """The loop stops counting errors there; 0 means that no counting is needed."""
    return 0


@with_default
def consider(keeper, weights, scale, errors):
    """Keep scale·weights if its `errors` on all rows are fewer than those of the vector kept."""


@chosen_by_class
def kept(keeper, weights, scale, examples_seen):
    """The weights (w, b) that the run leaves, as a new array. Called from Python."""


@with_default
def by_feature(keeper):
    """The names of its arrays that have a number for each feature and the offset."""
    return ()


@with_default
def in_the_loop(keeper):
    """The keeper as the loop is given it: two kinds that can go through one loop are compiled once."""
    return keeper


@with_default
def widened(keeper, width):
    """The same keeper for `width` features, offset included; new features start at 0."""
    return keeper
