// What the pay page does in its visitor's browser. It imports nothing: it is put into the page.

/** As the service answers it; the contract is AttemptView. */
interface Attempt {
  readonly state: "sending" | "unsent" | "prompted" | "checking" | "paid" | "notpaid";
  readonly secondsleft: number;
  readonly reason: string | null;
  readonly amount: number;
  readonly phone: string;
  readonly receipt: {
    readonly receiptno: string;
    readonly momoreceiptnumber: string | null;
    readonly path: string;
  } | null;
}

/** What a reload must not lose. */
interface Remembered {
  readonly secret: string;
  readonly phone: string;
  readonly amount: string;
}

type Values = Readonly<Record<string, string | number>>;

const main = byId("pay", HTMLElement);
const form = byId("form", HTMLFormElement);
const phone = byId("phone", HTMLInputElement);
const amount = document.querySelector<HTMLInputElement>("#amount");
const button = byId("submit", HTMLButtonElement);
const problem = byId("problem", HTMLElement);
const progress = byId("progress", HTMLProgressElement);
const words = JSON.parse(main.dataset["words"] ?? "{}") as Record<string, string>;
const code = main.dataset["code"] ?? "";
const storageKey = `malipo:${code}`;

let remembered = recall();
let shown = "form";
let promptEnds = 0;
let live: EventSource | null = null;
let polling = 0;
let followedSince = 0;
let asking = false;
let isUnsent = false;

function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

function word(key: string, values: Values = {}): string {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  );
}

function setText(id: string, text: string): void {
  byId(id, HTMLElement).textContent = text;
}

const money = (shillings: number) => `KES\u00a0${shillings.toLocaleString("en-KE")}`;

/** 128 random bits, for one payment. */
function newSecret(): string {
  const text = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

function recall(): Remembered | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Remembered | null;
  } catch {
    return null;
  }
}

function remember(what: Remembered | null): void {
  remembered = what;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(what));
  } catch {
    // A browser that keeps nothing only loses its place when it reloads.
  }
}

function show(state: string): void {
  if (state === shown) return;
  shown = state;
  for (const section of document.querySelectorAll<HTMLElement>("[data-state]")) {
    section.hidden = section.dataset["state"] !== state;
  }
  const heading = document.querySelector<HTMLElement>(`[data-state="${state}"] h2`);
  (heading ?? phone).focus();
}

function showProblem(text: string, field: HTMLInputElement | null = null): void {
  stopFollowing();
  show("form");
  // Below what it is about.
  if (field) field.after(problem);
  else button.before(problem);
  problem.textContent = text;
  problem.hidden = text === "";
  for (const each of [phone, amount]) each?.setAttribute("aria-invalid", String(each === field));
  button.disabled = false;
  if (field) field.focus();
}

