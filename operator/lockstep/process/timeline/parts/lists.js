
// Everything in words: how much there is, who waits without a place, and all gangs as a table.
const summary = document.getElementById("summary");
const waitingTitle = document.getElementById("waiting-title");
const waitingList = document.querySelector("#waiting ul");
const table = document.getElementById("table");
const tableBody = document.querySelector("#table tbody");

function drawLists(view) {
  drawSummary(view.picture);
  drawWaiting(view.picture);
  if (table.open) drawTable(view.picture);
}

function drawSummary(picture) {
  const nodes = picture.kinds.reduce((sum, kind) => sum + nodeCount(kind.rows), 0);
  const waits = (gang) => gang.stage === "planned" || gang.stage === "holds";
  const waiting = picture.gangs.filter(waits).length;
  summary.textContent =
    `${nodes} nodes. ${picture.gangs.length - waiting} gangs on nodes, ` +
    `${waiting} with a place in the plan, ${picture.waitingInAll} without.`;
}

function drawWaiting(picture) {
  const more = picture.waitingInAll - picture.waiting.length;
  waitingTitle.textContent = `Waiting without a place: ${picture.waitingInAll}`;
  waitingList.replaceChildren(...picture.waiting.map(waitingEntry));
  if (more) waitingList.append(make("li", "", `and ${more} more`));
}

function waitingEntry(gang) {
  const entry = make("li");
  entry.append(make("b", "", idOf(gang)), make("span", "", gang.says));
  return entry;
}

function drawTable(picture) {
  const time = (one) => (one === null ? "" : spellTime(one));
  const placed = picture.gangs.map((gang) => [
    idOf(gang), STAGES[gang.stage], sizesOf(gang), time(gang.start), time(gang.finish), time(gang.promised), gang.nodes,
    gang.says,
  ]);
  const others = picture.waiting.map((gang) => [idOf(gang), "waits", "", "", "", "", "", gang.says]);
  tableBody.replaceChildren(...[...placed, ...others].map(tableRow));
}

function tableRow(cells) {
  const row = make("tr");
  row.append(...cells.map((cell) => make("td", "", cell)));
  return row;
}
