// Teacher against learner: one of three games, each with its own picture and controls.

import { mountAdversary } from "./adversary.js";
import { mountLearning } from "./learning.js";
import { switched } from "./switched.js";
import { mountTeaching } from "./teaching.js";

/** Build the chapter in the page; return the object that shows its answers. */
export function mount(lab) {
  return switched(lab, {
    setting: "side",
    label: "You are",
    kinds: {
      teacher: ["the teacher", mountTeaching],
      learner: ["the learner", mountLearning],
      adversary: ["an observer", mountAdversary],
    },
    onSwitch: { round: 0 },
  });
}
