import { expect, it } from "vitest";
import { journeyLists } from "./journey-lists.ts";

it("journeyLists reads the file of each numbered step under its heading", () => {
  const markdown = [
    "# Architecture",
    "## A create",
    "The request comes in.",
    "1. [routes](../services/gateway/src/routes.ts): finds the route.",
    "2. `packages/platform/src/rpc/serve.ts` validates the body.",
    "## A payment",
    "1. [request](../services/payment/src/request.ts)",
  ].join("\n");
  expect(Object.fromEntries(journeyLists(markdown))).toEqual({
    "A create": ["services/gateway/src/routes.ts", "packages/platform/src/rpc/serve.ts"],
    "A payment": ["services/payment/src/request.ts"],
  });
});

it("journeyLists refuses a step without a file", () => {
  expect(() => journeyLists("## A create\n1. The gateway answers.")).toThrow(
    'a step of "A create" names no file: 1. The gateway answers.',
  );
});
