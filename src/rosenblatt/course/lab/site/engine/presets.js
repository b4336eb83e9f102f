// Generated from rosenblatt.course.lectures by `python -m rosenblatt.course.lab.presets`; do not edit.
export const EXAMPLES = {};
