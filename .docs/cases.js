// The page "Two rankings": cases from the papers, and an address that has what the reader made.

const CASES = [
  {
    name: "Same RR", of: "Diaz and Ferraro 2022, § 1",
    first: "abkclmnopq", second: "aklmnobpqc", grades: "a1b1c1",
    said: "RR looks at the first relevant document alone and ties, although X has all three by rank 4 and Y the last at rank 10.",
  },
  {
    name: "Worst case", of: "Diaz, Ekstrand and Mitra 2025, § 4",
    first: "abklmnopqc", second: "kalbcmnopq", grades: "a1b1c1",
    said: "AP and nDCG@10 say that X is better, but whoever needs the last relevant document is served twice as fast by Y, and LR and TSE see that user.",
  },
  {
    name: "Ties of R@k", of: "Diaz, Ekstrand and Mitra 2025, § 5.1",
    first: "abkclmnopq.d", second: "klabcmnopq.d", grades: "a1b1c1d1",
    said: "Both have three of four relevant documents within 5 ranks and miss the last, so that R@5 and TSE tie; LR goes up to level 3, where X is ahead.",
  },
  {
    name: "The top outweighs the rest", of: "Diaz and Ferraro 2022, § 4.1",
    first: "aklmnopbcd", second: "kalmbcdnop", grades: "a1b1c1d1",
    said: "The first rank weighs so much that X is better by AP and nDCG@10; RPP counts each level alike, and Y is ahead at three of four.",
  },
  {
    name: "Grades", of: "Diaz and Ferraro 2022, § 3",
    first: "kablmncodp.efghi", second: "bkaidlmceo.fgh", grades: "a4b3c1d3e1f1g2h4i5",
    said: "Whoever wants grade 4 or more finds a first document sooner in X, all others in Y: RPP asks users of each grade, LP and LR take all relevant documents alike.",
  },
  {
    name: "Opposite ends", of: "Diaz, Ekstrand and Mitra 2025, § 7.3.1; Diaz 2023, § 3.2",
    first: "aklmnbopqr", second: "klabmnopqr", grades: "a1b1",
    said: "LP begins with the first relevant document and LR with the last, so that they disagree; RPP is ahead once and behind once, and ties.",
  },
];

// Letters are documents; those behind the point were not retrieved, and those of the other list neither.
function parsed({ first, second, grades }) {
  const all = [...new Set(`${first}${second}${grades}`.match(/[a-z]/g) ?? [])];
  const lists = [first, second].map((text) => {
    const [found, missed] = text.split(".").map((part) => [...new Set(part.match(/[a-z]/g) ?? [])]);
    const others = [...(missed ?? []), ...all].filter((doc) => !found.includes(doc));
    return [...found, END, ...new Set(others)];
  });
  const of = new Map([...grades.matchAll(/([a-z])(\d)/g)].map(([, doc, grade]) => [doc, Number(grade)]));
  const scale = Array.from({ length: Math.max(3, ...of.values()) + 1 }, (_, grade) => grade);
  return { lists, grades: of, scale };
}

const place = document.getElementById("rankings");
const said = make("p", { "aria-live": "polite" });
const box = make("div");
let later = null; // browsers refuse to write many addresses a second
const buttons = CASES.map((one) => make("button", { type: "button", onclick: () => choose(one) }, one.name));

function say(text, one = null) {
  said.textContent = text;
  buttons.forEach((button, n) => button.setAttribute("aria-pressed", CASES[n] === one));
}

function choose(one) {
  clearTimeout(later);
  said.style.minHeight = "";
  say(`${one.said} (${one.of})`, one);
  box.replaceChildren(twoRankings(parsed(one), changed));
  if (location.hash.includes("=")) history.replaceState(null, "", location.pathname + location.search);
}

function changed(lists, grades) {
  const [first, second] = lists.map((list) => list.map((doc) => (doc === END ? "." : doc)).join(""));
  const of = [...grades].filter(([, grade]) => grade > 0).flat().join("");
  clearTimeout(later);
  later = setTimeout(() => history.replaceState(null, "", `#${new URLSearchParams({ first, second, grades: of })}`), 300);
  said.style.minHeight = `${said.offsetHeight}px`; // what is below stays under the pointer
  say("You changed these rankings; the address of this page has them. Choose a case to begin anew.");
}

function readAddress(address) {
  const asked = new URLSearchParams(new URL(address).hash.slice(1));
  if (!asked.has("first") || !asked.has("second")) return false;
  say("These rankings are those of the address of this page.");
  box.replaceChildren(twoRankings(parsed({ grades: "", ...Object.fromEntries(asked) }), changed));
  return true;
}

place.replaceChildren(make("div", { class: "cases", role: "group", "aria-label": "Prepared cases" }, buttons), said, box);
addEventListener("hashchange", (event) => readAddress(event.newURL));
if (!readAddress(location.href)) choose(CASES[0]);
