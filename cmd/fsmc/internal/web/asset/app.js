// @ts-check
// The server renders every page whole. This script fetches the page again when the feed of steps
// says that it is old, and puts in the regions that have changed, never one in which someone types.
// A region is an element with an id that stands in main, or in one of its regions.

const body = document.body;
const base = body.dataset.base || "/";
const pace = Number(body.dataset.pace || 500);
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const live = document.getElementById("live");
const said = document.getElementById("say");

/** What each region was when it came from the server: marks of this script do not count.
 * @type {Map<string, string>} */
const asSent = new Map();

/** @param {ParentNode} root @returns {HTMLElement[]} */
function regions(root) {
  return /** @type {HTMLElement[]} */ ([...root.querySelectorAll("#main > [id], #main > .run > [id], #problem-count")]);
}
for (const r of regions(document)) asSent.set(r.id, r.outerHTML);

/** Whether someone is at work in a region: it has typed text, a box that was ticked, a question that is open.
 * @param {HTMLElement} region */
function busy(region) {
  const at = document.activeElement;
  if (at && region.contains(at) && at.matches("input:not([type=checkbox]),textarea,select")) return true;
  const chosen = getSelection();
  if (chosen && !chosen.isCollapsed && chosen.anchorNode && region.contains(chosen.anchorNode)) return true;
  if (region.querySelector("details.ask[open]")) return true;
  for (const f of region.querySelectorAll("input,textarea")) {
    const field = /** @type {HTMLInputElement} */ (f);
    if (field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue) return true;
  }
  return [...region.querySelectorAll("select")].some((s) => s.selectedIndex > 0 && !s.options[s.selectedIndex].defaultSelected);
}

/** What of a region a reader has opened and scrolled, so that it stays so.
 * @param {HTMLElement} region */
function remembered(region) {
  const open = [...region.querySelectorAll("details")].map((d) => (d.open ? place(region, d) : ""));
  const moved = [...region.querySelectorAll(".canvas,.scroll,pre")].map((e) => [place(region, e), e.scrollLeft, e.scrollTop, e.className]);
  const focus = document.activeElement && region.contains(document.activeElement) ? place(region, document.activeElement) : "";
  return (/** @type {HTMLElement} */ next) => {
    for (const d of next.querySelectorAll("details")) if (open.includes(place(next, d))) d.open = true;
    for (const e of next.querySelectorAll(".canvas,.scroll,pre")) {
      const was = moved.find((m) => m[0] === place(next, e));
      if (!was) continue;
      e.setAttribute("class", String(was[3]));
      e.scrollLeft = Number(was[1]);
      e.scrollTop = Number(was[2]);
    }
    if (focus) for (const e of next.querySelectorAll("a,button,summary,[tabindex],[type=checkbox]")) if (place(next, e) === focus) /** @type {HTMLElement} */ (e).focus({ preventScroll: true });
  };
}

/** A name for an element of a region that it has after the next fetch, too.
 * @param {Element} region @param {Element} e */
function place(region, e) {
  const near = e.closest("[id]");
  const all = [...(near && region.contains(near) ? near : region).querySelectorAll(e.localName)];
  return (near ? near.id : "") + " " + e.localName + " " + (e.getAttribute("href") || all.indexOf(e));
}

/** @param {HTMLElement} old @param {HTMLElement} next */
function put(old, next) {
  const html = next.outerHTML;
  if (asSent.get(old.id) === html) return;
  if (busy(old)) {
    if (old.id === "side") parts(old, next);
    return;
  }
  const restore = remembered(old);
  asSent.set(old.id, html);
  const fresh = document.adoptNode(next);
  old.replaceWith(fresh);
  ready(fresh);
  restore(fresh);
  if (fresh.id === "head") speak(fresh.querySelector(".lead")?.textContent || "");
}

/** The sections of a region of which one is in use.
 * @param {HTMLElement} old @param {HTMLElement} next */
