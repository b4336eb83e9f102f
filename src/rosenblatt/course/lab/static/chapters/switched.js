// A chapter of several parts: a choice at the top, and below it the picture and the controls of that part.

import { choice } from "../controls.js";

/**
 * `kinds` maps each value of the setting to [its text, mountPart(lab, stage, room)]; a part is
 * {show(answer), refuse(), end(), plane}. `onSwitch` gives the settings that change with the part.
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
  const room = document.createElement("div");
  lab.picture.append(stage);
  lab.controls.append(room);
  let part = null;

  function begin() {
    part?.end();
    stage.replaceChildren();
    room.replaceChildren();
    part = (kinds[lab.state[setting]] ?? kinds[first])[1](lab, stage, room);
  }

  begin();
  return {
    // an answer that was on its way when the part changed belongs to the other one
    show: (answer) => answer.picture[setting] === lab.state[setting] && part.show(answer),
    refuse: () => part.refuse(),
    plane: () => part.plane,
  };
}
