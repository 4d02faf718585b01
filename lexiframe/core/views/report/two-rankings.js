// Two rankings side by side, whose documents are moved and marked; below them, what measures say.
// A list has its documents in order (null: one whose id is not known, and which is not relevant), END,
// and the documents that were not retrieved.

const END = Symbol("end of a list");

// The relevant documents of a list, with their grades and ranks.
function relevantIn(list, grades) {
  const end = list.indexOf(END);
  const at = new Map(list.map((doc, n) => [doc, n]));
  return [...grades].filter(([, grade]) => grade > 0)
    .map(([doc, grade]) => ({ doc, grade, rank: at.get(doc) < end ? at.get(doc) + 1 : null }));
}

const NAMES = ["X", "Y"];

// `first` has the two lists, their titles, the grades of documents, and the grades that a click goes
// through; `changed` is told what became of the lists and grades.
function twoRankings(first, changed = () => {}) {
  const { scale, titles = NAMES, label = (doc) => doc } = first;
  const [lists, grades] = [first.lists.map((list) => [...list]), new Map(first.grades)];
  const sides = titles.map((title, side) => make("ol", { "aria-label": `Ranking ${title}`, "data-side": side, onclick: click, onkeydown: press, onpointerdown: drag }));
  const told = make("p", { class: "told", "aria-live": "polite" });
  const tables = make("div", { class: "measured" });

  function draw(side, doc) {
    sides.forEach((list, n) => list.replaceChildren(...rowsOfList(n)));
    const of = lists.map((list) => relevantIn(list, grades));
    const found = of[0].length ? measured(...of) : null;
    told.textContent = found ? inShort(found.measures) : "No document is relevant: mark one to compare the rankings.";
    tables.replaceChildren(...(found ? [measuresTable(found.measures), levelsTable(found)] : []));
    if (side !== undefined) buttonOf(side, doc)?.focus();
  }

  const buttonOf = (side, doc) =>
    [...sides[side].querySelectorAll(".doc")].find((one) => lists[side][one.parentElement.dataset.at] === doc);

  // A row for each document; documents without an id that follow one another share a row.
  function rowsOfList(side) {
    const list = lists[side];
    const end = list.indexOf(END);
    return list.flatMap((doc, at) => {
      if (doc === END) return [make("li", { class: "row end", "data-at": at }, "not retrieved")];
      if (doc !== null) return [rowOf(side, doc, at, end)];
      if (at > 0 && list[at - 1] === null) return [];
      const n = list.slice(at).findIndex((one) => one !== null);
      const ranks = n > 1 ? `${whole(at + 1)}–${whole(at + n)}` : whole(at + 1);
      return [make("li", { class: "row gap", "data-at": at }, make("span", { class: "rank" }, ranks), make("span", { class: "soft" }, n > 1 ? `${whole(n)} not relevant` : "not relevant"))];
    });
  }

  function rowOf(side, doc, at, end) {
    const [grade, name] = [grades.get(doc) ?? 0, NAMES[side]];
    const step = (by, sign, where, hasPlace) => make("button", {
      type: "button", class: "step", tabindex: -1, "data-by": by, disabled: !hasPlace, "aria-label": `Move ${label(doc)} ${where} in ${name}`,
    }, sign);
    const strength = Math.round(10 + (30 * scale.indexOf(grade)) / (scale.length - 1));
    const tint = grade > 0 ? { backgroundColor: `color-mix(in srgb, var(--blue) ${strength}%, var(--ground))` } : {};
    return make("li", { class: "row", "data-at": at },
      make("span", { class: "rank", title: "Drag to move" }, at < end ? whole(at + 1) : NONE),
      make("button", {
        type: "button", class: "doc", style: tint, title: label(doc),
        "aria-label": `${label(doc)}: ${at < end ? `rank ${at + 1}` : "not retrieved"} in ${name}, ${grade > 0 ? `grade ${grade}` : "not relevant"}`,
      }, make("span", {}, label(doc)), grade > 0 ? make("b", {}, String(grade)) : null),
      step(-1, "▲", "up", at > 0), step(1, "▼", "down", at < end));
  }

  function move(side, from, to) {
    const list = lists[side];
    if (to < 0 || to >= list.length) return;
    const [doc] = list.splice(from, 1);
    list.splice(to, 0, doc);
    change(side, doc);
  }

  function mark(side, doc, grade) {
    grades.set(doc, grade);
    change(side, doc);
  }

  function change(side, doc) {
    draw(side, doc);
    changed(lists, grades);
  }

  // One place up or down; the last document goes out of the list, and one outside becomes the last.
  function step(side, at, by) {
    const end = lists[side].indexOf(END);
    if (at < end || by < 0) move(side, at, at > end ? end : at + by);
  }

  function placeOf(target) {
    const [side, at] = [Number(target.closest("ol").dataset.side), Number(target.closest(".row").dataset.at)];
    return { side, at, doc: lists[side][at] };
  }

  function click(event) {
    const button = event.target.closest("button");
    if (!button) return;
    const { side, at, doc } = placeOf(button);
    if (button.dataset.by) step(side, at, Number(button.dataset.by));
    else mark(side, doc, scale[(scale.indexOf(grades.get(doc) ?? 0) + 1) % scale.length]);
  }

  function press(event) {
    if (!event.target.closest(".doc") || event.ctrlKey || event.metaKey || event.altKey) return;
    const { side, at, doc } = placeOf(event.target);
    const grade = /^\d$/.test(event.key) ? Number(event.key) : null;
    const acts = {
      ArrowUp: () => step(side, at, -1), ArrowDown: () => step(side, at, 1),
      ArrowLeft: () => buttonOf(0, doc).focus(), ArrowRight: () => buttonOf(1, doc).focus(),
      Delete: () => move(side, at, lists[side].length - 1),
    };
    const act = acts[event.key] ?? (scale.includes(grade) ? () => mark(side, doc, grade) : null);
    if (act) [event.preventDefault(), act()];
  }

  // A document is dragged with a mouse anywhere, with a finger by its rank, as fingers scroll elsewhere.
  function drag(down) {
    const row = down.target.closest(".row:not(.gap, .end)");
    if (!row || down.button || (down.pointerType === "touch" && !down.target.closest(".rank"))) return;
    const [{ side, at }, ended] = [placeOf(row), new AbortController()];
    const { signal } = ended;
    let [over, isMoved] = [null, false];
    addEventListener("pointermove", (event) => {
      isMoved ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 5;
      if (!isMoved) return;
      row.classList.add("dragged");
      over?.classList.remove("before", "after");
      over = document.elementFromPoint(event.clientX, event.clientY)?.closest(".row") ?? null;
      if (over?.parentElement !== sides[side]) over = null;
      over?.classList.add(Number(over.dataset.at) < at ? "before" : "after");
    }, { signal });
    const stop = (event) => {
      ended.abort();
      if (isMoved && over && event.type === "pointerup") move(side, at, Number(over.dataset.at));
      else if (isMoved) draw(); // without the button under the pointer no click follows
    };
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, stop, { signal });
  }

  const better = (preference) => (preference > 0 ? NAMES[0] : preference < 0 ? NAMES[1] : "tie");

  function inShort(measures) {
    const by = (sign) => listed(measures.filter(({ preference }) => Math.sign(preference) === sign).map(({ name }) => name), 9);
    const said = [[NAMES[0], by(1)], [NAMES[1], by(-1)]].map(([name, which]) => which && `${name} is better by ${which}.`);
    return [...said, by(0) && `Tied by ${by(0)}.`].filter(Boolean).join(" ");
  }

  // Which ranking is better, and where that is decided.
  function decided({ preference, level, ahead, behind, n }) {
    const [most, least] = [Math.max(ahead, behind), Math.min(ahead, behind)];
    const where = level ? ` by level ${level}` : n ? ` by ${most} to ${least} of ${counted(n, "level")}` : "";
    return `${better(preference)}${where}`;
  }

  const value = (x) => (x === undefined ? NONE : make("data", { value: x }, number(x)));

  function measuresTable(measures) {
    return tableOf("What measures say", ["measure", "better", ...NAMES, "difference"], measures.map((one) => [
      one.name, decided(one), value(one.a), value(one.b), value(one.preference),
    ]));
  }

  // Who is ahead at each level, for users who want documents of each grade or a higher one.
  function levelsTable({ thresholds, measures }) {
    const heads = thresholds.map(({ rel }, n) => (n ? `grade ≥ ${rel}` : "all relevant"));
    const rows = thresholds[0].signs.map((_, n) => [
      String(n + 1),
      measures.filter(({ level }) => level === n + 1).map(({ name }) => name).join(", "),
      ...thresholds.map(({ a, b, signs }) => (n < signs.length ? pairOf(a[n].rank, b[n].rank, signs[n]) : "")),
    ]);
    return tableOf("Ranks by recall level", ["level", "decides", ...heads], rows);
  }

  const pairOf = (a, b, sign) => make("span", { class: "pair", "data-ahead": sign },
    `${whole(a)} ${sign > 0 ? "◀" : sign < 0 ? "▶" : "="} ${whole(b)}`,
    make("span", { class: "unseen" }, sign ? ` ${better(sign)} is ahead` : " even"));

  const tableOf = (caption, heads, rows) => make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    make("table", {}, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, rows.map(([head, ...cells]) => make("tr", {},
        make("th", { scope: "row" }, head), cells.map((cell) => make("td", {}, cell)))))));

  draw();
  return make("div", { class: "two-rankings" },
    make("p", { class: "note" }, "Drag a document, or use ▲ and ▼, to move it; click it for its next grade. With a finger, drag by the rank. "
      + "Keys on a document: ↑ and ↓ move it, a digit sets its grade, ← and → go to the other ranking, Delete takes it out of the ranking."),
    make("div", { class: "work" },
      make("div", { class: "sides" }, titles.map((title) => make("p", { class: "name" }, title)), sides),
      make("div", {}, told, tables)));
}