function parts(old, next) {
  for (const section of [...old.children]) {
    if (busy(/** @type {HTMLElement} */ (section))) continue;
    const fresh = section.id ? next.querySelector("#" + CSS.escape(section.id)) : null;
    if (fresh) section.replaceWith(document.adoptNode(fresh));
    else if (section.id) section.remove();
  }
  asSent.delete(old.id);
}

let spoken = 0;
/** Readers of screens hear where a run is, at most every five seconds.
 * @param {string} text */
function speak(text) {
  if (!said || Date.now() - spoken < 5000) return;
  spoken = Date.now();
  said.textContent = text;
}

/** @param {string} name @param {string} word */
function state(name, word) {
  if (!live || live.dataset.state === name) return;
  live.dataset.state = name;
  const text = live.querySelector(".word");
  if (text) text.textContent = word;
}

let fetching = false;
let again = false;
let timer = 0;
let last = 0;

function soon() {
  if (timer || document.hidden) return;
  timer = window.setTimeout(refetch, Math.max(0, last + pace - Date.now()));
}

async function refetch() {
  timer = 0;
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  last = Date.now();
  try {
    const answer = await fetch(location.href, { redirect: "error", cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = regions(page);
    if (!answer.ok || fresh.length === 0) throw new Error(String(answer.status));
    const old = regions(document);
    for (const next of fresh) {
      const now = old.find((r) => r.id === next.id);
      if (now) put(now, next);
      else if (next.parentElement?.id === "main") main.append(document.adoptNode(next));
    }
    for (const r of old) if (r.isConnected && !fresh.some((n) => n.id === r.id) && !busy(r)) r.remove();
    document.title = page.title;
  } catch {
    state("away", "no answer");
  } finally {
    fetching = false;
    if (again) soon();
    again = false;
  }
}

/** @type {EventSource | null} */
let stream = null;

function listen() {
  const feed = body.dataset.feed || "";
  if (feed === "-" || stream || document.hidden) return;
  const after = body.dataset.after; // so that a step between the page and its stream is seen
  stream = new EventSource(base + "api/v1/feed?pace=" + pace + (after ? "&after=" + after : "") + (feed ? "&" + feed : ""));
  stream.addEventListener("open", () => {
    if (live?.dataset.state === "away") soon();
    state("live", "live");
  });
  for (const name of ["step", "reset"]) stream.addEventListener(name, soon);
  stream.addEventListener("error", () => {
    state("away", "no answer");
    if (stream?.readyState === EventSource.CLOSED) {
      stream = null;
      window.setTimeout(listen, 3000);
    }
  });
}

function leave() {
  stream?.close();
  stream = null;
}

function resume() {
  if (body.dataset.feed === "-") return;
  listen();
  soon();
}
document.addEventListener("visibilitychange", () => (document.hidden ? leave() : resume()));
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", (e) => e.persisted && resume()); // the browser may keep a page to go back to
// Times go on where nothing else does, and those of timers count down in their last minute.
let seconds = 0;
window.setInterval(() => {
  const timers = /** @type {HTMLTimeElement[]} */ ([...document.querySelectorAll("#timers time")]);
  const near = timers.some((t) => Math.abs(Date.parse(t.dateTime) - Date.now()) < 60000);
  if (body.dataset.feed !== "-" && (near || ++seconds % 20 === 0)) soon();
}, 1000);
listen();

// Drawings

/** What the script adds to a region. @param {ParentNode} root */
function ready(root) {
  for (const c of root.querySelectorAll(".canvas")) {
    const canvas = /** @type {HTMLElement} */ (c);
    const svg = canvas.querySelector("svg");
    if (!svg || canvas.dataset.ready) continue;
    canvas.dataset.ready = "1";
    const tools = document.createElement("div");
    tools.className = "tools";
    for (const [text, fit] of /** @type {[string, boolean][]} */ ([["Fit", true], ["100 %", false]])) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => canvas.classList.toggle("fit", fit));
      tools.append(button);
    }
    if (svg.clientWidth > canvas.clientWidth || svg.clientHeight > canvas.clientHeight) canvas.before(tools);
    drag(canvas);
    const here = canvas.querySelector(".current")?.getBoundingClientRect();
    const all = canvas.getBoundingClientRect();
    if (here) canvas.scrollBy(here.left - all.left + (here.width - all.width) / 2, here.top - all.top + (here.height - all.height) / 2);
  }
  chosen();
}

