import { type JsonSchema, toJsonSchema } from "../json-schema/json-schema.ts";
import { buildSamples } from "./samples.ts";
import { withoutDocs } from "./schema-shape.ts";
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

/** What one release of a service says, hears and answers, as data that outlives the code. */
export interface ServiceContract {
  readonly service: ServiceName;
  readonly version: string;
  readonly operations: Readonly<Record<string, OperationContract>>;
  readonly events: Readonly<Record<string, PublishedEventContract>>;
  /** By their durable's name, what they hear. */
  readonly consumers: Readonly<Record<string, string>>;
  readonly streams: Readonly<Record<string, string>>;
}

export interface OperationContract {
  /** Of a route: how it is reached from outside. */
  readonly http?: string;
  readonly usedBy: readonly string[];
  readonly params: readonly string[];
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  readonly answer: string;
  readonly data?: JsonSchema;
  readonly samples: readonly RequestSample[];
}

/** A request that this release takes. */
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

/** What this release publishes. */
export interface EventSample {
  readonly data: unknown;
  readonly inside?: unknown;
}

export function buildServiceContract(service: ServiceName, version: string): ServiceContract {
  const own = ({ service: owner }: { readonly service: ServiceName }) => owner === service;
  const operations = [
    ...allRoutes.filter(own).map((route) => [route.verb, routeContract(route)] as const),
    ...allCalls
      .filter(own)
      .map((call) => [call.verb, operationContract(call, call.callers)] as const),
  ];
  const published = Object.entries(events as Readonly<Record<string, EventContract>>)
    .filter(([type]) => eventOwners[nounOf(type)] === service)
    .map(([type, contract]) => [type, publishedContract(type, contract)] as const);
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

const callers = {
  public: "programs of businesses",
  operator: "the operator's command line",
  page: "browsers with its address",
} as const;

function routeContract(route: Route): OperationContract {
  const { method, path, audience } = route;
  return { http: `${method} ${path}`, ...operationContract(route, ["gateway", callers[audience]]) };
}

function operationContract(operation: Operation, usedBy: readonly string[]): OperationContract {
  const { params, query, body, reply } = operation;
  const paging = reply.paging ? ` with ${reply.paging}` : "";
  return {
    usedBy,
    params: Object.keys(params),
    ...(query !== noContent && { query: withoutDocs(toJsonSchema(query, "input")) }),
    ...(body !== noContent && { body: withoutDocs(toJsonSchema(body, "input")) }),
    answer: `${reply.status} ${reply.media ?? `JSON${paging}`}`,
    ...(reply.data !== noContent && { data: withoutDocs(toJsonSchema(reply.data, "output")) }),
    samples: requestSamples(operation),
  };
}

function requestSamples({ verb, query, body }: Operation): RequestSample[] {
  if (query !== noContent) {
    return buildSamples(verb, query, "input", asTexts).map((sample) => ({ query: sample }));
  }
  if (body !== noContent)
    return buildSamples(verb, body, "input").map((sample) => ({ body: sample }));
  return [{}];
}

/** What a query holds is text, whatever it means. */
function asTexts(example: unknown): unknown {
  const fields = Object.entries(example as object);
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
}

function publishedContract(type: string, { audience, data, inside }: EventContract) {
  const hears = (pattern: string) =>
    pattern === "*" || pattern === type || pattern === `${nounOf(type)}.*`;
  const heardBy = consumers.filter(({ event }) => hears(event)).map(({ service }) => service);
  const insideSchema = toJsonSchema(inside, "output");
  const hasInside = insideSchema.type !== undefined || insideSchema.anyOf !== undefined;
  const insides = hasInside ? buildSamples(type, inside, "output") : [undefined];
  return {
    usedBy: [
      ...new Set(heardBy),
      ...(audience === "public" ? ["businesses, by webhook and feed"] : []),
    ],
    data: withoutDocs(toJsonSchema(data, "output")),
    ...(hasInside && { inside: withoutDocs(insideSchema) }),
    samples: buildSamples(type, data, "output").map((sample, index) => {
      const own = insides[index % insides.length];
      return { data: sample, ...(own !== undefined && { inside: own }) };
    }),
  };
}
