import { expect, it } from "vitest";
import { findCircles } from "./find-circles.ts";

const graphOf = (edges: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(edges));

it("findCircles finds nothing when every path ends", () => {
  expect(findCircles(graphOf({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toEqual([]);
});

it("findCircles reports every member of a circle once, and nodes beside it not at all", () => {
  const graph = graphOf({ a: ["b"], b: ["c"], c: ["a", "d"], d: ["e"], e: [] });
  expect(findCircles(graph)).toEqual([["a", "b", "c"]]);
});

it("findCircles joins circles that share a node, and keeps others apart", () => {
  const graph = graphOf({ a: ["b"], b: ["a", "c"], c: ["b"], x: ["y"], y: ["x", "a"] });
  expect(findCircles(graph)).toEqual([
    ["a", "b", "c"],
    ["x", "y"],
  ]);
});

it("findCircles reports a node that points to itself", () => {
  expect(findCircles(graphOf({ a: ["a"], b: [] }))).toEqual([["a"]]);
});
