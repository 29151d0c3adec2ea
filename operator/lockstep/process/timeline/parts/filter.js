
// Whose gangs are shown, and which is chosen: both stand in the address, so that it can be handed on.
const namespaces = document.getElementById("namespaces");

function wanted() {
  const found = new URLSearchParams(location.hash.slice(1));
  return { namespace: found.get("namespace") ?? "", gang: found.get("gang") };
}

function hashOf(wish) {
  const set = Object.entries(wish).filter(([, value]) => value);
  return `#${new URLSearchParams(set)}`;
}

function drawNamespaces(picture) {
  const found = new Set([...picture.gangs, ...picture.waiting].map((gang) => gang.namespace));
  const { namespace } = wanted();
  const names = [...new Set([...found, namespace])].filter(Boolean).sort();
  const options = names.map((name) => {
    const option = make("option", "", name);
    option.value = name;
    return option;
  });
  namespaces.replaceChildren(namespaces.firstElementChild, ...options);
  namespaces.value = namespace;
}

// The picture with the gangs of one namespace, and places that others hold; the whole one for ''.
function ofNamespace(picture, namespace) {
  if (!namespace) return picture;
  const kept = new Map();
  picture.gangs.forEach((gang, number) => {
    if (gang.namespace === namespace || gang.stage === "others") kept.set(number, kept.size);
  });
  const seen = (row) => row.bars.filter(([number]) => kept.has(number));
  const bars = (row) => seen(row).map(([number, ...rest]) => [kept.get(number), ...rest]);
  const kinds = picture.kinds.map((kind) => ({ ...kind, rows: kind.rows.map((row) => ({ ...row, bars: bars(row) })) }));
  const waiting = picture.waiting.filter((gang) => gang.namespace === namespace);
  const unseen = picture.waitingInAll > picture.waiting.length;
  const gangs = [...kept.keys()].map((number) => picture.gangs[number]);
  return { ...picture, gangs, kinds, waiting, waitingInAll: unseen ? picture.waitingInAll : waiting.length };
}
