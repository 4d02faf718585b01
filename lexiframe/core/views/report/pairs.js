// The pairs: a grid of win rates, and the requests of the pair that is chosen.

const WITH_NUMBERS = 16; // with more runs, a cell has no room for a number
const SMALL_CELLS = 60; // with more, cells are so narrow that only every fifth column is numbered
const MOST = 120; // of more runs, the grid has those that come first: it grows with their square

function showPairs(state) {
  if (facts.runs.length < 2) return show("pairs");
  const runs = inChosenOrder(state).slice(0, MOST);
  const said = make("p", { id: "readout", class: "readout", "aria-live": "polite" },
    "Point at a cell, or move with the arrow keys. Click it, or press Enter, to see the requests.");
  show("pairs",
    title("pairs-title", `Pairs by ${state.measure}`),
    note(`Share of ${facts.notes.byWeight ? "weight" : "requests"} that the run of the row wins against the run of the column, ties half. `,
      make("span", { class: "key" }, keyOf("row wins", 0.9), keyOf("even", 0.5), keyOf("column wins", 0.1)),
      ` A dot (•) marks pairs that differ significantly (${testOf(state)} test, ${state.correction}).`,
      facts.inference.baseline === null ? null : ` Only pairs with ${facts.inference.baseline} were tested.`),
    runs.length < facts.runs.length
      && note(`The first ${runs.length} of ${facts.runs.length} runs in this order; a baseline is compared with all.`),
    isCount(state.measure) && note(`${state.measure} is a count: more is not better, and a run wins where it has more.`),
    orderChoice(state),
    make("div", { class: "scroll", tabindex: "-1" }, grid(runs, state, said)),
    intervalNotes("comparisons", state) && note(intervalNotes("comparisons", state)),
    said);
}

// The test of the chosen measure: the one that was asked for, or that was chosen for the measure.
const testOf = ({ group, measure, test }) => facts.inference.chosen[group]?.[measure] ?? test;

function keyOf(said, share) {
  return make("span", { class: "swatch", style: heat(share) }, said);
}

function orderChoice(state) {
  const ranked = facts.measures.map(({ name }) => name).filter((name) => !isCount(name));
  const options = [...ranked, ""].map((name) =>
    make("option", { value: name, selected: name === orderOf(state) },
      name === "" ? "name" : `rank by ${name}`));
  return make("label", { class: "inline" }, "Order of the runs ",
    make("select", { id: "order", onchange: (event) => change({ order: event.target.value }) }, options));
}

const orderOf = ({ order, measure }) => order ?? (isCount(measure) ? "" : measure);

function inChosenOrder(state) {
  const order = orderOf(state);
  const ranks = byRun(pick("orderings", { group: state.group, measure: order }));
  const place = (run) => ranks.get(run)?.rank ?? Infinity;
  return order === "" ? [...facts.runs] : [...facts.runs].sort((a, b) => place(a) - place(b) || 0);
}

function grid(runs, state, said) {
  const small = runs.length > WITH_NUMBERS;
  const tiny = runs.length > SMALL_CELLS;
  const head = make("tr", {}, make("td", {}), runs.map((run, n) =>
    make("th", { scope: "col", title: run, "aria-label": run }, tiny && (n + 1) % 5 ? "" : String(n + 1))));
  const rows = runs.map((run, row) => make("tr", {},
    make("th", { scope: "row", title: run }, make("span", { class: "place" }, String(row + 1)), run),
    runs.map((other, column) => cellOf(run, other, row, column, state, small))));
  const element = make("table", {
    id: "grid", role: "grid", class: `heat${small ? " small" : ""}${tiny ? " tiny" : ""}`, "aria-label": `Win rates by ${state.measure}`,
  }, make("thead", {}, head), make("tbody", {}, rows));
  const read = (event) => {
    const cell = event.target.closest?.("td[data-row]");
    if (!cell) return;
    said.classList.add("read");
    said.textContent = inWords(runs[cell.dataset.row], runs[cell.dataset.column], state);
  };
  element.addEventListener("mouseover", read);
  element.addEventListener("focusin", read);
  element.addEventListener("click", (event) => openCell(event.target.closest("td[data-row]"), runs));
  element.addEventListener("keydown", (event) => move(event, element, runs));
  return element;
}

