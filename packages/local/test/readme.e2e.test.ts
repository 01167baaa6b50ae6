import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually, temporaryFolder } from "@malipo/testing";
import { expect, it } from "vitest";
import { workspaceRoot } from "../src/workspace.ts";
import { environmentOf, npmStart, pressCtrlC } from "./npm-start.ts";

const run = promisify(execFile);
const readme = readFileSync(join(workspaceRoot, "README.md"), "utf8");
const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) =>
  (commands ?? "").trim(),
);

function blockWith(text: string): string {
  const found = blocks.filter((block) => block.includes(text));
  if (found.length !== 1 || !found[0]) throw new Error(`one block of the README has ${text}`);
  return found[0];
}

async function shell(commands: string): Promise<string> {
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands], {
    cwd: workspaceRoot,
  });
  return stdout;
}

it("the README's first two commands are npm start and npm test", () => {
  expect(blocks.slice(0, 2)).toEqual(["npm start", "npm test"]);
});

it("the README's first requests succeed against a system of npm start", async () => {
  const dir = temporaryFolder();
  const started = npmStart("--dir", dir, "--port", "0");
  try {
    const { apiurl } = await eventually(() => environmentOf(dir), 30_000);
    const answersOf = async (block: string) => {
      const commands = block
        .replaceAll("./.local/environment.json", join(dir, "environment.json"))
        .replaceAll("http://localhost:8080", apiurl);
      const output = await shell(commands);
      return output.split(/(?<=\})(?=\{"success")/).map((answer) => JSON.parse(answer));
    };
    const answersTo = async (text: string) => answersOf(blockWith(text));
    const [created, listed] = await answersTo("/business/product/create");
    expect(created).toMatchObject({ success: true, data: { title: "Unga 2kg", price: 189.5 } });
    expect(listed).toMatchObject({ success: true, meta: { limit: 5 } });
    expect(listed.data[0]).toEqual(created.data);
    const [invoice, unpaid] = await answersTo("/business/invoice/create");
    expect(invoice).toMatchObject({ success: true, data: { balance: 2_500, status: "unpaid" } });
    expect(unpaid.data).toMatchObject([{ _id: invoice.data._id }]);
    const payPage = async (lang: string) =>
      (await fetch(`${invoice.data.paymentlink.shorturl}${lang}`)).text();
    expect(await payPage("")).toContain("Pay with M-Pesa");
    expect(await payPage("?lang=sw")).toContain("Lipa kwa M-Pesa");
    const [secret = ""] = blockWith("/business/product/create").split("\n\n");
    const [pay = "", list = ""] = blockWith("/business/receipt/list").split("\n\n");
    const [paid] = await answersOf(`${secret}\n${pay}`);
    expect(paid).toMatchObject({ success: true, data: { responsecode: "0" } });
    const { url } = await eventually(async () => {
      const [receipts] = await answersOf(`${secret}\n${list}`);
      expect(receipts.data).toMatchObject([{ receiptno: "RCT-000001", amount: 150 }]);
      return receipts.data[0];
    }, 20_000);
    expect(await (await fetch(url)).text()).toContain("RCT-000001");
    // The first PDF starts a worker, which on a busy machine may take longer than it has.
    await eventually(async () => {
      const { headers } = await fetch(`${url}.pdf`);
      expect(headers.get("content-type")).toBe("application/pdf");
    }, 20_000);
  } finally {
    pressCtrlC(started);
    await started.exited;
  }
});

// What `npm run build` makes is run by deploy/test/production.e2e.test.ts.
it("the README's npm run bench command succeeds", { timeout: 120_000 }, async () => {
  expect(await shell(blockWith("npm run bench"))).toMatch(/product-details/);
});

it("npm start -- --help lists the flags", async () => {
  expect(await shell("npm start -- --help")).toMatch(/--fresh/);
});

it("every path that the README names exists", () => {
  const named = [...readme.matchAll(/`((?:packages|services)\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? "",
  );
  expect(named.length).toBeGreaterThan(2);
  for (const path of named) expect(() => readFileSync(join(workspaceRoot, path))).not.toThrow();
});
