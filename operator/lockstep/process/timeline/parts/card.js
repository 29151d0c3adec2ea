
// Who a gang is, and why it is where it is.
const STAGES = {
  reserved: "being started",
  placed: "on its nodes",
  undoing: "being taken back",
  planned: "expected",
  holds: "keeps nodes free for itself",
  ended: "has ended, ran",
  others: "held by gangs",
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
  if (gang.promised !== null) sentences.push(`Starts by ${spellTime(gang.promised)} at the latest.`);
  sentences.push(`On ${gang.nodes}.`);
  if (gang.next) sentences.push(nextOf(gang.next));
  return sentences;
}

function nextOf({ size, at, nodes }) {
  return `From ${spellTime(at)} on ${counted(size, "member")}, on ${nodes}.`;
}

function whenOf(gang) {
  const wait = gang.start - now();
  const start = `from ${spellTime(gang.start)}${wait > 0 ? ` (in ${spellSpan(wait)})` : ""}`;
  if (gang.finish === null) return `${start}, nobody knows how long`;
  return `${start} to about ${spellTime(gang.finish)} (${spellSpan(gang.finish - gang.start)})`;
}
