/** What runs in the page. Everything that comes over the wire is set as text, never as HTML. */
export const script = String.raw`
"use strict";
const by = (id) => document.getElementById(id);
const given = new URLSearchParams(location.search).get("number") || "";

function international(text) {
  const digits = text.replace(/[^0-9]/g, "");
  if (/^0[17][0-9]{8}$/.test(digits)) return "254" + digits.slice(1);
  if (/^[17][0-9]{8}$/.test(digits)) return "254" + digits;
  return /^254[17][0-9]{8}$/.test(digits) ? digits : "";
}

function spaced(number) {
  return "+" + number.replace(/^(...)(...)(...)(...)$/, "$1 $2 $3 $4");
}

const waiting = [];
let ringing = null;

function showNext() {
  if (ringing || waiting.length === 0) return;
  ringing = waiting.shift();
  by("prompt-text").textContent = "Do you want to pay KES " + ringing.amount.toLocaleString("en") +
    " to " + ringing.business + ", account " + ringing.reference + "?";
  by("prompt-note").textContent = ringing.description;
  by("pin").value = "";
  by("problem").textContent = "";
  by("left").max = Math.max(ringing.secondsLeft, 1);
  by("send").disabled = by("cancel").disabled = false;
  tick();
  by("prompt").showModal();
  by("pin").focus();
}

function hide(id) {
  const at = waiting.findIndex((each) => each.id === id);
  if (at >= 0) waiting.splice(at, 1);
  if (ringing && ringing.id === id) {
    ringing = null;
    by("prompt").close();
  }
  showNext();
}

function addMessage(event) {
  const item = document.createElement("li");
  const head = document.createElement("strong");
  const text = document.createElement("span");
  head.textContent = event.paid ? event.receipt + " Confirmed." : "M-PESA";
  const what = "KES " + event.amount.toLocaleString("en") + " to " + event.business;
  text.textContent = event.paid ? what + " has been paid." : what + ": " + event.text + " (" + event.result + ")";
  item.className = event.paid ? "paid" : "not-paid";
  item.append(head, " ", text);
  by("messages").prepend(item);
  if (by("messages").children.length > 20) by("messages").lastElementChild.remove();
  by("idle").hidden = true;
}

async function press(keys) {
  if (!ringing) return;
  by("send").disabled = by("cancel").disabled = true;
  const failed = (text) => {
    by("problem").textContent = text;
    by("send").disabled = by("cancel").disabled = false;
  };
  try {
    const answer = await fetch("/phone/press", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: ringing.id, ...keys }),
    });
    if (!answer.ok && answer.status !== 409) failed("That did not work. Try again.");
  } catch {
    failed("The simulator cannot be reached.");
  }
}

function tick() {
  const now = new Date();
  by("clock").textContent = now.toTimeString().slice(0, 5);
  if (!ringing) return;
  const left = Math.max(0, Math.ceil((ringing.endsAt - performance.now()) / 1000));
  by("left").value = left;
  by("seconds").textContent = left + " s left";
}

function follow(number) {
  by("phone").hidden = false;
  by("main").className = "holding";
  by("own-number").textContent = spaced(number);
  document.title = spaced(number) + " · M-Pesa simulator";
  const events = new EventSource("/phone/events?number=" + number);
  events.onopen = () => { by("line").textContent = "Connected"; };
  events.onerror = () => { by("line").textContent = "Not connected"; };
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type === "ended") {
      addMessage(event);
      hide(event.id);
      return;
    }
    const known = [ringing, ...waiting].some((each) => each && each.id === event.id);
    if (!known) waiting.push({ ...event, endsAt: performance.now() + event.secondsLeft * 1000 });
    showNext();
  };
  by("keys").addEventListener("submit", (event) => {
    event.preventDefault();
    void press({ pin: by("pin").value });
  });
  by("cancel").addEventListener("click", () => void press({ cancel: true }));
  by("prompt").addEventListener("cancel", (event) => {
    event.preventDefault();
    void press({ cancel: true });
  });
  setInterval(tick, 500);
  tick();
}

by("choose").addEventListener("submit", (event) => {
  const number = international(by("number").value);
  by("number").setAttribute("aria-invalid", String(!number));
  if (number) by("number").value = number;
  else event.preventDefault();
  by("number-problem").textContent = number ? "" : "A Kenyan mobile number, such as 0712 345 678.";
});

const number = international(given);
if (number) {
  by("number").value = number;
  follow(number);
} else if (given) {
  by("number").value = given;
  by("number-problem").textContent = "A Kenyan mobile number, such as 0712 345 678.";
}
`;
