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

/** The permissions of one NATS user. NATS refuses everything else. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  /** Subjects that stay forbidden although `publish` allows them. */
  readonly publishDenied: readonly string[];
  /** Subjects. After a space follows the only queue group in which the subject may be subscribed to. */
  readonly subscribe: readonly string[];
}

/** Matches every namespace. For NATS servers that only tests use. */
export const anyNamespace = "*";

const gateway: ServiceName = "gateway";
const payment: ServiceName = "payment";

/** A service may publish and subscribe to exactly the subjects that its contracts need. */
export function servicePermissions(namespace: string, service: ServiceName): NatsPermissions {
  return {
    publish: [
      ...requestSubjects(namespace, service),
      ...replySubjects(namespace, service),
      ...publishedSubjects(namespace, service),
      ...jetStreamSubjects(namespace, service),
    ].toSorted(),
    publishDenied: consumersOfOthers(namespace, service),
    subscribe: [
      `${inboxPrefix(namespace, service)}.>`,
      `${rpcSubject(namespace, { service, verb: "*" })} ${service}`,
      ...signalSubjects(namespace, service),
      ...(service === gateway ? [liveSubject(namespace, "*")] : []),
    ].toSorted(),
  };
}

/** The gateway requests every route. A service requests the calls that list it as a caller. */
function requestSubjects(namespace: string, service: ServiceName): string[] {
  const routes = service === gateway ? allRoutes : [];
  const calls = allCalls.filter(({ callers }) => callers.includes(service));
  const requested = [...routes, ...calls].map((operation) => rpcSubject(namespace, operation));
  return [...new Set(requested)];
}

/**
 * A service may reply to the inboxes of its callers. NATS's own `allow_responses` is weaker: under it
 * a caller could have the reply sent to any subject.
 */
function replySubjects(namespace: string, service: ServiceName): string[] {
  const calls = allCalls.filter((call) => call.service === service);
  const callers = new Set<ServiceName>(calls.flatMap((call) => call.callers));
  if (allRoutes.some((route) => route.service === service)) callers.add(gateway);
  return [...callers].map((caller) => `${inboxPrefix(namespace, caller)}.>`);
}

function publishedSubjects(namespace: string, service: ServiceName): string[] {
  const nouns = Object.entries(eventOwners).filter(([, publisher]) => publisher === service);
  return [
    ...nouns.map(([noun]) => eventSubject(namespace, `${noun}.*`)),
    ...signalSubjects(namespace, service),
    ...(service === gateway ? [callbackSubject(namespace, "mpesa")] : []),
    ...(service === payment ? [liveSubject(namespace, "*")] : []),
  ];
}

function signalSubjects(namespace: string, service: ServiceName): string[] {
  const ownSignals = (Object.keys(signals) as (keyof typeof signals)[]).filter(
    (signal) => signals[signal] === service,
  );
  return ownSignals.map((signal) => signalSubject(namespace, signal));
}

function jetStreamSubjects(namespace: string, service: ServiceName): string[] {
  const consumerSubjects = consumersOf(service).flatMap((consumer) =>
    consumer.isOrdered
      ? orderedReaderSubjects(namespace, consumer)
      : durableConsumerSubjects(
          namespace,
          "event",
          consumerNameOf(consumer),
          eventSubject(namespace, consumer.event),
        ),
  );
  const callbackSubjects =
    service === payment
      ? durableConsumerSubjects(
          namespace,
          "callback",
          callbackConsumer.name,
          `${namespace}.${streams.callback.subjects}`,
        )
      : [];
  const ownerSubjects = service === streamOwner ? streamOwnerSubjects(namespace) : [];
  const replaySubjects = service === gateway ? deadLetterReplaySubjects(namespace) : [];
  const subjects = [...consumerSubjects, ...callbackSubjects, ...ownerSubjects, ...replaySubjects];
  return subjects.length === 0 ? [] : ["$JS.API.INFO", ...new Set(subjects)];
}

/** The subjects of one durable consumer with its filter, and of its dead letters. */
function durableConsumerSubjects(
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

/** The subjects to read a stream in order, through consumers without a fixed name. */
function orderedReaderSubjects(namespace: string, consumer: ConsumerContract): string[] {
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

/** A service that may use any consumer name is denied the named consumers of other services. */
function consumersOfOthers(namespace: string, service: ServiceName): string[] {
  if (!consumersOf(service).some(({ isOrdered }) => isOrdered)) return [];
  const stream = streamToken(namespace, "event");
  return consumers
    .filter((consumer) => consumer.service !== service && !consumer.isOrdered)
    .map((consumer) => `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumerNameOf(consumer)}`)
    .toSorted();
}

function streamOwnerSubjects(namespace: string): string[] {
  return (Object.keys(streams) as StreamKey[]).flatMap((key) => {
    const stream = streamToken(namespace, key);
    return ["CREATE", "INFO", "UPDATE"].map((action) => `$JS.API.STREAM.${action}.${stream}`);
  });
}

/** The subjects to count, list and replay dead letters. A replay goes to the letter's original subject. */
function deadLetterReplaySubjects(namespace: string): string[] {
  const dead = streamToken(namespace, "dead");
  return [
    `$JS.API.STREAM.INFO.${dead}`,
    `$JS.API.STREAM.MSG.GET.${dead}`,
    `$JS.API.STREAM.MSG.DELETE.${dead}`,
    eventSubject(namespace, "*"),
  ];
}

/** A stream's name is one token of a subject, so for any namespace the whole token is a wildcard. */
function streamToken(namespace: string, stream: StreamKey): string {
  return namespace === anyNamespace ? "*" : streamName(namespace, stream);
}

/** Operators manage streams and watch events. They cannot publish as a service. */
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
