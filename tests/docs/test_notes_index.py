"""Every part of the lecture notes has a row in docs/notes/index.md, whose names, pages and tests exist."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from rosenblatt.course.lectures import EXAMPLES

ROOT = Path(__file__).parents[2]
NOTES = ROOT / "docs" / "notes"
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#]*)(#[^)]*)?\)")

# the tests that show each part
SHOWN_BY = {
    "M1": """
        tests/course/lectures/test_worked_examples.py::test_001_line_and_its_normal
        tests/models/test_runs.py::test_without_an_offset_there_is_none
    """,
    "M2": """
        tests/rules/test_matrix.py::test_compiled_equals_naive
        tests/course/lectures/test_worked_examples.py::test_001_perceptron_path_of_theta
    """,
    "M3": """
        tests/models/test_runs.py::test_a_score_of_zero_answers_what_tie_says
        tests/models/test_runs.py::test_by_default_zero_is_a_mistake_for_either_label_though_predict_answers_the_first_class
    """,
    "M4": """
        tests/models/test_runs.py::test_the_unit_start_is_one_over_root_d_with_no_offset
        tests/models/test_runs.py::test_it_starts_at_the_weights_it_is_given
    """,
    "M5": """
        tests/models/test_runs.py::test_epochs_are_made_all_of_them_even_once_everything_is_right
        tests/models/test_runs.py::test_until_separated_stops_after_the_first_pass_without_a_mistake
    """,
    "M6": """
        tests/models/test_orders.py::test_first_mistake_looks_at_the_first_row_to_learn_from
        tests/models/test_orders.py::test_worst_mistake_looks_at_the_smallest_agreement_and_of_equal_ones_at_the_first
    """,
    "M7": """
        tests/course/lectures/test_offset_as_feature.py::test_learning_with_offset_is_learning_without_on_points_with_a_one
        tests/course/lectures/test_offset_as_feature.py::test_a_constant_feature_anywhere_can_be_taken_out_and_made_an_offset
    """,
    "M8": """
        tests/training/online/test_learner.py::test_the_notes_first_example_as_a_game
        tests/training/online/test_teachers.py::test_three_features_suffice_for_all_mistakes_that_the_theorem_allows
    """,
    "M9": """
        tests/models/test_runs.py::test_the_error_tracked_in_a_pass_is_that_of_a_run_which_ends_there
        tests/models/test_kernel_errors.py::test_the_error_tracked_in_a_pass_is_the_error_of_a_run_which_ends_there
    """,
    "M10": """
        tests/traces/test_trace_steps.py::test_every_field_of_every_step_equals_that_of_the_naive_perceptron
    """,
    "M11": """
        tests/geometry/test_geometry.py::test_the_projection_is_on_the_hyperplane_at_the_stated_distance
        tests/geometry/test_geometry.py::test_a_point_of_the_line_2x1_3x2_6_has_distance_zero
    """,
    "M12": """
        tests/proof/test_margins.py::test_the_margin_of_points_in_the_plane_equals_that_of_all_corners_and_sides
        tests/proof/test_feature_space.py::test_the_margin_equals_that_of_the_points_written_out
    """,
    "M13": """
        tests/traces/test_claims.py::test_both_claims_hold_for_every_rule_that_makes_them
        tests/proof/test_mistake_bound.py::test_two_near_points_make_203_mistakes_and_not_4
    """,
    "M14": """
        tests/proof/test_lp.py::test_it_agrees_with_separate_on_whole_numbers
        tests/proof/test_ties.py::test_if_no_w_is_consistent_no_run_ends_and_a_linear_program_finds_none
    """,
    "M15": """
        tests/proof/test_lecture_examples.py::test_003_cycle_without_offset_is_quasi_separable_and_two_points_cancel
        tests/traces/test_cycles.py::test_the_three_points_of_the_notes
        tests/proof/test_lecture_examples.py::test_no_halfspace_computes_xor
    """,
    "M16": """
        tests/averaging/test_averaged.py::test_on_whole_numbers_it_is_the_mean_to_the_last_bit
        tests/exactness/test_exact_means.py::test_line_kernel_and_polynomial_have_the_sign_of_the_mean_in_whole_numbers
    """,
    "M17": """
        tests/averaging/test_voted.py::test_each_vector_votes_by_its_exact_sign_as_often_as_it_survived
        tests/training/dual/test_what_is_kept.py::test_every_averaging_strategy_matches_its_definition
    """,
    "M18": """
        tests/models/test_polynomial_threshold.py::test_map_and_kernel_make_the_same_updates
        tests/models/test_polynomial_algebra.py::test_a_polynomial_prints_as_algebra
    """,
    "M19": """
        tests/training/dual/test_exact_order.py::test_small_integers_full_of_ties
        tests/exactness/test_one_fact_on_every_path.py::test_a_linear_kernel_makes_the_mistakes_of_the_perceptron
    """,
    "M20": """
        tests/kernels/test_pairs.py::test_every_layout_has_the_bits_of_the_formula
        tests/kernels/test_maps.py::test_both_maps_have_the_kernel_as_inner_product
        tests/kernels/test_kernel_of_your_own.py::test_its_values_equal_those_of_the_function
    """,
    "M21": """
        tests/training/many/test_columns_equal_binaries.py::test_a_column_has_the_bits_that_it_would_have_alone
        tests/training/many/test_deciding_among_many.py::test_the_largest_score_wins_and_the_first_of_equals
    """,
    "M22": """
        tests/course/lectures/test_worked_examples.py::test_order_two_orders_end_in_different_weights
        tests/course/lectures/test_worked_examples.py::test_order_two_starts_end_in_different_weights
        tests/course/lectures/test_worked_examples.py::test_order_a_point_stays_wrong_after_its_own_update
    """,
    "M23": """
        tests/proof/test_mistake_bound.py::test_the_perceptron_does_not_reach_the_best_margin
    """,
    "M24": """
        tests/course/lectures/test_worked_examples.py::test_001_addition
        tests/plots/test_decision_regions.py::test_w_is_drawn_at_right_angles_to_the_line_towards_the_second_class
        tests/course/lab/test_steps.py::test_the_addition_of_the_notes_is_one_step
    """,
    "M25": """
        tests/averaging/test_pocket.py::test_the_pocket_never_gets_worse_from_pass_to_pass_nor_than_its_start
        tests/averaging/test_pocket.py::test_from_any_start_it_is_the_pocket_with_ratchet
    """,
    "M26": """
        tests/course/foundations/test_curve.py::test_n_points_and_degree_n_minus_1_leave_no_error
        tests/course/foundations/test_curve.py::test_such_a_curve_overfits
    """,
    "M27": """
        tests/course/foundations/test_curve.py::test_a_larger_penalty_gives_a_shorter_w_and_a_larger_training_error
        tests/course/foundations/test_curve_contract.py::test_a_penalty_that_is_chosen_does_better_than_none
    """,
    "M28": """
        tests/geometry/test_geometry.py::test_norms_of_the_notes_triangle
        tests/geometry/test_geometry.py::test_projection_on_a_vector_is_idempotent_and_leaves_a_right_angle
    """,
    "M29": """
        tests/course/foundations/test_bayes.py::test_the_notes_two_boxes_with_prior_q
        tests/course/foundations/test_distributions.py::test_no_other_mean_and_variance_make_the_numbers_more_likely
        tests/course/foundations/test_distributions.py::test_no_other_mean_and_covariance_make_the_vectors_more_likely
        tests/course/foundations/test_discrete.py::test_mean_and_variance_equal_those_of_the_definition_to_the_last_digit
    """,
    "M30": """
        tests/course/lectures/test_worked_examples.py::test_every_worked_example_is_there_by_its_key
        tests/cli/test_commands.py::test_trace_replays_every_example
        tests/course/lab/test_steps.py::test_every_run_of_the_notes_can_be_loaded
    """,
}


def rows():
    """The cells of the table, line by line: id, part, Python, pages."""
    lines = (NOTES / "index.md").read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| M")
    ]


def test_every_row_of_the_notes_is_there_once_and_in_order():
    assert [row[0].strip() for row in rows()] == [f"M{number}" for number in range(1, 31)]
    assert {len(row) for row in rows()} == {4}
    assert [row[0].strip() for row in rows()] == list(SHOWN_BY)


def names_in(cell):
    """Each name, with the parameters it is called with: `Perceptron(offset=False)`."""
    for code in CODE.findall(cell):
        tree = ast.parse(code, mode="eval").body
        called = tree.func if isinstance(tree, ast.Call) else tree
        yield (
            ast.unparse(called),
            [word.arg for word in tree.keywords] if isinstance(tree, ast.Call) else [],
        )


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_name_can_be_had_and_takes_the_parameters_shown(row):
    names = list(names_in(row[2]))
    assert names
    for name, parameters in names:
        value = resolve_name(f"rosenblatt.{name}")
        if parameters:
            assert set(parameters) <= set(inspect.signature(value).parameters), name


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_page_that_is_linked_exists(row):
    pages = [page for page, _ in LINK.findall(row[3])]
    assert pages
    for page in filter(None, pages):
        assert (NOTES / page).is_file(), page


def defined_in(path):
    """The names of the tests in a file, without running it."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("part", SHOWN_BY)
def test_every_test_that_is_named_exists(part):
    named = SHOWN_BY[part].split()
    assert named
    for path, _, name in (test.partition("::") for test in named):
        assert name.startswith("test_")
        assert name in defined_in(path), f"{path}::{name}"


def test_every_slip_of_an_example_is_listed_on_the_page_of_its_note():
    with_slip = [key for key, example in EXAMPLES.items() if example.slip]
    assert with_slip
    for key in with_slip:
        page = (NOTES / f"{key[:3]}.md").read_text(encoding="utf-8")
        assert f"- `{key}`" in page.partition("## Errors in the note")[2], key
