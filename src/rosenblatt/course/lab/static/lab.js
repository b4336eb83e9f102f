// The frame of a chapter page: the state, the link that contains it, and the answers computed by the package.

const BETWEEN_ASKING = 40; // milliseconds: a drag sends at most 25 states per second

const root = document.querySelector("main[data-chapter]");
const chapter = root.dataset.chapter;
const start = JSON.parse(document.getElementById("start").textContent);
const offers = JSON.parse(document.getElementById("offers").textContent);

let remark = ""; // about the link, shown above the first picture

/** Return the state in the URL, or the initial state of the chapter. */
function stateOfLink() {
  if (!location.hash.slice(1)) return {};
  try {
    const state = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    if (state === null || typeof state !== "object" || Array.isArray(state)) throw new Error();
    return state;
  } catch {
    remark = "The link is damaged: the part after # is not a valid state. The chapter opens in its default state.";
    return {};
  }
}

/** Return the settings that differ from the initial state, so that links are short. */
function changesOf(state) {
  return Object.fromEntries(
    Object.entries(state).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(start[name])));
}

function showTrouble(sentence) {
  const trouble = document.getElementById("trouble");
  trouble.hidden = !sentence;
  trouble.textContent = sentence;
}

function showSentences(sentences) {
  const result = document.getElementById("result");
  result.replaceChildren(...sentences.map((sentence) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = sentence;
    return paragraph;
  }));
}

class Lab {
  constructor() {
    this.picture = document.getElementById("picture");
    this.controls = document.getElementById("controls");
    this.start = start;
    this.offers = offers; // the choices on the page
    this.state = { ...structuredClone(start), ...stateOfLink() };
    this.remark = remark;
    this.view = null;
    this.firstPicture = null;
    this.shown = 0;
    this.sent = 0;
    this.newest = 0;
    this.timer = null;
    this.waiting = false;
    this.again = false;
  }

  /** Change some settings, update the link, and request the answer to the new state. */
  change(part) {
    Object.assign(this.state, part);
    this.writeLink();
    this.request();
  }

  writeLink() {
    const changes = changesOf(this.state);
    const text = Object.keys(changes).length ? "#" + encodeURIComponent(JSON.stringify(changes)) : "";
    history.replaceState(null, "", location.pathname + text);
  }

  /** Request the answer; while a request is pending, only the newest state waits. */
  request() {
    root.dataset.busy = "true"; // from now on the page does not show the answer to this state
    if (this.timer !== null) return;
    this.timer = setTimeout(async () => {
      if (this.waiting) {
        this.timer = null;
        this.again = true;
        return;
      }
      this.timer = null;
      this.waiting = true;
      await this.exchange();
      this.waiting = false;
      if (this.again) {
        this.again = false;
        this.request();
      }
    }, BETWEEN_ASKING);
  }

  async exchange(received = this.send()) {
    root.dataset.busy = "true";
    try {
      const { number, ok, answer } = await received;
      if (number < this.newest) return; // the answer to a newer state is already shown
      this.newest = number;
      if (ok) this.show(answer);
      else this.refuse(answer.error);
    } finally {
      root.dataset.busy = String(this.timer !== null || this.again);
    }
  }

  async send() {
    const number = ++this.sent;
    const request = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(this.state),
    };
    try {
      const response = await fetch(`/api/${chapter}`, request);
      return { number, ok: response.ok, answer: await response.json() };
    } catch {
      return { number, ok: false, answer: { error: "The lab does not respond. Is `rosenblatt lab` still running?" } };
    }
  }

  show(answer) {
    showTrouble(this.remark);
    this.remark = "";
    document.querySelector("#python code").textContent = answer.python;
    showSentences(answer.sentences);
    root.dataset.numbers = JSON.stringify(answer.numbers);
    this.view.show(answer);
    this.firstPicture ??= performance.now(); // milliseconds since the page was opened
    root.dataset.answers = String(++this.shown);
  }

  refuse(sentence) {
    showTrouble(sentence);
    showSentences([]);
    document.querySelector("#python code").textContent = "";
    delete root.dataset.numbers;
    try {
      this.view.refuse?.(sentence);
    } catch {
      openAnew(sentence);
      return;
    }
    root.dataset.answers = String(++this.shown);
  }

  /** Return the chunks of a replay, for the viewer. */
  chunksOf(replay) {
    return async (number) => {
      const response = await fetch(`/replay/${replay.name}/${number}`);
      if (!response.ok) throw new Error((await response.json()).error);
      return response.arrayBuffer();
    };
  }
}

/** Reset to the initial state if the state in the link cannot be drawn. */
function openAnew(why = "its settings do not fit this chapter") {
  lab.picture.replaceChildren();
  lab.controls.replaceChildren();
  lab.state = structuredClone(start);
  lab.remark = `The link is damaged: ${why}. The chapter opens in its default state.`;
  lab.view = mount(lab);
  lab.writeLink();
  lab.exchange();
}

/** Make a formula that is wider than the screen, and only such a formula, reachable by keyboard for scrolling. */
function letKeysReachWideFormulas() {
  for (const formula of document.querySelectorAll('#text math[display="block"]')) {
    if (formula.scrollWidth > formula.clientWidth) formula.setAttribute("tabindex", "0");
    else formula.removeAttribute("tabindex");
  }
}

async function copied(text, what) {
  const status = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = `${what} copied.`;
  } catch {
    status.textContent = "The browser blocked copying. Select the text and copy it.";
  }
}

const lab = new Lab();
const first = lab.send(); // request the answer while the other scripts load
const { mount } = await import(`/static/chapters/${chapter}.js`);
try {
  lab.view = mount(lab);
  lab.writeLink();
  lab.exchange(first);
} catch (error) {
  if (!location.hash) throw error;
  openAnew();
}
window.lab = lab;
window.addEventListener("hashchange", () => location.reload());
document.getElementById("copy").addEventListener("click",
  () => copied(document.querySelector("#python code").textContent, "Code"));
document.getElementById("share").addEventListener("click", () => copied(location.href, "Link"));
document.getElementById("again").addEventListener("click", () => {
  history.replaceState(null, "", location.pathname);
  location.reload();
});
new ResizeObserver(letKeysReachWideFormulas).observe(document.getElementById("text"));
