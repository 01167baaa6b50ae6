import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { eventually, temporaryFolder, useSystem } from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/commands.ts";
import { bin, environmentOf, runMalipo } from "./malipo.ts";

const system = useSystem([]);
const list = ["business", "list"] as const;
const noListener = { MALIPO_OPERATOR_URL: "http://127.0.0.1:9", MALIPO_OPERATOR_TOKEN: "x" };

/** Creates a workspace with the environment file that `npm start` writes. */
function createWorkspace(environment: string | object): string {
  const root = temporaryFolder();
  mkdirSync(join(root, ".local"));
  mkdirSync(join(root, "services/invoice"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ workspaces: ["services/*"] }));
  const text = typeof environment === "string" ? environment : JSON.stringify(environment);
  writeFileSync(join(root, ".local/environment.json"), text);
  return root;
}

function createLocalWorkspace() {
  const { operatorUrl, operatorToken } = system.gateway();
  return createWorkspace({ operatorurl: operatorUrl, operatortoken: operatorToken });
}

describe("the address of the system", () => {
  it("is taken from flags before environment variables", async () => {
    const { operatorUrl, operatorToken } = system.gateway();
    const flags = ["--url", `${operatorUrl}/`, "--token", operatorToken];
    expect(await runMalipo([...list, ...flags], { env: noListener })).toMatchObject({ code: 0 });
  });

  it("is taken from environment variables before the local system", async () => {
    const folder = createWorkspace({ operatorurl: "http://127.0.0.1:9", operatortoken: "x" });
    const ended = await runMalipo(list, { env: environmentOf(system), folder });
    expect(ended).toMatchObject({ code: 0 });
  });

  it("of the local system is found from any folder of the workspace", async () => {
    const root = createLocalWorkspace();
    expect(await runMalipo(list, { folder: root })).toMatchObject({ code: 0 });
    expect(await runMalipo(list, { folder: join(root, "services/invoice") })).toMatchObject({
      code: 0,
    });
  });

  it("of the local system is not searched outside the workspace", async () => {
    const inner = join(createLocalWorkspace(), "services/invoice");
    writeFileSync(join(inner, "package.json"), JSON.stringify({ workspaces: [] }));
    expect(await runMalipo(list, { folder: inner })).toMatchObject({ code: 3 });
  });

  it("is reported as not found, with one sentence that says what to do", async () => {
    expect(await runMalipo(list)).toEqual({
      code: 3,
      stdout: "",
      stderr:
        "No system found: start the local one with npm start, or say where it is with --url and --token.\n",
    });
  });

  it("is not found when the local system's file is damaged", async () => {
    for (const environment of ["{", "[]", "null", { operatorurl: 1 }]) {
      const ended = await runMalipo(list, { folder: createWorkspace(environment) });
      expect(ended).toMatchObject({ code: 3, stdout: "" });
      expect(ended.stderr).toContain(".local/environment.json is damaged");
    }
  });

  it("given without a token is a usage error, because the local token is not sent elsewhere", async () => {
    const folder = createLocalWorkspace();
    const onlyUrl = await runMalipo([...list, "--url", "http://127.0.0.1:9"], { folder });
    expect(onlyUrl).toMatchObject({ code: 2, stdout: "" });
    expect(onlyUrl.stderr).toContain("needs a token");
    const onlyToken = await runMalipo([...list, "--token", "x"], { folder });
    expect(onlyToken).toMatchObject({ code: 2, stdout: "" });
    expect(onlyToken.stderr).toContain("needs an address");
  });

  it.each([
    ["nonsense", "x", "--url must be an address"],
    ["ftp://host", "x", "--url must be an address"],
    ["http://user:password@host", "x", "--url must be an address"],
    ["http://127.0.0.1:9", "a\nb", "--token must be"],
    ["http://127.0.0.1:9", "ü", "--token must be"],
  ])("%s with token %j is a usage error", async (url, token, sentence) => {
    const ended = await runMalipo([...list, `--url=${url}`, `--token=${token}`]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(sentence);
  });
});

describe("a call of a wrong or missing server", () => {
  let otherServer: Server;
  let url: string;

  beforeAll(async () => {
    otherServer = createServer((request, response) => {
      if (request.url?.startsWith("/cut/")) return request.socket.destroy();
      if (request.url?.startsWith("/moved/")) {
        return response.writeHead(302, { location: `${url}/asked-elsewhere` }).end();
      }
      if (request.url === "/asked-elsewhere") return response.end('{"success":true,"data":[]}');
      return response.end("<html>a shop</html>");
    });
    await new Promise<void>((listening) => otherServer.listen(0, "127.0.0.1", listening));
    const address = otherServer.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  afterAll(() => otherServer.close());

  const listAt = async (path: string) => runMalipo([...list, "--url", url + path, "--token", "t"]);

  it("reports that the server cannot be reached", async () => {
    expect(await runMalipo(list, { env: noListener })).toEqual({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(
        /^Cannot reach http:\/\/127\.0\.0\.1:9: .+\. Is it running\?\n$/,
      ),
    });
  });

  it("reports another kind of server, a redirect or a cut connection", async () => {
    expect(await listAt("")).toMatchObject({ code: 3, stdout: "" });
    expect((await listAt("/moved")).stderr).toContain("does not answer like an operator API (302)");
    expect((await listAt("/cut")).stderr).toContain("the connection was cut");
  });

  it("reports a wrong token without showing it", async () => {
    const { operatorUrl } = system.gateway();
    const ended = await runMalipo([...list, "--url", operatorUrl, "--token", "wrong-token"]);
    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `Invalid credential: ${operatorUrl} does not know this operator token.\n`,
    });
  });

  it("reports that the public API is not the operator API", async () => {
    const { apiUrl, operatorToken } = system.gateway();
    const ended = await runMalipo([...list, "--url", apiUrl, "--token", operatorToken]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(`Not found: there is no operator API at ${apiUrl}.\n`);
  });
});

describe("a usage error", () => {
  it.each([
    [["busines", "list"], "Did you mean business list?"],
    [["business", "list", "--jsno"], "Did you mean --json?"],
    [["business", "create", "--name", "x", "--plan", "fre"], "Did you mean free?"],
    [["business", "create", "--name", "x", "--plan", "enterprise", "--limits", "1,2"], "--limits"],
    [["business", "set", "507f1f77bcf86cd799439011"], "needs at least one of"],
    [["business", "set", "507f1f77bcf86cd799439011", "--partpayment", "yes"], "--partpayment"],
    [[], "malipo --help"],
  ])("of %j ends with exit code 2 and needs no system", async (args, part) => {
    const ended = await runMalipo(args);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(part);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });
});

it("--help lists every command and needs no system", async () => {
  const { code, stdout, stderr } = await runMalipo(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const { name } of commands) expect(stdout).toContain(name);
  const own = await runMalipo(["key", "rotate", "--help"]);
  expect(own.stdout).toContain("malipo key rotate <keyid> [--overlap <duration>]");
});

it("the command ends without an error when the reader of its output closes early", async () => {
  const child = spawn(process.execPath, [bin, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await new Promise((closed) => child.on("close", closed));
  expect(errors).toBe("");
});

it("the command passes a signal on and leaves no process behind", async () => {
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
