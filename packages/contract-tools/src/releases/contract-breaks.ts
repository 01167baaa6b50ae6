import type { JsonSchema } from "../json-schema/json-schema.ts";
import { type SchemaMismatch, findMismatches } from "./schema-mismatches.ts";
import type {
  OperationContract,
  PublishedEventContract,
  ServiceContract,
} from "./service-contract.ts";

/** What whoever knows the earlier release would stumble over. */
export interface ContractBreak {
  readonly what: string;
  readonly usedBy: readonly string[];
  readonly advice: string;
}

/** What of the earlier release does not hold any more. Additions are none. */
export function findBreaks(
  before: ServiceContract,
  now: ServiceContract,
): readonly ContractBreak[] {
  return [
    ...Object.entries(before.operations).flatMap(([verb, operation]) =>
      breaksOfOperation(`${before.service}.${verb}`, operation, now.operations[verb]),
    ),
    ...Object.entries(before.events).flatMap(([type, event]) =>
      breaksOfEvent(type, event, now.events[type]),
    ),
    ...breaksOfConsumers(before, now),
    ...Object.entries(before.streams)
      .filter(([stream, subjects]) => now.streams[stream] !== subjects)
      .map(([stream, subjects]) => ({
        what: `stream ${stream}: no longer holds ${subjects}`,
        usedBy: ["every service"],
        advice: "What is on it would be lost to its readers. Make a new stream beside it.",
      })),
  ];
}

function breaksOfOperation(
  name: string,
  before: OperationContract,
  now: OperationContract | undefined,
): ContractBreak[] {
  const advice =
    "Keep what there was and add what is new beside it; or make another verb, " +
    `say ${name}-2, and remove this one when nobody uses it any more.`;
  const say = (what: string) => ({ what: `${name}: ${what}`, usedBy: before.usedBy, advice });
  if (!now) return [say("is gone")];
  const askers = before.usedBy.filter((asker) => !now.usedBy.includes(asker));
  return [
    ...(before.http === undefined || before.http === now.http
      ? []
      : [say(`${before.http} is ${now.http === undefined ? "gone" : `now ${now.http}`}`)]),
    ...askers.map((asker) => say(`${asker} may no longer use it`)),
    ...(before.params.join() === now.params.join()
      ? []
      : [say(`its path has other parameters: ${now.params.join(", ") || "none"}`)]),
    ...(before.answer === now.answer
      ? []
      : [say(`answers ${now.answer}, not ${before.answer} any more`)]),
    ...asked("query", before.query, now.query).map(say),
    ...asked("body", before.body, now.body).map(say),
    ...told("answer", before.data, now.data).map(say),
  ];
}

function breaksOfEvent(
  type: string,
  before: PublishedEventContract,
  now: PublishedEventContract | undefined,
): ContractBreak[] {
  const advice =
    "Keep what there was and add what is new beside it; or publish another event beside it, " +
    `say ${type}_2, and end this one when nobody hears it any more.`;
  const say = (what: string) => ({ what: `event ${type}: ${what}`, usedBy: before.usedBy, advice });
  if (!now) return [say("is gone")];
  const businesses = before.usedBy.filter(
    (reader) => reader.startsWith("businesses") && !now.usedBy.includes(reader),
  );
  return [
    ...businesses.map((reader) => say(`no longer reaches ${reader}`)),
    ...told("data", before.data, now.data).map(say),
    ...told("inside", before.inside, now.inside).map(say),
  ];
}

function breaksOfConsumers(before: ServiceContract, now: ServiceContract): ContractBreak[] {
  return Object.entries(before.consumers)
    .filter(([name, pattern]) => now.consumers[name] !== pattern)
    .map(([name, pattern]) => ({
      what: `consumer ${name}: no longer hears ${pattern}`,
      usedBy: [before.service],
      advice:
        "Its durable stays on the stream as it is, and what it has not taken is never taken: " +
        "give what hears otherwise another name, and delete the durable when it is empty.",
    }));
}

/** Of a request: whatever was sent before has to be taken still. */
function asked(where: string, before: JsonSchema | undefined, now: JsonSchema | undefined) {
  if (before === undefined) {
    return (now?.required ?? []).map((name) => `${where}.${name} is now required`);
  }
  return findMismatches(before, now ?? { type: "object" }, "sent").map(sentence(where));
}

/** Of what is published and answered: whatever is sent now has to be what was known before. */
function told(where: string, before: JsonSchema | undefined, now: JsonSchema | undefined) {
  if (before === undefined) return [];
  if (now === undefined) return [`${where} is gone`];
  return findMismatches(now, before, "taken").map(sentence(where));
}

function sentence(where: string) {
  return ({ path, problem }: SchemaMismatch) => {
    const joined = path === "" || path.startsWith("[") ? `${where}${path}` : `${where}.${path}`;
    return `${joined} ${problem}`;
  };
}
