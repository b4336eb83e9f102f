"""Tables and numbers of README and docs, from results.json: ``python -m benchmarks.tables`` writes them.

``python -m benchmarks.tables NAME`` prints one table.

A table stands between ``<!-- results: NAME -->`` and ``<!-- end of results -->``; NAME is a name in TABLES
or the first part of a key of results.json. A number in a sentence has its key directly behind it, as in
``13.2 %<!-- =own_files/20newsgroups/rosenblatt/error -->``. A number that is not that of its key is written
with as many digits as before; the words around it may then need another look.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np

from benchmarks import ratios
from benchmarks.results import ROOT, Measured, Results

TABLE = re.compile(r"(<!-- results: ([\w.-]+) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)
NUMBER = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<unit>[^\d<>|\n]{0,24}?)<!-- =(?P<key>\S+) -->")
KEY = re.compile(r"<!-- =(\S+) -->")
CODE = re.compile(r"```.*?```|`(?:[^`\n]|\n(?!\n))+`", re.DOTALL)
SCALES = {  # what a text may write, in the units of results.json
    "s": {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0},
    "MB": {"MB": 1.0, "GB": 1e3},
    "/s": {"/s": 1.0, "a second": 1.0, "M/s": 1e6},
}


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


# ---------------------------------------------------------------- numbers in sentences


def wrong_numbers(text: str, results: Results) -> list[str]:
    """Return a sentence for each marked number outside code that is not the figure of its key."""
    text = CODE.sub("``", text)
    found = [problem for match in NUMBER.finditer(text) if (problem := _wrong(match, results))]
    if stray := len(KEY.findall(text)) - len(NUMBER.findall(text)):
        keys = set(KEY.findall(text)) - {match["key"] for match in NUMBER.finditer(text)}
        found.append(f"{stray} marker(s) without a number directly before them: {', '.join(sorted(keys))}")
    return found


def _wrong(match: re.Match[str], results: Results) -> str:
    number, unit, key = match["number"], match["unit"].strip(" \u00a0*`"), match["key"]
    if (found := _figure(match, results)) is None:
        return f"{key}: no such figure in results.json"
    value, scale, of = found
    shown = Decimal(number.replace(",", ""))
    apart = abs(float(shown) * scale - value)
    if apart > (0.5001 * _last_digit(number)) * scale:
        return f"{key}: the text has {number} {unit}, results.json {value:g} {of}"
    return ""


def _figure(match: re.Match[str], results: Results) -> tuple[float, float, str] | None:
    """Return the value of a marked number, the scale of the unit in the text, and the unit of the value."""
    name, _, end = match["key"].partition("@")
    figure = results.figures.get(name)
    value = getattr(figure, end or "value", None)  # @low and @high: the ends of a range
    if figure is None or value is None:
        return None
    unit = match["unit"].strip(" \u00a0*`")
    return float(value), SCALES.get(figure.unit, {}).get(unit, 1.0), figure.unit


def with_numbers(text: str, results: Results) -> str:
    """Return the text with each wrong marked number replaced by the figure of its key.

    The number keeps its decimals. Code, which may show how a number is marked, is left unchanged.
    """
    code = [match.span() for match in CODE.finditer(text)]

    def renew(match: re.Match[str]) -> str:
        found = _figure(match, results)
        is_code = any(begin <= match.start() < end for begin, end in code)
        if is_code or found is None or not _wrong(match, results):
            return match[0]
        decimals = len(match["number"].partition(".")[2])
        return f"{found[0] / found[1]:,.{decimals}f}{match[0][len(match['number']) :]}"

    return NUMBER.sub(renew, text)


def _last_digit(number: str) -> float:
    """Return the unit of the last digit shown: 0.1 in 13.2, 100 in 3,400, but 1 in 20."""
    whole, _, decimals = number.replace(",", "").partition(".")
    if decimals:
        return 10.0 ** -len(decimals)
    zeros = len(whole) - len(whole.rstrip("0"))
    return 10.0 ** max(0, min(zeros, len(whole) - 2))


# ---------------------------------------------------------------- tables


def with_tables(text: str, results: Results) -> str:
    """Return the text with each table between markers as results.json has it."""
    return TABLE.sub(lambda match: match[1] + table(match[2], results) + match[4], text)


def table(name: str, results: Results) -> str:
    make = TABLES.get(name)
    return make(results) if make else comparison(name, results)


def comparison(name: str, results: Results) -> str:
    """Return one row for each job of a benchmark: our figure, the peer's and the ratio."""
    rows = []
    for key, ratio in results.figures.items():
        job, _, last = key.rpartition("/")
        if last == "ratio" and job.startswith(f"{name}/"):
            ours, peer = (results.figures.get(f"{job}/{side}") for side in ("ours", "peer"))
            cells = [ratio.job, shown(ours) if ours else "", "", ""]
            if peer and ratio.beside != "aim":
                cells[2:] = [f"{ratio.against or ratio.beside} {shown(peer)}", times(ratio)]
            rows.append(f"| {' | '.join(cells)} |")
    if not rows:
        raise SystemExit(f"{name}: results.json has no figures of this name")
    return "\n".join(["| job | ours | compared with | ratio |", "|---|---|---|---|", *rows, ""])


