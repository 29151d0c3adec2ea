
"use strict";

// All times are seconds since 1970 by the operator's clock, which this one may differ from.
let ahead = 0;

function setClock(date) {
  const found = Date.parse(date) / 1000 - Date.now() / 1000;
  // It comes in whole seconds.
  if (Math.abs(found - ahead) > 2) ahead = found;
}

function now() {
  return Date.now() / 1000 + ahead;
}

function isToday(time) {
  return new Date(time * 1000).toDateString() === new Date(now() * 1000).toDateString();
}

// 14:05, or 14:05:30 where seconds count; with the day where that is not today.
function formatTime(time, withSeconds = false) {
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (withSeconds) parts.second = "2-digit";
  if (!isToday(time)) Object.assign(parts, { day: "numeric", month: "short" });
  return new Date(time * 1000).toLocaleString([], parts);
}

function formatSpan(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return `${Math.round(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

// 1 gang, 2 gangs.
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
