// A chapter with several parts: a selector at the top, and below it the picture and the controls of the part.

import { choice } from "../controls.js";

/**
 * `kinds` maps each value of the setting to [its label, mountPart(lab, stage, controls)]; a part is
 * {show(answer), refuse(), end(), plane}. `onSwitch` returns the settings that change with the part.
 */
export function switched(lab, { setting, label, kinds, onSwitch = {} }) {
  const first = Object.keys(kinds)[0];
  choice(lab.controls, {
    label, value: lab.state[setting],
    options: Object.entries(kinds).map(([value, [text]]) => [value, text]),
    onChange: (value) => {
      lab.change({ ...onSwitch, [setting]: value });
      begin();
    },
  });
  const stage = document.createElement("div");
  const panel = document.createElement("div");
  lab.picture.append(stage);
  lab.controls.append(panel);
  let part = null;

  function begin() {
    part?.end();
    stage.replaceChildren();
    panel.replaceChildren();
    part = (kinds[lab.state[setting]] ?? kinds[first])[1](lab, stage, panel);
  }

  begin();
  return {
    // ignore an answer that was requested by the previous part
    show: (answer) => answer.picture[setting] === lab.state[setting] && part.show(answer),
    refuse: () => part.refuse(),
    plane: () => part.plane,
  };
}
