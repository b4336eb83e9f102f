// The status page of a service: fetches the state every second and shows it.

import { Chart } from "./chart.js";
import { counted, real, whole } from "./numbers.js";

const EVERY = 1000; // milliseconds
const SLOW = 5000; // interval while the service does not answer
const KEY = "rosenblatt-token";
const find = (id) => document.getElementById(id);

const curve = new Chart(find("curve"), {
  label: "Progressive error against examples learned", xLabel: "examples learned", yLabel: "error", height: 230,
});
const minutes = new Chart(find("minutes"), {
  label: "Updates in each of the last minutes", xLabel: "minutes ago", yLabel: "per minute", height: 200,
});

find("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, find("token").value);
  refresh();
});

let timer = null;

async function refresh() {
  clearTimeout(timer);
  let wait = EVERY;
  try {
    const token = sessionStorage.getItem(KEY);
    const answer = await fetch("state", { headers: token ? { authorization: `Bearer ${token}` } : {} });
    find("login").hidden = answer.status !== 401;
    if (answer.status === 401) {
      find("role").textContent = token ? "The token is wrong." : "";
      return;
    }
    if (!answer.ok) throw new Error((await answer.json()).error);
    show(await answer.json());
  } catch (trouble) {
    find("role").textContent = `The service does not respond (${trouble.message}). Retrying.`;
    wait = SLOW;
  }
  timer = setTimeout(refresh, wait);
}

function show(state) {
  const { health } = state;
  const behind = health.behind === undefined ? "" : `, ${counted(health.behind, "example")} behind the leader`;
  const trouble = health.trouble ? ` · ${health.trouble}` : "";
  find("role").textContent = `${health.role}${behind} · ${counted(health.learned, "example")} learned${trouble}`;
  showAlarm(state);
  showNumbers(state);
  showCurve(state);
  showMinutes(state);
  showLast(state.last);
  const { drift } = state;
  find("test").textContent = `The alarm is the ${drift.test} test on the mistakes, with `
      + `δ = ${real(drift.delta)}, λ = ${real(drift.threshold)} and at least ${drift.least} examples.`;
}

function percent(part) {
  return part === null || part === undefined ? "–" : `${real(100 * part, 3)} %`;
}

function showAlarm({ drift, recent_error: recent }) {
  const last = drift.alarms[drift.alarms.length - 1];
  find("alarm").hidden = !drift.alarm;
  if (!drift.alarm) return;
  find("alarm").textContent = `Errors increased at example ${whole(last.position)}. The error up to `
    + `then was ${percent(last.long_run)}; the error of the last thousand predictions is ${percent(recent)}.`;
}

function showNumbers(state) {
  const last = state.minutes[state.minutes.length - 1];
  const isNow = last && state.now / 60 - last[0] < 2;
  const figures = [
    [whole(state.examples), "examples"], [whole(state.mistakes), "mistakes"],
    [percent(state.error), "error"],
    [percent(state.recent_error), `error of the last ${whole(Math.min(state.window, state.examples))}`],
    [whole(isNow ? last[3] : 0), "updates this minute"], [whole(state.health.waiting), "examples in the queue"],
  ];
  find("numbers").replaceChildren(...figures.map(([figure, name]) => {
    const box = made("div", "", "number");
    box.append(made("b", figure), made("span", name));
    return box;
  }));
}

// the error over all examples, and between two points of the curve
function showCurve({ curve: points, examples, mistakes }) {
  const every = [...points, [examples, mistakes]].filter(([n], k, all) => n && n !== all[k - 1]?.[0]);
  const xs = every.map(([n]) => n);
  const all = every.map(([n, wrong]) => wrong / n);
  const parts = Math.max(1, Math.floor(every.length / 40));
  const ends = every.filter((_, k) => k % parts === parts - 1);
  const recent = ends.map(([n, wrong], k) => {
    const [before, then] = k ? ends[k - 1] : [0, 0];
    return n > before ? (wrong - then) / (n - before) : NaN;
  });
  curve.set([
    { name: "in each section", xs: ends.map(([n]) => n), ys: recent, kind: "step", colour: "--axis", width: 1.5 },
    { name: "all examples so far", xs, ys: all, colour: "--wrong" },
  ], { yRange: [0, Math.max(0.1, ...all.slice(Math.min(5, all.length - 1)), ...recent.slice(1).filter(Number.isFinite))],
    wholeX: true });
  curve.describe(`The progressive error after ${counted(examples, "example")} is ${percent(mistakes / (examples || 1))}`);
}

function showMinutes({ minutes: perMinute, now }) {
  const minute = Math.floor(now / 60);
  const ago = Array.from({ length: 30 }, (_, k) => k - 29);
  const by = new Map(perMinute.map(([at, ...counts]) => [at - minute, counts]));
  const of = (place) => ago.map((at) => by.get(at)?.[place] ?? 0);
  minutes.set([
    { name: "examples", xs: ago, ys: of(0), kind: "bars", colour: "--rule" },
    { name: "updates", xs: ago, ys: of(2), kind: "bars", colour: "--w" },
  ], { wholeX: true, wholeY: true });
  minutes.describe(`${counted(by.get(0)?.[2] ?? 0, "update")} in this minute`);
}

function showLast(last) {
  rows("last", last.map((each) => {
    const isWrong = each.wrong === true;
    const text = each.kind === "answer" ? `predicted ${each.answer}`
      : `${each.y}${isWrong ? ", a mistake" : ", correct"}`;
    return [[each.kind], [each.x], [text, isWrong ? "wrong" : ""],
      [each.position === undefined ? "" : whole(each.position), "figure"]];
  }));
}

function rows(id, cells) {
  find(id).tBodies[0].replaceChildren(...cells.map((row) => {
    const line = document.createElement("tr");
    line.append(...row.map(([text, kind = ""]) => made("td", String(text), kind)));
    return line;
  }));
}

function made(tag, text, kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

refresh();
