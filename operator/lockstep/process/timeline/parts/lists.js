
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
  const past = picture.gangs.filter((gang) => gang.stage === "ended" || gang.stage === "others").length;
  const asOf = picture.asOf ? ` As of ${formatTime(picture.asOf, true)}.` : "";
  summary.textContent =
    `${counted(nodes, "node")}. ${counted(picture.gangs.length - waiting - past, "gang")} on nodes, ` +
    `${waiting} with a place in the plan, ${picture.waitingInAll} without.${asOf}`;
}

function drawWaiting(picture) {
  const more = picture.waitingInAll - picture.waiting.length;
  waitingTitle.textContent = `Waiting without a place: ${picture.waitingInAll}`;
  waitingList.replaceChildren(...picture.waiting.map(waitingEntry));
  if (more) waitingList.append(make("li", "", `and ${more} more`));
}

function waitingEntry(gang) {
  const entry = make("li");
  entry.append(linkTo(gang), make("span", "", gang.says));
  return entry;
}

// A link that can be handed on: it leads to the gang, and to its sentence.
function linkTo(gang) {
  const link = make("a", "", idOf(gang));
  link.href = hashOf({ ...wanted(), gang: idOf(gang) });
  return link;
}

function drawTable(picture) {
  const time = (one) => (one === null ? "" : formatTime(one));
  const named = picture.gangs.filter((gang) => gang.stage !== "others");
  const placed = named.map((gang) => [
    linkTo(gang), STAGES[gang.stage], sizesOf(gang), time(gang.start), time(gang.finish), time(gang.promised), gang.nodes,
    gang.says,
  ]);
  const others = picture.waiting.map((gang) => [linkTo(gang), "waits", "", "", "", "", "", gang.says]);
  tableBody.replaceChildren(...[...placed, ...others].map(tableRow));
}

function tableRow(cells) {
  const row = make("tr");
  const [name, ...texts] = cells;
  const first = make("td");
  first.append(name);
  row.append(first, ...texts.map((text) => make("td", "", text)));
  return row;
}
