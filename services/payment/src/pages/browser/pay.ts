// The script of the pay page. The page contains it, so it cannot import anything.

/** The answer of the service. The contract calls it AttemptView. */
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

/** Kept in the tab, so that a reload does not lose it. */
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
const texts = JSON.parse(main.dataset["texts"] ?? "{}") as Record<string, string>;
const code = main.dataset["code"] ?? "";
const storageKey = `malipo:${code}`;

let remembered = readRemembered();
let shown = "form";
let promptEndsAt = 0;
let live: EventSource | null = null;
let pollTimer = 0;
let followingSince = 0;
let isRefreshing = false;
let isUnsent = false;

function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

function textOf(key: string, values: Values = {}): string {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) =>
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

function readRemembered(): Remembered | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "null") as Remembered | null;
  } catch {
    return null;
  }
}

function remember(attempt: Remembered | null): void {
  remembered = attempt;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(attempt));
  } catch {
    // Without storage, only a reload loses the attempt.
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
  // The problem is shown below its field.
  if (field) field.after(problem);
  else button.before(problem);
  problem.textContent = text;
  problem.hidden = text === "";
  for (const each of [phone, amount]) each?.setAttribute("aria-invalid", String(each === field));
  button.disabled = false;
  if (field) field.focus();
}

type Answer = NonNullable<Awaited<ReturnType<typeof ask>>>;
/** Null when no readable answer came, so the outcome is unknown. */
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
    const answer = await response.json();
    return {
      status: response.status,
      attempt: response.ok ? (answer.data as Attempt) : null,
      code: String(answer.code ?? ""),
      field: String(answer.fields?.[0]?.path ?? ""),
      retryAfterSeconds: Number(response.headers.get("retry-after") ?? 60),
    };
  } catch {
    return null;
  }
}

async function pay(): Promise<void> {
  if (button.disabled) return;
  const limits = { min: Number(main.dataset["min"]), max: Number(main.dataset["max"]) };
  const typed = amount ? amount.value.replace(/[\s,]/g, "") : (main.dataset["suggested"] ?? "");
  const shillings = Number(typed);
  if (phone.value.replace(/\D/g, "").length < 9) return showProblem(textOf("problemPhone"), phone);
  if (!/^\d+$/.test(typed) || shillings < limits.min || shillings > limits.max) {
    return showProblem(textOf("problemAmount"), amount);
  }
  showProblem("");
  button.disabled = true;
  const isSame = remembered?.phone === phone.value && remembered.amount === typed;
  // A corrected request counts as another payment only if the first one was certainly not sent.
  const attempt = (isSame || !isUnsent ? remembered?.secret : null) ?? newSecret();
  isUnsent = false;
  remember({ secret: attempt, phone: phone.value, amount: typed });
  show("sending");
  const answer = await ask(`/p/${code}/pay`, { attempt, phone: phone.value, amount: shillings });
  if (answer?.attempt) return follow(answer.attempt);
  // Without an answer it may have been sent, so it is followed and not sent again.
  if (!answer || answer.status === 504) return follow(null);
  showRefusal(answer);
}

function showRefusal({ code: refusal, field, retryAfterSeconds }: Answer): void {
  const isOutcomeUnknown = refusal === "service_unavailable" || refusal === "internal_error";
  // If it was certainly not sent, the next attempt is another payment.
  if (!isOutcomeUnknown) remember(null);
  if (refusal === "invalid_request" && field === "phone") {
    return showProblem(textOf("problemPhone"), phone);
  }
  if (refusal === "rate_limited") {
    return showProblem(textOf("problemTooMany", { minutes: Math.ceil(retryAfterSeconds / 60) }));
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
  showProblem(textOf(problems[refusal] ?? "problemUnavailable"));
  byId("reload", HTMLElement).hidden = refusal !== "changed_meanwhile";
}

const attemptPath = () => `/p/${code}/attempt/${remembered?.secret ?? ""}`;

/** Follows a payment to its end: by an event stream, and by polling in case events are lost. */
function follow(attempt: Attempt | null): void {
  followingSince = Date.now();
  if (attempt) render(attempt);
  if (attempt?.state === "notpaid") return;
  if ("EventSource" in window) {
    live = new EventSource(`${attemptPath()}/live`);
    live.addEventListener("open", () => void refresh());
    live.addEventListener("message", () => void refresh());
    live.addEventListener("end", () => live?.close());
  }
  schedulePoll();
}

function stopFollowing(): void {
  live?.close();
  live = null;
  clearTimeout(pollTimer);
}

function schedulePoll(): void {
  clearTimeout(pollTimer);
  const hasStream = live !== null && live.readyState === EventSource.OPEN;
  const isFresh = Date.now() - followingSince < 180_000;
  const waitMs = shown === "paid" ? 1_000 : hasStream ? 10_000 : isFresh ? 2_500 : 10_000;
  pollTimer = setTimeout(() => void refresh(), waitMs);
}

async function refresh(): Promise<void> {
  if (isRefreshing || !remembered) return;
  isRefreshing = true;
  const answer = await ask(attemptPath());
  isRefreshing = false;
  byId("offline", HTMLElement).hidden = answer !== null;
  // The request may still be under way. After eight seconds it has certainly got lost.
  if (answer?.status === 404 && Date.now() - followingSince > 8_000) {
    return showProblem(textOf("problemUnavailable"));
  }
  if (answer?.attempt) render(answer.attempt);
  const isOver =
    answer?.attempt && (shown === "notpaid" || shown === "form" || answer.attempt.receipt);
  if (isOver) stopFollowing();
  else schedulePoll();
}

function render(attempt: Attempt): void {
  const values = { phone: attempt.phone, amount: money(attempt.amount) };
  isUnsent = attempt.state === "unsent";
  switch (attempt.state) {
    // The next attempt keeps the secret, so the service does not send a second prompt.
    case "unsent":
      return showProblem(textOf("reasonNotSent"));
    case "sending":
      return show("sending");
    case "prompted":
      setText("prompted-text", textOf("promptedText", values));
      promptEndsAt = Date.now() + attempt.secondsleft * 1_000;
      showCountdown();
      return show("prompted");
    case "checking":
      return show("checking");
    case "notpaid":
      setText("reason", textOf(`reason:${attempt.reason ?? "other"}`, values));
      remember(null);
      return show("notpaid");
    default:
      return renderPaid(attempt, values);
  }
}

function renderPaid({ receipt }: Attempt, values: Values): void {
  setText("paid-text", textOf("paidText", values));
  byId("receipt", HTMLElement).hidden = receipt === null;
  byId("receipt-coming", HTMLElement).hidden = receipt !== null;
  if (receipt) {
    setText("receiptno", receipt.receiptno);
    setText("momo", receipt.momoreceiptnumber ?? "–");
    byId("receipt-link", HTMLAnchorElement).href = receipt.path + location.search;
  }
  show("paid");
}

function showCountdown(): void {
  const seconds = Math.max(0, Math.ceil((promptEndsAt - Date.now()) / 1_000));
  progress.value = seconds;
  setText("seconds", textOf("secondsLeft", { seconds }));
  if (shown === "prompted" && seconds === 0) {
    show("checking");
    void refresh();
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
addEventListener("online", () => void refresh());
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && shown !== "form") void refresh();
});
setInterval(showCountdown, 1_000);
button.disabled = false;
if (remembered) {
  phone.value = remembered.phone;
  if (amount) amount.value = remembered.amount;
  show("sending");
  follow(null);
  void refresh();
}
