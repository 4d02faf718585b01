// Tables that are sorted by a click on a header and filtered by a text.

const kept = new Map(); // what was chosen for a table, while the page draws it anew

// Columns have a title, `value` (what is sorted and filtered), `show` (what is seen), and `side`.
function table(id, caption, columns, rows, options = {}) {
  const { sort = null, most = 150, filter = rows.length > 8, rowClass = null, actOn = null, kind = null } = options;
  const chosen = kept.get(id) ?? { sort, text: "", all: false };
  if (!filter) chosen.text = ""; // a text that nobody sees must not hide rows
  kept.set(id, chosen);
  const body = make("tbody");
  const said = make("span", { class: "soft", "aria-live": "polite" });
  const more = make("button", { type: "button", class: "quiet more" });
  const headers = columns.map((column) => header(column, chosen, update));
  function update() {
    const wanted = matching(columns, rows, chosen.text);
    const ordered = inOrder(columns, wanted, chosen.sort);
    const shown = chosen.all ? ordered : ordered.slice(0, most);
    body.replaceChildren(...shown.map((row) => line(columns, row, rowClass, actOn)));
    said.textContent = chosen.text ? `${wanted.length} of ${rows.length}` : "";
    more.textContent = `Show all ${ordered.length}`;
    more.hidden = shown.length === ordered.length;
    for (const one of headers) one.mark();
  }
  more.addEventListener("click", () => { chosen.all = true; update(); });
  update();
  const head = make("thead", {}, make("tr", {}, headers.map((one) => one.cell)));
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make("table", { id: `${id}-table`, class: kind }, make("caption", { class: "unseen" }, caption), head, body));
  const search = filter ? searchBox(caption, chosen, said, update) : null;
  return make("div", { class: "tabled" }, search, box, more);
}

function searchBox(caption, chosen, said, update) {
  const field = make("input", {
    type: "search", placeholder: "Filter", "aria-label": `Filter: ${caption}`, autocomplete: "off",
    oninput: (event) => { chosen.text = event.target.value; update(); },
  });
  field.value = chosen.text;
  return make("div", { class: "filter" }, field, said);
}

function header(column, chosen, update) {
  const side = column.side ?? "right";
  const cell = make("th", { scope: "col", class: side });
  if (column.value === undefined) {
    cell.append(column.title);
    return { cell, mark: () => {} };
  }
  const arrow = make("span", { class: "arrow", "aria-hidden": "true" });
  const click = () => {
    const isSame = chosen.sort?.title === column.title;
    const first = side === "right" && !column.rising; // numbers begin with the greatest
    chosen.sort = { title: column.title, falling: isSame ? !chosen.sort.falling : first };
    update();
  };
  cell.append(make("button", { type: "button", onclick: click, title: column.help }, column.title, arrow));
  const mark = () => {
    const falling = chosen.sort?.title === column.title ? chosen.sort.falling : null;
    arrow.textContent = falling === null ? "" : falling ? " ↓" : " ↑";
    if (falling === null) cell.removeAttribute("aria-sort");
    else cell.setAttribute("aria-sort", falling ? "descending" : "ascending");
  };
  return { cell, mark };
}

function matching(columns, rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = columns.filter((column) => column.side === "left" && column.value);
  return rows.filter((row) => {
    const said = texts.map((column) => `${column.value(row)} ${column.also?.(row) ?? ""}`);
    return words.every((word) => said.join(" ").toLowerCase().includes(word));
  });
}

// Sort by a column; what has no value comes last, and equal rows keep their order.
function inOrder(columns, rows, sort) {
  const column = sort && columns.find((one) => one.title === sort.title);
  if (!column) return rows;
  const missing = (value) => value === null || value === undefined || value === "";
  return [...rows].sort((x, y) => {
    const [of_x, of_y] = [column.value(x), column.value(y)];
    if (missing(of_x) || missing(of_y)) return missing(of_x) - missing(of_y);
    const order = of_x < of_y ? -1 : of_x > of_y ? 1 : 0;
    return sort.falling ? -order : order;
  });
}

function line(columns, row, rowClass, actOn) {
  const cells = columns.map((column) => {
    const shown = column.show ? column.show(row) : column.value(row);
    const options = { class: column.side ?? "right", scope: column.isHead ? "row" : null, "data-title": column.title };
    const isText = column.side === "left" && !(shown instanceof SVGElement);
    return make(column.isHead ? "th" : "td", options, isText ? make("span", { class: "said" }, shown ?? NONE) : shown ?? NONE);
  });
  const act = actOn ? { onclick: (event) => event.target.closest("button, a") || actOn(row) } : {};
  return make("tr", { class: rowClass?.(row), ...act }, cells);
}

// On paper nothing scrolls: tables wider than A4 across, at the size of print, become smaller.
const fitted = (zoom) => document.querySelectorAll("main table").forEach((one) => { one.style.zoom = zoom(one); });
addEventListener("beforeprint", () => fitted((one) => Math.min(1, 1030 / (one.offsetWidth * (one.matches(".heat") ? 0.83 : 0.7)))));
addEventListener("afterprint", () => fitted(() => ""));
