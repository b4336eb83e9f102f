// Replays inside a page: the head as JSON, and the compressed chunks in elements that browsers do not
// execute.

import { bytesOf } from "./packed.js";
import { mountReplay } from "./player.js";

/** Mount every replay of the page that is not yet mounted. */
export function mountEmbedded(root = document) {
  const all = root.querySelectorAll("[data-rosenblatt-replay]");
  const ownsPage = all.length === 1 && document.body.matches(".rosenblatt.page");
  for (const element of root.querySelectorAll("[data-rosenblatt-replay]:not([data-mounted])")) {
    element.dataset.mounted = "";
    const head = JSON.parse(element.querySelector("script[type='application/json']").textContent);
    const chunk = (k) => element.querySelector(`script[data-chunk="${k}"]`);
    mountReplay(element, head, (k) => unpacked(bytesOf(chunk(k).textContent)), { ownsPage });
  }
}

/** Decompress bytes compressed by zlib into an ArrayBuffer. */
export async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}
