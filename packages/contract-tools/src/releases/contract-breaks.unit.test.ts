import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type ServiceName, serviceNames } from "@malipo/contracts";
import { toJsonSchema } from "../json-schema/json-schema.ts";
import { findBreaksSinceRelease, findContractProblems } from "./check.ts";
import { findBreaks } from "./contract-breaks.ts";
import { withoutDocs } from "./schema-shape.ts";
import {
  buildServiceContract,
  type OperationContract,
  type ServiceContract,
} from "./service-contract.ts";
import { readSnapshot } from "./snapshots.ts";

const shape = (schema: z.ZodType, io: "input" | "output") => withoutDocs(toJsonSchema(schema, io));

const colour = z.enum(["white", "yellow"]);
const note = {
  text: z.string().max(100),
  colour,
  size: z.int().min(1).max(10),
  tags: z.array(z.object({ name: z.string() })).optional(),
  due: z.iso.datetime().nullable(),
};
const operation: OperationContract = {
  http: "POST /note/create",
  usedBy: ["gateway", "programs of businesses"],
  params: ["id"],
  answer: "200 JSON",
  samples: [],
};
const released: ServiceContract = {
  service: "invoice",
  version: "1.0.0",
  operations: { "create-note": operation },
  events: { "note.created": { usedBy: ["payment"], data: {}, samples: [] } },
  consumers: { "invoice-on-payment": "payment.*" },
  streams: { event: "event.>" },
};

const withBody = (schema: z.ZodType): ServiceContract => ({
  ...released,
  operations: { "create-note": { ...operation, body: shape(schema, "input") } },
});
const withEvent = (schema: z.ZodType): ServiceContract => ({
  ...released,
  events: {
    "note.created": { usedBy: ["payment", "webhook"], data: shape(schema, "output"), samples: [] },
  },
});
const textsOf = (before: ServiceContract, now: ServiceContract) =>
  findBreaks(before, now).map(({ what }) => what);
const change = (own: Partial<OperationContract>) =>
  textsOf(released, { ...released, operations: { "create-note": { ...operation, ...own } } });
const breaksOfBody = (changed: z.ZodRawShape) =>
  textsOf(withBody(z.object(note)), withBody(z.object({ ...note, ...changed })));
const breaksOfEvent = (changed: z.ZodRawShape) =>
  textsOf(withEvent(z.object(note)), withEvent(z.object({ ...note, ...changed })));

describe("a request", () => {
  it.each([
    ["an optional field", { extra: z.string().optional() }],
    ["one more value", { colour: z.enum(["white", "yellow", "blue"]) }],
    ["any value", { colour: z.string() }],
    ["wider bounds", { text: z.string().max(200), size: z.number().min(0) }],
    ["null as well", { size: note.size.nullable() }],
    ["another type as well", { size: z.union([note.size, z.string()]) }],
    ["a field that becomes optional", { text: note.text.optional() }],
    [
      "more values inside a list",
      { tags: z.array(z.object({ name: z.string().nullable() })).optional() },
    ],
  ])("does not break with %s", (_what, changed) => {
    expect(breaksOfBody(changed)).toEqual([]);
  });

  it.each([
    [{ extra: z.string() }, "body.extra is now required"],
    [{ tags: z.array(z.object({ name: z.string() })) }, "body.tags is now required"],
    [{ colour: z.enum(["white"]) }, 'body.colour may be "yellow", where only "white" are known'],
    [{ size: z.string() }, "body.size is integer, where string is expected"],
    [{ due: z.iso.datetime() }, "body.due is null, where string is expected"],
    [{ text: z.string().max(50) }, "body.text has a maxLength of 100, where 50 is expected"],
    [{ size: z.int().min(2).max(10) }, "body.size has a minimum of 1, where 2 is expected"],
    [{ text: z.string().max(100).regex(/^a/) }, "body.text has no pattern, where ^a is expected"],
    [
      { tags: z.array(z.object({ name: z.string(), of: z.string() })).optional() },
      "body.tags[].of is now required",
    ],
  ])("breaks with its change to %j: %s", (changed, what) => {
    expect(breaksOfBody(changed)).toEqual([`invoice.create-note: ${what}`]);
  });

  it("breaks when a field is removed, even an optional one", () => {
    const { tags: _tags, ...rest } = note;
    expect(textsOf(withBody(z.object(note)), withBody(z.object(rest)))).toEqual([
      "invoice.create-note: body.tags is gone",
    ]);
  });

  it("breaks when it begins to require a body", () => {
    expect(textsOf(released, withBody(z.object({ text: z.string() })))).toEqual([
      "invoice.create-note: body.text is now required",
    ]);
    expect(textsOf(released, withBody(z.object({ text: z.string().optional() })))).toEqual([]);
  });
});

