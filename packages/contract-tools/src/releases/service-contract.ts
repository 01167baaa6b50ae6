import {
  allCalls,
  allRoutes,
  callbackMessage,
  consumerNameOf,
  consumers,
  consumersOf,
  type EventContract,
  events,
  noContent,
  type Operation,
  eventOwners,
  type Route,
  type ServiceName,
  streamOwner,
  streams,
} from "@malipo/contracts";
import { type JsonSchema, toJsonSchema } from "../json-schema/json-schema.ts";
import { buildSamples } from "./samples.ts";
import { withoutDocs } from "./schema-shape.ts";

/** The contract of one release of a service, as data that is kept in a snapshot. */
export interface ServiceContract {
  readonly service: ServiceName;
  readonly version: string;
  readonly operations: Readonly<Record<string, OperationContract>>;
  readonly events: Readonly<Record<string, PublishedEventContract>>;
  /** The name of each durable consumer, and the events that it consumes. */
  readonly consumers: Readonly<Record<string, string>>;
  readonly streams: Readonly<Record<string, string>>;
}

export interface OperationContract {
  /** The method and path, for a route. */
  readonly http?: string;
  readonly usedBy: readonly string[];
  readonly params: readonly string[];
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  readonly answer: string;
  readonly data?: JsonSchema;
  readonly samples: readonly RequestSample[];
}

/** A request that this release accepts. */
export interface RequestSample {
  readonly query?: unknown;
  readonly body?: unknown;
}

export interface PublishedEventContract {
  readonly usedBy: readonly string[];
  readonly data: JsonSchema;
  readonly inside?: JsonSchema;
  readonly samples: readonly EventSample[];
}

/** An event that this release publishes. */
export interface EventSample {
  readonly data: unknown;
  readonly inside?: unknown;
}

export function buildServiceContract(service: ServiceName, version: string): ServiceContract {
  const isOwn = ({ service: owner }: { readonly service: ServiceName }) => owner === service;
  const operations = [
    ...allRoutes.filter(isOwn).map((route) => [route.verb, describeRoute(route)] as const),
    ...allCalls
      .filter(isOwn)
      .map((call) => [call.verb, describeOperation(call, call.callers)] as const),
  ];
  const published = Object.entries(events as Readonly<Record<string, EventContract>>)
    .filter(([type]) => eventOwners[nounOf(type)] === service)
    .map(([type, contract]) => [type, describeEvent(type, contract)] as const);
  const callbacks = {
    usedBy: ["payment"],
    data: withoutDocs(toJsonSchema(callbackMessage, "output")),
    samples: buildSamples("callback.mpesa", callbackMessage, "output").map((data) => ({ data })),
  };
  return {
    service,
    version,
    operations: Object.fromEntries(operations.toSorted(byName)),
    events: Object.fromEntries([
      ...published.toSorted(byName),
      ...(service === "gateway" ? [["callback.mpesa", callbacks] as const] : []),
    ]),
    consumers: Object.fromEntries(
      consumersOf(service)
        .map((consumer) => [consumerNameOf(consumer), consumer.event] as const)
        .toSorted(byName),
    ),
    streams:
      service === streamOwner
        ? Object.fromEntries(Object.entries(streams).map(([key, { subjects }]) => [key, subjects]))
        : {},
  };
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1;

const nounOf = (type: string) => type.split(".")[0] as keyof typeof eventOwners;

const httpCallers = {
  public: "programs of businesses",
  operator: "the operator's command line",
  page: "browsers with its address",
} as const;

function describeRoute(route: Route): OperationContract {
  const { method, path, audience } = route;
  return {
    http: `${method} ${path}`,
    ...describeOperation(route, ["gateway", httpCallers[audience]]),
  };
}

function describeOperation(operation: Operation, usedBy: readonly string[]): OperationContract {
  const { params, query, body, reply } = operation;
  const paging = reply.paging ? ` with ${reply.paging}` : "";
  return {
    usedBy,
    params: Object.keys(params),
    ...(query !== noContent && { query: withoutDocs(toJsonSchema(query, "input")) }),
    ...(body !== noContent && { body: withoutDocs(toJsonSchema(body, "input")) }),
    answer: `${reply.status} ${reply.media ?? `JSON${paging}`}`,
    ...(reply.data !== noContent && { data: withoutDocs(toJsonSchema(reply.data, "output")) }),
    samples: buildRequestSamples(operation),
  };
}

function buildRequestSamples({ verb, query, body }: Operation): RequestSample[] {
  if (query !== noContent) {
    return buildSamples(verb, query, "input", asTexts).map((sample) => ({ query: sample }));
  }
  if (body !== noContent)
    return buildSamples(verb, body, "input").map((sample) => ({ body: sample }));
  return [{}];
}

/** Query parameters are sent as text, numbers too. */
function asTexts(example: unknown): unknown {
  const fields = Object.entries(example as object);
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
}

function describeEvent(type: string, { audience, data, inside }: EventContract) {
  const matches = (pattern: string) =>
    pattern === "*" || pattern === type || pattern === `${nounOf(type)}.*`;
  const consumedBy = consumers.filter(({ event }) => matches(event)).map(({ service }) => service);
  const insideSchema = toJsonSchema(inside, "output");
  const hasInside = insideSchema.type !== undefined || insideSchema.anyOf !== undefined;
  const insideSamples = hasInside ? buildSamples(type, inside, "output") : [undefined];
  return {
    usedBy: [
      ...new Set(consumedBy),
      ...(audience === "public" ? ["businesses, by webhook and feed"] : []),
    ],
    data: withoutDocs(toJsonSchema(data, "output")),
    ...(hasInside && { inside: withoutDocs(insideSchema) }),
    samples: buildSamples(type, data, "output").map((sample, index) => {
      const own = insideSamples[index % insideSamples.length];
      return { data: sample, ...(own !== undefined && { inside: own }) };
    }),
  };
}
