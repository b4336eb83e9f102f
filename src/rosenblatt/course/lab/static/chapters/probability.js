// Probability: boxes and balls, and four distributions with their likelihoods.

import { mountBernoulli } from "./bernoulli.js";
import { mountBoxes } from "./boxes.js";
import { mountGaussian } from "./gaussian.js";
import { mountJoint } from "./joint.js";
import { switched } from "./switched.js";
import { mountUniform } from "./uniform.js";

/** Build the chapter in the page; return the object that shows its answers. */
export function mount(lab) {
  return switched(lab, {
    setting: "topic",
    label: "Topic",
    kinds: {
      boxes: ["boxes and balls", mountBoxes],
      bernoulli: ["Bernoulli", mountBernoulli],
      uniform: ["uniform", mountUniform],
      gaussian: ["Gaussian", mountGaussian],
      joint: ["joint Gaussian", mountJoint],
    },
  });
}
