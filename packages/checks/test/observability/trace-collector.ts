import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

export interface CollectedSpan extends ExportedSpan {
  readonly service: string;
}

/** Starts a trace collector for OTLP over HTTP with JSON; closed at the end of the test file. */
export async function startCollector(): Promise<{
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
}> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/v1/traces") spans.push(...spansIn(Buffer.concat(chunks).toString()));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

function spansIn(text: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(text) as ExportRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const attribute = resource.attributes.find(({ key }) => key === "service.name");
    const service = attribute?.value.stringValue ?? "";
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })));
  });
}
