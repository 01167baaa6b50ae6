import { randomBytes } from "node:crypto";
import { dataOf, eventually, pdfPages, startSimulator, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { type Closed, closed, closedLinks } from "./closed-links.ts";

const simulator = await startSimulator();
const system = useSystem(["invoice", "payment"], { env: { MPESA_BASE_URL: simulator.url } });

let lastPhone = 254_713_000_000;
const nextPhone = () => String((lastPhone += 1));
const newSecret = () => randomBytes(16).toString("base64url");
const url = (path: string) => system.gateway().apiUrl + path;
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);

async function newLink(more: object = {}): Promise<string> {
  const made = await system.api("POST", "/business/payment-link/create", {
    title: "Harambee ya shule",
    ...more,
  });
  return String(dataOf(made)["shorturl"]).split("/p/")[1] ?? "";
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { code?: string; data?: Record<string, unknown>; fields?: { path: string }[] };
}

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url(path), init);
  const body = (await response.json()) as Answer["body"];
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
}

async function pay(code: string, sent: object, headers: Record<string, string> = {}) {
  const { origin } = new URL(url("/"));
  return ask(`/p/${code}/pay`, {
    method: "POST",
    headers: { origin, "content-type": "application/json", ...headers },
    body: JSON.stringify({ attempt: newSecret(), amount: 100, ...sent }),
  });
}

const attemptOf = async (code: string, attempt: string) => ask(`/p/${code}/attempt/${attempt}`);

async function paid(code: string, attempt: string) {
  return eventually(async () => {
    const { body } = await attemptOf(code, attempt);
    expect(body.data).toMatchObject({ state: "paid", receipt: { receiptno: /^RCT-/ } });
    return body.data;
  });
}

