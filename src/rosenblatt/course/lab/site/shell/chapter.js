// The page of a chapter: question, scene, explanation, exercises and Python code.

import { CHAPTERS } from "../chapters/index.js";
import { assignmentHash, codeOf, problemOfTask, questionOf, checksum } from "./assignment.js";
import { button, copyText, make } from "./controls.js";
import { showQuestion } from "./exercise.js";
import { download, loadModule, loadText, packPage } from "./files.js";
import { htmlOf } from "./markdown.js";
import { Scene } from "./scene.js";
import { LONGEST_LINK, Store, changesOf, problemOf, readHash, writeHash } from "./state.js";

const LONGEST_WAIT = 300; // milliseconds until the explanation is shown in any case
const BETWEEN_LINKS = 250; // milliseconds: browsers limit how often a page may change its address

/** Build the page of a chapter. */
export async function mountChapter(chapter, { isEmbedded, saved }) {
  const folder = `chapters/${chapter.key}`;
  const text = isEmbedded ? "" : loadText(`${folder}/text.md`);
  const [{ default: scene }, questions] = await Promise.all([loadModule(`${folder}/scene.js`), loadModule(`${folder}/questions.js`)]);
  const page = new ChapterPage(chapter, scene, questions, saved?.hash);
  page.build(isEmbedded);
  window.lab = page; // for tests and for the curious
  await painted();
  page.firstPicture = performance.now(); // milliseconds since the page was opened
  if (!isEmbedded && !page.task) page.main.append(page.reading(await text), page.neighbours());
}

/** Wait until the picture is drawn; the explanation below it comes afterwards. A page in the background is not drawn. */
const painted = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, LONGEST_WAIT);
});

class ChapterPage {
  constructor(chapter, scene, questions, savedHash = "") {
    Object.assign(this, { chapter, scene, questions });
    const { changes, error } = readHash(location.hash || savedHash);
    const { task, ...linked } = changes;
    this.hash = location.hash || savedHash;
    let remark = error ?? "";
    const example = this.hash ? null : new URLSearchParams(location.search).get("example");
    if (example && !scene.presets?.[example]) remark = `This chapter has no example “${example}”; it has ${Object.keys(scene.presets ?? {}).join(", ")}.`;
    const settings = (example && scene.presets?.[example]) || linked;
    const most = scene.points?.most ?? 300;
    const problem = remark ? "" : problemOf({ ...scene.start, ...settings }, scene.start, { most }) || this.refusalOf(settings);
    if (problem) remark = `The link is damaged: ${problem}. The chapter opens in its initial state.`;
    this.task = task ?? null;
    if (!remark && task) {
      const reason = problemOfTask(task, questions.exercises);
      if (reason) [remark, this.task] = [`The assignment in the link is damaged: ${reason}.`, null];
    }
    this.settings = problem ? {} : settings;
    this.remark = remark;
    this.store = new Store(scene.start, this.settings);
  }

  // a link whose state the chapter cannot compute must not break the page
  refusalOf(settings) {
    try {
      const state = { ...structuredClone(this.scene.start), ...settings };
      const result = this.scene.compute(state);
      this.scene.planes.forEach((spec) => spec.view(state, result));
      this.scene.sentences(state, result);
      return "";
    } catch (error) {
      return error.message;
    }
  }

  get context() {
    return () => ({ state: this.store.state, result: this.view.result, scene: this.view });
  }