def shown(figure: Measured) -> str:
    """Return the value, or the range, with three digits and its unit."""
    scale, unit = 1.0, figure.unit
    if unit == "s" and figure.value < 1:
        scale, unit = (1e3, "ms") if figure.value >= 1e-3 else (1e6, "µs")
    if unit == "/s" and figure.value >= 1e6:
        scale, unit = 1e-6, "M/s"
    return _range(figure, scale, 3) + ("" if unit.startswith("/") or not unit else " ") + unit


def times(ratio: Measured) -> str:
    return f"{_range(ratio, 1.0, 2)} ×"


def _range(figure: Measured, scale: float, digits: int) -> str:
    ends = (figure.value,) if figure.low is None else (figure.low, figure.high)
    return "–".join(_digits(end * scale, digits) for end in ends)


def _digits(value: float, digits: int) -> str:
    """
    >>> _digits(3437.4, 3), _digits(13.247, 3), _digits(5.96, 2), _digits(0.5, 3)
    ('3,437', '13.2', '6', '0.5')
    """
    places = max(0, digits - 1 - math.floor(math.log10(abs(value) or 1.0)))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


# ---------------------------------------------------------------- errors on users' files

OUTCOMES = ("better", "equal", "worse")
PEERS = {"scikit-learn": "scikit-learn", "vowpal_wabbit": "Vowpal Wabbit", "lightgbm": "LightGBM"}
LEARNERS = {"rosenblatt": "`rosenblatt fit`", "thorough": "`--effort thorough`", **PEERS}


def learners_of(results: Results) -> dict[str, str]:
    """Return the learners whose errors are known, with their names in tables."""
    known = {
        key.split("/")[2] for key in results.figures if re.fullmatch(r"own_files/[^/]+/[^/]+/error", key)
    }
    return {who: label for who, label in LEARNERS.items() if who in known}


def sets_of(results: Results) -> list[str]:
    """Return the names of the sets that every learner's errors are known of."""
    return [key.split("/")[1] for key in results.figures if key.endswith("/rosenblatt/error")]


def outcome(results: Results, name: str, peer: str) -> str:
    """Return "better" or "worse" where the errors differ by two standard errors, else "equal"."""
    here, there = (results.figures.get(f"own_files/{name}/{who}/error") for who in ("rosenblatt", peer))
    if here is None or there is None:
        return ""
    apart = there.value - here.value
    if abs(apart) <= 2 * math.hypot(here.standard_error or 0.0, there.standard_error or 0.0):
        return "equal"
    return "better" if apart > 0 else "worse"


def tally(results: Results) -> dict[str, Measured]:
    """Count sets on which we are better than a peer, equal and worse."""
    found = {}
    for peer in PEERS:
        outcomes = [outcome(results, name, peer) for name in sets_of(results)]
        for what in OUTCOMES:
            found[f"own_files_tally/{peer}/{what}"] = Measured(outcomes.count(what), "sets")
        found[f"own_files_tally/{peer}/sets"] = Measured(len(outcomes) - outcomes.count(""), "sets")
    gains = []
    at_or_below = 0
    for name in sets_of(results):
        ours, linear, other, trees = (
            results.figures.get(f"own_files/{name}/{who}/error") for who in ("rosenblatt", *PEERS)
        )
        if ours and linear and other:
            at_or_below += ours.value <= min(linear.value, other.value)
        if ours and linear and trees and trees.value < linear.value:
            gains.append((linear.value - ours.value) / (linear.value - trees.value))
    found["own_files_tally/at_or_below"] = Measured(at_or_below, "sets")
    if gains:  # of the way from logistic regression to gradient-boosted trees
        found["own_files_tally/median_gain"] = Measured(100 * float(np.median(gains)), "%", n=len(gains))
    return found