type Answer = NonNullable<Awaited<ReturnType<typeof ask>>>;
/** Null when nothing came back: the network is away, or nobody knows. */
async function ask(path: string, body?: object) {
  try {
    const response = await fetch(path, {
      cache: "no-store",
      ...(body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const said = await response.json();
    return {
      status: response.status,
      attempt: response.ok ? (said.data as Attempt) : null,
      code: String(said.code ?? ""),
      field: String(said.fields?.[0]?.path ?? ""),
      retryAfterSeconds: Number(response.headers.get("retry-after") ?? 60),
    };
  } catch {
    return null;
  }
}

async function pay(): Promise<void> {
  if (button.disabled) return;
  const limits = { min: Number(main.dataset["min"]), max: Number(main.dataset["max"]) };
  const typed = amount ? amount.value.replace(/[\s,]/g, "") : (main.dataset["usual"] ?? "");
  const shillings = Number(typed);
  if (phone.value.replace(/\D/g, "").length < 9) return showProblem(word("problemPhone"), phone);
  if (!/^\d+$/.test(typed) || shillings < limits.min || shillings > limits.max) {
    return showProblem(word("problemAmount"), amount);
  }
  showProblem("");
  button.disabled = true;
  const isSame = remembered?.phone === phone.value && remembered.amount === typed;
  // What surely was not sent and is corrected is another payment.
  const attempt = (isSame || !isUnsent ? remembered?.secret : null) ?? newSecret();
  isUnsent = false;
  remember({ secret: attempt, phone: phone.value, amount: typed });
  show("sending");
  const answer = await ask(`/p/${code}/pay`, { attempt, phone: phone.value, amount: shillings });
  if (answer?.attempt) return follow(answer.attempt);
  // Without an answer it may have been sent: it is followed, and never sent anew.
  if (!answer || answer.status === 504) return follow(null);
  refused(answer);
}

function refused({ code: refusal, field, retryAfterSeconds }: Answer): void {
  const isUnsure = refusal === "service_unavailable" || refusal === "internal_error";
  // Where nothing was sent for sure, the next try is another payment.
  if (!isUnsure) remember(null);
  if (refusal === "invalid_request" && field === "phone") {
    return showProblem(word("problemPhone"), phone);
  }
  if (refusal === "rate_limited") {
    return showProblem(word("problemTooMany", { minutes: Math.ceil(retryAfterSeconds / 60) }));
  }
  const problems: Record<string, string> = {
    invalid_request: "problemAmount",
    changed_meanwhile: "problemChanged",
    conflict: "problemUnderWay",
    phone_busy: "problemPhoneBusy",
    provider_unreachable: "problemUnreachable",
    provider_refused: "reasonRefused",
    payment_method_not_configured: "problemNotTaken",
    business_suspended: "problemNotTaken",
    not_found: "problemChanged",
  };
  showProblem(word(problems[refusal] ?? "problemUnavailable"));
  byId("reload", HTMLElement).hidden = refusal !== "changed_meanwhile";
}

const attemptPath = () => `/p/${code}/attempt/${remembered?.secret ?? ""}`;

/** Follows a payment to its end: by what is told, and by asking now and then all the same. */
function follow(attempt: Attempt | null): void {
  followedSince = Date.now();
  if (attempt) render(attempt);
  if (attempt?.state === "notpaid") return;
  if ("EventSource" in window) {
    live = new EventSource(`${attemptPath()}/live`);
    live.addEventListener("open", () => void look());
    live.addEventListener("message", () => void look());
    live.addEventListener("end", () => live?.close());
  }
  schedule();
}

function stopFollowing(): void {
  live?.close();
  live = null;
  clearTimeout(polling);
}

function schedule(): void {
  clearTimeout(polling);
  const isTold = live !== null && live.readyState === EventSource.OPEN;
  const isFresh = Date.now() - followedSince < 180_000;
  const waitMs = shown === "paid" ? 1_000 : isTold ? 10_000 : isFresh ? 2_500 : 10_000;
  polling = setTimeout(() => void look(), waitMs);
}

async function look(): Promise<void> {
  if (asking || !remembered) return;
  asking = true;
  const answer = await ask(attemptPath());
  asking = false;
  byId("offline", HTMLElement).hidden = answer !== null;
  // What was sent may still be on its way; a little later it has surely got lost.
  if (answer?.status === 404 && Date.now() - followedSince > 8_000) {
    return showProblem(word("problemUnavailable"));
  }
  if (answer?.attempt) render(answer.attempt);
  const isOver =
    answer?.attempt && (shown === "notpaid" || shown === "form" || answer.attempt.receipt);
  if (isOver) stopFollowing();
  else schedule();
}

function render(attempt: Attempt): void {
  const values = { phone: attempt.phone, amount: money(attempt.amount) };
  isUnsent = attempt.state === "unsent";
  switch (attempt.state) {
    // The same secret sends it: should the first have left after all, it is not sent again.
    case "unsent":
      return showProblem(word("reasonNotSent"));
    case "sending":
      return show("sending");
    case "prompted":
      setText("prompted-text", word("promptedText", values));
      promptEnds = Date.now() + attempt.secondsleft * 1_000;
      tick();
      return show("prompted");
    case "checking":
      return show("checking");
    case "notpaid":
      setText("reason", word(`reason:${attempt.reason ?? "other"}`, values));
      remember(null);
      return show("notpaid");
    default:
      return renderPaid(attempt, values);
  }
}

function renderPaid({ receipt }: Attempt, values: Values): void {
  setText("paid-text", word("paidText", values));
  byId("receipt", HTMLElement).hidden = receipt === null;
  byId("receipt-coming", HTMLElement).hidden = receipt !== null;
  if (receipt) {
    setText("receiptno", receipt.receiptno);
    setText("momo", receipt.momoreceiptnumber ?? "–");
    byId("receipt-link", HTMLAnchorElement).href = receipt.path + location.search;
  }
  show("paid");
}

function tick(): void {
  const seconds = Math.max(0, Math.ceil((promptEnds - Date.now()) / 1_000));
  progress.value = seconds;
  setText("seconds", word("secondsLeft", { seconds }));
  if (shown === "prompted" && seconds === 0) {
    show("checking");
    void look();
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void pay();
});
byId("again", HTMLElement).addEventListener("click", () => showProblem(""));
byId("reload", HTMLElement).addEventListener("click", () => location.reload());
document.getElementById("anew")?.addEventListener("click", () => {
  remember(null);
  location.reload();
});
addEventListener("online", () => void look());
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && shown !== "form") void look();
});
setInterval(tick, 1_000);
button.disabled = false;
if (remembered) {
  phone.value = remembered.phone;
  if (amount) amount.value = remembered.amount;
  show("sending");
  follow(null);
  void look();
}
