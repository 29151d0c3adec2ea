
// The page: asks for pictures, and shows the newest until there is another.
const POLL_MILLISECONDS = 2000;
const PATIENCE_MILLISECONDS = 10000;
const trouble = document.getElementById("trouble");
const ranges = document.getElementById("ranges");
// `chosen` names the gang at which the keyboard is, `pointer` is where the pointer is over the chart.
const view = {
  all: null, picture: null, scene: null, span: null, present: 0, range: FITS, chosen: null, pointer: null,
};
let tag = null;
let answeredAt = null;

async function keepAsking() {
  try {
    if (!document.hidden) await ask();
    moveOn();
  } catch (error) {
    console.warn(error);
    const since = answeredAt === null ? "" : ` since ${formatTime(answeredAt, true)}`;
    trouble.textContent = `The operator has not answered${since}; it is asked again and again.`;
    trouble.hidden = false;
  }
  setTimeout(keepAsking, POLL_MILLISECONDS);
}

async function ask() {
  const headers = tag === null ? {} : { "If-None-Match": tag };
  const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  const answer = await fetch("timeline.json", { headers, signal, cache: "no-store" });
  if (answer.status !== 304 && !answer.ok) throw new Error(`status ${answer.status}`);
  setClock(answer.headers.get("Date"));
  answeredAt = now();
  trouble.hidden = true;
  if (answer.status === 304) return;
  take(await answer.json());
  tag = answer.headers.get("ETag");
}

function take(picture) {
  view.all = picture;
  drawNamespaces(picture);
  show();
}

// Shows the gangs of the namespace that is wanted, and the gang that the address names.
function show() {
  const { namespace, gang } = wanted();
  view.picture = ofNamespace(view.all, namespace);
  view.scene = sceneOf(view.picture);
  view.chosen = gang ?? null;
  if (chosenNumber() < 0) view.chosen = null;
  draw();
  drawLists(view);
}

function draw() {
  if (view.picture === null) return;
  view.present = now();
  view.span = spanOf(view.picture, view.range, view.present);
  drawChart(view);
  showPointed();
}

// Moves the chart on with time, as soon as anybody would see it.
function moveOn() {
  if (view.picture === null) return;
  const pixel = (view.span.to - view.span.from) / axis.clientWidth;
  if (Math.abs(now() - view.present) >= pixel) draw();
}

function choose(number) {
  const gang = number === null ? null : view.picture.gangs[number];
  view.chosen = gang === null || gang.stage === "others" ? null : idOf(gang);
  history.replaceState(null, "", hashOf({ ...wanted(), gang: view.chosen }));
  view.pointer = null;
  if (number !== null) bringIntoSight(view, number);
  drawLines(view);
  showPointed();
}

function chosenNumber() {
  return view.picture.gangs.findIndex((gang) => idOf(gang) === view.chosen);
}

// Says in the card which gang the pointer is at, or else the keyboard.
function showPointed() {
  const pointed = view.pointer && gangAt(document.elementFromPoint(view.pointer.x, view.pointer.y));
  const number = chosenNumber();
  if (pointed !== null) showCard(view.picture.gangs[pointed], view.pointer, boxesOf(pointed));
  else if (number >= 0) showCard(view.picture.gangs[number], cornerOf(number), boxesOf(number));
  else hideCard();
}

function cornerOf(number) {
  const bar = lines.querySelector(`[data-gang="${number}"]`);
  const around = chart.getBoundingClientRect();
  if (bar === null || bar.hidden) return { x: around.left, y: around.top };
  const box = bar.getBoundingClientRect();
  return { x: Math.max(box.left, around.left), y: box.bottom - 12 };
}

// Where the gang's bars and its latest start are seen, with the names of their nodes.
function boxesOf(number) {
  const marks = [...lines.querySelectorAll(`[data-gang="${number}"]`)].filter((mark) => !mark.hidden);
  const names = [...new Set(marks.map((mark) => mark.closest(".row").firstElementChild))];
  const around = chart.getBoundingClientRect();
  const boxes = [...marks, ...names].map((one) => cutTo(one.getBoundingClientRect(), around));
  return boxes.filter((box) => box.right > box.left && box.bottom > box.top);
}

function cutTo(box, around) {
  return {
    left: Math.max(box.left, around.left), right: Math.min(box.right, around.right),
    top: Math.max(box.top, around.top), bottom: Math.min(box.bottom, around.bottom),
  };
}

function gangAt(target) {
  const bar = target instanceof Element ? target.closest(".bar[data-gang]") : null;
  return bar === null ? null : Number(bar.dataset.gang);
}

chart.addEventListener("keydown", (event) => {
  if (view.picture === null || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") {
    choose(null);
    chart.blur();
    return;
  }
  const number = gangAfter(view, event.key);
  if (number === null) return;
  event.preventDefault();
  choose(number);
});
lines.addEventListener("pointermove", (event) => {
  view.pointer = { x: event.clientX, y: event.clientY };
  showPointed();
});
lines.addEventListener("pointerleave", () => {
  view.pointer = null;
  if (view.picture !== null) showPointed();
});
lines.addEventListener("click", (event) => choose(gangAt(event.target)));
chart.addEventListener("scroll", () => {
  if (view.picture === null) return;
  if (!isDrawn()) drawLines(view);
  showPointed();
});
ranges.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button === null) return;
  for (const one of ranges.children) one.setAttribute("aria-pressed", String(one === button));
  view.range = Number(button.value);
  draw();
});
table.addEventListener("toggle", () => {
  if (table.open && view.picture !== null) drawTable(view.picture);
});
namespaces.addEventListener("change", () => {
  history.replaceState(null, "", hashOf({ namespace: namespaces.value }));
  if (view.all !== null) show();
});
addEventListener("hashchange", () => {
  if (view.all === null) return;
  drawNamespaces(view.all);
  show();
  const number = chosenNumber();
  if (number < 0) return;
  bringIntoSight(view, number);
  drawLines(view);
  showPointed();
});
addEventListener("resize", draw);
document.addEventListener("visibilitychange", moveOn);
keepAsking();
