import type { JsonSchema } from "../json-schema/json-schema.ts";
import { type SchemaMismatch, findMismatches } from "./schema-mismatches.ts";
import type {
  OperationContract,
  PublishedEventContract,
  ServiceContract,
} from "./service-contract.ts";

/** A change that breaks users of the previous release. */
export interface ContractBreak {
  readonly what: string;
  readonly usedBy: readonly string[];
  readonly advice: string;
}

/** Finds the parts of the previous release that no longer hold. An addition breaks nothing. */
export function findBreaks(
  before: ServiceContract,
  now: ServiceContract,
): readonly ContractBreak[] {
  return [
    ...Object.entries(before.operations).flatMap(([verb, operation]) =>
      findOperationBreaks(`${before.service}.${verb}`, operation, now.operations[verb]),
    ),
    ...Object.entries(before.events).flatMap(([type, event]) =>
      findEventBreaks(type, event, now.events[type]),
    ),
    ...findConsumerBreaks(before, now),
    ...Object.entries(before.streams)
      .filter(([stream, subjects]) => now.streams[stream] !== subjects)
      .map(([stream, subjects]) => ({
        what: `stream ${stream}: no longer holds ${subjects}`,
        usedBy: ["every service"],
        advice: "Its readers would lose the messages on it. Make a new stream beside it.",
      })),
  ];
}

function findOperationBreaks(
  name: string,
  before: OperationContract,
  now: OperationContract | undefined,
): ContractBreak[] {
  const advice =
    "Keep the old form and add the new one beside it; or make another verb, " +
    `say ${name}-2, and remove this one when no service uses it any more.`;
  const breakOf = (what: string) => ({ what: `${name}: ${what}`, usedBy: before.usedBy, advice });
  if (!now) return [breakOf("is gone")];
  const lostCallers = before.usedBy.filter((caller) => !now.usedBy.includes(caller));
  return [
    ...(before.http === undefined || before.http === now.http
      ? []
      : [breakOf(`${before.http} is ${now.http === undefined ? "gone" : `now ${now.http}`}`)]),
    ...lostCallers.map((caller) => breakOf(`${caller} may no longer use it`)),
    ...(before.params.join() === now.params.join()
      ? []
      : [breakOf(`its path has other parameters: ${now.params.join(", ") || "none"}`)]),
    ...(before.answer === now.answer
      ? []
      : [breakOf(`answers ${now.answer}, not ${before.answer} any more`)]),
    ...findRequestBreaks("query", before.query, now.query).map(breakOf),
    ...findRequestBreaks("body", before.body, now.body).map(breakOf),
    ...findReplyBreaks("answer", before.data, now.data).map(breakOf),
  ];
}

function findEventBreaks(
  type: string,
  before: PublishedEventContract,
  now: PublishedEventContract | undefined,
): ContractBreak[] {
  const advice =
    "Keep the old form and add the new one beside it; or publish another event beside it, " +
    `say ${type}_2, and end this one when no service consumes it any more.`;
  const breakOf = (what: string) => ({
    what: `event ${type}: ${what}`,
    usedBy: before.usedBy,
    advice,
  });
  if (!now) return [breakOf("is gone")];
  const businesses = before.usedBy.filter(
    (reader) => reader.startsWith("businesses") && !now.usedBy.includes(reader),
  );
  return [
    ...businesses.map((reader) => breakOf(`no longer reaches ${reader}`)),
    ...findReplyBreaks("data", before.data, now.data).map(breakOf),
    ...findReplyBreaks("inside", before.inside, now.inside).map(breakOf),
  ];
}

function findConsumerBreaks(before: ServiceContract, now: ServiceContract): ContractBreak[] {
  return Object.entries(before.consumers)
    .filter(([name, pattern]) => now.consumers[name] !== pattern)
    .map(([name, pattern]) => ({
      what: `consumer ${name}: no longer consumes ${pattern}`,
      usedBy: [before.service],
      advice:
        "The old durable consumer stays on the stream, and its remaining messages are never taken: " +
        "give the changed consumer another name, and delete the old one when it is empty.",
    }));
}

/** Finds requests of the previous release that are no longer accepted. */
function findRequestBreaks(
  where: string,
  before: JsonSchema | undefined,
  now: JsonSchema | undefined,
) {
  if (before === undefined) {
    return (now?.required ?? []).map((name) => `${where}.${name} is now required`);
  }
  return findMismatches(before, now ?? { type: "object" }, "sent").map(describeMismatch(where));
}

/** Finds replies or events of today that a reader of the previous release cannot read. */
function findReplyBreaks(
  where: string,
  before: JsonSchema | undefined,
  now: JsonSchema | undefined,
) {
  if (before === undefined) return [];
  if (now === undefined) return [`${where} is gone`];
  return findMismatches(now, before, "expected").map(describeMismatch(where));
}

function describeMismatch(where: string) {
  return ({ path, problem }: SchemaMismatch) => {
    const joined = path === "" || path.startsWith("[") ? `${where}${path}` : `${where}.${path}`;
    return `${joined} ${problem}`;
  };
}