  build(isEmbedded) {
    const main = this.main = make("main", { class: "chapter rosenblatt", "data-chapter": this.chapter.key });
    document.body.append(main);
    if (this.remark) main.append(make("p", { class: "trouble", role: "alert" }, this.remark));
    const stage = make("section", { class: "stage", id: "picture", "aria-label": "Picture" });
    const side = make("section", { class: "side", "aria-label": "Settings" });
    const below = make("section", { class: "below", "aria-label": "Tables" });
    const head = make("div", { class: "head" }, make("h1", {}, this.chapter.title));
    const first = make("section", { class: "opening", "aria-label": "Question" });
    const lab = make("div", { class: "lab" }, stage, side);
    if (isEmbedded) main.append(make("h1", { class: "unseen" }, this.chapter.title), stage);
    else {
      head.append(this.toolbar());
      main.append(head, first, lab, below);
    }
    this.view = new Scene(this.scene, this.store, { stage, side, below, questions: this.questions, allowed: this.task?.allow ?? null });
    this.view.onGuess = (parent, question, done) => this.askGuess(parent, question, done);
    this.view.update();
    this.store.listeners.add(() => this.writeLink());
    this.listenToKeys();
    if (isEmbedded) {
      stage.append(make("p", { class: "source" }, make("a", { href: `?chapter=${this.chapter.key}${location.hash}`, target: "_blank", rel: "noopener" }, `${this.chapter.title} · rosenblatt lab`)));
      return;
    }
    if (this.task) this.showTask(first);
    else this.showOpening(first);
    side.hidden = !side.querySelector("select, input, button");
  }

  // ---------------------------------------------------------------- link, keys, toolbar

