import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dataOf, eventually, idIn, startSimulator, useSystem } from "@malipo/testing";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Closed, closed, closedLinks, newInvoice } from "./closed-links.ts";
import { chromiumPath, startBrowser } from "./browser.ts";

if (chromiumPath === null) {
  process.stderr.write("No Chromium on the PATH: the browser tests of the pay page are skipped.\n");
}

const simulator = await startSimulator();
const system = useSystem(["invoice", "payment", "subscription"], {
  env: { MPESA_BASE_URL: simulator.url },
});

let browser: Browser;
let lastPhone = 254_714_000_000;
const nextPhone = () => String((lastPhone += 1));
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);
/** A folder for screenshots of each state. */
const pictures = process.env["PICTURES"];

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  for (const width of [320, 360, 1280]) {
    await page.setViewportSize({ width, height: 780 });
    await page.screenshot({ path: join(pictures, `${name}-${width}.png`) });
  }
}

async function newLink(more: object = {}): Promise<string> {
  const made = await system.api("POST", "/business/payment-link/create", {
    title: "School fees, third term",
    ...more,
  });
  return String(dataOf(made)["shorturl"]);
}

async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: "en-KE", ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (line) => {
    if (line.type() === "error" && !/status of (4|503)/.test(line.text()))
      problems.push(line.text());
  });
  await page.goto(url);
  return page;
}

const problems: string[] = [];
const outcomeAfter = (outcomeMs: number) => simulator.change({ timing: { outcomeMs } });
const heading = (page: Page) => page.locator("h2:visible").textContent();

async function shows(page: Page, title: string) {
  await page.locator("h2:visible", { hasText: title }).waitFor({ timeout: 20_000 });
}

async function payAndOpenReceipt(page: Page): Promise<void> {
  await page.fill("#phone", nextPhone());
  await page.click("#submit");
  await page.locator("#receipt-link").waitFor({ timeout: 20_000 });
  await page.click("#receipt-link");
  await page.locator("h1").waitFor();
}

const invoiceIs = async (id: string, fields: object) =>
  eventually(async () => {
    const found = dataOf(await system.api("GET", `/business/invoice/details/${id}`));
    expect(found).toMatchObject(fields);
  });

