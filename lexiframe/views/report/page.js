// What is chosen, and the controls that change it.

const state = {
  measure: null, test: "", correction: "", group: "", baseline: null, order: null, pair: null, request: null,
};

const SECTIONS = {
  verdict: [showVerdict, ["measure", "test", "correction", "group"]],
  means: [showMeans, ["measure", "test", "correction", "group", "baseline"]],
  baseline: [showBaseline, ["measure", "test", "correction", "group", "baseline"]],
  pairs: [showPairs, ["measure", "test", "correction", "group", "order"]],
  pair: [showPair, ["measure", "test", "correction", "group", "pair"]],
  request: [showRequest, ["group", "pair", "request"]],
  agreement: [showAgreement, ["group"]],
  ties: [showTies, ["test", "correction", "group"]],
  coverage: [showCoverage, []],
};

// Change what is chosen, and draw the sections that depend on it.
function change(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  if (changed.includes("group") && state.request !== null && !requestsOf(state.group).includes(state.request)) {
    state.request = null;
    changed.push("request");
  }
  const focused = document.activeElement?.id;
  for (const [draw, names] of Object.values(SECTIONS)) {
    if (names.some((name) => changed.includes(name))) draw(state);
  }
  showControls();
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}

function choice(name, said, options) {
  const select = make("select", {
    id: `choose-${name}`, onchange: (event) => change({ [name]: options[event.target.selectedIndex].value }),
  }, options.map(({ label }) => make("option", {}, label)));
  select.selectedIndex = options.findIndex(({ value }) => value === state[name]);
  return make("label", {}, make("span", {}, said), select);
}

const plainly = (values) => values.map((value) => ({ value, label: value }));

function showControls() {
  const { tests, corrections } = facts.inference;
  const runs = [{ value: null, label: "none" }, ...plainly(facts.runs)];
  const form = document.getElementById("controls");
  form.replaceChildren(...[
    choice("measure", "Measure", plainly(facts.measures.map(({ name }) => name))),
    facts.by.length ? choice("group", "Requests", plainly(facts.groups)) : null,
    tests.length ? choice("test", "Test", plainly(tests)) : null,
    corrections.length ? choice("correction", "Correction", plainly(corrections)) : null,
    facts.runs.length > 1 ? choice("baseline", "Baseline", runs) : null,
  ].filter(Boolean));
  form.hidden = false;
}

function showScope() {
  const n = facts.queries.ids.length;
  const said = [
    counted(facts.runs.length, "run"), counted(n, "request"), counted(facts.measures.length, "measure"),
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

async function start() {
  startTheme();
  await unpack();
  Object.assign(state, {
    measure: (facts.measures.find((one) => one.cells && !one.is_count) ?? facts.measures[0]).name,
    test: facts.inference.tests[0] ?? "",
    correction: facts.inference.corrections[0] ?? "",
    group: facts.groups[0] ?? "",
    baseline: facts.inference.baseline ?? null,
  });
  showScope();
  showControls();
  for (const [draw] of Object.values(SECTIONS)) draw(state);
  document.getElementById("report").hidden = false;
}

start().catch(failed);
