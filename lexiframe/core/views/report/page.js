// What is chosen, and the controls that change it.

const state = {
  measure: null, test: "", correction: "", group: "", baseline: null, order: null, pair: null, request: null,
};

const SECTIONS = {
  verdict: [showVerdict, ["measure", "test", "correction", "group", "baseline"]],
  means: [showMeans, ["measure", "test", "correction", "group", "baseline"]],
  baseline: [showBaseline, ["measure", "test", "correction", "group", "baseline"]],
  pairs: [showPairs, ["measure", "test", "correction", "group", "order"]],
  pair: [showPair, ["measure", "test", "correction", "group", "pair"]],
  request: [showRequest, ["group", "pair", "request"]],
  agreement: [showAgreement, ["group"]],
  ties: [showTies, ["test", "correction", "group"]],
  coverage: [showCoverage, []],
};

let sections = SECTIONS; // the sections that are drawn, those of an evaluation or of an overview
let several = null; // of several evaluations on the page: their menu, and the one that is shown

// Change what is chosen, and draw the sections that depend on it.
function change(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  if (changed.includes("group") && state.request !== null && !requestsOf(state.group).includes(state.request)) {
    state.request = null;
    changed.push("request");
  }
  const focused = document.activeElement?.id;
  for (const [draw, names] of Object.values(sections)) {
    if (names.some((name) => changed.includes(name))) draw(state);
  }
  showControls();
  writeAddress();
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}

const usual = {}; // what is chosen before anything is

const unusual = () => ["measure", "test", "correction", "group", "baseline", "order"]
  .filter((name) => state[name] !== usual[name]).map((name) => [name, state[name] ?? ""]);

// The address says what is chosen, so that a link shows somebody else the same.
function writeAddress() {
  const said = new URLSearchParams([...(several?.address() ?? []), ...unusual()]);
  if (state.pair) [said.set("run_a", state.pair[0]), said.set("run_b", state.pair[1])];
  if (state.pair && state.request !== null) said.set("request", facts.queries.ids[state.request]);
  const address = said.size ? `#${said}` : location.pathname + location.search;
  if (said.size || location.hash.includes("=")) history.replaceState(null, "", address);
}

// Read what the address says; what this page does not have is left out.
function fromAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const known = {
    measure: facts.measures.map(({ name }) => name), test: facts.inference.tests,
    correction: facts.inference.corrections, group: facts.groups, baseline: ["", ...facts.runs],
    order: ["", ...facts.measures.map(({ name }) => name)],
  };
  const found = { ...usual };
  for (const [name, values] of Object.entries(known)) {
    if (said.has(name) && values.includes(said.get(name))) found[name] = said.get(name);
  }
  if (found.baseline === "") found.baseline = null;
  const pair = [said.get("run_a"), said.get("run_b")];
  if (pair.every((run) => facts.runs.includes(run)) && pair[0] !== pair[1]) found.pair = pair;
  const request = facts.queries.ids.indexOf(said.get("request"));
  if (found.pair && requestsOf(found.group).includes(request)) found.request = request;
  return found;
}

function choice(name, said, options, chosen = state[name], choose = (value) => change({ [name]: value })) {
  const select = make("select", {
    id: `choose-${name}`, onchange: (event) => choose(options[event.target.selectedIndex].value),
  }, options.map(({ label }) => make("option", {}, label)));
  select.selectedIndex = options.findIndex(({ value }) => value === chosen);
  return make("label", {}, make("span", {}, said), select);
}

const plainly = (values) => values.map((value) => ({ value, label: value }));

function showControls() {
  const { tests, corrections } = facts.inference;
  const runs = [{ value: null, label: "none" }, ...plainly(facts.runs)];
  const form = document.getElementById("controls");
  form.replaceChildren(...[
    several?.menu(),
    choice("measure", "Measure", plainly(facts.measures.map(({ name }) => name))),
    facts.by.length ? choice("group", "Requests", plainly(facts.groups)) : null,
    tests.length ? choice("test", "Test", tests.map((value) => ({ value, label: value === "auto" ? "chosen by measure" : value }))) : null,
    corrections.length ? choice("correction", "Correction", plainly(corrections)) : null,
    facts.runs.length > 1 && facts.tables.comparisons ? choice("baseline", "Baseline", runs) : null,
  ].filter(Boolean));
  form.hidden = false;
}

function showScope() {
  const [n, among] = [facts.queries.ids.length, facts.collections?.length];
  const said = [
    counted(facts.runs.length, "run"), among ? counted(among, "collection") : counted(n, "request"), counted(facts.measures.length, "measure"),
    facts.runs.length > 1 ? facts.inference.words : null,
  ];
  document.getElementById("scope").textContent = said.filter(Boolean).join(" · ");
}

function startTheme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; label(); });
  system.addEventListener("change", label);
  label();
  button.hidden = false;
}

function failed(error) {
  const place = document.getElementById("failure");
  place.textContent = `The page cannot be shown (${error.message}). It needs a browser of 2023 or later.`;
  place.hidden = false;
  throw error;
}

// Draw the evaluation that was taken, as the address says.
function drawAll() {
  Object.assign(state, {
    order: null, pair: null, request: null,
    measure: (facts.measures.find((one) => one.cells && !one.is_count) ?? facts.measures[0]).name,
    test: facts.inference.tests[0] ?? "",
    correction: facts.inference.corrections[0] ?? "",
    group: facts.groups[0] ?? "",
    baseline: facts.inference.baseline ?? null,
  });
  Object.assign(usual, state);
  Object.assign(state, fromAddress());
  showScope();
  showControls();
  for (const [showSection] of Object.values(sections)) showSection(state);
}

async function start() {
  startTheme();
  take(await unpacked());
  document.getElementById("numbers").remove();
  drawAll();
  addEventListener("hashchange", () => { if (location.hash.includes("=")) change(fromAddress()); });
  document.getElementById("report").hidden = false;
}