describe("an event", () => {
  it.each([
    ["a field", { extra: z.string() }],
    ["an optional field", { extra: z.string().optional() }],
    ["fewer values", { colour: z.enum(["white"]) }],
    ["narrower bounds", { text: z.string().max(50), size: z.int().min(2).max(9) }],
    ["never null", { due: z.iso.datetime() }],
    [
      "an optional field that is now always there",
      { tags: z.array(z.object({ name: z.string() })) },
    ],
  ])("does not break with %s", (_what, changed) => {
    expect(breaksOfEvent(changed)).toEqual([]);
  });

  it.each([
    [{ text: note.text.optional() }, "data.text may now be missing"],
    [
      { colour: z.enum(["white", "yellow", "blue"]) },
      'data.colour may be "blue", where only "white", "yellow" are known',
    ],
    [
      { colour: z.string() },
      'data.colour may be any value, where only ["white","yellow"] are known',
    ],
    [{ size: z.number().min(1).max(10) }, "data.size is number, where integer is expected"],
    [{ size: note.size.nullable() }, "data.size is null, where integer is expected"],
    [{ text: z.string() }, "data.text has a maxLength of Infinity, where 100 is expected"],
    [{ tags: z.array(z.object({})).optional() }, "data.tags[].name is gone"],
  ])("breaks with its change to %j: %s", (changed, what) => {
    expect(breaksOfEvent(changed)).toEqual([`event note.created: ${what}`]);
  });

  it("breaks when a field is removed, and the break names its readers and the remedy", () => {
    const { size: _size, ...rest } = note;
    expect(findBreaks(withEvent(z.object(note)), withEvent(z.object(rest)))).toEqual([
      {
        what: "event note.created: data.size is gone",
        usedBy: ["payment", "webhook"],
        advice: expect.stringMatching(
          /^Keep .* beside it; or publish another event .*note\.created_2/,
        ),
      },
    ]);
  });
});

describe("a service contract", () => {
  it("does not break when operations, events, consumers and readers are added", () => {
    const grown: ServiceContract = {
      ...released,
      operations: { ...released.operations, "find-note": operation },
      events: { ...released.events, "note.read": { usedBy: [], data: {}, samples: [] } },
      consumers: { ...released.consumers, "invoice-on-note": "note.*" },
      streams: { ...released.streams, more: "more.>" },
    };
    expect(findBreaks(released, grown)).toEqual([]);
    expect(change({ usedBy: [...operation.usedBy, "webhook"] })).toEqual([]);
  });

  it("breaks for every operation, event, consumer and stream that is removed", () => {
    const nothing = { operations: {}, events: {}, consumers: {}, streams: {} };
    expect(textsOf(released, { ...released, ...nothing })).toEqual([
      "invoice.create-note: is gone",
      "event note.created: is gone",
      "consumer invoice-on-payment: no longer consumes payment.*",
      "stream event: no longer holds event.>",
    ]);
  });

  it.each([
    [{ http: "POST /note/make" }, "POST /note/create is now POST /note/make"],
    [{ usedBy: ["programs of businesses"] }, "gateway may no longer use it"],
    [{ params: [] }, "its path has other parameters: none"],
    [{ answer: "201 JSON" }, "answers 201 JSON, not 200 JSON any more"],
  ])("breaks with its change to %j: %s", (own, what) => {
    expect(change(own)).toEqual([`invoice.create-note: ${what}`]);
  });
});

describe("today's contracts", () => {
  const everyService = serviceNames.map((name) => [name] as const);

  it("fit the last releases of all services", () => {
    expect(findContractProblems()).toEqual([]);
  });

  it.each(everyService)("of %s have no break against themselves", (service: ServiceName) => {
    const contract = buildServiceContract(service, "1.0.0");
    const written = JSON.parse(JSON.stringify(contract)) as ServiceContract;
    expect(findBreaks(written, contract)).toEqual([]);
  });

  it.each(everyService)(
    "of %s have one break for each part of the snapshot that is removed",
    (service: ServiceName) => {
      const snapshot = readSnapshot(service);
      if (!snapshot) throw new Error("no snapshot");
      const parts = [snapshot.operations, snapshot.events, snapshot.consumers, snapshot.streams];
      const gone = { operations: {}, events: {}, consumers: {}, streams: {} };
      expect(findBreaks(snapshot, { ...snapshot, ...gone })).toHaveLength(
        parts.flatMap((part) => Object.keys(part)).length,
      );
      expect(findBreaksSinceRelease(service)).toEqual([]);
    },
  );
});
