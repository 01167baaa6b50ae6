import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { eventually } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerBrokenRequest, trackAnswers } from "../src/http/responses/broken-request.ts";

const noise = "\u0000 noise\r\n\r\n";
const get = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const brokenBody = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** A server whose requests the test answers, and a client that collects what it receives. */
async function openServer() {
  const exchanges: Exchange[] = [];
  const server = createServer((...exchange) => void exchanges.push(exchange));
  let refusals = 0;
  trackAnswers(server);
  server.on("clientError", (error, socket) => {
    answerBrokenRequest(error, socket as Parameters<typeof answerBrokenRequest>[1]);
    refusals += 1;
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const closed = once(client, "close");
  let received = "";
  client.on("data", (bytes: Buffer) => void (received += bytes.toString()));
  return {
    client,
    /** The response to the request at this place, once the server has received it. */
    responseAt: async (at: number): Promise<ServerResponse> =>
      eventually(() => {
        const response = exchanges[at]?.[1];
        if (!response) throw new Error(`no request ${at}`);
        return response;
      }),
    brokenIsKnown: async () => eventually(() => expect(refusals).toBeGreaterThan(0)),
    received: () => received,
    /** All that the client has received when the server closes the connection. */
    all: async () => {
      await closed;
      return received;
    },
  };
}

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);

describe("the refusal of bytes that are not HTTP", () => {
  it("waits for the answer to the request before them", async () => {
    const { client, responseAt, brokenIsKnown, received, all } = await openServer();
    client.write(get + noise);
    await brokenIsKnown();
    (await responseAt(0)).end("first");
    expect(statusesIn(await all())).toEqual(["200", "400"]);
    expect(received()).toMatch(/first[^]*"code":"invalid_request"/);
  });

  it("waits for the end of an answer that has begun", async () => {
    const { client, responseAt, brokenIsKnown, received, all } = await openServer();
    client.write(get);
    const response = await responseAt(0);
    response.writeHead(200, { "content-length": 8 }).write("half");
    await eventually(() => expect(received()).toContain("half"));
    client.write(noise);
    await brokenIsKnown();
    response.end("half");
    expect(await all()).toMatch(/\r\n\r\nhalfhalfHTTP\/1\.1 400 /);
  });

  it("takes the place of the answer to a broken body, behind the answers before it", async () => {
    const { client, responseAt, brokenIsKnown, all } = await openServer();
    client.write(get + brokenBody);
    const first = await responseAt(0);
    await responseAt(1);
    await brokenIsKnown();
    first.end("first");
    expect(statusesIn(await all())).toEqual(["200", "400"]);
  });

  it("is not sent when the request with the broken body is already being answered", async () => {
    const { client, responseAt, brokenIsKnown, received, all } = await openServer();
    client.write(brokenBody.replace("zz\r\n", ""));
    const response = await responseAt(0);
    response.writeHead(401, { "content-length": 8 }).write("half");
    await eventually(() => expect(received()).toContain("half"));
    client.write("zz\r\n");
    await brokenIsKnown();
    response.end("half");
    expect(statusesIn(await all())).toEqual(["401"]);
  });

  it("is sent once, however much noise follows", async () => {
    const { client, responseAt, brokenIsKnown, all } = await openServer();
    client.write(get + noise);
    await brokenIsKnown();
    client.write(noise);
    client.write(noise);
    (await responseAt(0)).end();
    expect(statusesIn(await all())).toEqual(["200", "400"]);
  });
});
