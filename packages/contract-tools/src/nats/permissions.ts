import {
  allCalls,
  allRoutes,
  callbackConsumer,
  callbackSubject,
  type ConsumerContract,
  consumerNameOf,
  consumers,
  consumersOf,
  deadSubject,
  eventSubject,
  inboxPrefix,
  liveSubject,
  eventOwners,
  rpcSubject,
  type ServiceName,
  signals,
  signalSubject,
  streamOwner,
  type StreamKey,
  streamName,
  streams,
} from "@malipo/contracts";

/** What a user of NATS may do; what is not here is refused. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  /** Stronger than what is allowed. */
  readonly publishDenied: readonly string[];
  /** Subjects, some followed by a space and the only queue group they may be listened to in. */
  readonly subscribe: readonly string[];
}

/** Every deployment on the server, or whichever comes: for servers that only tests use. */
export const anyNamespace = "*";

const edge: ServiceName = "gateway";
const payments: ServiceName = "payment";

/** A service says and hears what the contracts say of it, and nothing else. */
export function servicePermissions(namespace: string, service: ServiceName): NatsPermissions {
  return {
    publish: [
      ...questionsOf(namespace, service),
      ...answersOf(namespace, service),
      ...newsOf(namespace, service),
      ...streamWork(namespace, service),
    ].toSorted(),
    publishDenied: otherConsumersOf(namespace, service),
    subscribe: [
      `${inboxPrefix(namespace, service)}.>`,
      `${rpcSubject(namespace, { service, verb: "*" })} ${service}`,
      ...signalsOf(namespace, service),
      ...(service === edge ? [liveSubject(namespace, "*")] : []),
    ].toSorted(),
  };
}

/** The gateway asks for every route, and services for the calls that name them. */
function questionsOf(namespace: string, service: ServiceName): string[] {
  const routes = service === edge ? allRoutes : [];
  const calls = allCalls.filter(({ callers: askedBy }) => askedBy.includes(service));
  const asked = [...routes, ...calls].map((operation) => rpcSubject(namespace, operation));
  return [...new Set(asked)];
}

/** Answers go to whoever may ask. That is stricter than the server's own leave to answer, under which an asker could have the answer sent to any subject. */
function answersOf(namespace: string, service: ServiceName): string[] {
  const calls = allCalls.filter((call) => call.service === service);
  const askers = new Set<ServiceName>(calls.flatMap(({ callers: askedBy }) => askedBy));
  if (allRoutes.some((route) => route.service === service)) askers.add(edge);
  return [...askers].map((asker) => `${inboxPrefix(namespace, asker)}.>`);
}

function newsOf(namespace: string, service: ServiceName): string[] {
  const nouns = Object.entries(eventOwners).filter(([, publisher]) => publisher === service);
  return [
    ...nouns.map(([noun]) => eventSubject(namespace, `${noun}.*`)),
    ...signalsOf(namespace, service),
    ...(service === edge ? [callbackSubject(namespace, "mpesa")] : []),
    ...(service === payments ? [liveSubject(namespace, "*")] : []),
  ];
}

function signalsOf(namespace: string, service: ServiceName): string[] {
  const about = (Object.keys(signals) as (keyof typeof signals)[]).filter(
    (signal) => signals[signal] === service,
  );
  return about.map((signal) => signalSubject(namespace, signal));
}

function streamWork(namespace: string, service: ServiceName): string[] {
  const consuming = consumersOf(service).flatMap((consumer) =>
    consumer.isOrdered
      ? followingOf(namespace, consumer)
      : consumingOf(
          namespace,
          "event",
          consumerNameOf(consumer),
          eventSubject(namespace, consumer.event),
        ),
  );
  const callbacks =
    service === payments
      ? consumingOf(
          namespace,
          "callback",
          callbackConsumer.name,
          `${namespace}.${streams.callback.subjects}`,
        )
      : [];
  const keeping = service === streamOwner ? keepingOf(namespace) : [];
  const replaying = service === edge ? replayingOf(namespace) : [];
  const work = [...consuming, ...callbacks, ...keeping, ...replaying];
  return work.length === 0 ? [] : ["$JS.API.INFO", ...new Set(work)];
}

/** One durable consumer with its filter, and the letters of what it will not take. */
function consumingOf(
  namespace: string,
  streamKey: StreamKey,
  name: string,
  filter: string,
): string[] {
  const stream = streamToken(namespace, streamKey);
  return [
    `$JS.API.CONSUMER.CREATE.${stream}.${name}.${filter}`,
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
    deadSubject(namespace, name),
  ];
}

/** A stream read in its order, through consumers without a name of their own. */
function followingOf(namespace: string, consumer: ConsumerContract): string[] {
  const stream = streamToken(namespace, "event");
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
    deadSubject(namespace, consumerNameOf(consumer)),
  ];
}

/** Whoever may use consumers without a name must still keep away from those that have one. */
function otherConsumersOf(namespace: string, service: ServiceName): string[] {
  if (!consumersOf(service).some(({ isOrdered: inOrder }) => inOrder)) return [];
  const stream = streamToken(namespace, "event");
  return consumers
    .filter((consumer) => consumer.service !== service && !consumer.isOrdered)
    .map((consumer) => `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumerNameOf(consumer)}`)
    .toSorted();
}

function keepingOf(namespace: string): string[] {
  return (Object.keys(streams) as StreamKey[]).flatMap((key) => {
    const stream = streamToken(namespace, key);
    return ["CREATE", "INFO", "UPDATE"].map((work) => `$JS.API.STREAM.${work}.${stream}`);
  });
}

/** Dead letters are counted, listed and sent again to the subject they came from, whosever event it was. */
function replayingOf(namespace: string): string[] {
  const dead = streamToken(namespace, "dead");
  return [
    `$JS.API.STREAM.INFO.${dead}`,
    `$JS.API.STREAM.MSG.GET.${dead}`,
    `$JS.API.STREAM.MSG.DELETE.${dead}`,
    eventSubject(namespace, "*"),
  ];
}

/** A stream's name is one word of a subject: where the namespace is any, so is the name. */
function streamToken(namespace: string, stream: StreamKey): string {
  return namespace === anyNamespace ? "*" : streamName(namespace, stream);
}

/** Operators look after streams and watch what passes; they say nothing in a service's name. */
export function operatorPermissions(namespace: string): NatsPermissions {
  return {
    publish: ["$JS.API.>", "$JS.ACK.>", "$JS.SNAPSHOT.>"],
    publishDenied: [],
    subscribe: [
      `_INBOX.${namespace}.ops.>`,
      `${namespace}.callback.>`,
      `${namespace}.dead.>`,
      `${namespace}.event.>`,
      `${namespace}.signal.>`,
      "$JS.EVENT.>",
    ],
  };
}
