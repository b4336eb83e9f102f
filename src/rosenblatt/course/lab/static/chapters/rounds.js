// The control that selects the visible round of a game: a slider and a play button. Round 0 means the newest.

import { button, slider } from "../controls.js";

const PACES = [700, 60]; // milliseconds per round, in a short game and in a long one

/** Build the control; `count(n)` sets the number of rounds, and `at()` returns the round to show. */
export function rounds(lab, parent, onShow) {
  let total = 0;
  let timer = null;
  const at = () => Math.min(lab.state.round || total, total);
  const show = (round) => {
    lab.change({ round: round >= total ? 0 : round });
    control.set(at());
    onShow();
  };
  const control = slider(parent, {
    label: "Round shown", min: 1, max: 1, step: 1, value: 1, shown: (value) => `${value} of ${total}`,
    onInput: (value) => {
      stop();
      show(value);
    },
  });
  const play = button(parent, "Play the rounds", () => (timer === null ? start() : stop()));

  function start() {
    if (total < 2) return;
    play.textContent = "Pause";
    show(at() === total ? 1 : at());
    timer = setInterval(() => {
      show(at() + 1);
      if (at() === total) stop();
    }, total > 30 ? PACES[1] : PACES[0]);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play the rounds";
  }

  return {
    at,
    stop,
    count(n) {
      total = n;
      control.element.querySelector("input").max = Math.max(1, n);
      control.element.hidden = play.hidden = n < 2;
      control.set(Math.max(1, at()));
    },
  };
}