function cellOf(run, other, row, column, state, small) {
  const wins = row === column ? null : winsOf(run, other, state);
  const place = { role: "gridcell", "data-row": row, "data-column": column, tabindex: row === 0 && column === Math.min(1, facts.runs.length - 1) ? "0" : "-1" };
  if (!wins) return make("td", { ...place, class: "same", "aria-label": row === column ? `${run} itself` : `${run} and ${other}: not compared` });
  const isTold = comparisonOf(run, other, state)?.reject;
  const shown = fixed(wins.half_wins, 2);
  return make("td", {
    ...place, "data-share": small ? shown : null, style: heat(wins.half_wins), "aria-label": `${run} against ${other}: ${fixed(wins.half_wins, 3)}${isTold ? ", significantly different" : ""}`,
  }, small ? "" : shown, isTold ? make("span", { class: "told" }, "•") : null);
}

function inWords(run, other, state) {
  const wins = run === other ? null : winsOf(run, other, state);
  if (!wins) return run === other ? run : `${run} and ${other} are not compared.`;
  const c = comparisonOf(run, other, state);
  const test = c
    ? ` Mean difference ${number(c.mean_difference)} (${number(c.ci_low)} to ${number(c.ci_high)}), corrected p `
      + `${probability(c.p_adjusted)}${c.reject ? ", significantly different" : ""}.`
    : ` Mean difference ${number(wins.mean_preference)}; the two were not tested.`;
  return `${run} against ${other} by ${state.measure}: ${wins.wins} won, ${wins.losses} lost, ${wins.ties} tied `
    + `of ${counted(wins.n, "request")}; share won ${fixed(wins.half_wins, 3)}.${test}`;
}

