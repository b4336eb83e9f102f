"""Boxes and balls: total probability and Bayes' rule in exact fractions, with all steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.course.foundations.bayes import Boxes, Working
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.sentence_numbers import fraction_text, number_text
from rosenblatt.errors import BadInput

COLOURS = ("red", "green", "blue")
MOST_BOXES, MOST_BALLS, MOST_DRAWN = 4, 99, 12


def boxes_and_balls(state: State) -> Answer:
    """Return the exact posterior of the boxes after the draws."""
    contents, picks = _contents(state), _picks(state)
    names = [f"box {number + 1}" for number in range(len(contents))]
    filled: dict[Any, Any] = dict(zip(names, contents, strict=True))
    boxes = Boxes(
        filled, {name: Fraction(pick, sum(picks)) for name, pick in zip(names, picks, strict=True)}
    )
    drawn, replacement = _balls_taken(state), state.flag("replacement")
    numbers: dict[str, Any] = {
        "joint": {f"{box}, {colour}": str(share) for (box, colour), share in boxes.joint().items()},
        "marginals": {colour: str(boxes.marginal(colour)) for colour in COLOURS},
    }
    picture: dict[str, Any] = {"topic": "boxes", "next": _next(state, boxes, len(drawn), replacement)}
    sentences = ["Nothing has been drawn. Each box has its prior probability."]
    if drawn:
        working = boxes.working(*drawn, replacement=replacement)
        numbers["total"] = str(working.total)
        numbers["posterior"] = {str(step.box): str(step.posterior) for step in working.steps}
        sentences = _sentences(working)
        picture["steps"] = [
            [
                str(step.box),
                *map(fraction_text, (step.prior, step.likelihood, step.product, step.posterior)),
            ]
            for step in working.steps
        ]
    picture["after_draws"] = [
        [float(share) for share in _shares(boxes, drawn[:n], replacement)] for n in range(len(drawn) + 1)
    ]
    return Answer(numbers, _python(boxes, drawn, replacement), tuple(sentences), picture)


def _contents(state: State) -> list[dict[str, int]]:
    rows = state.values["counts"]
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_BOXES:
        raise BadInput(f"counts: expected a list of 1 to {MOST_BOXES} boxes")
    if any(not isinstance(row, list) or len(row) != len(COLOURS) for row in rows):
        raise BadInput(
            f"counts: expected {len(COLOURS)} numbers of balls for each box: {', '.join(COLOURS)}"
        )
    numbers = [State({"balls": row}, {}).numbers("balls", len(COLOURS)) for row in rows]
    for box, row in enumerate(numbers, start=1):
        for colour, count in zip(COLOURS, row, strict=True):
            if count != int(count) or not 0 <= count <= MOST_BALLS:
                raise BadInput(f"counts: {count:g} {colour} balls in box {box}; expected 0 to {MOST_BALLS}")
        if not any(row):
            raise BadInput(f"counts: box {box} is empty; put a ball into it")
    return [{colour: int(count) for colour, count in zip(COLOURS, row, strict=True)} for row in numbers]


def _picks(state: State) -> list[int]:
    """Return the relative frequency with which each box is chosen."""
    picks, n_boxes = state.numbers("picks", MOST_BOXES), len(state.values["counts"])
    if len(picks) != n_boxes:
        raise BadInput(f"picks: {len(picks)} numbers for {n_boxes} boxes; give one for each")
    if any(pick != int(pick) or not 0 <= pick <= MOST_BALLS for pick in picks) or not any(picks):
        raise BadInput(f"picks: expected whole numbers from 0 to {MOST_BALLS}, not all of them 0")
    return [int(pick) for pick in picks]


def _balls_taken(state: State) -> list[str]:
    drawn = state.values["drawn"]
    if not isinstance(drawn, list) or len(drawn) > MOST_DRAWN:
        raise BadInput(
            f"drawn: expected a list of at most {MOST_DRAWN} colours; put the balls back and begin again"
        )
    for colour in drawn:
        if colour not in COLOURS:
            raise BadInput(f"drawn: expected {', '.join(COLOURS)}, got {str(colour)[:20]!r}")
    return list(drawn)


def _shares(boxes: Boxes, drawn: list[str], replacement: bool) -> list[Fraction]:
    """Return the probability of each box given the draws so far."""
    shares = boxes.posterior(*drawn, replacement=replacement) if drawn else boxes.prior
    return list(shares.values())


def _next(state: State, boxes: Boxes, n_drawn: int, replacement: bool) -> str | None:
    """Return the next ball from the box that the seed determines, or None if the box is empty."""
    rng = np.random.default_rng(state.whole("seed", 0, 999))
    prior = [float(share) for share in boxes.prior.values()]
    box = list(boxes.contents.values())[int(rng.choice(len(prior), p=prior))]
    balls = [str(colour) for colour, count in box.items() for _ in range(count)]
    if replacement:
        return str(rng.choice(balls, MOST_DRAWN)[n_drawn]) if n_drawn < MOST_DRAWN else None
    return str(rng.permutation(balls)[n_drawn]) if n_drawn < min(MOST_DRAWN, len(balls)) else None


def _sentences(working: Working) -> list[str]:
    seen = (
        ", ".join(map(str, working.drawn))
        if len(working.drawn) <= 4
        else f"these {len(working.drawn)} balls"
    )
    sums = " + ".join(f"{step.likelihood}·{step.prior}" for step in working.steps)
    likeliest = max(working.steps, key=lambda step: step.posterior)
    product, total, posterior = map(fraction_text, (likeliest.product, working.total, likeliest.posterior))
    is_whole = likeliest.posterior.denominator == 1
    about = "" if is_whole else f", about {number_text(float(likeliest.posterior), 3)}"
    return [
        f"By total probability P({seen}) = {sums + ' = ' if len(sums) < 90 else ''}{total}.",
        f"By Bayes' rule P({likeliest.box} | {seen}) = {product} : {total} = {posterior}"
        f"{about}; before the draw it was {likeliest.prior}.",
    ]


def _python(boxes: Boxes, drawn: list[str], replacement: bool) -> str:
    rows = [f'    "{name}": {_dict_text(balls)},' for name, balls in boxes.contents.items()]
    prior = _dict_text({name: str(share) for name, share in boxes.prior.items()})
    lines = [
        "from rosenblatt.course.foundations import Boxes",
        "",
        "contents = {",
        *rows,
        "}",
        f"boxes = Boxes(contents, prior={prior})",
        'joint = {f"{box}, {colour}": str(share) for (box, colour), share in boxes.joint().items()}',
        "marginals = {colour: str(boxes.marginal(colour)) for colour in boxes.colours}",
    ]
    if drawn:
        colours = ", ".join(f'"{colour}"' for colour in drawn)
        lines += [
            f"working = boxes.working({colours}, replacement={replacement})",
            "total = str(working.total)",
            "posterior = {str(step.box): str(step.posterior) for step in working.steps}",
            "print(working)",
        ]
    return "\n".join([*lines, "print(boxes)"])


def _dict_text(values: dict[Any, Any]) -> str:
    inside = ", ".join(f'"{name}": {value!r}'.replace("'", '"') for name, value in values.items())
    return f"{{{inside}}}"