  writeLink() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => {
      const task = this.task ? { task: this.task } : {};
      try { history.replaceState(null, "", `${location.pathname}${location.search.replace(/&example=[^&]*/, "")}${this.task ? this.hash : writeHash({ ...changesOf(this.store.state, this.scene.start), ...task })}`); } catch { /* a page on disk may not change its address */ }
    }, BETWEEN_LINKS);
    if (this.undoing) this.showUndo();
  }

  get link() {
    return `${location.origin}${location.pathname}?chapter=${this.chapter.key}${writeHash(changesOf(this.store.state, this.scene.start))}`;
  }

  listenToKeys() {
    window.addEventListener("keydown", (event) => {
      const isField = event.target.closest("input, select, textarea, .handle, dialog, [tabindex='0']");
      const command = event.ctrlKey || event.metaKey;
      if (command && !isField?.matches("input[type=text], input[type=number], textarea")) {
        if (event.key === "z" && !event.shiftKey) { event.preventDefault(); this.undo(); }
        else if (event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey)) { event.preventDefault(); this.redo(); }
        return;
      }
      if (event.key === "Escape" && document.body.classList.contains("projector") && !document.querySelector("dialog[open]")) this.project(false);
      if (isField || command || event.altKey || !this.scene.steps) return;
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) { event.preventDefault(); this.view.advance(by); }
      if (event.key === "Home" || event.key === "End") { event.preventDefault(); this.view.go(event.key === "Home" ? 0 : Infinity); }
    });
  }

  undo() { if (this.store.undo()) this.view.frame(); }
  redo() { if (this.store.redo()) this.view.frame(); }

  project(on) {
    document.body.classList.toggle("projector", on);
    this.leave.hidden = !on;
    this.view.repaint();
    window.scrollTo(0, 0);
  }

  toolbar() {
    this.undoing = button("↶", () => this.undo(), { "aria-label": "Undo", title: "Undo (Ctrl+Z)" });
    this.redoing = button("↷", () => this.redo(), { "aria-label": "Redo", title: "Redo (Ctrl+Y)" });
    this.status = make("span", { class: "status quiet", role: "status" });
    this.leave = button("Leave projector mode", () => this.project(false), { class: "leave", hidden: !document.body.classList.contains("projector") });
    const items = [
      ["Copy link", () => this.share()],
      ["Copy code for a web page", () => copyText(`<iframe src="${this.link.replace("?", "?embed=1&")}" width="720" height="640" style="border:0" title="${this.chapter.title}"></iframe>`, this.status, "HTML")],
      ["Picture as PNG", () => this.savePicture("png")],
      ["Picture as SVG", () => this.savePicture("svg")],
      ...(this.scene.steps ? [["Animation of the run", () => this.saveAnimation()]] : []),
      ["Save as one file", () => this.saveFile()],
      ...(this.task ? [] : [["Make an assignment …", () => this.assign()]]),
    ];
    const sheet = make("div", { class: "sheet" }, ...items.map(([name, action]) => button(name, async () => {
      menu.open = false;
      this.status.textContent = "";
      try { await action(); } catch (error) { this.status.textContent = `This did not work: ${error.message}`; }
    })));
    const menu = make("details", { class: "menu" }, make("summary", {}, "Share and save"), sheet);
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { menu.open = false; menu.firstChild.focus(); }
    });
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
    const bar = make("div", { class: "bar toolbar", role: "toolbar", "aria-label": "Page" }, this.undoing, this.redoing,
      button("Reset", () => this.view.load(this.task ? this.settings : {})), menu, button("Projector", () => this.project(true), { class: "to-projector" }), this.status, this.leave);
    this.showUndo();
    return bar;
  }

  showUndo() {
    this.undoing.disabled = !this.store.past.length;
    this.redoing.disabled = !this.store.future.length;
  }

  async share() {
    const { link } = this;
    await copyText(link, this.status);
    if (link.length > LONGEST_LINK) this.status.textContent += ` It has ${link.length} characters; some mail programs cut links after ${LONGEST_LINK}. “Save as one file” has no such limit.`;
  }

  painter(spec) {
    return (pen) => spec.paint(pen, this.store.state, this.view.result);
  }

  async savePicture(kind) {
    const { svgOf, pngOf } = await loadModule("shell/pictures.js");
    for (const spec of this.scene.planes) {
      const plane = this.view.planes.get(spec.key);
      if (!plane.canvas.width || !this.view.result) continue;
      const name = `${this.chapter.key}${this.scene.planes.length > 1 ? `-${spec.key}` : ""}.${kind}`;
      if (kind === "svg") download(name, svgOf(plane, this.painter(spec), spec.label), "image/svg+xml");
      else download(name, await pngOf(plane, this.painter(spec)));
    }
  }

  async saveAnimation() {
    const { recordSteps } = await loadModule("shell/pictures.js");
    const before = this.store.state.step;
    this.status.textContent = "Recording …";
    const plane = this.view.planes.values().next().value;
    const film = await recordSteps(plane, this.view.count, (step) => this.view.go(step), () => this.view.sentences.textContent);
    this.view.go(before);
    download(`${this.chapter.key}.${film.type.includes("mp4") ? "mp4" : "webm"}`, film);
    this.status.textContent = "Animation saved.";
  }

  async saveFile() {
    const folder = `chapters/${this.chapter.key}`;
    const page = await packPage({
      chapter: this.chapter.key, title: `${this.chapter.title} · rosenblatt lab`,
      hash: this.task ? this.hash : writeHash(changesOf(this.store.state, this.scene.start)),
      modules: ["shell/page.js", "shell/chapter.js", "shell/pictures.js", "shell/teacher.js", `${folder}/scene.js`, `${folder}/questions.js`],
      texts: [`${folder}/text.md`], styles: ["viewer/viewer.css", "lab.css"],
    });
    download(`${this.chapter.key}.html`, page, "text/html");
    this.status.textContent = "Saved. The file works without a server.";
  }

  async assign() {
    const { makeAssignment } = await loadModule("shell/teacher.js");
    makeAssignment(this);
  }

  // ---------------------------------------------------------------- questions

  load = (part) => {
    this.view.load(part);
    this.view.planes.values().next().value.element.scrollIntoView({ block: "nearest" });
  };

  showOpening(parent) {
    showQuestion(parent, this.questions.opening, { context: this.context, title: "First, a question", load: this.load });
  }

  askGuess(parent, question, done) {
    parent.replaceChildren();
    const asked = showQuestion(parent, question, { context: this.context, tries: 1, onDone: () => {
      done();
      parent.append(button("Show the step ›", () => this.view.advance(1), { class: "main" }));
      parent.querySelector("button.main").focus();
    } });
    return asked;
  }

  reading(text) {
    const article = make("section", { class: "text", "aria-label": "Explanation" }, make("h2", {}, "Explanation"), make("div", { html: htmlOf(text) }));
    const code = make("code");
    const status = make("span", { role: "status", class: "quiet" });
    const python = make("section", { class: "python", "aria-label": "The same in Python" }, make("h2", {}, "The same in Python"),
      make("pre", { tabindex: "0", role: "region", "aria-label": "Python code" }, code), make("p", {}, button("Copy code", () => copyText(code.textContent, status, "Code")), status));
    const show = () => { code.textContent = this.view.result ? this.scene.python(this.store.state, this.view.result) : ""; };
    this.store.listeners.add(show);
    show();
    const exercises = make("section", { class: "exercises", "aria-label": "Exercises" }, make("h2", {}, "Exercises"), ...this.questions.exercises.map((question, at) => this.exercise(question, at)));
    // a formula that is wider than the screen can be scrolled by keyboard
    requestAnimationFrame(() => {
      for (const formula of article.querySelectorAll(".formula")) {
        if (formula.scrollWidth > formula.clientWidth) Object.assign(formula, { tabIndex: 0, role: "region", ariaLabel: "Formula" });
      }
    });
    return make("div", { class: "reading" }, make("div", {}, article, python), exercises);
  }

  exercise(question, at) {
    const mark = make("span", { class: "mark", "aria-hidden": "true" });
    const source = question.note ? ` · note ${question.note}` : "";
    const details = make("details", { class: "exercise", id: `exercise-${at + 1}` }, make("summary", {}, mark, ` ${at + 1}. ${question.title}`, make("span", { class: "quiet" }, source)));
    details.addEventListener("toggle", () => {
      if (!details.open || details.querySelector(".question")) return;
      showQuestion(details, question, { context: this.context, load: this.load, onDone: (right) => { mark.textContent = right ? "✓" : "○"; } });
    });
    if (question.kind === "place") details.addEventListener("toggle", () => { for (const plane of this.view.planes.values()) if (!details.open) plane.asks = false; });
    return details;
  }

  neighbours() {
    const at = CHAPTERS.indexOf(this.chapter);
    const link = (chapter, text) => (chapter ? make("a", { href: `?chapter=${chapter.key}` }, text(chapter.title)) : make("span"));
    return make("nav", { class: "neighbours", "aria-label": "Previous and next chapter" }, link(CHAPTERS[at - 1], (title) => `← ${title}`), link(CHAPTERS[at + 1], (title) => `${title} →`));
  }

  // ---------------------------------------------------------------- assignments

  showTask(parent) {
    const { task } = this;
    const store = `answers ${checksum(this.hash)}`;
    let answers = [];
    try { answers = JSON.parse(localStorage.getItem(store) ?? "[]"); } catch { /* not kept between visits */ }
    const name = make("input", { type: "text", id: "student", maxlength: "80", autocomplete: "name" });
    const output = make("output", { class: "code", "aria-label": "Answer code" });
    const status = make("span", { role: "status", class: "quiet" });
    const show = () => {
      const code = answers.length ? codeOf({ chapter: this.chapter.key, hash: this.hash, name: name.value, answers }) : "";
      output.textContent = code;
      handing.hidden = !code;
    };
    const handing = make("div", { class: "handing", hidden: true }, make("label", { for: "student" }, "Your name (optional)"), name, make("p", {}, "Hand in this code:"), output, button("Copy code", () => copyText(output.textContent, status, "Code")), status);
    name.addEventListener("input", show);
    const onAnswer = (answer) => {
      const changed = changesOf(this.store.state, { ...this.scene.start, ...this.settings });
      answers.push({ a: answer, s: changed });
      try { localStorage.setItem(store, JSON.stringify(answers)); } catch { /* as above */ }
      show();
    };
    const left = task.tries - answers.length;
    if (left > 0) showQuestion(parent, questionOf(task, this.questions.exercises), { context: this.context, tries: left, onAnswer, title: `Assignment: ${task.tries === 1 ? "one try" : `${task.tries} tries`}` });
    else parent.append(make("p", {}, "You have used all tries of this assignment."));
    parent.append(handing);
    show();
  }

  /** Return the link of an assignment with the present state. */
  assignmentLink(task) {
    return `${location.origin}${location.pathname}?chapter=${this.chapter.key}${assignmentHash(this.store.state, this.scene.start, task)}`;
  }
}
