"""Every hyperparameter, stated once in `SETTINGS`; checks, errors, files and `--help` use this table.

To add a hyperparameter, write a line here, a parameter in the signatures where it applies, and a paragraph
in their docstrings; a test compares the three. `rosenblatt --help` imports this file, so the file imports
nothing heavy, and repeats the choices of other packages: a test compares these lists with the originals.
Rules are not listed, because `rules.RULES` lists them, and each rule describes itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.errors import BadInput, bad_choice, bad_value, whole_number

PERCEPTRON, KERNEL, POLYNOMIAL = "Perceptron", "KernelPerceptron", "PolynomialThreshold"
LEARNER, STREAM, COMMAND = "Learner", "a stream", "rosenblatt fit"
SERVICE, TRACE = "rosenblatt serve", "rosenblatt trace"
ESTIMATORS = (PERCEPTRON, KERNEL, POLYNOMIAL)
PASSES = (*ESTIMATORS, STREAM, COMMAND)
EVERYWHERE = (*ESTIMATORS, LEARNER, STREAM, COMMAND)
UNSET: Mapping[str, Any] = {"default": None}  # for commands that pass on only values given by the user

TEXT, FLAG, WHOLE, NUMBER, NOTHING = "text", "flag", "whole", "number", "nothing"
RULE, KERNEL_OBJECT, BUDGET = "rule", "kernel", "budget"
ROWS, WEIGHTS, BY_CLASS = "rows", "weights", "by_class"
LEFT_OUT = "left out"  # functions, rows, generators: files do not store them


@dataclass(frozen=True)
class Setting:
    """Describe a hyperparameter: its default, its range, its meaning, and the places where it applies.

    `kinds` lists the types that a model file may store; it is empty if files store the value elsewhere.
    `check` raises an error for an invalid value before training starts; without it, the value is checked
    where an object is built from it, or where the rows are known. `fixed` means that the value must not
    change while training continues. `planned` means that the setting concerns passes over all rows, so
    `partial_fit` does not use it. `instead` describes the alternative for a stream, if streams do not have
    the setting. `unless_given` describes what a command does if the default is None. `but` holds the
    differences between places.
    """

    name: str
    default: Any
    where: tuple[str, ...]
    help: str
    kinds: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    check: Callable[[Setting, Any], None] | None = None
    least: int | None = None
    most: int | None = None
    or_none: bool = False
    fixed: bool = False
    planned: bool = False
    instead: str = ""
    unless_given: str = ""
    but: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def refuse(self, value: Any) -> None:
        """Raise an error that states the expected values if this value is invalid."""
        if self.check is not None and not (value is None and (self.or_none or self.default is None)):
            self.check(self, value)


def among(setting: Setting, value: Any) -> None:
    if not isinstance(value, str) or value not in setting.choices:
        raise bad_choice(
            setting.name, value, (*setting.choices, "None") if setting.or_none else setting.choices
        )


def among_orders_of_streams(setting: Setting, value: Any) -> None:
    try:
        among(setting, value)
    except BadInput as error:
        raise BadInput(f"{error} (other orders need all rows in memory: use Perceptron.fit)") from None


def true_or_false(setting: Setting, value: Any) -> None:
    from numpy import bool_

    if not isinstance(value, (bool, bool_)):
        raise bad_value(setting.name, value, "True or False")


def whole(setting: Setting, value: Any) -> None:
    assert setting.least is not None
    whole_number(setting.name, value, setting.least)


def threads(setting: Setting, value: Any) -> None:
    from rosenblatt.loops.threads import n_threads

    n_threads(value)


OF_A_RECORD = ("last", "averaged", "voted", "random")  # kernels record all updates, so all are available
OF_A_STREAM = {"choices": ("given", "shuffled"), "check": among_orders_of_streams}

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "rule", "rosenblatt", (*EVERYWHERE, SERVICE, TRACE), "Update rule.", (TEXT, RULE), fixed=True,
        but={
            COMMAND: {**UNSET, "unless_given": "arow for text, otherwise passive_aggressive_1 with C=0.1"},
            SERVICE: {**UNSET, "unless_given": "rosenblatt", "help": "Update rule of a new learner."},
            TRACE: {**UNSET, "unless_given": "rosenblatt"},
        },
    ),
    Setting(
        "keep", "last", (*EVERYWHERE, SERVICE, TRACE),
        "Weights of the model: last = after the last step; averaged = mean over all steps; voted = a "
        "vote of all weight vectors; pocket = those with the longest run of correct predictions.",
        (TEXT,), fixed=True, choices=("last", "averaged", "voted", "pocket"), check=among,
        but={
            KERNEL: {"default": "averaged", "choices": OF_A_RECORD, "fixed": False},
            COMMAND: {"default": "averaged"},
            POLYNOMIAL: {"choices": OF_A_RECORD, "fixed": False},
            LEARNER: {"check": None},  # the choices depend on whether there is a kernel
            SERVICE: {**UNSET, "unless_given": "last", "help": "Averaging strategy of a new learner."},
            TRACE: {
                **UNSET,
                "choices": ("last", "averaged"),
                "unless_given": "last",
                "help": "Weights of the model; averaged also prints the sum of the weights of all steps.",
            },
        },
    ),
    Setting(
        "offset", True, (PERCEPTRON, KERNEL, LEARNER, STREAM, COMMAND, TRACE),
        "Learn an offset b (also called bias or intercept).", (FLAG,), fixed=True, check=true_or_false,
        but={
            KERNEL: {"default": False},
            LEARNER: UNSET,  # None: unless there is a kernel
            TRACE: {**UNSET, "unless_given": "offset; none with --kernel; or as in the worked example"},
        },
    ),
    Setting(
        "tie", "mistake", (*EVERYWHERE, TRACE),
        "Treat a score of exactly 0 as a mistake, as negative or as positive.", (TEXT,), fixed=True,
        choices=("mistake", "negative", "positive"), check=among,
        but={TRACE: {**UNSET, "unless_given": "mistake, or as in the worked example"}},
    ),
    Setting(
        "init", "zeros", (PERCEPTRON, LEARNER, STREAM), "Initial weights.", (TEXT, WEIGHTS),
        choices=("zeros", "unit"),
    ),
    Setting("n_features", None, (LEARNER,), "Number of features.", check=whole, least=1),
    Setting(
        "epochs", 10, (*PASSES, TRACE), "Number of passes over the rows.", (WHOLE, NOTHING), planned=True,
        check=whole, least=1, or_none=True,
        but={
            STREAM: {"default": 1},
            COMMAND: {
                **UNSET,
                "unless_given": "10; 3 for files over 128 MB; 1 for files over 512 MB and for pipes",
            },
            TRACE: {
                **UNSET,
                "unless_given": "until a pass without a mistake, or as in the worked example",
            },
        },
    ),
    Setting(
        "until", None, PASSES, "Stop after a pass without a mistake.", (TEXT, NOTHING), planned=True,
        choices=("separated",), check=among, or_none=True,
    ),
    Setting(
        "order", "shuffled", (*PASSES, TRACE), "Order of the rows.", (TEXT, ROWS),
        planned=True, choices=("given", "shuffled", "first_mistake", "worst_mistake"),
        but={
            STREAM: {"default": "given", **OF_A_STREAM},
            COMMAND: OF_A_STREAM,
            TRACE: {
                **UNSET,
                "help": "Order of the rows.",
                "unless_given": "given, or as in the worked example",
            },
        },
    ),
    Setting(
        "kernel", "gaussian", (KERNEL, LEARNER, TRACE), "Kernel.",
        (TEXT, KERNEL_OBJECT, NOTHING), fixed=True,
        choices=("linear", "polynomial", "gaussian", "laplacian"),
        but={
            LEARNER: UNSET,
            TRACE: {
                **UNSET,
                "help": "Run in the feature space of this kernel; w is then a sum over support rows.",
            },
        },
    ),
    Setting(
        "degree", 3, (KERNEL, POLYNOMIAL, TRACE), "Degree of the polynomial.", (WHOLE,), fixed=True,
        least=1, but={POLYNOMIAL: {"default": 2}, TRACE: {**UNSET, "unless_given": "3"}},
    ),
    Setting(
        "gamma", "scale", (KERNEL, TRACE), "Scale factor of the kernel.", (TEXT, WHOLE, NUMBER),
        fixed=True,
        but={TRACE: {**UNSET, "unless_given": "scale", "help": "Scale factor of the kernel, or 'auto'."}},
    ),
    Setting(
        "coef0", 1.0, (KERNEL, POLYNOMIAL, TRACE), "Constant term of the kernel.", (WHOLE, NUMBER),
        fixed=True, least=0, but={TRACE: {**UNSET, "unless_given": "1"}},
    ),
    Setting(
        "way", "auto", (POLYNOMIAL,), "Compute monomials explicitly or by the kernel.", (TEXT,), fixed=True,
        choices=("auto", "map", "kernel"), check=among,
    ),
    Setting(
        "budget", None, (KERNEL, LEARNER), "Most support rows.", (WHOLE, BUDGET, NOTHING), fixed=True
    ),
    Setting("cache_size", "2GB", (KERNEL,), "Memory for kernel values.", (TEXT, WHOLE, NUMBER)),
    Setting(
        "seed", 0, (STREAM, COMMAND, TRACE), "Random seed.", least=0, most=2**32 - 1,
        but={TRACE: {**UNSET, "unless_given": "0"}},
    ),
    Setting(
        "classes", None, (LEARNER, STREAM, COMMAND, SERVICE),
        "All classes, separated by commas [default: the classes in the first rows].",
        but={SERVICE: {"help": "Classes of a new learner, separated by commas."}},
    ),
    Setting(
        "multiclass", "one_vs_rest", (PERCEPTRON, LEARNER, STREAM, COMMAND, SERVICE),
        "Strategy for more than two classes.", (TEXT, NOTHING), fixed=True,
        choices=("one_vs_rest", "ultraconservative"), check=among,
        but={
            LEARNER: UNSET,
            COMMAND: {**UNSET, "unless_given": "ultraconservative if --rule and --keep support it"},
            SERVICE: {
                **UNSET,
                "help": "Strategy for more than two classes, or for classes not known at the start.",
            },
        },
    ),
    Setting(
        "sharing", "worst", (PERCEPTRON, LEARNER, STREAM), "Division of an update among rival classes.",
        (TEXT,), fixed=True, choices=("worst", "uniform", "proportional"), check=among,
    ),
    Setting(
        "class_weight", None, ESTIMATORS, "Weight of each class.", (TEXT, BY_CLASS, NOTHING),
        instead="weights of classes need their counts: give weights in the source instead",
    ),
    Setting(
        "validation", None, ESTIMATORS, "Validation rows, used to choose the best pass.",
        (WHOLE, NUMBER, NOTHING, LEFT_OUT), instead="give rows to hold out as held_out",
    ),
    Setting("callbacks", None, ESTIMATORS, "Called after each pass.", (NOTHING, LEFT_OUT)),
    Setting(
        "warm_start", False, ESTIMATORS, "Continue training where the last fit ended.", (FLAG,),
        instead="a stream starts from the beginning, or from its checkpoint",
    ),
    Setting(
        "allow_new_classes", False, (PERCEPTRON,), "Accept classes that appear later.", (FLAG,), fixed=True,
        check=true_or_false, instead="name all classes",
    ),
    Setting("random_state", None, ESTIMATORS, "Random seed.", (WHOLE, NOTHING, LEFT_OUT)),
    Setting("progress", None, ESTIMATORS, "Show progress.", (FLAG, NOTHING)),
    Setting("track_error", False, (*ESTIMATORS, STREAM), "Record the error after each pass.", (FLAG,)),
    Setting("n_jobs", None, (PERCEPTRON,), "Number of threads.", (WHOLE, NOTHING), check=threads),
    Setting(
        "device", "cpu", (PERCEPTRON, KERNEL), "Device to compute on.", (TEXT,),
        choices=("cpu", "cuda", "auto"), but={KERNEL: {"default": "auto"}},
    ),
)  # fmt: skip


@functools.cache
def settings_of(place: str) -> dict[str, Setting]:
    """Return the settings that apply to a place, by name, each with the values that apply there.

    Examples
    --------
    >>> settings_of(KERNEL)["keep"].default, settings_of(PERCEPTRON)["keep"].default
    ('averaged', 'last')
    """
    here = (setting for setting in SETTINGS if place in setting.where)
    return {setting.name: replace(setting, **setting.but.get(place, {})) for setting in here}


@functools.cache
def fixed_in(place: str) -> tuple[str, ...]:
    """Return the names of the settings that must not change while training continues."""
    return tuple(name for name, setting in settings_of(place).items() if setting.fixed)


def differs(before: Any, now: Any) -> bool:
    """Return whether two values of a setting differ.

    Rules, kernels and budgets are tuples of parameters, so two of different classes can compare equal.

    Examples
    --------
    >>> from rosenblatt.rules import PassiveAggressive1, PassiveAggressive2
    >>> PassiveAggressive1(C=1.0) == PassiveAggressive2(C=1.0)
    True
    >>> differs(PassiveAggressive1(C=1.0), PassiveAggressive2(C=1.0))
    True
    """
    if isinstance(before, tuple):
        is_alike = type(before) is type(now) and len(before) == len(now)
        return not is_alike or any(map(differs, before, now))
    if hasattr(before, "shape") or hasattr(now, "shape"):
        from numpy import array_equal

        return not array_equal(before, now)
    return bool(before != now)


def check(place: str, chosen: Mapping[str, Any], planned: bool = False) -> None:
    """Raise an error for invalid values of the settings of a place.

    With `planned`, check the settings that concern passes, otherwise all other settings.
    """
    if planned and place in PASSES and chosen["epochs"] is None and chosen["until"] is None:
        raise bad_value("epochs", None, "a number of passes, or None with until='separated'")
    for name, setting in settings_of(place).items():
        if setting.planned is planned:
            setting.refuse(chosen[name])


def refuse_on_a_stream(place: str, chosen: Mapping[str, Any]) -> None:
    """Raise an error for a setting that streams do not support."""
    for name, setting in settings_of(place).items():
        if setting.instead and chosen[name] != setting.default:
            raise BadInput(f"{name}: got {chosen[name]!r}, but a stream has none; {setting.instead}")


class StreamSettings:
    """Hold the values of all settings that apply to a stream.

    >>> StreamSettings(epochs=3)
    StreamSettings(epochs=3)
    >>> StreamSettings(epochs=3).order
    'given'
    """

    def __init__(self, **given: Any) -> None:
        known = {name: setting.default for name, setting in settings_of(STREAM).items()}
        if strange := sorted(set(given) - set(known)):
            raise TypeError(f"a stream has no setting {strange[0]!r}; it has {', '.join(known)}")
        vars(self).update(known | given)

    def but(self, **changed: Any) -> StreamSettings:
        """Return the same settings with some changed."""
        return StreamSettings(**(vars(self) | changed))

    def __getattr__(self, name: str) -> Any:  # called only for missing attributes
        raise AttributeError(f"a stream has no setting {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: settings cannot be changed; make a changed copy with but({name}=…)")

    def __repr__(self) -> str:
        others = {
            name: value
            for name, value in vars(self).items()
            if value is not settings_of(STREAM)[name].default
        }
        return f"StreamSettings({', '.join(f'{name}={value!r}' for name, value in others.items())})"