describe.skipIf(chromiumPath === null)("the pay page in a browser", () => {
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(() => {
    if (problems.length > 0) throw new Error(problems.splice(0).join("\n"));
  });

  it("takes a payment from the form to the receipt with the keyboard alone", async () => {
    outcomeAfter(1_500);
    const phone = nextPhone();
    const page = await open(await newLink({ amount: 12_500, description: "Class 4 East" }));
    await picture(page, "form");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.id")).toBe("phone");
    await page.keyboard.type(`0${phone.slice(3, 6)} ${phone.slice(6)}`);
    await page.keyboard.press("Enter");
    await shows(page, "Check your phone");
    expect(await page.locator("#prompted-text").textContent()).not.toContain(phone);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H2");
    await picture(page, "prompted");
    await shows(page, "Paid");
    await page.locator("#receipt-link").waitFor();
    await picture(page, "paid");
    await page.locator("#receipt-link").click();
    await page.locator("h1").waitFor();
    expect(await page.locator("dl").textContent()).toContain("School fees");
    await picture(page, "receipt");
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("prompts once for repeated taps, and continues after a reload", async () => {
    outcomeAfter(2_500);
    const phone = nextPhone();
    const page = await open(await newLink({ reusable: true }));
    await picture(page, "free");
    await page.fill("#phone", phone);
    await page.fill("#amount", "1,000");
    await page.evaluate(`for (let i = 0; i < 5; i += 1) document.getElementById("submit").click()`);
    await page.evaluate(`document.getElementById("form").requestSubmit()`);
    await shows(page, "Check your phone");
    await page.reload();
    await shows(page, "Check your phone");
    await shows(page, "Paid");
    expect(promptsOf(phone)).toHaveLength(1);
    await page.reload();
    await shows(page, "Paid");
    await page.locator("#anew").click();
    await page.locator("#form").waitFor();
    await eventually(async () => expect(await page.inputValue("#phone")).toBe(""));
  });

  it("shows why a payment failed, and makes another payment on the next try", async () => {
    outcomeAfter(20);
    const page = await open(await newLink({ amount: 50, reusable: true }));
    await page.fill("#phone", "0700 000 001");
    await page.click("#submit");
    await shows(page, "Not paid");
    expect(await page.locator("#reason").textContent()).toContain("not enough money");
    await picture(page, "notpaid");
    await page.click("#again");
    const phone = nextPhone();
    await page.fill("#phone", phone);
    await page.click("#submit");
    await shows(page, "Paid");
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("sends an unsent request to a corrected phone as another payment", async () => {
    outcomeAfter(20);
    const [phone, corrected] = [nextPhone(), nextPhone()];
    simulator.change({ phones: { [phone]: "254700100102" } });
    const page = await open(await newLink({ amount: 50, reusable: true }));
    const body = JSON.stringify({ code: "service_unavailable" });
    await page.route("**/pay", async (route) => {
      await route.fetch();
      await route.fulfill({ status: 503, contentType: "application/json", body });
    });
    await page.fill("#phone", phone);
    await page.click("#submit");
    await page.locator("#problem:visible").waitFor();
    await page.unroute("**/pay");
    const transactions = system.database("payment").collection("transactions");
    const longAgo = new Date(Date.now() - 30_000);
    const { matchedCount } = await transactions.updateMany(
      { phone },
      { $set: { savedat: longAgo } },
    );
    expect(matchedCount).toBe(1);
    await page.reload();
    await page.locator("#problem:visible").waitFor();
    await page.fill("#phone", corrected);
    await page.click("#submit");
    await shows(page, "Paid");
    simulator.change({ phones: {} });
    expect(promptsOf(phone)).toHaveLength(0);
    expect(promptsOf(corrected)).toHaveLength(1);
  });

  it("shows an input error at its field", async () => {
    const page = await open(await newLink({ reusable: true }));
    await page.fill("#phone", "0812 345 678");
    await page.fill("#amount", "50");
    await page.click("#submit");
    await page.locator("#problem:visible").waitFor();
    expect(await page.getAttribute("#phone", "aria-invalid")).toBe("true");
    await picture(page, "problem");
    await page.fill("#phone", nextPhone());
    await page.fill("#amount", "5");
    await page.click("#submit");
    expect(await page.locator("#problem").textContent()).toContain("whole shillings");
    expect(await page.getAttribute("#amount", "aria-invalid")).toBe("true");
  });

  it("shows checking, not failed, while the outcome is unknown", async () => {
    outcomeAfter(60_000);
    const page = await open(await newLink({ reusable: true }));
    await page.clock.install();
    await page.fill("#phone", nextPhone());
    await page.fill("#amount", "70");
    await page.click("#submit");
    await shows(page, "Check your phone");
    const prompts = system.database("payment").collection("transactions");
    await prompts.updateMany(
      { state: "prompted" },
      { $set: { promptedat: new Date(Date.now() - 95_000) } },
    );
    await page.clock.runFor(11_000);
    await shows(page, "We are checking");
    expect(await heading(page)).not.toContain("Not");
    await picture(page, "checking");
    outcomeAfter(20);
  });

  it.each([
    [
      "in a browser without EventSource",
      (page: Page) => page.addInitScript("delete window.EventSource"),
    ],
    [
      "when there are too many streams",
      (page: Page) => page.route("**/live", async (route) => route.fulfill({ status: 503 })),
    ],
  ])("works without an event stream, %s", async (_why, prepare) => {
    outcomeAfter(500);
    const page = await open("about:blank");
    await prepare(page);
    await page.goto(await newLink({ reusable: true, amount: 50 }));
    await page.fill("#phone", nextPhone());
    await page.click("#submit");
    await shows(page, "Paid");
    expect(await heading(page)).toContain("Thank you");
  });

  it("fits a small phone, in Swahili and in dark mode", async () => {
    outcomeAfter(1_500);
    const url = await newLink({
      title: "Karo ya muhula wa tatu, darasa la nne mashariki: mwanafunzi Wanjiku",
      amount: 150_000,
    });
    const page = await open(url, { locale: "sw-KE", colorScheme: "dark" });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await picture(page, "sw-form");
    await page.fill("#phone", nextPhone());
    await page.click("#submit");
    await shows(page, "Angalia simu yako");
    await picture(page, "sw-prompted");
    await shows(page, "Imelipwa");
    await page.locator("#receipt-link").waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    for (const fact of await page.locator(".facts dd").all()) {
      expect((await fact.boundingBox())?.height).toBeLessThan(40);
    }
    await picture(page, "sw-paid");
    await page.click("#receipt-link");
    await picture(page, "sw-receipt");
    const again = await open(url, { locale: "sw-KE" });
    await shows(again, "Tayari imelipwa");
    await picture(again, "sw-closed");
  });

  it("pays an invoice", async () => {
    outcomeAfter(300);
    const invoice = await newInvoice(system, { rate: 1_249.5, title: "Internet for November" });
    const page = await open(invoice.url);
    await page.setViewportSize({ width: 360, height: 740 });
    await picture(page, "invoice");
    expect(await page.locator(".sum").textContent()).toContain("KES 1,250");
    await payAndOpenReceipt(page);
    const facts = await page.locator("dl").textContent();
    expect(facts).toMatch(/Internet for November.*INV-\d+.*Brian Otieno.*M-Pesa code/s);
    await picture(page, "invoice-receipt");
    await invoiceIs(invoice.id, { status: "paid", balance: 0 });
    await page.goto(invoice.url);
    await shows(page, "Paid");
  });

  it("pays the oldest open invoice of a subscription", async () => {
    outcomeAfter(300);
    const { api } = system;
    const customerid = idIn(await api("POST", "/business/customer/create", { name: "Wanjiku" }));
    const itemid = idIn(await api("POST", "/business/product/create", { title: "Maji", price: 1 }));
    const made = dataOf(
      await api("POST", "/business/subscription/create", {
        customerid,
        items: [{ itemid, quantity: 2, rate: 350 }],
        billingcycle: "weekly",
      }),
    );
    const { shorturl } = made["paymentlink"] as { shorturl: string };
    const invoiceid = await eventually(async () => {
      const { body } = await api("GET", `/business/invoice/list?customerid=${customerid}`);
      expect(body["data"]).toHaveLength(1);
      return (body["data"] as { _id: string }[])[0]?._id ?? "";
    });
    await eventually(async () => {
      expect(await (await fetch(`${shorturl}?lang=en`)).text()).toContain("KES 700");
    });
    const page = await open(shorturl, { locale: "sw-KE" });
    await page.setViewportSize({ width: 360, height: 740 });
    await picture(page, "sw-subscription");
    await payAndOpenReceipt(page);
    expect(await page.locator("dl").textContent()).toContain("Wanjiku");
    await invoiceIs(invoiceid, { status: "paid", balance: 0 });
    // Only the tab that paid remembers the payment. For other visitors nothing is owed.
    await shows(await open(shorturl, { locale: "sw-KE" }), "Tayari imelipwa");
  });

  it("shows why a link is closed, and fits a small phone", async () => {
    const links = await closedLinks(system, nextPhone());
    for (const [index, locale] of ["en-KE", "sw-KE"].entries()) {
      const page = await open("about:blank", { locale });
      for (const [why, titles] of Object.entries(closed)) {
        await page.goto(links[why as Closed]);
        await shows(page, titles[index] ?? "");
        await page.setViewportSize({ width: 320, height: 640 });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
        expect(await page.locator("#form").isVisible()).toBe(false);
        await picture(page, `${locale.slice(0, 2)}-${why}`);
      }
    }
  });

  it("asks for JavaScript when it is disabled", async () => {
    const page = await open(await newLink({ amount: 50 }), { javaScriptEnabled: false });
    expect(await page.locator("noscript").textContent()).toContain("needs JavaScript");
    expect(await page.locator("#submit").isDisabled()).toBe(true);
    await picture(page, "noscript");
  });
});
