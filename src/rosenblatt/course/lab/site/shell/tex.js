// The formulas of the texts: a small part of TeX, as MathML.

const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", eta: "η", theta: "θ", lambda: "λ", mu: "μ", pi: "π", rho: "ρ", sigma: "σ", phi: "ϕ", varphi: "φ", Sigma: "Σ", Phi: "Φ", infty: "∞", ldots: "…", dots: "…", cdots: "⋯", top: "⊤", ast: "∗", prime: "′" };
const OPERATORS = { cdot: "·", le: "≤", ge: "≥", ne: "≠", neq: "≠", leftarrow: "←", rightarrow: "→", to: "→", times: "×", pm: "±", mid: "∣", in: "∈", approx: "≈", lVert: "‖", rVert: "‖", Vert: "‖", lvert: "|", rvert: "|", sum: "∑", prod: "∏", int: "∫", Rightarrow: "⇒", iff: "⟺", succ: "≻", forall: "∀", exists: "∃", perp: "⊥" };
const SPACES = { ",": 0.17, ";": 0.28, ":": 0.22, "!": -0.1, " ": 0.25, quad: 1, qquad: 2 };
const NAMES = new Set(["min", "max", "ln", "log", "exp", "cos", "sin", "arg", "det", "sign", "argmax", "cov", "var"]);
const LIMITS = new Set(["∑", "∏", "min", "max", "argmax"]);
const BIG = new Set(["bigl", "bigr", "Bigl", "Bigr", "left", "right", "big", "Big"]);

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Return a formula as MathML; a block with \qquad as parts that may stand below each other. */
export function mathOf(tex, block = false) {
  if (block && tex.includes("\\qquad")) return tex.split("\\qquad").map((part) => mathOf(part, true).replace('display="block"', 'displaystyle="true"')).join(" ");
  const tokens = tex.match(/\\text\{[^}]*\}|\\[a-zA-Z]+\*?|\\.|[\d.]+|[^\s]/g) ?? [];
  let at = 0;
  const peek = () => tokens[at];

  function row(end) {
    const parts = [];
    while (at < tokens.length && !end(peek())) {
      const part = scripted();
      if (part) parts.push(part);
    }
    return parts.length === 1 ? parts[0] : `<mrow>${parts.join("")}</mrow>`;
  }

  function scripted() {
    const nucleus = atom();
    if (nucleus === null) return "";
    let [below, above] = [null, null];
    while (peek() === "_" || peek() === "^") {
      const sign = tokens[at++];
      const script = atom() ?? "<mrow></mrow>";
      if (sign === "_") below = script;
      else above = script;
    }
    if (below === null && above === null) return nucleus;
    const bare = /^<m[oi][^>]*>([^<]*)<\/m[oi]>$/.exec(nucleus)?.[1];
    const stacked = block && LIMITS.has(bare);
    if (below !== null && above !== null) return tag(stacked ? "munderover" : "msubsup", nucleus + below + above);
    if (below !== null) return tag(stacked ? "munder" : "msub", nucleus + below);
    return tag(stacked ? "mover" : "msup", nucleus + above);
  }

  function group() {
    if (peek() !== "{") return atom() ?? "";
    at += 1;
    const inner = row((token) => token === "}");
    at += 1;
    return inner;
  }

  function textGroup() {
    let [depth, text] = [0, ""];
    do {
      const token = tokens[at++] ?? "}";
      if (token === "{") depth += 1;
      else if (token === "}") depth -= 1;
      else text += token;
    } while (depth > 0);
    return text;
  }

  function matrix(name) {
    const rows = [[]];
    while (at < tokens.length && peek() !== "\\end") {
      rows.at(-1).push(row((token) => token === "&" || token === "\\\\" || token === "\\end"));
      if (peek() === "&") at += 1;
      else if (peek() === "\\\\") { at += 1; rows.push([]); }
    }
    at += 1;
    textGroup();
    const table = tag("mtable", rows.map((cells) => tag("mtr", cells.map((cell) => tag("mtd", cell)).join(""))).join(""));
    if (name === "cases") return `<mrow><mo stretchy="true">{</mo>${table}</mrow>`;
    return `<mrow><mo stretchy="true">(</mo>${table}<mo stretchy="true">)</mo></mrow>`;
  }

  function command(name) {
    if (name in GREEK) return tag("mi", GREEK[name]);
    if (name in OPERATORS) {
      const fixed = /^[lr]?Vert$|^[lr]vert$/.test(name) ? ' stretchy="false" lspace="0.05em" rspace="0.05em"' : "";
      return `<mo${fixed}>${OPERATORS[name]}</mo>`;
    }
    if (name in SPACES) return `<mspace width="${SPACES[name]}em"></mspace>`;
    const before = tokens[at - 2];
    if (NAMES.has(name)) return named(name, before);
    if (BIG.has(name)) {
      const sign = tokens[at++];
      return sign === "." ? "" : `<mo stretchy="true">${escaped(sign.replace(/^\\/, ""))}</mo>`;
    }
    if (name === "frac") return tag("mfrac", group() + group());
    if (name === "sqrt") return tag("msqrt", group());
    if (name === "bar") return `<mover>${group()}<mo stretchy="true">‾</mo></mover>`;
    if (name === "hat") return `<mover>${group()}<mo>^</mo></mover>`;
    if (name === "mathbb") return tag("mi", { R: "ℝ", N: "ℕ", Z: "ℤ" }[textGroup()] ?? "?");
    if (name === "operatorname" || name === "operatorname*") return named(textGroup(), before);
    if (name === "begin") return matrix(textGroup());
    if ("{}%|".includes(name)) return tag("mo", name === "|" ? "‖" : name);
    throw new SyntaxError(`\\${name} is not a command that the texts may use`);
  }

  // the name of a function, apart from the letters beside it
  function named(name, before) {
    const space = (isLetter) => (isLetter ? "0.17em" : "0");
    return `<mo form="prefix" lspace="${space(/[\w})]$/.test(before ?? ""))}" rspace="${space(/^[\w\\]/.test(peek() ?? "") && peek() !== "_" && peek() !== "\\left")}">${escaped(name)}</mo>`;
  }

  function atom() {
    const token = tokens[at++];
    if (token === undefined) return null;
    if (token.startsWith("\\text{")) return tag("mtext", escaped(token.slice(6, -1)).replaceAll(" ", "\u00a0"));
    if (token === "{") { at -= 1; return group(); }
    if (token.startsWith("\\")) return command(token.slice(1));
    if (/^[\d.]/.test(token)) return tag("mn", token);
    if (/^[a-zA-Z]$/.test(token)) return tag("mi", token);
    if (token === "-") return tag("mo", "−");
    if (token === "'") return tag("mo", "′");
    if (token === "|") return '<mo stretchy="false" lspace="0.05em" rspace="0.05em">|</mo>';
    if ("()[]".includes(token)) return `<mo stretchy="false">${token}</mo>`;
    return tag("mo", escaped(token));
  }

  // a sign alone is a name, not an operation between two numbers
  if (tokens.length === 1 && "+-".includes(tokens[0])) return `<math><mtext>${tokens[0] === "-" ? "−" : "+"}</mtext></math>`;
  const inner = row(() => false);
  return `<math${block ? ' display="block"' : ""}>${inner}</math>`;
}

const tag = (name, inner) => `<${name}>${inner}</${name}>`;
