// Elements and numbers. Text from the data only ever becomes the text of a node.

function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, options);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function drawn(tag, options = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, options);
  element.append(...children.flat(Infinity));
  return element;
}

function fill(element, options) {
  for (const [name, value] of Object.entries(options)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value);
    }
  }
}

const NONE = "–";

// Write a number as Python does: a number half-way between two goes to the even digit.
function fixed(x, decimals) {
  const text = Math.abs(x).toFixed(decimals);
  const behind = Math.abs(x).toFixed(60).slice(text.length + (decimals ? 0 : 1));
  const isHalf = /^50*$/.test(behind);
  const even = isHalf && Number(text.at(-1)) % 2 ? Math.abs(x) - 10 ** (-decimals - 2) : null;
  const shown = even === null ? text : even.toFixed(decimals);
  return x < 0 ? `−${shown}` : shown;
}

// Write a value; one that would be written as zero, and is not, keeps its size.
function number(x, decimals = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return NONE;
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x !== 0 && Math.abs(x) < 10 ** -decimals / 2) return x.toExponential(0).replace(/-/g, "−");
  return fixed(x, decimals);
}

function probability(p) {
  if (p === null) return NONE;
  return p < 0.001 ? "<0.001" : fixed(p, 3);
}

const whole = (n) => (n === null || n === undefined ? NONE : n.toLocaleString("en-US"));
const rank = (r) => (r === null || r === undefined ? NONE : String(r));
const percent = (share) => (share === null ? NONE : `${fixed(100 * share, 1)} %`);
const counted = (n, what) => `${whole(n)} ${what}${n === 1 ? "" : "s"}`;

// A name that would fill a line is cut; its whole is in the tables of the runs.
const brief = (name) => (name.length > 48 ? `${name.slice(0, 36)}…${name.slice(-8)}` : name);

function listed(names, most = 5) {
  const shown = (names.length > most ? names.slice(0, most - 1) : names).map(brief);
  const others = names.length - shown.length;
  return others ? `${shown.join(", ")} and ${others} others` : shown.join(", ");
}

const note = (...said) => make("p", { class: "note" }, ...said);
const title = (id, said, level = "h2") => make(level, { id, tabindex: "-1" }, said);

// Put what a section shows into it; without anything it is hidden.
function show(id, ...children) {
  const section = document.getElementById(id);
  const there = children.flat(Infinity).filter(Boolean);
  section.replaceChildren(...there);
  section.hidden = there.length === 0;
}
