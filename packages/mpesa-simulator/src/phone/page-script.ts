/** The script of the page. All data from the server is set as text, never as HTML. */
export const pageScript = String.raw`
"use strict";
const element = (id) => document.getElementById(id);
const numberInAddress = new URLSearchParams(location.search).get("number") || "";

function toInternational(text) {
  const digits = text.replace(/[^0-9]/g, "");
  if (/^0[17][0-9]{8}$/.test(digits)) return "254" + digits.slice(1);
  if (/^[17][0-9]{8}$/.test(digits)) return "254" + digits;
  return /^254[17][0-9]{8}$/.test(digits) ? digits : "";
}

function formatNumber(number) {
  return "+" + number.replace(/^(...)(...)(...)(...)$/, "$1 $2 $3 $4");
}

const queuedPrompts = [];
let shownPrompt = null;

function showNext() {
  if (shownPrompt || queuedPrompts.length === 0) return;
  shownPrompt = queuedPrompts.shift();
  element("prompt-text").textContent = "Do you want to pay KES " + shownPrompt.amount.toLocaleString("en") +
    " to " + shownPrompt.business + ", account " + shownPrompt.reference + "?";
  element("prompt-note").textContent = shownPrompt.description;
  element("pin").value = "";
  element("problem").textContent = "";
  element("left").max = Math.max(shownPrompt.secondsLeft, 1);
  element("send").disabled = element("cancel").disabled = false;
  updateClock();
  element("prompt").showModal();
  element("pin").focus();
}

function removePrompt(id) {
  const at = queuedPrompts.findIndex((each) => each.id === id);
  if (at >= 0) queuedPrompts.splice(at, 1);
  if (shownPrompt && shownPrompt.id === id) {
    shownPrompt = null;
    element("prompt").close();
  }
  showNext();
}

function addMessage(event) {
  const item = document.createElement("li");
  const head = document.createElement("strong");
  const text = document.createElement("span");
  head.textContent = event.paid ? event.receipt + " Confirmed." : "M-PESA";
  const payment = "KES " + event.amount.toLocaleString("en") + " to " + event.business;
  text.textContent = event.paid ? payment + " has been paid." : payment + ": " + event.text + " (" + event.result + ")";
  item.className = event.paid ? "paid" : "not-paid";
  item.append(head, " ", text);
  element("messages").prepend(item);
  if (element("messages").children.length > 20) element("messages").lastElementChild.remove();
  element("idle").hidden = true;
}

async function press(keys) {
  if (!shownPrompt) return;
  element("send").disabled = element("cancel").disabled = true;
  const showFailure = (text) => {
    element("problem").textContent = text;
    element("send").disabled = element("cancel").disabled = false;
  };
  try {
    const answer = await fetch("/phone/press", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: shownPrompt.id, ...keys }),
    });
    if (!answer.ok && answer.status !== 409) showFailure("That did not work. Try again.");
  } catch {
    showFailure("The simulator cannot be reached.");
  }
}

function updateClock() {
  const now = new Date();
  element("clock").textContent = now.toTimeString().slice(0, 5);
  if (!shownPrompt) return;
  const left = Math.max(0, Math.ceil((shownPrompt.endsAt - performance.now()) / 1000));
  element("left").value = left;
  element("seconds").textContent = left + " s left";
}

function follow(number) {
  element("phone").hidden = false;
  element("main").className = "holding";
  element("own-number").textContent = formatNumber(number);
  document.title = formatNumber(number) + " · M-Pesa simulator";
  const events = new EventSource("/phone/events?number=" + number);
  events.onopen = () => { element("line").textContent = "Connected"; };
  events.onerror = () => { element("line").textContent = "Not connected"; };
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type === "ended") {
      addMessage(event);
      removePrompt(event.id);
      return;
    }
    const isKnown = [shownPrompt, ...queuedPrompts].some((each) => each && each.id === event.id);
    if (!isKnown) queuedPrompts.push({ ...event, endsAt: performance.now() + event.secondsLeft * 1000 });
    showNext();
  };
  element("keys").addEventListener("submit", (event) => {
    event.preventDefault();
    void press({ pin: element("pin").value });
  });
  element("cancel").addEventListener("click", () => void press({ cancel: true }));
  element("prompt").addEventListener("cancel", (event) => {
    event.preventDefault();
    void press({ cancel: true });
  });
  setInterval(updateClock, 500);
  updateClock();
}

element("choose").addEventListener("submit", (event) => {
  const number = toInternational(element("number").value);
  element("number").setAttribute("aria-invalid", String(!number));
  if (number) element("number").value = number;
  else event.preventDefault();
  element("number-problem").textContent = number ? "" : "A Kenyan mobile number, such as 0712 345 678.";
});

const number = toInternational(numberInAddress);
if (number) {
  element("number").value = number;
  follow(number);
} else if (numberInAddress) {
  element("number").value = numberInAddress;
  element("number-problem").textContent = "A Kenyan mobile number, such as 0712 345 678.";
}
`;
