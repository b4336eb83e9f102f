"""Every run can be seen: traces and their replay, plots, reports."""