function openCell(cell, runs) {
  if (!cell || cell.dataset.row === cell.dataset.column) return;
  change({ pair: [runs[cell.dataset.row], runs[cell.dataset.column]], request: null });
  goTo("pair-title");
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function move(event, element, runs) {
  const cell = event.target.closest("td[data-row]");
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    openCell(cell, runs);
    return;
  }
  const last = runs.length - 1;
  const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
  const target = event.key === "Home" ? [row, 0] : event.key === "End" ? [row, last]
    : STEPS[event.key] && [row + STEPS[event.key][0], column + STEPS[event.key][1]];
  const next = target && element.querySelector(`td[data-row="${target[0]}"][data-column="${target[1]}"]`);
  if (!next) return;
  event.preventDefault();
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function showPair(state) {
  if (!state.pair) return show("pair");
  const [run, other] = state.pair;
  show("pair",
    title("pair-title", `${run} against ${other}`),
    make("p", {}, inWords(run, other, state)),
    make("p", { class: "buttons" },
      make("button", { type: "button", class: "quiet", id: "swap", onclick: () => change({ pair: [other, run] }) }, "Swap the two"),
      make("button", { type: "button", class: "quiet", onclick: () => close({ pair: null, request: null }, "grid") }, "Close")),
    title("pair-measures-title", "By all measures", "h3"),
    table("pair-measures", `${run} against ${other} by all measures`, columnsOfPair(), ofAllMeasures(run, other, state), { filter: false }),
    title("requests-title", `Requests by ${state.measure}`, "h3"),
    note(`The first run is ${run}, the second ${other}. The most contrasting requests come first. Choose a request `
      + "to see both rankings."),
    requestTable(run, other, state));
}

function close(changes, focused) {
  change(changes);
  const place = document.getElementById(focused);
  (place?.querySelector("[tabindex='0']") ?? place)?.focus();
}

function ofAllMeasures(run, other, state) {
  return facts.measures
    .map(({ name }) => ({ name, wins: winsOf(run, other, { ...state, measure: name }), c: comparisonOf(run, other, { ...state, measure: name }) }))
    .filter(({ wins }) => wins);
}

function columnsOfPair() {
  return [
    { title: "measure", side: "left", isHead: true, value: (row) => row.name },
    { title: "won", value: (row) => row.wins.wins, show: (row) => whole(row.wins.wins) },
    { title: "lost", value: (row) => row.wins.losses, show: (row) => whole(row.wins.losses) },
    { title: "tied", value: (row) => row.wins.ties, show: (row) => whole(row.wins.ties) },
    { title: "share won", help: "A tie is half a win", value: (row) => row.wins.half_wins, show: (row) => fixed(row.wins.half_wins, 3) },
    { title: "mean difference", value: (row) => row.wins.mean_preference, show: (row) => number(row.wins.mean_preference) },
    { title: "corrected p", value: (row) => row.c?.p_adjusted ?? null, show: (row) => probability(row.c?.p_adjusted ?? null), rising: true },
    { title: "verdict", side: "left", value: (row) => (row.c ? toldApart(row.c) : ""), show: (row) => (row.c ? toldApart(row.c) : "not tested") },
  ];
}

function requestTable(run, other, state) {
  const { measure, group } = state;
  const { cells, decides } = measureOf(measure);
  const hasLevels = decides && facts.positions;
  const rows = requestsOf(group)
    .map((q) => ({ q, id: facts.queries.ids[q], ...contrast(measure, q, run, other), chance: chancesOf(measure, q, run, other) }))
    .filter((row) => row.preference !== null)
    .map((row) => ({ ...row, level: hasLevels && row.preference ? decidingLevel(decides, itemsOf(row.q, run), itemsOf(row.q, other)) : null }));
  rows.sort((x, y) => Math.abs(y.preference) - Math.abs(x.preference) || y.preference - x.preference);
  const greatest = Math.max(...rows.map((row) => Math.abs(row.preference)), 0);
  const hasTexts = Object.keys(facts.queries.texts).length > 0;
  const columns = [
    {
      title: "request", side: "left", isHead: true, value: (row) => row.id, also: (row) => facts.queries.texts[row.id],
      show: (row) => make("button", { type: "button", class: "link", onclick: () => openRequest(row.q) }, row.id),
    },
    hasTexts && { title: "text", side: "left", value: (row) => facts.queries.texts[row.id] ?? "" },
    cells?.kind === "scores" && { title: "first", help: run, value: (row) => row.a, show: (row) => number(row.a) },
    cells?.kind === "scores" && { title: "second", help: other, value: (row) => row.b, show: (row) => number(row.b) },
    { title: "difference", value: (row) => row.preference, show: (row) => number(row.preference) },
    !isCount(measure) && { title: "better", side: "left", value: (row) => betterOf(row.preference), show: (row) => betterOf(row.preference) },
    { title: "", side: "left", show: (row) => gainBar(row.preference, greatest) },
    ...columnsOfChances(cells?.chances, run, other),
    hasLevels && { title: "deciding level", value: (row) => row.level, show: (row) => whole(row.level), rising: true },
  ].filter(Boolean);
  return table("requests", `Requests of ${run} and ${other} by ${measure}`, columns, rows, {
    most: 20, actOn: (row) => openRequest(row.q), rowClass: () => "acts",
  });
}

const betterOf = (preference) => (preference > 0 ? "first" : preference < 0 ? "second" : "tie");

function openRequest(q) {
  change({ request: q });
  goTo("request-title");
}

// Move to what was opened: by the nearest way only its title would be seen, at the lower edge.
function goTo(id) {
  const place = document.getElementById(id);
  place?.focus({ preventScroll: true });
  place?.scrollIntoView();
}
