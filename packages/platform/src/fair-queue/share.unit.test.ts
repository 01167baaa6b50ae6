import { expect, it } from "vitest";
import { createShare, type Share } from "./share.ts";

/** Takes places until the client gets no more. */
function fill(share: Share, client: string): (() => void)[] {
  const releases: (() => void)[] = [];
  for (let release = share.take(client); release; release = share.take(client)) {
    releases.push(release);
  }
  return releases;
}

it("one greedy client leaves half of the places to others", () => {
  const share = createShare({ max: 100 });
  expect(fill(share, "greedy")).toHaveLength(50);
  expect(fill(share, "other")).toHaveLength(25);
});

it("a new client finds a place beside nine greedy ones", () => {
  const share = createShare({ max: 100 });
  const greedy = Array.from({ length: 9 }, (_, at) => `greedy ${at}`);
  // Each takes one place in turn, as clients of a busy gateway do.
  for (let round = 0; round < 100; round += 1) for (const client of greedy) share.take(client);
  expect(share.take("new")).not.toBeNull();
});

it("a client never holds more than its own maximum", () => {
  const share = createShare({ max: 1_000, perClientMax: 3 });
  expect(fill(share, "one")).toHaveLength(3);
  expect(fill(share, "another")).toHaveLength(3);
});

it("clients with one request each fill every place", () => {
  const share = createShare({ max: 100 });
  const taken = Array.from({ length: 101 }, (_, at) => share.take(`client ${at}`));
  expect(taken.filter((release) => release !== null)).toHaveLength(100);
});

it("a place that is given back can be taken again", () => {
  const share = createShare({ max: 2 });
  const release = share.take("one");
  expect(share.take("one")).toBeNull();
  release?.();
  expect(share.take("one")).not.toBeNull();
});

it("takes amounts: a client holds at most as much as is free", () => {
  const share = createShare({ max: 100 });
  const release = share.take("greedy", 40);
  expect(share.take("greedy", 21)).toBeNull();
  expect(share.take("greedy", 10)).not.toBeNull();
  expect(share.take("other", 51)).toBeNull();
  release?.();
  expect(share.take("other", 51)).not.toBeNull();
});
