import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createApi } from "../../api/api-client.ts";
import { businessDoor } from "../../api/audience.ts";
import { followFeed } from "./follow-feed.ts";

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** An API that answers the first requests as told, and then keeps silent. */
async function follow(answers: readonly object[], interrupted: AbortSignal, onSilence: () => void) {
  let asked = 0;
  server = createServer((_, response) => {
    const answer = answers[asked];
    asked += 1;
    if (answer) response.end(JSON.stringify({ success: true, ...answer }));
    else onSilence();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const api = createApi(() => ({ door: businessDoor, url, token: "secret" }));
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

it("ends at once when it is interrupted, though an answer is still awaited", async () => {
  const interrupting = new AbortController();
  const followed = follow([page("one"), page("two")], interrupting.signal, () =>
    interrupting.abort(),
  );
  expect(await followed).toEqual({ ids: ["one", "two"], notes: ["ready"] });
});

it("ends without a word when it is interrupted before anything was answered", async () => {
  const interrupting = new AbortController();
  const followed = follow([], interrupting.signal, () => interrupting.abort());
  expect(await followed).toEqual({ ids: [], notes: [] });
});
