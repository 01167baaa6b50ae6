import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedCallback {
  readonly path: string;
  readonly text: string;
  /** The contents of `Body.stkCallback`; empty when there are none. */
  readonly callback: Readonly<Record<string, unknown>>;
}

export interface CallbackReceiver {
  readonly url: string;
  readonly received: ReceivedCallback[];
  /** The status of the next responses. */
  status: number;
  close(): Promise<void>;
}

export async function openCallbackReceiver(): Promise<CallbackReceiver> {
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      receiver.received.push({ path: request.url ?? "", text, callback: parseCallback(text) });
      response.writeHead(receiver.status, { "content-type": "application/json" });
      response.end('{"ResultCode":0,"ResultDesc":"Accepted"}');
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: CallbackReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    status: 200,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}

function parseCallback(text: string): Record<string, unknown> {
  try {
    const { Body } = JSON.parse(text) as { Body?: { stkCallback?: object } };
    return { ...Body?.stkCallback };
  } catch {
    return {};
  }
}