def own_files(results: Results) -> str:
    """Return the error of each learner on each file, the lowest in bold."""
    learners = learners_of(results)
    rows = ["| file | rows held out | " + " | ".join(learners.values()) + " | better than | worse than |"]
    rows += ["|---" * (len(learners) + 4) + "|"]
    for name in sets_of(results):
        errors = {who: results.figures.get(f"own_files/{name}/{who}/error") for who in learners}
        least = min(error.value for error in errors.values() if error)
        cells = [_error(error, least) for error in errors.values()]
        verdicts = [
            ", ".join(label for peer, label in PEERS.items() if outcome(results, name, peer) == what)
            for what in ("better", "worse")
        ]
        held = f"{errors['rosenblatt'].n:,}"  # type: ignore[union-attr]
        rows.append(f"| {' | '.join([name, held, *cells, *verdicts])} |")
    return "\n".join([*rows, ""])


def _error(error: Measured | None, least: float) -> str:
    if error is None:
        return ""
    text = f"{error.value:.2f} ± {error.standard_error:.2f}"
    return f"**{text}**" if error.value == least else text


def own_files_auc(results: Results) -> str:
    """Return the area under the ROC curve for files with two classes."""
    learners = learners_of(results)
    rows = ["| file | " + " | ".join(learners.values()) + " |", "|---" * (len(learners) + 1) + "|"]
    for name in sets_of(results):
        found = [results.figures.get(f"own_files/{name}/{who}/auc") for who in learners]
        if found[0]:
            rows.append(
                f"| {name} | " + " | ".join(f"{each.value:.4f}" if each else "" for each in found) + " |"
            )
    return "\n".join([*rows, ""])


def own_files_cost(results: Results) -> str:
    """Return CPU seconds and memory of each process, ours, and the peers' as multiples of it."""
    head = [f"{label}, {what}" for label in PEERS.values() for what in ("time", "memory")]
    rows = ["| file | ours, CPU time | memory | " + " | ".join(head) + " |", "|---" * (len(head) + 3) + "|"]
    for name in sets_of(results):
        ours = {
            what: results.figures.get(f"own_files/{name}/rosenblatt/{what}") for what in ("cpu", "memory")
        }
        cells = []
        for peer in PEERS:
            for what, mine in ours.items():
                other = results.figures.get(f"own_files/{name}/{peer}/{what}")
                cells.append(times(Measured(other.value / mine.value)) if mine and other else "")
        rows.append(
            f"| {' | '.join([name, *(shown(each) if each else '' for each in ours.values()), *cells])} |"
        )
    return "\n".join([*rows, ""])


def own_files_tally(results: Results) -> str:
    rows = ["| `rosenblatt fit` is | better | equal | worse |", "|---|---|---|---|"]
    for peer, label in PEERS.items():
        counts = [results.figures[f"own_files_tally/{peer}/{what}"].value for what in OUTCOMES]
        rows.append(f"| than {label} | " + " | ".join(f"{count:g}" for count in counts) + " |")
    return "\n".join([*rows, ""])


def drift(results: Results) -> str:
    """Return the share of wrong answers on each stream, the best mean first."""
    streams = ("abrupt", "gradual", "electricity", "weather", "mean")
    means = {key: each for key, each in results.figures.items() if re.fullmatch("drift/.*/mean", key)}
    rows = [f"| rule | {' | '.join(streams)} |", "|---" * (len(streams) + 1) + "|"]
    for key, mean in sorted(means.items(), key=lambda item: item[1].value):
        errors = (results.figures[key.removesuffix("mean") + stream].value for stream in streams)
        rows.append(f"| {mean.job} | " + " | ".join(f"{error:.1f}" for error in errors) + " |")
    return "\n".join([*rows, ""])


def first_passes(results: Results) -> str:
    """Return the error of each rule on each set after one pass and after five."""
    pattern = re.compile(r"first_passes/([^/]+)/([^/]+)/1")
    found = [match for key in results.figures if (match := pattern.fullmatch(key))]
    sets = list(dict.fromkeys(match[1] for match in found))
    rows = [f"| rule | {' | '.join(sets)} |", "|---" * (len(sets) + 1) + "|"]
    for rule in dict.fromkeys(match[2] for match in found):
        cells = [results.figures[f"first_passes/{sets[0]}/{rule}/1"].job]
        numbers = (1,) if "batch" in cells[0] else (1, 5)
        for name in sets:
            pair = [results.figures[f"first_passes/{name}/{rule}/{passes}"].value for passes in numbers]
            cells.append(" / ".join(f"{error:.2f}" for error in pair))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def halfspaces(results: Results) -> str:
    """Return seconds, and the margin found as a share of the largest, for three ways to a halfspace."""
    ways = {"lp": "linear program", "perceptron": "perceptron", "separate": "`separate`"}
    rows = [f"| n × d, margin | {' | '.join(ways.values())} |", "|---" * (len(ways) + 1) + "|"]
    for key, first in results.figures.items():
        if re.fullmatch("halfspaces/.*/lp/seconds", key):
            job, cells = key.removesuffix("/lp/seconds"), [first.job]
            for way in ways:
                taken, share = (results.figures[f"{job}/{way}/{what}"] for what in ("seconds", "margin"))
                cells.append(f"{shown(taken)}, {share.value:.3g} %")
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def kernel_budgets(results: Results) -> str:
    """Return the error on ijcnn1 by budget and number of support rows: averaged weights (last)."""
    pattern = re.compile(r"kernel_sets/ijcnn1/(\w+)/(\d+)/averaged")
    found = [match for key in results.figures if (match := pattern.fullmatch(key))]
    sizes = sorted({int(match[2]) for match in found})
    rows = [f"| budget | {' | '.join(f'{size:,}' for size in sizes)} |", "|---" * (len(sizes) + 1) + "|"]
    for name in dict.fromkeys(match[1] for match in found):
        cells = []
        for size in sizes:
            key = f"kernel_sets/ijcnn1/{name}/{size}"
            pair = [results.figures.get(f"{key}/{keep}") for keep in ("averaged", "last")]
            cells.append(
                "{:.1f} ({:.1f})".format(*(each.value for each in pair if each)) if pair[0] else ""
            )
        rows.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join([*rows, ""])


