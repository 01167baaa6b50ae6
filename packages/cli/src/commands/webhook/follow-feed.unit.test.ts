import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createApiClient } from "../../api/api-client.ts";
import { businessAudience } from "../../api/audience.ts";
import { followFeed } from "./follow-feed.ts";

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Follows the feed of an API that gives these answers first and does not answer after that. */
async function followFakeFeed(
  answers: readonly object[],
  interrupted: AbortSignal,
  onUnansweredRequest: () => void,
) {
  let requestCount = 0;
  server = createServer((_, response) => {
    const answer = answers[requestCount];
    requestCount += 1;
    if (answer) response.end(JSON.stringify({ success: true, ...answer }));
    else onUnansweredRequest();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const api = createApiClient(() => ({ audience: businessAudience, url, token: "secret" }));
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const feed = followFeed({ api, from: "newest", interrupted, note, onReady: () => note("ready") });
  const ids: string[] = [];
  for await (const { eventid } of feed) ids.push(eventid);
  return { ids, notes };
}

const page = (...eventids: string[]) => ({
  data: eventids.map((eventid) => ({ eventid })),
  meta: { cursor: "here", more: true },
});

it("the feed ends at once when it is interrupted during a request", async () => {
  const interrupting = new AbortController();
  const following = followFakeFeed([page("one"), page("two")], interrupting.signal, () =>
    interrupting.abort(),
  );
  expect(await following).toEqual({ ids: ["one", "two"], notes: ["ready"] });
});

it("the feed ends without remarks when it is interrupted before the first answer", async () => {
  const interrupting = new AbortController();
  const following = followFakeFeed([], interrupting.signal, () => interrupting.abort());
  expect(await following).toEqual({ ids: [], notes: [] });
});
