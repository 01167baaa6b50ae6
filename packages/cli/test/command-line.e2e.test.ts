import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { eventually, temporaryFolder, useSystem } from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/commands.ts";
import { bin, environmentOf, malipo } from "./malipo.ts";

const system = useSystem([]);
const list = ["business", "list"] as const;
const noListener = { MALIPO_OPERATOR_URL: "http://127.0.0.1:9", MALIPO_OPERATOR_TOKEN: "x" };

/** A workspace with a local system, as npm start leaves it. */
function workspaceWith(environment: string | object): string {
  const root = temporaryFolder();
  mkdirSync(join(root, ".local"));
  mkdirSync(join(root, "services/invoice"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ workspaces: ["services/*"] }));
  const text = typeof environment === "string" ? environment : JSON.stringify(environment);
  writeFileSync(join(root, ".local/environment.json"), text);
  return root;
}

function runningLocally() {
  const { operatorUrl, operatorToken } = system.gateway();
  return workspaceWith({ operatorurl: operatorUrl, operatortoken: operatorToken });
}

describe("where the system is", () => {
  it("is said by flags, which win over the environment", async () => {
    const { operatorUrl, operatorToken } = system.gateway();
    const flags = ["--url", `${operatorUrl}/`, "--token", operatorToken];
    expect(await malipo([...list, ...flags], { env: noListener })).toMatchObject({ code: 0 });
  });

  it("is said by the environment, which wins over the local system", async () => {
    const folder = workspaceWith({ operatorurl: "http://127.0.0.1:9", operatortoken: "x" });
    const ended = await malipo(list, { env: environmentOf(system), folder });
    expect(ended).toMatchObject({ code: 0 });
  });

  it("is found from anywhere within the workspace", async () => {
    const root = runningLocally();
    expect(await malipo(list, { folder: root })).toMatchObject({ code: 0 });
    expect(await malipo(list, { folder: join(root, "services/invoice") })).toMatchObject({
      code: 0,
    });
  });

  it("is not looked for beyond the workspace", async () => {
    const inner = join(runningLocally(), "services/invoice");
    writeFileSync(join(inner, "package.json"), JSON.stringify({ workspaces: [] }));
    expect(await malipo(list, { folder: inner })).toMatchObject({ code: 3 });
  });

  it("is unknown without any of them, in one sentence that says what to do", async () => {
    expect(await malipo(list)).toEqual({
      code: 3,
      stdout: "",
      stderr:
        "No system found: start the local one with npm start, or say where it is with --url and --token.\n",
    });
  });

  it("is unknown where the local system's file is damaged", async () => {
    for (const environment of ["{", "[]", "null", { operatorurl: 1 }]) {
      const ended = await malipo(list, { folder: workspaceWith(environment) });
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expect(ended.stderr).toContain(".local/environment.json is damaged");
    }
  });

  it("wants an address and its token together: the local token goes nowhere else", async () => {
    const folder = runningLocally();
    const onlyUrl = await malipo([...list, "--url", "http://127.0.0.1:9"], { folder });
    expect(onlyUrl).toMatchObject({ code: 2, stdout: "" });
    expect(onlyUrl.stderr).toContain("needs a token");
    const onlyToken = await malipo([...list, "--token", "x"], { folder });
    expect(onlyToken).toMatchObject({ code: 2, stdout: "" });
    expect(onlyToken.stderr).toContain("needs an address");
  });

  it.each([
    ["nonsense", "x", "--url must be an address"],
    ["ftp://host", "x", "--url must be an address"],
    ["http://user:password@host", "x", "--url must be an address"],
    ["http://127.0.0.1:9", "a\nb", "--token must be"],
    ["http://127.0.0.1:9", "ü", "--token must be"],
  ])("is refused as %s with token %j", async (url, token, sentence) => {
    const ended = await malipo([...list, `--url=${url}`, `--token=${token}`]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(sentence);
  });
});

describe("a system that is not as it should be", () => {
  let strange: Server;
  let url: string;

  beforeAll(async () => {
    strange = createServer((request, response) => {
      if (request.url?.startsWith("/cut/")) return request.socket.destroy();
      if (request.url?.startsWith("/moved/")) {
        return response.writeHead(302, { location: `${url}/asked-elsewhere` }).end();
      }
      if (request.url === "/asked-elsewhere") return response.end('{"success":true,"data":[]}');
      return response.end("<html>a shop</html>");
    });
    await new Promise<void>((listening) => strange.listen(0, "127.0.0.1", listening));
    const address = strange.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  afterAll(() => strange.close());

  const asked = async (path: string) => malipo([...list, "--url", url + path, "--token", "t"]);

  it("cannot be reached", async () => {
    expect(await malipo(list, { env: noListener })).toEqual({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(
        /^Cannot reach http:\/\/127\.0\.0\.1:9: .+\. Is it running\?\n$/,
      ),
    });
  });

  it("answers as another server, redirects or hangs up", async () => {
    expect(await asked("")).toMatchObject({ code: 3, stdout: "" });
    expect((await asked("/moved")).stderr).toContain("does not answer like an operator API (302)");
    expect((await asked("/cut")).stderr).toContain("the connection was cut");
  });

  it("refuses a wrong token, without showing it", async () => {
    const { operatorUrl } = system.gateway();
    const ended = await malipo([...list, "--url", operatorUrl, "--token", "wrong-token"]);
    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `Invalid credential: ${operatorUrl} does not know this operator token.\n`,
    });
  });

  it("is the public API by mistake", async () => {
    const { apiUrl, operatorToken } = system.gateway();
    const ended = await malipo([...list, "--url", apiUrl, "--token", operatorToken]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(`Not found: there is no operator API at ${apiUrl}.\n`);
  });
});

describe("what is typed wrongly", () => {
  it.each([
    [["busines", "list"], "Did you mean business list?"],
    [["business", "list", "--jsno"], "Did you mean --json?"],
    [["business", "create", "--name", "x", "--plan", "fre"], "Did you mean free?"],
    [["business", "create", "--name", "x", "--plan", "enterprise", "--limits", "1,2"], "--limits"],
    [["business", "set", "507f1f77bcf86cd799439011"], "needs something to set"],
    [["business", "set", "507f1f77bcf86cd799439011", "--partpayment", "yes"], "--partpayment"],
    [[], "malipo --help"],
  ])("%j ends in 2 and needs no system to say so", async (args, part) => {
    const ended = await malipo(args);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(part);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });
});

it("help needs no system, and lists every command", async () => {
  const { code, stdout, stderr } = await malipo(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const { name } of commands) expect(stdout).toContain(name);
  const own = await malipo(["key", "rotate", "--help"]);
  expect(own.stdout).toContain("malipo key rotate <keyid> [--overlap <duration>]");
});

it("ends quietly when whoever reads has read enough", async () => {
  const child = spawn(process.execPath, [bin, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await new Promise((closed) => child.on("close", closed));
  expect(errors).toBe("");
});

it("passes a signal on and leaves no process behind", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const connected = new Promise((resolve) => silent.once("connection", resolve));
  const disconnected = new Promise((resolve) => {
    silent.once("connection", (socket) => socket.once("close", resolve));
  });
  const child = spawn(process.execPath, [bin, ...list, "--url", url, "--token", "x"]);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  await connected;
  child.kill("SIGTERM");
  expect(await closed).toBe(128 + 15);
  await disconnected;
  await eventually(() => child.exitCode !== null);
  silent.close();
});
