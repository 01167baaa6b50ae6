import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { workspaceRoot } from "@malipo/local";
import { useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { readText } from "./files.ts";
import { shellBlocks } from "./shell-blocks.ts";

const run = promisify(execFile);
const system = useSystem(["invoice", "payment"]);

const hasTools = ["bash", "curl", "jq"].every((tool) => {
  try {
    execFileSync(tool, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

it.skipIf(!hasTools)("the guide's commands create a business and its first invoice", async () => {
  const blocks = shellBlocks(readText("deploy/README.md"));
  const find = (text: string) => blocks.find((block) => block.includes(text)) ?? "";
  const { apiUrl, operatorUrl, operatorToken } = system.gateway();
  // No cluster is here: the test sets what kubectl would forward and read. The doctor misses other services.
  const notHere = /^(?:kubectl|export|npx malipo doctor).*$/gm;
  const business = find("malipo business create").replaceAll(notHere, "");
  const invoice = find("/business/invoice/create").replaceAll("https://$host", apiUrl);
  const { stdout } = await run("bash", ["-ec", `${business}\n${invoice}`], {
    cwd: workspaceRoot,
    env: {
      ...process.env,
      MALIPO_OPERATOR_URL: operatorUrl,
      MALIPO_OPERATOR_TOKEN: operatorToken,
    },
  });
  const answer = JSON.parse(stdout.slice(stdout.indexOf("\n{") + 1)) as object;
  expect(answer).toMatchObject({
    success: true,
    data: { balance: 379, paymentlink: { shorturl: expect.stringContaining("/p/") } },
  });
});
