"""The default settings of `rosenblatt fit` and `AutoPerceptron`, and the comparison that adjusts them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rosenblatt.data.sources import options
from rosenblatt.data.sources.options import defaults_of
from rosenblatt.errors import BadInput

if TYPE_CHECKING:
    from rosenblatt.data.sources.row_samples import Effort
    from rosenblatt.models.setting_selection import Selection
    from rosenblatt.training.settings import StreamSettings

ENCODING: dict[str, Any] = defaults_of(options.ENCODING, in_fit=True)
"""The default encoding of columns."""

READING: dict[str, Any] = defaults_of(options.TREATMENT, in_fit=True)
"""The default treatment of columns."""

EFFORTS = ("none", "quick", "thorough")
METRICS = ("error", "balanced", "auc", "f1", "log_loss")

COMPARED = ("leave_out", "numbers", "pairs", "characters", "ngrams", "words", "rule")
"""The options whose values are compared, unless the user gives them."""

MOST_TEXT_FOR_CHARACTERS, TEXT_FOR_CHARACTERS = 3 << 20, 1 << 19
"""effort="quick" compares character n-grams if the texts take at most the first number of bytes, on a
sample that takes at most the second."""

PASSES = {1 << 27: 10, 1 << 29: 3}
"""The default number of passes over sources of at most so many bytes; over larger ones it is 1."""


def has_text(source: Any) -> bool:
    """Return whether a source has a text column."""
    columns = getattr(source, "columns", None)
    return columns is not None and bool(columns.names("text"))


def default_rule(
    has_text: bool, keep: str = "averaged", is_mixed: bool = False, parameters: Iterable[str] = ()
) -> Any:
    """Return the default rule for a table with or without text.

    Without text it is PA-I with C = 0.1, which is among the most accurate rules on tables and sparse rows
    with 2 to 105 classes. For text of unit length it is AROW (docs/features.md), except with keep="voted",
    with weights mixed on a cluster (`is_mixed`), or if the user sets `parameters` that AROW does not have.
    """
    from rosenblatt import rules

    if not has_text:
        return rules.PassiveAggressive1(C=0.1)
    if is_mixed or keep == "voted" or not {*parameters} <= {*rules.Arow._fields}:
        return rules.PassiveAggressive1(C=1.0)
    return rules.Arow(r=1.0)


def passes_over(source: Any) -> int:
    """Return the default number of passes; the more rows there are, the less is gained by repeating."""
    if source.comes_once:
        return 1
    n_bytes = source.n_bytes or 0
    return next((passes for most, passes in PASSES.items() if n_bytes <= most), 1)


def by_classes(settings: StreamSettings, n_classes: int, multiclass: str | None) -> StreamSettings:
    """Return the settings for the given number of classes; `multiclass` is the strategy the user chose.

    With more than two classes, an example updates all classes together (multiclass="ultraconservative"),
    which is usually more accurate, if the rule and the averaging strategy support it.
    """
    from rosenblatt.training.shared_trainer import check_shared

    if multiclass is not None or n_classes == 2:
        return settings
    try:
        check_shared(settings.rule, settings.keep, settings.tie, settings.order)
    except BadInput:
        return settings  # one-vs-rest supports every rule and averaging strategy
    return settings.but(multiclass="ultraconservative")


def select_for(
    source: Any,
    settings: StreamSettings,
    effort: str,
    metric: str,
    seed: int,
    fixed: Collection[str] = (),
    multiclass: str | None = None,
    held_out: float | None = None,
    always: bool = False,
    class_weight: Any = None,
    amount: Effort | None = None,
) -> Selection | None:
    """Return the selection among a few settings for a source, or None if nothing can be compared.

    `settings` are the training settings for two classes. The options in `fixed` ("rule", or fields of
    `Encoding`) are not compared. The fraction `held_out` of the rows takes no part. With `always`, the
    default settings are evaluated if there is nothing to compare them with. `amount` replaces the numbers
    of rows, folds and passes that an effort implies; settings are then compared for any number of rows.
    """
    if effort == "none" or not _can_be_compared(source, held_out):
        return None
    import numpy as np

    from rosenblatt.data.sources.row_samples import EFFORTS as AMOUNTS
    from rosenblatt.data.sources.row_samples import FEWEST_ROWS, sample_rows
    from rosenblatt.training.streams.splitting import places

    def is_for_training(labels: Any, part: int) -> Any:
        return places(labels, seed, part) >= (held_out or 0.0)

    fewest, amount = (FEWEST_ROWS, AMOUNTS[effort]) if amount is None else (0, amount)
    sample = sample_rows(source, amount, is_for_training if held_out else None)
    if len(sample.y) < fewest and not always:
        return None
    from rosenblatt.models.setting_candidates import Candidate, Stages, doubtful_columns
    from rosenblatt.models.setting_selection import select_settings

    fields, is_thorough = source.columns, effort == "thorough"
    first = Candidate(fields.encoding, settings.rule)
    is_short = is_thorough or sample.text_bytes_of_all <= MOST_TEXT_FOR_CHARACTERS
    if not is_thorough and is_short and has_text(source):
        sample = sample.with_less_text(TEXT_FOR_CHARACTERS)
    table, y = sample.table, sample.y
    n_classes = len(np.unique(y))
    doubtful = doubtful_columns(table, fields)
    stages: Any = Stages(fields, fixed, is_thorough, doubtful, is_short, n_classes == 2)
    if len(y) < fewest:
        stages = replace(stages, fixed=COMPARED)
    parameters = {name: getattr(settings, name) for name in ("keep", "offset", "tie", "order")}
    parameters["multiclass"] = by_classes(settings, n_classes, multiclass).multiclass
    if class_weight is not None:
        from rosenblatt.training.streams.class_weights import weights_by_name

        classes, counts = np.unique(y, return_counts=True)
        weights = weights_by_name(class_weight, classes, counts.astype(np.float64))
        parameters["class_weight"] = dict(enumerate(weights.tolist()))
    return select_settings(table, y, first, stages, amount, parameters, metric, seed, always)


def _can_be_compared(source: Any, held_out: float | None) -> bool:
    """Return whether a sample of the rows can be taken and encoded in several ways.

    Standard input can be read only once, and weights of rows are not sampled. If rows may be dropped, the
    held-out rows are not known before the rows are encoded.
    """
    columns = getattr(source, "columns", None)
    if columns is None or source.comes_once or columns.names("weight"):
        return False
    return not (held_out and (getattr(source, "skip_bad", 0) or columns.missing == "drop"))


def use_selection(source: Any, settings: StreamSettings, selection: Selection | None) -> StreamSettings:
    """Apply the chosen encoding to the source, and return the settings with the chosen rule."""
    if selection is None:
        return settings
    fields = source.columns.without(selection.best.left_out)
    source.use_columns(replace(fields, encoding=selection.encoding))
    return settings.but(rule=selection.best.rule)
