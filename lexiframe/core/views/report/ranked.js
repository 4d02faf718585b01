const facts = JSON.parse(document.getElementById("facts").textContent);
const at = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const number = (x) => (x === null || x === undefined ? "" : Number(x).toFixed(4));

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text !== null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function mark(svg, name, values) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  svg.append(made);
}

// A thin line from low to high, a bar from low_each to high_each, and a dot at a value, of a scale
// that all rows of a ranking share.
function interval(row, all) {
  const width = Math.max(110, Math.min(420, innerWidth - 280)); // of a phone's window: what is left
  const known = all.flatMap((r) => [r.at, r.low, r.high]).filter((x) => x !== null);
  const least = Math.min(...known);
  const x = (at) => 5 + ((at - least) / ((Math.max(...known) - least) || 1)) * (width - 10);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("width", width);
  svg.setAttribute("height", 14);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", row.said);
  if (row.low !== null) {
    mark(svg, "line", { x1: x(row.low), x2: x(row.high), y1: 7, y2: 7, class: "axis" });
  }
  if (row.low_each !== null) {
    mark(svg, "line", {
      x1: x(row.low_each), x2: x(row.high_each), y1: 7, y2: 7,
      style: "stroke: var(--blue); stroke-width: 5; stroke-opacity: 0.5",
    });
  }
  mark(svg, "circle", { cx: x(row.at), cy: 7, r: 3.5, class: "dot" });
  return svg;
}

function rows() {
  return facts.ranking.filter((row) => row.rule === at("rule").value);
}

function drawRanking() {
  const all = rows();
  const word = at("search").value.toLowerCase();
  const shown = all.filter((row) => row.run.toLowerCase().includes(word));
  at("count").textContent = `${shown.length} of ${all.length} runs`;
  at("ranking").replaceChildren(...shown.map((row) => {
    const line = element("tr", null);
    line.dataset.run = row.run;
    line.tabIndex = 0;
    element("td", row.rank, line);
    element("td", row.note ? `${row.run} (${row.note})` : row.run, line);
    element("td", number(row.value), line);
    element("td", null, line).append(interval(row, all));
    const choose = () => drawRun(row.run);
    line.addEventListener("click", choose);
    line.addEventListener("keydown", (event) => event.key === "Enter" && choose());
    return line;
  }));
}

function drawRun(run) {
  for (const line of at("ranking").children) {
    line.classList.toggle("chosen", line.dataset.run === run);
  }
  at("run").replaceChildren(facts.against ? drawAgainst(run) : drawNeighbours(run));
}

// A run beside each other: facts.against has columns of all pairs, runs by their numbers, and
// facts.columns says which of them are shown.
function drawAgainst(run) {
  const { runs, run_a: a, run_b: b } = facts.against;
  const chosen = runs.indexOf(run);
  const pairs = [...a.keys()].filter((n) => a[n] === chosen || b[n] === chosen);
  const seen = pairs.map((n) => facts.columns.map(([name, , turned]) => {
    const value = facts.against[name][n];
    if (a[n] === chosen || turned === "same" || value === null) return value;
    if (turned === "sign") return -value;
    return turned === "rest" ? 1 - value : facts.against[turned][n];
  }));
  const others = pairs.map((n) => runs[a[n] === chosen ? b[n] : a[n]]);
  return drawTable(
    [`${run} against`, ...facts.columns.map(([, heading]) => heading)],
    seen.map((cells, n) => [others[n], ...cells]),
  );
}

function drawTable(headings, cells) {
  const table = element("table", null);
  table.className = "board";
  const head = element("tr", null, table);
  headings.forEach((heading) => element("th", heading, head));
  cells.forEach((row) => {
    const line = element("tr", null, table);
    row.forEach((cell) => {
      const shown = typeof cell === "number" && !Number.isInteger(cell) ? number(cell) : cell;
      element("td", shown === null ? "—" : shown, line);
    });
  });
  return table;
}

function drawNeighbours(run) {
  const all = rows();
  const place = all.findIndex((row) => row.run === run);
  const near = all.slice(Math.max(0, place - 2), place + 3).map((row) => row.run);
  const table = element("table", null);
  table.className = "board";
  const head = element("tr", null, table);
  element("th", "Collection", head);
  near.forEach((name) => element("th", name === run ? `${name} (chosen)` : name, head));
  facts.collections.forEach((collection, n) => {
    const line = element("tr", null, table);
    element("td", collection, line);
    near.forEach((name) => element("td", number(facts.cells[name][n]), line));
  });
  return table;
}

function drawWithout(collection) {
  const rule = at("rule").value;
  const row = facts.leave_one_out.find((r) => r.rule === rule && r.collection === collection);
  const said = !row
    ? "It is the only collection."
    : !row.first
    ? `Without ${collection} some runs share no collections, so that there is no order.`
    : `Without ${collection}: first ${row.first.join(", ")}` +
      `${row.first_changes ? " (this changes)" : ""}; τ-b with the whole order ${number(row.tau)}; ` +
      `${row.run} moves most, from ${row.rank} to ${row.rank_without}.`;
  at("without").replaceChildren(element("p", said));
}

function drawCollections() {
  at("collections").replaceChildren(...facts.weights.map((row) => {
    const line = element("tr", null);
    line.tabIndex = 0;
    line.dataset.collection = row.collection;
    element("td", row.collection, line);
    element("td", number(row.weight), line);
    element("td", number(row.share), line);
    const choose = () => drawWithout(row.collection);
    line.addEventListener("click", choose);
    line.addEventListener("keydown", (event) => event.key === "Enter" && choose());
    return line;
  }));
}

function drawGaps() {
  at("left").hidden = facts.gaps.length === 0;
  const list = element("ul", null);
  facts.gaps.forEach((row) => {
    const some = row.collection.slice(0, 5).join(", ");
    const more = row.collection.length > 5 ? `, and ${row.collection.length - 5} more` : "";
    element("li", `${row.run}: no result in ${some}${more}`, list);
  });
  at("gaps").replaceChildren(list);
}

function drawTables() {
  at("tables").replaceChildren(...facts.tables.map((table) => {
    const section = element("section", null);
    element("h2", table.title, section);
    if (table.note) element("p", table.note, section);
    section.append(drawTable(table.columns, table.rows));
    return section;
  }));
}

at("rules").hidden = facts.rules.length < 2;
at("of-collections").hidden = facts.weights.length === 0;
facts.rules.forEach((rule) => element("option", rule, at("rule")));
at("rule").addEventListener("change", drawRanking);
at("search").addEventListener("input", drawRanking);
drawRanking();
drawCollections();
drawGaps();
drawTables();
