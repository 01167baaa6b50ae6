import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { workspaceRoot } from "@malipo/local";
import { call, idIn, makeBusiness } from "@malipo/testing/without-vitest";
import type { Part } from "../cpu.ts";
import { commandLineOf, processTree } from "../process-usage.ts";
import type { Processes } from "../processes.ts";
import { productPath } from "./product-request.ts";

const entry = join(workspaceRoot, "packages/local/src/main.ts");
const readyTimeoutMs = 60_000;

/** The whole system as `npm start -- --processes` runs it, in a temporary folder, with a business without limits. */
export type LocalSystem = {
  readonly environment: Environment;
  readonly businessid: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One product, and the body of the API's answer for it. */
  readonly product: { readonly id: string; readonly reply: string };
  readonly parts: readonly Part[];
};

type Environment = {
  readonly apiurl: string;
  readonly mongodburi: string;
  readonly natsurl: string;
  readonly natsuser: string;
  readonly natspassword: string;
  readonly operatorurl: string;
  readonly operatortoken: string;
  readonly simulatorurl: string;
};

export async function startLocalSystem(processes: Processes): Promise<LocalSystem> {
  const folder = await processes.temporaryFolder();
  const system = processes.start("npm start", {
    command: process.execPath,
    args: ["--conditions=@malipo/source", entry, "--processes", "--port", "0", "--dir", folder],
    cwd: workspaceRoot,
  });
  await system.line((text) => text.includes("Malipo is ready"), readyTimeoutMs);
  const environment = JSON.parse(
    await readFile(join(folder, "environment.json"), "utf8"),
  ) as Environment;
  const { businessid, secret } = await makeBusiness({
    operatorUrl: environment.operatorurl,
    operatorToken: environment.operatortoken,
  });
  const createUrl = `${environment.apiurl}/business/product/create`;
  const created = await call(createUrl, "POST", secret, {
    title: "Monthly internet",
    price: 2_500,
  });
  const id = idIn(created);
  const url = `${environment.apiurl}${productPath}${id}`;
  const { status, text } = await call(url, "GET", secret);
  if (status !== 200) throw new Error(`${url} answered ${status}: ${text}`);
  return {
    environment,
    businessid,
    url,
    headers: { authorization: secret },
    product: { id, reply: text },
    parts: await partsOf(system.pid),
  };
}

async function partsOf(supervisor: number): Promise<Part[]> {
  const pids = await processTree(supervisor);
  return Promise.all(pids.map(async (pid) => ({ pid, name: partName(await commandLineOf(pid)) })));
}

/** The role of a process of the local system, by its command line. */
export function partName(commandLine: string): string {
  if (commandLine.includes("nats-server")) return "nats";
  if (commandLine.includes("embedded-mongo")) return "store";
  if (commandLine.includes("mpesa-simulator")) return "simulator";
  const service = /services\/([a-z]+)\//.exec(commandLine)?.[1];
  if (service === undefined) return "supervisor";
  return service === "invoice" ? "service" : service;
}
