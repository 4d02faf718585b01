// Below each table and picture, what copies it: LaTeX, SVG, PNG. Where a browser forbids that, as
// some do in pages that are files, it is saved.

const LATEX = {
  ...Object.fromEntries([..."_&%$#{}"].map((sign) => [sign, `\\${sign}`])),
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}",
  "|": "\\textbar{}", "[": "{[}", "*": "{*}", "−": "$-$", "–": "--", "—": "---", "…": "\\ldots{}", "’": "'", "•": "$\\bullet$",
  α: "$\\alpha$", κ: "$\\kappa$", τ: "$\\tau$", λ: "$\\lambda$", "±": "$\\pm$", "×": "$\\times$", "∞": "$\\infty$", "≥": "$\\ge$",
  "≤": "$\\le$", "▲": "$\\uparrow$", "▼": "$\\downarrow$", "◀": "$\\triangleleft$", "▶": "$\\triangleright$",
};

// The text of a cell: no pictures, and a rank behind a mean in brackets.
function latexOf(cell) {
  const read = cell.cloneNode(true);
  for (const one of read.querySelectorAll("svg, img, .unseen, .arrow")) one.remove();
  for (const one of read.querySelectorAll(".place")) {
    one.textContent = one.previousSibling ? ` (${one.textContent})` : `${one.textContent} `;
  }
  const text = [...`${cell.dataset.share ?? ""}${read.textContent}`.replace(/\s+/g, " ").trim()].map((sign) => LATEX[sign] ?? sign).join("");
  return text && read.querySelector("strong") ? `\\textbf{${text}}` : text;
}

function latexTable(table, name) {
  const rows = [...table.rows].map((row) => [...row.cells].map(latexOf));
  const n = table.tHead?.rows.length || 1; // of heads; columns without a text below them are pictures
  const kept = [...rows[0].keys()].filter((column) => rows.slice(n).some((row) => row[column]));
  const lines = rows.map((row) => `${kept.map((column) => row[column] ?? "").join(" & ")} \\\\`);
  const sides = kept.map((column) => ({ right: "r", center: "c" })[getComputedStyle(table.rows[0].cells[column]).textAlign] ?? "l");
  return [`% ${name}; needs \\usepackage{booktabs}`, `\\begin{tabular}{${sides.join("")}}`, "\\toprule", ...lines.slice(0, n), "\\midrule",
    ...lines.slice(n), "\\bottomrule", "\\end{tabular}", ""].join("\n");
}

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-size", "font-weight", "font-family", "text-anchor"];

// A picture with its colours and fonts in it, which otherwise are the page's.
function styled(svg, place = {}) {
  const { width, height } = svg.getBoundingClientRect();
  const whole = svg.cloneNode(true);
  const parts = [whole, ...whole.querySelectorAll("*")];
  [svg, ...svg.querySelectorAll("*")].forEach((one, n) => {
    const style = getComputedStyle(one);
    parts[n].removeAttribute("style");
    fill(parts[n], Object.fromEntries(STYLES.map((name) => [name, style.getPropertyValue(name)])));
  });
  fill(whole, { width, height, ...place });
  return whole;
}

// A table as a picture: its cells' colours and lines, each word at its place, and the pictures in it.
function drawnTable(table) {
  const { left, top } = table.getBoundingClientRect();
  const { scrollWidth: width, scrollHeight: height } = table;
  const placed = (r) => ({ x: r.left - left, y: r.top - top, width: r.width, height: r.height });
  const cells = [...table.querySelectorAll("th, td")].flatMap((cell) => {
    const [style, at] = [getComputedStyle(cell), placed(cell.getBoundingClientRect())];
    const thick = parseFloat(style.borderBottomWidth);
    return [[at, style.backgroundColor], [{ ...at, y: at.y + at.height - thick, height: thick }, style.borderBottomColor]];
  }).filter(([at, colour]) => at.height && colour !== "rgba(0, 0, 0, 0)").map(([at, colour]) => drawn("rect", { ...at, fill: colour }));
  const [words, range] = [[], document.createRange()];
  for (const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT); texts.nextNode();) {
    const { currentNode: text, currentNode: { parentElement: parent } } = texts;
    if (parent.closest("svg, .unseen, .arrow")) continue;
    const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(parent);
    for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
      [range.setStart(text, index), range.setEnd(text, index + word.length)];
      const at = placed(range.getBoundingClientRect());
      words.push(drawn("text", {
        x: at.x, y: at.y + at.height / 2 + 0.35 * parseFloat(fontSize), fill: color,
        "font-family": fontFamily, "font-size": fontSize, "font-weight": fontWeight,
      }, word));
    }
  }
  const pictures = [...table.querySelectorAll("svg")].map((svg) => styled(svg, placed(svg.getBoundingClientRect())));
  return drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, cells, words, pictures);
}

// A picture has the light colours, which paper has; the page is not seen in them.
function svgText(one) {
  const root = document.documentElement;
  const { theme } = root.dataset;
  root.dataset.theme = "light";
  (one.closest(".scroll") ?? one).scrollTo(0, 0); // heads that stay while the rest scrolls are at their place
  const text = new XMLSerializer().serializeToString(one.tagName === "TABLE" ? drawnTable(one) : styled(one));
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  return text;
}

async function pngOf(text) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const [width, height] = [2 * image.width, 2 * image.height];
  const canvas = make("canvas", { width, height });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

const KINDS = {
  LaTeX: { ending: "tex", type: "text/plain", write: latexTable },
  SVG: { ending: "svg", type: "image/svg+xml", write: svgText },
  PNG: { ending: "png", type: "image/png", write: (one) => pngOf(svgText(one)) },
};

async function copyOrSave(kind, one, name, said) {
  const { ending, type, write } = KINDS[kind];
  said.textContent = "…";
  const content = await write(one, name);
  try {
    if (kind === "PNG") await navigator.clipboard.write([new ClipboardItem({ [type]: content })]);
    else await navigator.clipboard.writeText(content);
    said.textContent = `${kind} copied`;
  } catch {
    const download = `${name.replace(/[^\p{L}\p{N}@]+/gu, "-").toLowerCase().slice(0, 60)}.${ending}`;
    const href = URL.createObjectURL(new Blob([content], { type }));
    make("a", { href, download }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    said.textContent = `saved as ${download}`;
  }
}

const offered = new WeakSet();

function offerCopies() {
  for (const one of document.querySelectorAll("main table, main svg:not(table svg)")) {
    if (offered.has(one)) continue;
    offered.add(one);
    const isTable = one.tagName === "TABLE";
    const above = one.previousElementSibling?.closest("h3") ?? one.closest("section")?.querySelector("h2");
    const name = one.caption?.textContent ?? one.getAttribute("aria-label") ?? above?.textContent ?? document.title;
    const said = make("span", { role: "status" });
    (one.closest("div.scroll") ?? one).after(make("p", { class: "copies" }, "Copy", (isTable ? ["LaTeX", "SVG", "PNG"] : ["SVG", "PNG"]).map((kind) =>
      [" ", make("button", { type: "button", class: "link", "aria-label": `${kind}: copy ${name}`, onclick: () => copyOrSave(kind, one, name, said) }, kind)]), " ", said));
  }
}

new MutationObserver(offerCopies).observe(document.body, { childList: true, subtree: true });
offerCopies();
