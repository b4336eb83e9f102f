"""The worked examples of the notes in the lab are those of the package."""

from __future__ import annotations

from typing import Any

from rosenblatt.course.lab.presets import presets_module
from rosenblatt.course.lectures import EXAMPLES, Addition, Line, Run
from tests.course.lab.engine.conftest import ENGINE


def test_the_module_of_presets_is_generated_from_the_lectures() -> None:
    written = (ENGINE / "presets.js").read_text(encoding="utf-8")
    assert written == presets_module(), "run `make presets`"


def test_presets_hold_all_numbers_of_the_lectures(engine: Any) -> None:
    (found,) = engine("presets", [None])
    assert list(found) == list(EXAMPLES)
    for key, example in EXAMPLES.items():
        assert (found[key]["title"], found[key]["slip"]) == (example.title, example.slip)
        assert list(found[key]["parts"]) == list(example.parts)
        for name, part in example.parts.items():
            given = found[key]["parts"][name]
            if isinstance(part, Run):
                assert [tuple(x) for x in given["points"]] == list(part.points)
                assert tuple(given["labels"]) == part.labels
                assert {n: v if isinstance(v, str) else None for n, v in given["settings"].items()} == {
                    n: v if isinstance(v, str) else None for n, v in part.settings.items()
                }
            elif isinstance(part, Line):
                assert (tuple(given["w"]), given["b"]) == (part.w, part.b)
            else:
                assert isinstance(part, Addition)
                assert (tuple(given["theta"]), tuple(given["x"])) == (part.theta, part.x)


def test_runs_of_the_notes_end_as_in_the_package(engine: Any) -> None:
    runs = [
        (example, name, part)
        for example in EXAMPLES.values()
        for name, part in example.parts.items()
        if isinstance(part, Run)
    ]
    cases = [
        {
            "points": [list(x) for x in part.points],
            "labels": list(part.labels),
            "settings": {n: list(v) if isinstance(v, tuple) else v for n, v in part.settings.items()},
        }
        for _, _, part in runs
    ]
    for (example, name, part), found in zip(runs, engine("trace", cases), strict=True):
        steps = part.run()
        assert (found["w"], found["b"]) == (steps.weights.tolist(), steps.offset), (example.key, name)
        assert found["mistakes"] == steps.mistakes
        assert (found["cycle"] and tuple(found["cycle"].values())) == steps.cycle
