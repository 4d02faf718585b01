// The data of the page: tables of the evaluation and numbers of single requests. The library
// computed all of them; here they are only looked up, compared and subtracted.

let facts = null; // of the evaluation that is shown
const ARRAYS = {
  u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array, f8: Float64Array,
};
let buffer = null;

// Unpack the facts, and the numbers: base64 of arrays that zlib compressed. Where there are several
// evaluations, `of` ends the ids of the elements that have them.
async function unpacked(of = "") {
  const [said, numbers] = ["facts", "numbers"].map((id) => document.getElementById(id + of).textContent);
  const bytes = Uint8Array.from(atob(numbers), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return { facts: JSON.parse(said), buffer: await new Response(stream).arrayBuffer() };
}

// Show an evaluation in place of the one before it.
function take(data) {
  ({ facts, buffer } = data);
  numberOf = new Map(facts.runs.map((run, n) => [run, n]));
  words = facts.nuggets ? NUGGETS : ITEMS;
  for (const remembered of [tables, found, indexes, kept]) remembered.clear();
}

const view = (place) => new ARRAYS[place.type](buffer, place.at, place.n);

const tables = new Map();

// Return the rows of a table as objects; a number that is missing is null.
function rowsOf(name) {
  if (!tables.has(name)) {
    const { n, columns } = facts.tables[name];
    const read = Object.entries(columns).map(([column, stored]) => [column, reader(stored)]);
    tables.set(name, Array.from({ length: n }, (_, row) =>
      Object.fromEntries(read.map(([column, get]) => [column, get(row)]))));
  }
  return tables.get(name);
}

function reader(stored) {
  if (stored.lists) return (row) => stored.lists[row];
  const values = view(stored);
  if (stored.words) return (row) => stored.words[values[row]];
  return (row) => (Number.isNaN(values[row]) ? null : values[row]);
}

const found = new Map();

// Return the rows of a table that have these values, such as those of a measure and a group.
function pick(name, only) {
  const key = JSON.stringify([name, only]);
  if (!found.has(key)) {
    const wanted = Object.entries(only);
    found.set(key, rowsOf(name).filter((row) => wanted.every(([k, value]) => row[k] === value)));
  }
  return found.get(key);
}

const measureOf = (name) => facts.measures.find((measure) => measure.name === name);
const isCount = (name) => measureOf(name).is_count; // of which more is not better
let numberOf = null; // the places of the runs

// The comparison of two runs in the direction asked for, or null if there is none.
function comparisonOf(run, other, state) {
  const { group, measure, test, correction } = state;
  const index = pairsOf("comparisons", { group, measure, test, correction });
  const asIs = index.get(`${numberOf.get(run)},${numberOf.get(other)}`);
  if (asIs) return asIs;
  const turned = index.get(`${numberOf.get(other)},${numberOf.get(run)}`);
  return turned ? turnedAround(turned) : null;
}

const indexes = new Map();

function pairsOf(name, only) {
  const key = JSON.stringify([name, only]);
  if (!indexes.has(key)) {
    indexes.set(key, new Map(pick(name, only).map((row) =>
      [`${numberOf.get(row.run_a)},${numberOf.get(row.run_b)}`, row])));
  }
  return indexes.get(key);
}

const minus = (x) => (x === null ? null : 0 - x);

function turnedAround(row) {
  return {
    ...row,
    run_a: row.run_b,
    run_b: row.run_a,
    mean_difference: minus(row.mean_difference),
    ci_low: minus(row.ci_high),
    ci_high: minus(row.ci_low),
    effect_size: row.effect_turned,
    turned: true,
  };
}

// Wins of a run against another, in the direction asked for.
function winsOf(run, other, state) {
  const index = pairsOf("win_rates", { group: state.group, measure: state.measure });
  const asIs = index.get(`${numberOf.get(run)},${numberOf.get(other)}`);
  if (asIs) return asIs;
  const row = index.get(`${numberOf.get(other)},${numberOf.get(run)}`);
  if (!row) return null;
  return {
    ...row,
    run_a: run,
    run_b: other,
    wins: row.losses,
    losses: row.wins,
    half_wins: row.half_losses,
    mean_preference: minus(row.mean_preference),
  };
}

// The requests of the chosen group, as places in the list of all.
function requestsOf(group) {
  const wanted = facts.groups.indexOf(group);
  const of = view(facts.queries.groups);
  return facts.queries.ids.map((_, q) => q).filter((q) => of[q] === wanted);
}

// What a measure says of two runs and a request: scores of metrics, and the preference.
function contrast(measure, q, run, other) {
  const { cells } = measureOf(measure);
  const none = { a: null, b: null, preference: null };
  if (!cells) return none;
  const [a, b] = [numberOf.get(run), numberOf.get(other)];
  if (cells.kind === "values") return { ...none, preference: valueOf(cells, q, a, b) };
  const values = view(cells.values);
  const [of_a, of_b] = [values[q * facts.runs.length + a], values[q * facts.runs.length + b]];
  if (cells.kind === "order") return { ...none, preference: Math.sign(of_a - of_b) };
  if (Number.isNaN(of_a) || Number.isNaN(of_b)) return none;
  const gain = cells.smaller ? apart(of_b, of_a, facts.tie) : apart(of_a, of_b, facts.tie);
  return { a: of_a, b: of_b, preference: gain };
}

function valueOf(cells, q, a, b) {
  const value = storedOf(cells, q, a, b);
  return a < b || value === null || value === 0 ? value : -value;
}

// The chances that the first run and the second is better, over all orders of equal scores.
function chancesOf(measure, q, run, other) {
  const chances = measureOf(measure).cells?.chances;
  if (!chances) return { first: null, second: null };
  const [a, b] = [numberOf.get(run), numberOf.get(other)];
  const [better, worse] = chances.map((cells) => storedOf(cells, q, a, b));
  return a < b ? { first: better, second: worse } : { first: worse, second: better };
}

function storedOf(cells, q, a, b) {
  const n = facts.runs.length;
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const pair = (low * (2 * n - low - 1)) / 2 + (high - low - 1);
  const place = view(cells.places)[q * ((n * (n - 1)) / 2) + pair];
  const value = view(cells.different)[view(cells.first)[q] + place];
  return Number.isNaN(value) ? null : value;
}

// The relevant items of a request with their ranks in a run; the rank is null if not retrieved.
function itemsOf(q, run) {
  const { ranks, first, relevance } = facts.positions;
  const [from, to] = [view(first)[q], view(first)[q + 1]];
  const [all, grades] = [view(ranks), view(relevance)];
  return Array.from({ length: to - from }, (_, n) => ({
    doc: facts.documents[from + n],
    grade: grades[from + n],
    rank: all[(from + n) * facts.runs.length + numberOf.get(run)] || null,
  }));
}

const depthOf = (q, run) =>
  view(facts.positions.depth)[q * facts.runs.length + numberOf.get(run)];
