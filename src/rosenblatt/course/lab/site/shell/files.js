// Modules and texts of the site: from the server, or from within a page that was saved as one file.

const packed = typeof document === "undefined" ? null : JSON.parse(document.getElementById("packed")?.textContent ?? "null");

/** Return what a saved page contains: {chapter, hash, texts}; null on a server. */
export const savedPage = () => packed;

/** Import a module by its path within the site. */
export function loadModule(path) {
  return packed ? import(`site:/${path}`) : import(new URL(path, document.baseURI).href);
}

/** Return the content of a text file by its path within the site. */
export async function loadText(path) {
  if (packed) {
    if (!(path in packed.texts)) throw new Error(`${path} is not part of this saved page`);
    return packed.texts[path];
  }
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return response.text();
}

const IMPORTS = /((?:^|[;\s])(?:import|export)\b[^"'`;()]*?from\s*|(?:^|[;\s])import\s*)"(\.{1,2}\/[^"]+)"/g;

/**
 * Return one HTML page that contains a chapter with its state and works from disk, without a server: all modules
 * are embedded and named by an import map.
 */
export async function packPage({ chapter, hash, title, modules, texts, styles }) {
  const sources = new Map();
  const visit = async (path) => {
    if (sources.has(path)) return;
    sources.set(path, "");
    const needed = [];
    const source = (await loadText(path)).replace(IMPORTS, (_, before, to) => {
      const found = new URL(to, `site:/${path}`).pathname.replace(/^\//, "");
      needed.push(found);
      return `${before}"site:/${found}"`;
    });
    sources.set(path, source);
    await Promise.all(needed.map(visit));
  };
  await Promise.all(modules.map(visit));
  const imports = Object.fromEntries([...sources].map(([path, source]) => [`site:/${path}`, dataUrl(source)]));
  const css = (await Promise.all(styles.map(loadText))).join("\n");
  const contents = Object.fromEntries(await Promise.all(texts.map(async (path) => [path, await loadText(path)])));
  const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</title>
<link rel="icon" href="data:,">
<style>${css.replaceAll("</", "<\\/")}</style>
<script type="application/json" id="packed">${json({ chapter, hash, texts: contents })}</script>
<script type="importmap">${json({ imports })}</script>
</head>
<body>
<script type="module">import "site:/shell/page.js";</script>
</body>
</html>
`;
}

function dataUrl(source) {
  let binary = "";
  for (const byte of new TextEncoder().encode(source)) binary += String.fromCharCode(byte);
  return `data:text/javascript;base64,${btoa(binary)}`;
}

/** Offer a file for download. */
export function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
