import { sendRaw, startSimulator } from "@malipo/testing";
import { expect, it } from "vitest";

const simulator = await startSimulator({ knownHosts: ["mpesa-simulator"] });
const paths = ["/prompts", "/requests", "/faults", "/phone?number=254711000001", "/livez"];

async function statusFor(path: string, host: string): Promise<number | undefined> {
  const header = host === "" ? "" : `Host: ${host}\r\n`;
  const request = `GET ${path} HTTP/1.0\r\n${header}\r\n`;
  const [answer] = await sendRaw(simulator.url, request);
  return answer?.status;
}

it.each(["localhost", "127.0.0.1:8090", "[::1]:8090", "mpesa-simulator:8090"])(
  "answers requests to %s",
  async (host) => {
    for (const path of paths) expect(await statusFor(path, host)).toBe(200);
  },
);

it.each(["evil.example", "evil.example:8090", "127.0.0.1.nip.io", "localhost@evil.example", ""])(
  "refuses requests to %j, as a page with a rebound name sends them",
  async (host) => {
    for (const path of [...paths, "/oauth/v1/generate", "/nowhere"]) {
      expect(await statusFor(path, host)).toBe(421);
    }
  },
);

it("refuses a command to another host before it reads the body", async () => {
  const before = simulator.settings();
  const [answer] = await sendRaw(
    simulator.url,
    "PUT /faults HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n{",
  );
  expect(answer).toMatchObject({ status: 421, headers: { connection: "close" } });
  expect(JSON.parse(answer?.text ?? "")).toMatchObject({
    errorMessage: "Unknown Host; add it to KNOWN_HOSTS",
  });
  expect(simulator.settings()).toBe(before);
});