/** @param {HTMLElement} canvas */
function drag(canvas) {
  let moved = 0;
  canvas.addEventListener("pointerdown", (e) => {
    moved = 0;
    if (e.button !== 0 || e.pointerType === "touch") return;
    const move = (/** @type {PointerEvent} */ m) => {
      moved += Math.abs(m.movementX) + Math.abs(m.movementY);
      if (moved < 5) return;
      canvas.classList.add("drag");
      canvas.scrollLeft -= m.movementX;
      canvas.scrollTop -= m.movementY;
    };
    const end = () => {
      canvas.classList.remove("drag");
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
  });
  canvas.addEventListener("dragstart", (e) => e.preventDefault());
  canvas.addEventListener("click", (e) => { if (moved >= 5) e.preventDefault(); }, true);
}

/** @type {Element | null} */
let lit = null;
for (const name of ["mouseover", "focusin"]) {
  document.addEventListener(name, (e) => {
    const row = e.target instanceof Element ? e.target.closest("[data-arrow]") : null;
    const arrow = row instanceof HTMLElement ? document.getElementById(row.dataset.arrow || "") : null;
    if (arrow === lit) return;
    lit?.classList.remove("lit");
    arrow?.classList.add("lit");
    lit = arrow;
  });
}

// While the slider moves, the page shows the run as it was.
document.addEventListener("input", (e) => {
  const at = e.target;
  if (!(at instanceof HTMLInputElement) || at.type !== "range" || !at.form) return;
  const told = at.form.querySelector("output");
  if (told) told.textContent = at.value + " of " + at.max;
  history.replaceState(null, "", at.form.action + "?" + new URLSearchParams(/** @type {any} */ (new FormData(at.form))));
  soon();
});

// Runs that are chosen

function chosen() {
  const bar = document.querySelector(".bulk");
  if (!bar) return;
  const any = document.querySelector("input[name=run]:checked, input[name=all]:checked") !== null;
  for (const b of bar.querySelectorAll("button")) b.disabled = !any;
}
document.addEventListener("change", chosen);

// Keys

let utc = false;
let before = "";
document.addEventListener("keydown", (e) => {
  const at = e.target instanceof Element ? e.target : body;
  if (e.ctrlKey || e.metaKey || e.altKey || at.matches("input:not([type=checkbox],[type=range]),textarea,select")) return;
  const first = before;
  before = e.key === "g" ? "g" : "";
  const link = document.querySelector(`a[data-key="${CSS.escape(e.key)}"]`);
  if (first === "g" ? link?.closest("nav") : "[]".includes(e.key) && link) {
    e.preventDefault();
    /** @type {HTMLElement} */ (link).click();
  } else if (e.key === "/") {
    e.preventDefault();
    const field = /** @type {HTMLInputElement} */ (document.getElementById("where"));
    field.focus();
    field.select();
  } else if (e.key === "j" || e.key === "k") step(e.key === "j" ? 1 : -1);
  else if (e.key === "?") /** @type {HTMLDialogElement} */ (document.getElementById("help")).showModal();
  else if (e.key === "u") {
    utc = !utc;
    for (const t of document.querySelectorAll("time")) t.title = utc ? t.dateTime : new Date(t.dateTime).toString();
  }
});

/** @param {number} by */
function step(by) {
  const links = /** @type {HTMLElement[]} */ ([...main.querySelectorAll("tbody tr a:first-of-type")]);
  const rows = links.filter((a, i) => i === 0 || a.closest("tr") !== links[i - 1].closest("tr"));
  const now = rows.findIndex((a) => a.closest("tr")?.contains(document.activeElement));
  rows[Math.min(rows.length - 1, Math.max(0, now + by))]?.focus();
}

ready(document);
