// The texts of the chapters: paragraphs, lists, headings, emphasis, code, links and formulas.

import { mathOf } from "./tex.js";

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** Return a text as HTML. The texts are files of the site; anything like a tag in them is escaped. */
export function htmlOf(markdown) {
  return markdown.trim().split(/\n\s*\n/).map(blockOf).join("\n");
}

function blockOf(block) {
  const heading = /^(#{2,4}) (.*)$/s.exec(block);
  if (heading) return `<h${heading[1].length}>${inlineOf(heading[2])}</h${heading[1].length}>`;
  if (/^\$\$[^]*\$\$$/.test(block) && !block.slice(2, -2).includes("$$")) return `<div class="formula">${mathOf(block.slice(2, -2), true)}</div>`;
  if (/^```/.test(block)) return `<pre><code>${escaped(block.replace(/^```\w*\n|\n?```$/g, ""))}</code></pre>`;
  if (/^\|/.test(block)) return tableOf(block);
  if (/^\d+\. /.test(block)) return `<ol>${items(block, /^\d+\. /m)}</ol>`;
  if (/^[-*] /.test(block)) return `<ul>${items(block, /^[-*] /m)}</ul>`;
  return `<p>${inlineOf(block)}</p>`;
}

function items(block, mark) {
  return block.split(new RegExp(mark.source, "gm")).filter((item) => item.trim())
    .map((item) => `<li>${inlineOf(item.trim())}</li>`).join("");
}

function tableOf(block) {
  const rows = block.split("\n").filter((row) => !/^\|[\s:|-]+\|$/.test(row)).map((row) => row.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => inlineOf(cell.trim())));
  const [head, ...body] = rows;
  const line = (cells, tag) => `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${line(head, "th")}</thead><tbody>${body.map((row) => line(row, "td")).join("")}</tbody></table></div>`;
}

/** Return one line of text as HTML. */
export function inlineOf(text) {
  const kept = []; // formulas and code, which emphasis may contain
  const words = text.replace(/\$\$[^]+?\$\$|\$[^$]+?\$|`[^`]+`/g, (part) => `\0${kept.push(part) - 1}\0`);
  return wordsOf(words).replace(/\0(\d+)\0/g, (_, at) => {
    const part = kept[at];
    if (part.startsWith("$$")) return `<span class="formula">${mathOf(part.slice(2, -2), true)}</span>`;
    return part.startsWith("$") ? mathOf(part.slice(1, -1)) : `<code>${escaped(part.slice(1, -1))}</code>`;
  });
}

function wordsOf(text) {
  return escaped(text)
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\*([^*]+)\*/g, "<em>$1</em>");
}
