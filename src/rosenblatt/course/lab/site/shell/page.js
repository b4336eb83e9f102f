// The entry of the site: the page that the URL names.

import { CHAPTERS, PAGES, chapterOf } from "../chapters/index.js";
import { button, make } from "./controls.js";
import { loadModule, savedPage } from "./files.js";

const query = new URLSearchParams(location.search);
const saved = savedPage();
const key = saved?.chapter ?? query.get("chapter");
if (key && chapterOf(key)) {
  // these modules load in parallel with the page
  for (const path of ["shell/chapter.js", `chapters/${key}/scene.js`, `chapters/${key}/questions.js`]) loadModule(path).catch(() => {});
}
const isEmbedded = query.get("embed") === "1";

/** Return the address of a chapter or a page. */
export const addressOf = (chapter) => `?chapter=${chapter}`;

function header() {
  const list = make("ol", {}, ...CHAPTERS.map((chapter) => make("li", {}, make("a", { href: addressOf(chapter.key), ...(chapter.key === key ? { "aria-current": "page" } : {}) }, chapter.title))));
  const chapters = make("details", { class: "menu" }, make("summary", {}, "Chapters"), make("div", { class: "sheet" }, list));
  const pages = make("ul", {}, ...PAGES.map((page) => make("li", {}, make("a", { href: `?page=${page.key}` }, page.title))));
  const teachers = make("details", { class: "menu" }, make("summary", {}, "For teachers"), make("div", { class: "sheet" }, pages));
  const navigation = make("nav", { "aria-label": "Site" }, ...(saved ? [] : [chapters, teachers]), themeButton());
  return make("header", { class: "top" }, make("a", { href: saved ? "#" : "./", class: "brand" }, "rosenblatt lab"), navigation);
}

// light, dark, or as the system says
function themeButton() {
  const order = ["auto", "light", "dark"];
  const names = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" };
  let theme = "auto";
  try { theme = localStorage.getItem("theme") ?? "auto"; } catch { /* storage is blocked: the choice is not kept */ }
  const control = button("", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    try { localStorage.setItem("theme", theme); } catch { /* as above */ }
    show();
  }, { class: "theme" });
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    control.textContent = names[theme];
    control.setAttribute("aria-label", `Colours: ${theme}`);
  };
  show();
  return control;
}

function home() {
  document.title = "rosenblatt lab";
  const items = CHAPTERS.map((chapter) => make("li", {}, make("a", { href: addressOf(chapter.key) },
    make("img", { src: `pictures/${chapter.key}.svg`, alt: "", width: "320", height: "230", loading: "lazy" }), make("span", {}, chapter.title)), make("p", {}, chapter.about)));
  return make("main", { class: "home rosenblatt", id: "picture" }, make("h1", {}, "The rosenblatt lab"),
    make("p", { class: "lead" }, "The perceptron family, to touch: every chapter asks a question, shows a picture that you can change, and explains it. Every sign is computed exactly, in your browser."),
    make("ol", {}, ...items));
}

async function main() {
  document.body.classList.toggle("embed", isEmbedded);
  document.body.classList.toggle("projector", query.get("projector") === "1");
  if (!isEmbedded) document.body.append(make("a", { class: "skip", href: "#picture" }, "Skip to the picture"), header());
  const page = query.get("page");
  if (key) {
    const chapter = chapterOf(key);
    if (chapter) {
      document.title = `${chapter.title} · rosenblatt lab`;
      const { mountChapter } = await loadModule("shell/chapter.js");
      await mountChapter(chapter, { isEmbedded, saved });
    } else document.body.append(lost(`There is no chapter “${key}”.`));
  } else if (PAGES.some((each) => each.key === page)) {
    const { mountPage } = await loadModule("shell/pages.js");
    await mountPage(page);
  } else if (page) document.body.append(lost(`There is no page “${page}”.`));
  else document.body.append(home());
  document.body.dataset.ready = "true";
}

function lost(sentence) {
  return make("main", { class: "rosenblatt", id: "picture" }, make("h1", {}, "Not found"), make("p", {}, `${sentence} `, make("a", { href: "./" }, "All chapters")));
}

window.addEventListener("hashchange", () => { if (document.body.dataset.ready) location.reload(); });
await main();
