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

/** Somebody who speaks TCP and says what he likes. */
async function startTalker(talk: (socket: Socket) => void): Promise<string> {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => talk(socket));
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
  it("posts the body as it is and keeps the answer", async () => {
    const receiver = await startReceiver((_, response) => response.writeHead(202).end("thanks"));
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status: 202, problem: null, response: "thanks" });
    expect(receiver.received).toMatchObject([{ body: '{"a":"ü"}', id: "evt_1" }]);
  });

  it.each([300, 304, 400, 404, 410, 500, 599])("counts %i as a failure", async (status) => {
    const receiver = await startReceiver(status);
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status, problem: `answered ${status}` });
  });

  it.each([301, 302, 303, 307, 308])("does not follow a %i", async (status) => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    );
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status, problem: `answered ${status}` });
    expect(elsewhere.received).toEqual([]);
  });

  it("tells what the receiver asks for", async () => {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(429, { "retry-after": "7" }).end(),
    );
    const answer = await openSender().send(message(receiver.url));
    expect(answer).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  it("keeps 16 KB of an answer and hangs up on who goes on talking", async () => {
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

  it("counts a 2xx whose body never ends or breaks off", async () => {
    const endless = await startReceiver((_, response) => void response.writeHead(200).write("a"));
    const broken = await startReceiver((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("a");
      setImmediate(() => response.destroy());
    });
    const sender = openSender({ timeoutMs: 300 });
    expect(await sender.send(message(endless.url))).toMatchObject({ problem: null });
    expect(await sender.send(message(broken.url))).toMatchObject({ problem: null });
  });

  it("gives up on who is silent, be it before or within the headers", async () => {
    const silent = await startReceiver(() => undefined);
    const dripping = await startTalker((socket) => {
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
    ["a header without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    ["nothing", ""],
  ])("is a failure when the answer is %s", async (_name, bytes) => {
    const url = await startTalker((socket) => socket.end(bytes));
    const answer = await openSender().send(message(url));
    expect(answer.status).toBeNull();
    expect(answer.problem).toMatch(/^(the|no) /);
  });

  it("says in words what is wrong with a connection, and no address", async () => {
    const gone = await startReceiver();
    await gone.close();
    const sender = openSender();
    const { problem } = await sender.send(message(gone.url));
    expect(problem).toBe("the connection was refused");
    const plain = await startReceiver();
    const tls = await sender.send(message(plain.url.replace("http:", "https:")));
    expect(tls.problem).not.toMatch(/\d/);
  });

  it("says when we broke it off ourselves", async () => {
    const silent = await startReceiver(() => undefined);
    const sender = openSender();
    const sending = sender.send(message(silent.url));
    await eventually(() => silent.received.length === 1);
    sender.breakOff();
    expect(await sending).toMatchObject({ status: null, interrupted: true });
  });
});

describe("a name", () => {
  it("is refused when it leads into our networks, and nothing is dialled", async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const sender = openSender({ allowLoopback: false, resolve: async () => ["127.0.0.1", "::1"] });
    const answer = await sender.send(message(`http://example.com:${port}/`));
    expect(answer.problem).toBe("the name has no public address");
    expect(receiver.received).toEqual([]);
  });

  it("is dialled only where it may be, when some of its addresses may not", async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const sender = openSender({
      resolve: async () => ["10.0.0.1", "169.254.169.254", "127.0.0.1", "fd00::1"],
    });
    const answer = await sender.send(message(`http://example.com:${port}/`));
    expect(answer.status).toBe(200);
  });

  it("gains nothing by answering differently the next time", async () => {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(200, { connection: "close" }).end(),
    );
    const { port } = new URL(receiver.url);
    const answers = [["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1", "::ffff:127.0.0.1"]];
    let asked = 0;
    const sender = openSender({ resolve: async () => answers[asked++] ?? [] });
    const url = `http://rebinding.example:${port}/`;
    expect((await sender.send(message(url))).status).toBe(200);
    for (let again = 0; again < 3; again += 1) {
      const { status, problem } = await sender.send(message(url));
      expect({ status, problem }).toEqual({
        status: null,
        problem: "the name has no public address",
      });
    }
    expect(asked).toBe(4);
    expect(receiver.received).toHaveLength(1);
  });

  it("that is not known, and an address that is ours, are told in words", async () => {
    const sender = openSender({
      resolve: async () => {
        throw Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
      },
    });
    const unknown = await sender.send(message("http://nobody.example/"));
    expect(unknown.problem).toBe("the name is not known");
    const ours = await sender.send(message("http://169.254.169.254/latest"));
    expect(ours.problem).toBe("the address names an address that is not public");
  });
});

describe("a proxy", () => {
  it("carries everything, and addresses are looked at all the same", async () => {
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