describe("the pay page", () => {
  it("shows business, amount and description in the visitor's language, under a strict content policy", async () => {
    const code = await newLink({ amount: 1500, description: "Darasa jipya" });
    const response = await fetch(url(`/p/${code}`), { headers: { "accept-language": "sw-KE" } });
    const page = await response.text();
    expect(page).toContain('<html lang="sw">');
    expect(page).toContain("KES 1,500");
    expect(page).toContain("Darasa jipya");
    expect(page.length).toBeLessThan(50_000);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'/,
    );
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toContain("unsafe");
    const english = await (await fetch(url(`/p/${code}?lang=en`))).text();
    expect(english).toContain("Pay with M-Pesa");
    expect((await fetch(url(`/p/${code}?lang=xx&lang=en`))).status).toBe(200);
  });

  it("escapes markup and control characters in a link's texts", async () => {
    const title = '"><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnihtemos';
    const code = await newLink({ title, description: "</title><svg onload=alert(3)>" });
    const page = await (await fetch(url(`/p/${code}`))).text();
    expect(page).not.toMatch(/<script>alert|<img|<svg onload|\u202e/);
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it("answers 404 when the link does not exist", async () => {
    for (const path of ["/p/pabcdefghj", "/p/xyz", "/qr/pabcdefghj.png", "/qr/pabcdefghj.svg"]) {
      expect((await fetch(url(path))).status).toBe(404);
    }
  });

  it("serves its address as a QR code in PNG and SVG", async () => {
    const code = await newLink();
    const png = await fetch(url(`/qr/${code}.png`));
    expect(png.headers.get("content-type")).toBe("image/png");
    expect(png.headers.get("cache-control")).toBe("public, max-age=86400");
    expect([...new Uint8Array(await png.arrayBuffer()).slice(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
    const svg = await fetch(url(`/qr/${code}.svg`));
    expect(svg.headers.get("content-type")).toBe("image/svg+xml");
    expect(await svg.text()).toMatch(/^<svg/);
  });
});

describe("the page of a closed link", () => {
  let links: Readonly<Record<Closed, string>>;
  beforeAll(async () => {
    links = await closedLinks(system, nextPhone());
  });

  it.each(Object.entries(closed))(
    "shows in both languages why it is closed (%s), and takes no payment",
    async (why, titles) => {
      const address = links[why as Closed];
      for (const [index, language] of (["en", "sw"] as const).entries()) {
        const page = await (await fetch(`${address}?lang=${language}`)).text();
        expect(page).toContain(`<h2 tabindex="-1">${titles[index]}</h2>`);
        expect(page).toMatch(/<form[^>]* hidden/);
        expect(page).not.toContain('class="sum"');
      }
      const phone = nextPhone();
      const refused = await pay(address.split("/p/")[1] ?? "", { phone, amount: 4_500 });
      expect(refused.body.code).toMatch(/^(business_suspended|changed_meanwhile)$/);
      expect(promptsOf(phone)).toHaveLength(0);
    },
  );
});

describe("paying on the page", () => {
  it("prompts the phone in any notation, and ends with a receipt page and a PDF", async () => {
    const code = await newLink({ reusable: true });
    const phone = nextPhone();
    const attempt = newSecret();
    const answer = await pay(code, { attempt, phone: `0${phone.slice(3, 6)} ${phone.slice(6)}` });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain(phone);
    expect(promptsOf(phone)).toHaveLength(1);
    const done = await paid(code, attempt);
    const { path } = (done ?? {})["receipt"] as { path: string };
    const receipt = await fetch(url(path));
    expect(receipt.status).toBe(200);
    const page = await receipt.text();
    expect(page).toContain("Harambee ya shule");
    expect(page).toContain(String(promptsOf(phone)[0]?.receipt));
    expect(page).not.toContain(phone);
    const link = /href="([\w-]{22}\.pdf\?lang=en)"/.exec(page)?.[1] ?? "";
    // A PDF has four seconds, and the first one starts a worker. On a busy machine it needs a second request.
    const pdf = await eventually(async () => {
      const made = await fetch(new URL(link, url(path)));
      expect(made.status).toBe(200);
      return made;
    }, 20_000);
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    expect(pdf.headers.get("content-disposition")).toMatch(/^inline; filename="RCT-\d+\.pdf"$/);
    const [sheet] = await pdfPages(new Uint8Array(await pdf.arrayBuffer()));
    for (const said of ["Dukala", "Harambeeyashule", "KES100", promptsOf(phone)[0]?.receipt]) {
      expect(sheet).toContain(said);
    }
    expect(sheet).not.toContain(phone);
    const etag = { "if-none-match": pdf.headers.get("etag") ?? "" };
    expect((await fetch(pdf.url, { headers: etag })).status).toBe(304);
    expect((await fetch(url(`/r/${"A".repeat(22)}.pdf`))).status).toBe(404);
  });

  it("prompts once when an attempt is repeated", async () => {
    const code = await newLink({ reusable: true });
    const phone = nextPhone();
    const attempt = newSecret();
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => pay(code, { attempt, phone })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await paid(code, attempt);
    expect((await pay(code, { attempt, phone })).body.data).toMatchObject({ state: "paid" });
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("shows the reason when the payment fails", async () => {
    const code = await newLink({ reusable: true });
    const attempt = newSecret();
    await pay(code, { attempt, phone: "254700001032" });
    await eventually(async () => {
      const { body } = await attemptOf(code, attempt);
      expect(body.data).toMatchObject({ state: "notpaid", reason: "cancelled_by_payer" });
    });
    const refused = newSecret();
    const answer = await pay(code, { attempt: refused, phone: "254700100001" });
    expect(answer.body.data).toMatchObject({ state: "notpaid", reason: "refused" });
  });

  it("shows an attempt under its own link only", async () => {
    const [code, other] = [await newLink({ reusable: true }), await newLink({ reusable: true })];
    const attempt = newSecret();
    await pay(code, { attempt, phone: nextPhone() });
    expect((await attemptOf(other, attempt)).status).toBe(404);
    expect((await attemptOf(code, newSecret())).status).toBe(404);
  });

  it("refuses an amount that differs from the fixed amount", async () => {
    const code = await newLink({ amount: 500, reusable: true });
    const phone = nextPhone();
    for (const amount of [499, 501]) {
      expect((await pay(code, { phone, amount })).body.code).toBe("changed_meanwhile");
    }
    expect((await pay(code, { phone, amount: 500 })).status).toBe(200);
  });

  it.each([
    [{ phone: "12345" }, "phone"],
    [{ phone: nextPhone(), amount: 10.5 }, "amount"],
    [{ phone: nextPhone(), amount: 9 }, "amount"],
    [{ phone: nextPhone(), attempt: "short" }, "attempt"],
  ])("answers 400 to %j", async (sent, path) => {
    const { status, body } = await pay(await newLink({ reusable: true }), sent);
    expect([status, body.fields?.[0]?.path]).toEqual([400, path]);
  });

  it.each([
    [{ origin: "https://elsewhere.example" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "content-type": "text/plain" }, 415],
  ])("refuses a request with the header %j", async (headers, status) => {
    const phone = nextPhone();
    expect((await pay(await newLink(), { phone }, headers)).status).toBe(status);
    expect(promptsOf(phone)).toHaveLength(0);
  });

  it("answers 429 after three prompts on one phone, counted over all links", async () => {
    const phone = nextPhone();
    for (let count = 0; count < 3; count += 1) {
      const code = await newLink({ reusable: true });
      const attempt = newSecret();
      expect((await pay(code, { phone, attempt })).status).toBe(200);
      await paid(code, attempt);
    }
    const refused = await pay(await newLink({ reusable: true }), { phone });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.retryAfter)).toBeGreaterThan(500);
    expect(promptsOf(phone)).toHaveLength(3);
  });

  it("sends an unsent attempt only with the same phone, amount and link, and only while the link is open", async () => {
    const code = await newLink({ reusable: true });
    const attempt = newSecret();
    const [phone, corrected] = [nextPhone(), nextPhone()];
    simulator.change({ phones: { [phone]: "254700100102" } });
    expect((await pay(code, { phone, attempt })).body.code).toBe("provider_unreachable");
    simulator.change({ phones: {} });
    expect((await pay(code, { phone: corrected, attempt })).body.code).toBe("changed_meanwhile");
    const another = await pay(code, { phone, attempt, amount: 200 });
    expect(another.body.code).toBe("changed_meanwhile");
    const elsewhere = await newLink({ reusable: true });
    expect((await pay(elsewhere, { phone, attempt })).body.code).toBe("changed_meanwhile");
    const links = system.database("payment").collection("paymentlinks");
    await links.updateOne({ code }, { $set: { expiresat: new Date(0) } });
    expect((await pay(code, { phone, attempt })).body.code).toBe("changed_meanwhile");
    await links.updateOne({ code }, { $set: { expiresat: null } });
    expect([...promptsOf(phone), ...promptsOf(corrected)]).toEqual([]);
    expect((await pay(code, { phone, attempt })).status).toBe(200);
    await paid(code, attempt);
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("pauses a link after 30 unanswered prompts, and no other link", async () => {
    const code = await newLink({ reusable: true });
    const attempt = newSecret();
    await pay(code, { phone: nextPhone(), attempt });
    await paid(code, attempt);
    const transactions = system.database("payment").collection("transactions");
    const like = await transactions.findOne({ createdby: attempt });
    const { _id, createdby: _by, ...fields } = { createdby: attempt, ...like };
    const unanswered = (count: number) =>
      Array.from({ length: count }, () => ({
        ...fields,
        askedfrom: newSecret(),
        createdat: new Date(),
        state: "failed",
        reason: "unreachable",
      }));
    await transactions.insertMany(unanswered(29));
    expect((await pay(code, { phone: nextPhone() })).status).toBe(200);
    const unsent = { phone: nextPhone(), attempt: newSecret() };
    simulator.change({ phones: { [unsent.phone]: "254700100102" } });
    expect((await pay(code, unsent)).status).toBe(502);
    simulator.change({ phones: {} });
    await transactions.insertMany(unanswered(1));
    expect((await pay(code, unsent)).body.code).toBe("rate_limited");
    const refused = await pay(code, { phone: nextPhone() });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect((await pay(await newLink({ reusable: true }), { phone: nextPhone() })).status).toBe(200);
  });

  it("allows one open prompt at a time when the link takes one payment", async () => {
    simulator.change({ timing: { outcomeMs: 2_000 } });
    const code = await newLink({ amount: 100 });
    const attempt = newSecret();
    expect((await pay(code, { phone: nextPhone(), attempt })).status).toBe(200);
    expect((await pay(code, { phone: nextPhone() })).body.code).toBe("conflict");
    simulator.change({ timing: { outcomeMs: 20 } });
    await paid(code, attempt);
    await eventually(async () => {
      expect(await (await fetch(url(`/p/${code}`))).text()).toContain("Already paid");
    });
    expect((await attemptOf(code, attempt)).body.data).toMatchObject({ state: "paid" });
  });

  it("streams changes of an attempt, and ends the stream with the outcome", async () => {
    simulator.change({ timing: { outcomeMs: 1_000 } });
    const code = await newLink({ reusable: true });
    const attempt = newSecret();
    const stream = await fetch(url(`/p/${code}/attempt/${attempt}/live`));
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    await pay(code, { phone: nextPhone(), attempt });
    simulator.change({ timing: { outcomeMs: 20 } });
    // The service ends the stream with the outcome.
    const received = await stream.text();
    expect(received.match(/^data: changed$/gm)?.length).toBeGreaterThanOrEqual(2);
    expect(received.trimEnd()).toMatch(/event: end\ndata: end$/);
    expect((await attemptOf(code, attempt)).body.data).toMatchObject({ state: "paid" });
    expect((await fetch(url(`/p/${code}/attempt/nonsense/live`))).status).toBe(404);
  });

  it("opens at most 100 streams for one link, and the payment works without a stream", async () => {
    const code = await newLink({ reusable: true });
    const attempt = newSecret();
    const leaving = new AbortController();
    const listen = async (link: string, index: number) =>
      fetch(url(`/p/${link}/attempt/${attempt}/live`), {
        signal: leaving.signal,
        headers: { "x-forwarded-for": `10.1.${index % 200}.1` },
      });
    const streams = await Promise.all(
      Array.from({ length: 101 }, (_, index) => listen(code, index)),
    );
    const statuses = streams.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array.from({ length: 100 }, () => 200), 503]);
    expect((await listen(await newLink(), 0)).status).toBe(200);
    expect((await pay(code, { phone: nextPhone(), attempt })).status).toBe(200);
    await paid(code, attempt);
    // All streams end with the outcome, so a new one can be opened.
    await eventually(async () => expect((await listen(code, 1)).status).toBe(200));
    leaving.abort();
  });
});