def speeds(results: Results) -> str:
    """Return the jobs of the picture: our figure, the peer's, their ratio and the machine."""
    rows, machines = ["| job | ours | compared with | ratio | machine |", "|---|---|---|---|---|"], []
    found = {key.removesuffix("/ratio"): each for key, each in results.figures.items() if each.against}
    for job, ratio in sorted(found.items(), key=lambda item: item[1].value):
        if job not in ratios.WORDS and ratio.value >= 1.0:
            continue
        ours, peer = (results.figures.get(f"{job}/{side}") for side in ("ours", "peer"))
        machine = results.runs[ratio.run]["machine"]
        machines += [machine] * (machine not in machines)
        cells = [shown(each) if each else "" for each in (ours, peer)]
        name = f"{ratio.against} {cells[1]}".strip()
        rows.append(
            f"| {ratio.job} | {cells[0]} | {name} | {times(ratio)} | {machines.index(machine) + 1} |"
        )
    notes = [f"Machine {number}: {machine}." for number, machine in enumerate(machines, 1)]
    return "\n".join([*rows, "", *notes, ""])


def alone(prefix: str) -> Callable[[Results], str]:
    """Return a table of figures that have no peer: each with its job in words."""

    def make(results: Results) -> str:
        rows = ["| job | figure |", "|---|---|"]
        for key, figure in results.figures.items():
            if key.startswith(f"{prefix}/") and figure.job and not key.endswith("/ratio"):
                rows.append(f"| {figure.job} | {shown(figure)} |")
        return "\n".join([*rows, ""])

    return make


def label_suspects(results: Results) -> str:
    """Return the precision of both rankings of suspects for each set and part of replaced labels."""
    lines = [
        "| set | replaced | first 1 % | | first 5 % | | as many as replaced | | CPU time | |",
        "|---|---|---|---|---|---|---|---|---|---|",
        "| | | ours | cleanlab | ours | cleanlab | ours | cleanlab | ours | cleanlab |",
    ]
    runs = dict.fromkeys(
        tuple(key.split("/")[1:3]) for key in results.figures if key.startswith("label_suspects/")
    )
    for name, part in runs:
        cells = [name, f"{part} %"]
        for what in ("first-1", "first-5", "planted", "cpu"):
            for side in ("rosenblatt", "cleanlab"):
                figure = results.figures[f"label_suspects/{name}/{part}/{side}/{what}"]
                cells.append(f"{figure.value:.{2 if what == 'cpu' else 1}f} {figure.unit}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


TABLES: dict[str, Callable[[Results], str]] = {
    **{
        table.__name__: table
        for table in (
            *(own_files, own_files_auc, own_files_cost, own_files_tally),
            *(drift, first_passes, halfspaces, kernel_budgets, label_suspects, speeds),
        )
    },
    **{prefix: alone(prefix) for prefix in ("gpu", "pages")},
}


def main(check: bool) -> None:
    results, problems = Results.load(), []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        name, new = page.relative_to(ROOT), with_tables(text, results)
        new = new if check else with_numbers(new, results)
        problems += [f"{name}: {problem}" for problem in wrong_numbers(new, results)]
        if new != text:
            problems += [f"{name}: a table differs from results.json"] * check
            if not check:
                page.write_text(new, encoding="utf-8")
                print(f"{name}: tables and numbers written")
    if problems:
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    if names := [word for word in sys.argv[1:] if word != "--check"]:
        print("\n".join(table(name, Results.load()) for name in names))
    else:
        main(check="--check" in sys.argv[1:])
