
// Who a gang is, and why it is where it is.
const STAGES = {
  reserved: "being started",
  placed: "on its nodes",
  undoing: "being torn down",
  planned: "expected",
  holds: "keeps nodes free for itself",
  ended: "has ended, ran",
  others: "used by gangs",
};
const card = document.getElementById("card");

// Near that place of the window, within it, and where it covers no bar of the gang.
function showCard(gang, near, about) {
  card.replaceChildren(make("b", "", titleOf(gang)), ...sentencesOf(gang).map((text) => make("p", "", text)));
  card.append(make("p", "says", gang.says));
  card.hidden = false;
  const { x, y } = placeBeside(card.getBoundingClientRect(), near, about);
  card.style.left = `${x}px`;
  card.style.top = `${y}px`;
}

function hideCard() {
  card.hidden = true;
}

function titleOf(gang) {
  return gang.next ? `${idOf(gang)} ${sizesOf(gang)}` : idOf(gang);
}

// 4, or 4→9 where that changes.
function sizesOf(gang) {
  return gang.next ? `${gang.size}→${gang.next.size}` : `${gang.size}`;
}

function sentencesOf(gang) {
  const members = gang.size ? `${counted(gang.size, "member")}, ` : "";
  const sentences = [`${members}${STAGES[gang.stage]} ${whenOf(gang)}.`];
  if (gang.promised !== null) sentences.push(`It starts by ${formatTime(gang.promised)}.`);
  sentences.push(`On ${gang.nodes}.`);
  if (gang.next) sentences.push(nextOf(gang.next));
  return sentences;
}

function nextOf({ size, at, nodes }) {
  return `From ${formatTime(at)}: ${counted(size, "member")}, on ${nodes}.`;
}

function whenOf(gang) {
  const wait = gang.start - now();
  const start = `from ${formatTime(gang.start)}${wait > 0 ? ` (in ${formatSpan(wait)})` : ""}`;
  if (gang.finish === null) return `${start}, with no known end`;
  return `${start} to about ${formatTime(gang.finish)} (${formatSpan(gang.finish - gang.start)})`;
}
