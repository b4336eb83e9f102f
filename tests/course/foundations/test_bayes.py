"""Boxes and balls in exact fractions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.course.foundations import Boxes, bayes_rule, total_probability
from rosenblatt.course.foundations.bayes import as_fraction
from rosenblatt.errors import BadInput

counts = st.fixed_dictionaries(
    {"red": st.integers(0, 4), "green": st.integers(0, 4), "blue": st.integers(0, 2)}
)
contents = st.dictionaries(
    st.sampled_from("ABC"), counts.filter(lambda balls: any(balls.values())), min_size=1
)


@st.composite
def random_boxes(draw) -> Boxes:
    boxes = draw(contents)
    shares = {box: draw(st.integers(1, 5)) for box in boxes}
    return Boxes(boxes, prior={box: Fraction(share, sum(shares.values())) for box, share in shares.items()})


def by_listing(boxes: Boxes, drawn: tuple[str, ...], replacement: bool) -> dict[str, Fraction]:
    """P(box, drawn) by listing every way to draw balls that are all told apart."""
    found = {}
    for box, balls in boxes.contents.items():
        each = [colour for colour, count in balls.items() for _ in range(count)]
        numbered = list(enumerate(each))
        draw = product(numbered, repeat=len(drawn)) if replacement else permutations(numbered, len(drawn))
        ways = [tuple(colour for _, colour in way) for way in draw]
        found[box] = boxes.prior[box] * (Fraction(ways.count(drawn), len(ways)) if ways else 0)
    return found


@given(
    random_boxes(),
    st.lists(st.sampled_from(["red", "green", "blue"]), min_size=1, max_size=3),
    st.booleans(),
)
def test_all_probabilities_equal_those_of_listing_every_way_to_draw(boxes, drawn, replacement):
    joint = by_listing(boxes, tuple(drawn), replacement)
    total = sum(joint.values())
    assert boxes.marginal(*drawn, replacement=replacement) == total
    if total:
        posterior = {box: part / total for box, part in joint.items()}
        assert boxes.posterior(*drawn, replacement=replacement) == posterior
        assert sum(posterior.values()) == 1
    else:
        with pytest.raises(BadInput, match="cannot come out of these boxes"):
            boxes.posterior(*drawn, replacement=replacement)


@given(random_boxes())
def test_the_joint_table_adds_up_to_1_and_its_sums_are_prior_and_marginals(boxes):
    joint = boxes.joint()
    assert sum(joint.values()) == 1
    for box in boxes.contents:
        assert sum(joint[box, colour] for colour in boxes.colours) == boxes.prior[box]
    for colour in boxes.colours:
        assert sum(joint[box, colour] for box in boxes.contents) == boxes.marginal(colour)


# ---------------------------------------------------------------- plain functions and fractions


@given(st.lists(st.tuples(st.integers(1, 9), st.fractions(0, 1)), min_size=1, max_size=5))
def test_bayes_rule_times_the_total_is_prior_times_likelihood(cases):
    whole = sum(share for share, _ in cases)
    prior = {k: Fraction(share, whole) for k, (share, _) in enumerate(cases)}
    likelihood = {k: p for k, (_, p) in enumerate(cases)}
    total = total_probability(prior, likelihood)
    assume(total)
    posterior = bayes_rule(prior, likelihood)
    assert sum(posterior.values()) == 1
    assert all(posterior[k] * total == prior[k] * likelihood[k] for k in prior)


@given(st.decimals(0, 1, places=6))
def test_a_float_counts_as_the_decimal_it_is_printed_as(number):
    assert as_fraction(float(number)) == as_fraction(number) == as_fraction(str(number)) == Fraction(number)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Boxes({}), "contents: expected for each box"),
        (lambda: Boxes({1: {}}), "box 1: expected how many balls it has of each colour, at least one"),
        (lambda: Boxes({1: {"red": 1}, 2: {"red": 1}}, prior={1: 1}), "for each of the boxes \\[1, 2\\]"),
        (lambda: Boxes({1: {"red": 1}}, prior={1: "1/2"}), "the probabilities add up to 1/2, expected 1"),
        (lambda: Boxes({1: {"red": 1}}, prior={1: 1.5}), "prior of 1: expected a probability, from 0 to 1"),
        (lambda: Boxes({1: {"red": 1}}).posterior("blue"), "drawn: got 'blue', expected one of 'red'"),
        (lambda: Boxes({1: {"red": 1}}).posterior(), "drawn: nothing was drawn"),
        (lambda: Boxes({1: {"red": 1}}).likelihood(2, "red"), "box: got 2, expected one of '1'"),
        (
            lambda: Boxes({1: {"red": 1}}).posterior("red", "red", replacement=False),
            "red, red cannot come out of these boxes",
        ),
        (lambda: Boxes({1: {"red": 1}}).marginal("red", replacement="no"), "replacement: expected True"),
        (lambda: as_fraction("two"), "probability: expected a fraction"),
        (lambda: as_fraction(float("nan")), "probability: expected a fraction"),
        (
            lambda: total_probability({1: 1}, {2: 1}),
            "likelihood: expected a probability for each of \\[1\\]",
        ),
        (lambda: bayes_rule({1: 1}, {1: 0}), "probability 0 in every possible case"),
        (lambda: bayes_rule({1: 0.3333, 2: 0.6666}, {1: 1, 2: 1}), 'exact as text: "1/3"'),
    ],
)
def test_an_invalid_value_is_refused_with_a_message(make, message):
    with pytest.raises(BadInput, match=message):
        make()


@pytest.mark.parametrize("value", ["1e-10000000", "2E+4000", Decimal("1e-99999")])
def test_an_absurd_power_of_ten_is_refused_at_once(value):
    with pytest.raises(BadInput, match="at most three digits"):
        as_fraction(value)
