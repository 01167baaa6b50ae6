import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { eventually } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSender, type Sender, type SenderOptions } from "../src/http/send.ts";
import { startReceiver } from "./receiver.ts";

function openSender(own: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    allowLoopback: true,
    httpsOnly: false,
    timeoutMs: 2_000,
    resolve: async () => ["127.0.0.1"],
    clock: () => new Date(),
    uptimeMs: () => performance.now(),
    ...own,
  });
  onTestFinished(() => sender.close());
  return sender;
}

const message = (url: string) => ({
  url,
  headers: { "content-type": "application/json", "webhook-id": "evt_1" },
  body: '{"a":"ü"}',
});

/** A TCP server that answers with any bytes. */
async function startTcpServer(respond: (socket: Socket) => void): Promise<string> {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => respond(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("an attempt", () => {
  it("posts the body unchanged and returns the answer", async () => {
    const receiver = await startReceiver((_, response) => response.writeHead(202).end("thanks"));
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status: 202, problem: null, response: "thanks" });
    expect(receiver.received).toMatchObject([{ body: '{"a":"ü"}', id: "evt_1" }]);
  });

  it.each([300, 304, 400, 404, 410, 500, 599])("fails with status %i", async (status) => {
    const receiver = await startReceiver(status);
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status, problem: `answered ${status}` });
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect %i", async (status) => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    );
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status, problem: `answered ${status}` });
    expect(elsewhere.received).toEqual([]);
  });

  it("returns the delay of Retry-After", async () => {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(429, { "retry-after": "7" }).end(),
    );
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  it("keeps 16 KB of an answer and closes the connection when more comes", async () => {
    const hungUp = Promise.withResolvers<void>();
    const receiver = await startReceiver((_, response) => {
      response.writeHead(200);
      const talking = setInterval(() => response.write("x".repeat(10_000)), 1);
      response.once("close", () => {
        clearInterval(talking);
        hungUp.resolve();
      });
    });
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status: 200, problem: null, response: "x".repeat(16 * 1_024) });
    await hungUp.promise;
  });

  it("succeeds with a 2xx whose body never ends or is incomplete", async () => {
    const endless = await startReceiver((_, response) => void response.writeHead(200).write("a"));
    const broken = await startReceiver((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("a");
      setImmediate(() => response.destroy());
    });
    const sender = openSender({ timeoutMs: 300 });
    expect(await sender.send(message(endless.url))).toMatchObject({ problem: null });
    expect(await sender.send(message(broken.url))).toMatchObject({ problem: null });
  });

  it("times out when the receiver is silent before or within the headers", async () => {
    const silent = await startReceiver(() => undefined);
    const dripping = await startTcpServer((socket) => {
      const drip = setInterval(() => socket.write("x-more: 1\r\n"), 20);
      socket.write("HTTP/1.1 200 OK\r\n");
      socket.once("close", () => clearInterval(drip));
    });
    const sender = openSender({ timeoutMs: 300 });
    for (const url of [silent.url, dripping]) {
      const started = performance.now();
      const answer = await sender.send(message(url));
      expect(answer).toMatchObject({ status: null, problem: "no answer within 0.3 seconds" });
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });

  it.each([
    ["not HTTP", "220 mail.example ESMTP\r\n"],
    ["a header that never ends", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    ["nothing", ""],
  ])("fails when the answer is %s", async (_name, bytes) => {
    const url = await startTcpServer((socket) => socket.end(bytes));
    const answer = await openSender().send(message(url));
    expect(answer.status).toBeNull();
    expect(answer.problem).toMatch(/^(the|no) /);
  });

  it("describes a connection problem without any address", async () => {
    const gone = await startReceiver();
    await gone.close();
    const sender = openSender();
    const { problem } = await sender.send(message(gone.url));
    expect(problem).toBe("the connection was refused");
    const plain = await startReceiver();
    const tls = await sender.send(message(plain.url.replace("http:", "https:")));
    expect(tls.problem).not.toMatch(/\d/);
  });

  it("is marked as interrupted when this service cancels it", async () => {
    const silent = await startReceiver(() => undefined);
    const sender = openSender();
    const sending = sender.send(message(silent.url));
    await eventually(() => silent.received.length === 1);
    sender.cancelAll();
    expect(await sending).toMatchObject({ status: null, isInterrupted: true });
  });
});

