"""Why a model of any kind predicts its classes: `explain`, and the page of explanations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from rosenblatt.explanations.kernel_explanations import explain_kernel
from rosenblatt.explanations.row_explanations import Explainer, RowExplanation

STYLE = """:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
section + section { margin-top: 2rem; border-top: 1px solid; }
table { border-collapse: collapse; }
th, td { padding: 0.1rem 0.75rem 0.1rem 0; text-align: left; font-weight: normal; }
thead th { font-weight: bold; }
td, thead th:last-child { text-align: right; font-variant-numeric: tabular-nums; }"""


class Explanations(list[Any]):
    """Hold the explanations of some rows; notebooks show them as HTML."""

    def _repr_html_(self) -> str:
        """Return all explanations as HTML."""
        return "".join(each._repr_html_() for each in self)


def explain(model: Any, X: Any) -> Explanations:
    """Return why a model predicts its classes: the contribution of each feature of each row.

    For a linear model the contributions weight × value, and the offset, sum to the lead of the predicted
    class over the runner-up. For a `KernelPerceptron` they are those of the support vectors.

    Parameters
    ----------
    model : AutoPerceptron, Perceptron, Pipeline, KernelPerceptron or PolynomialThreshold
        A fitted model; a pipeline consists of `Features` and `Perceptron`.
    X : table, array-like, or sequence of str
        The rows, as for `predict`.

    Returns
    -------
    list of RowExplanation or KernelExplanation
        One for each row, with `predicted`, `runner_up`, `margin` and `as_dict()`. For linear models,
        `contributions` lists what each feature adds (`label`, `amount`), and `by_column` the sum of each
        column. `smallest` is the smallest set of features whose removal changes the predicted class.
        `texts` holds each text, split into parts with their contributions. For kernel models, `support`
        lists pairs: a training row, and what it adds.

    Raises
    ------
    BadInput
        If the rows do not have the model's columns, or the model is a committee (keep="voted").

    Examples
    --------
    >>> from rosenblatt import AutoPerceptron
    >>> model = AutoPerceptron().fit(["what a good film", "what a bad film"] * 20, ["+", "-"] * 20)
    >>> (found,) = explain(model, ["a good story"])
    >>> found.predicted, found.contributions[0].label
    ('+', '"a good"')
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted

    from rosenblatt.data.sources.reading import every_row, read
    from rosenblatt.errors import BadInput
    from rosenblatt.models import fit_inputs
    from rosenblatt.models.auto_perceptron import AutoPerceptron
    from rosenblatt.models.kernel_estimator import KernelEstimator
    from rosenblatt.models.perceptron import Perceptron
    from rosenblatt.models.saving import is_features_pipeline, record_of
    from rosenblatt.numeric.row_batches import as_rows

    check_is_fitted(model)
    if isinstance(model, KernelEstimator):
        model.decision_function(X)  # raises the errors of `predict`
        return Explanations(explain_kernel(model, X))
    if isinstance(model, AutoPerceptron):
        source = read(model.table_of(X), like=every_row(model._record.reading or {}), labelled=False)
        return Explanations(_with_classes(Explainer(model._record).source(source), model.classes_))
    if is_features_pipeline(model):
        features, perceptron = model[0], model[-1]
        record = record_of(perceptron)
        record.reading, record.vocabulary = features.fields_.settings(), features.recorded_names_
        if record.vocabulary is None:
            record.feature_names = features.get_feature_names_out().tolist()
        return Explanations(Explainer(record).rows(as_rows(features.transform(X))))
    if not isinstance(model, Perceptron):
        kind = "a pipeline of other steps" if isinstance(model, Pipeline) else f"a {type(model).__name__}"
        raise BadInput(f"model: got {kind}, expected a model of this package")
    if model._target.has_labels:
        raise BadInput("model: it predicts several labels for each row; explain one classifier for each")
    return Explanations(Explainer(record_of(model)).rows(fit_inputs.rows_for(model, X)))


def _with_classes(found: Iterator[RowExplanation], classes: NDArray[Any]) -> Iterator[RowExplanation]:
    """Return the explanations with boolean classes, if the estimator was fitted to them."""
    if classes.dtype.kind != "b":
        return found
    return (replace(each, predicted=bool(each.predicted), runner_up=bool(each.runner_up)) for each in found)


def explanations_page(found: Iterable[Any]) -> str:
    """Return a page with explanations as HTML, in light or dark colours.

    >>> explanations_page([]).splitlines()[0]
    '<!DOCTYPE html>'
    """
    sections = "\n".join(f"<section>{each._repr_html_()}</section>" for each in found)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Explanations: rosenblatt</title><style>{STYLE}</style></head>\n"
        f"<body>\n{sections}\n</body></html>"
    )