describe("the name of a receiver", () => {
  it("is refused when it resolves into private networks, and nothing is connected", async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const sender = openSender({ allowLoopback: false, resolve: async () => ["127.0.0.1", "::1"] });
    const answer = await sender.send(message(`http://example.com:${port}/`));
    expect(answer.problem).toBe("the name has no public address");
    expect(receiver.received).toEqual([]);
  });

  it("is connected only at its public addresses when others are private", async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const sender = openSender({
      resolve: async () => ["10.0.0.1", "169.254.169.254", "127.0.0.1", "fd00::1"],
    });
    const answer = await sender.send(message(`http://example.com:${port}/`));
    expect(answer.status).toBe(200);
  });

  it("is not connected at a private address, although its public one does not answer", async () => {
    // 0.0.0.0 is no public address, but reaches the receiver. At 127.0.0.9 nothing listens.
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const url = `http://example.com:${port}/`;
    const reaching = openSender({ resolve: async () => ["127.0.0.9", "127.0.0.1"] });
    expect(await reaching.send(message(url))).toMatchObject({ status: 200 });
    for (const addresses of [
      ["0.0.0.0", "127.0.0.9"],
      ["127.0.0.9", "0.0.0.0"],
    ]) {
      const sender = openSender({ resolve: async () => addresses });
      expect(await sender.send(message(url))).toMatchObject({ status: null });
    }
    expect(receiver.received).toHaveLength(1);
  });

  it("is refused when it resolves to a private address the next time", async () => {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(200, { connection: "close" }).end(),
    );
    const { port } = new URL(receiver.url);
    const answers = [["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1", "::ffff:127.0.0.1"]];
    let lookups = 0;
    const sender = openSender({ resolve: async () => answers[lookups++] ?? [] });
    const url = `http://rebinding.example:${port}/`;
    expect((await sender.send(message(url))).status).toBe(200);
    for (let again = 0; again < 3; again += 1) {
      const { status, problem } = await sender.send(message(url));
      expect({ status, problem }).toEqual({
        status: null,
        problem: "the name has no public address",
      });
    }
    expect(lookups).toBe(4);
    expect(receiver.received).toHaveLength(1);
  });

  it("is described in the problem when it is unknown or is a private address", async () => {
    const sender = openSender({
      resolve: async () => {
        throw Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
      },
    });
    const unknown = await sender.send(message("http://nobody.example/"));
    expect(unknown.problem).toBe("the name is not known");
    const own = await sender.send(message("http://169.254.169.254/latest"));
    expect(own.problem).toBe("the address names an address that is not public");
  });
});

describe("a proxy", () => {
  it("carries all requests, and private addresses are refused before it", async () => {
    const asked: string[] = [];
    const proxy = createServer((incoming, response) => {
      asked.push(String(incoming.url));
      const { port, pathname } = new URL(String(incoming.url));
      const { method, headers } = incoming;
      const there = { host: "127.0.0.1", port, path: pathname, method, headers };
      const onward = httpRequest(there, (answer) => {
        response.writeHead(answer.statusCode ?? 502);
        answer.pipe(response);
      });
      incoming.pipe(onward);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const sender = openSender({ proxyUrl, allowLoopback: false });
    const answer = await sender.send(message(`http://example.com:${port}/`));
    expect(answer.status).toBe(200);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`example.com:${port}`);
    const refused = await sender.send(message("http://10.0.0.1/"));
    expect(refused.problem).toBe("the address names an address that is not public");
    expect(asked).toHaveLength(1);
  });
});
