import { describe, expect, it } from "vitest";
import { type ServiceName, serviceNames } from "@malipo/contracts";
import { anyNamespace, operatorPermissions, servicePermissions } from "./permissions.ts";
import { formatNatsUsers } from "./users.ts";

const of = (service: ServiceName) => servicePermissions("live", service);
const everyService = serviceNames.map((name) => [name] as const);

/** The services that this service may send requests to. */
const requestedServices = (name: ServiceName) =>
  new Set(
    of(name)
      .publish.filter((subject) => subject.startsWith("live.rpc."))
      .map((subject) => subject.split(".")[2]),
  );

/** Whether events can be published on the subject. */
const isEvent = (subject: string) => subject.startsWith("live.event.");

describe("NATS permissions of services", () => {
  it.each(everyService)(
    "let %s subscribe to its own requests, replies and signals only",
    (name) => {
      const allowed = [`_INBOX.live.${name}.>`, `live.rpc.${name}.* ${name}`];
      const others = of(name).subscribe.filter((subject) => !allowed.includes(subject));
      expect(others.filter((subject) => !/^live\.(signal|live)\.[^>]+$/.test(subject))).toEqual([]);
    },
  );

  it("let one service publish the events of a noun, and the gateway all, because it replays dead letters", () => {
    const published = serviceNames.flatMap((name) => of(name).publish.filter(isEvent));
    expect(published.toSorted()).toEqual(
      [
        ..."business customer credit invoice payment product subscription tax"
          .split(" ")
          .map((noun) => `live.event.${noun}.*`),
        "live.event.>",
      ].toSorted(),
    );
    expect(of("gateway").publish).toContain("live.event.>");
    expect(of("webhook").publish.filter(isEvent)).toEqual([]);
  });

  it("let only the gateway request routes, and only callers request calls", () => {
    expect(of("gateway").publish).toContain("live.rpc.invoice.create-invoice");
    expect(of("gateway").publish).not.toContain("live.rpc.invoice.issue-invoice");
    expect(of("subscription").publish).toContain("live.rpc.invoice.issue-invoice");
    for (const name of serviceNames.filter((service) => service !== "gateway")) {
      expect(of(name).publish).not.toContain("live.rpc.invoice.create-invoice");
    }
  });

  it("let commands flow one way: scheduler, subscription, invoice, payment", () => {
    expect(requestedServices("scheduler")).toEqual(new Set(["subscription", "invoice", "payment"]));
    expect(requestedServices("subscription")).toEqual(new Set(["gateway", "invoice", "payment"]));
    expect(requestedServices("invoice")).toEqual(new Set(["gateway"]));
    expect(requestedServices("webhook")).toEqual(new Set());
  });

  it("let only the gateway create streams", () => {
    const creators = serviceNames.filter((name) =>
      of(name).publish.some((subject) => subject.startsWith("$JS.API.STREAM.CREATE.")),
    );
    expect(creators).toEqual(["gateway"]);
  });

  it("deny the reader of the whole stream the named consumers of other services", () => {
    expect(of("webhook").publishDenied).toContain(
      "$JS.API.CONSUMER.MSG.NEXT.live_event.invoice-on-payment",
    );
  });

  it.each(everyService)("give %s no wildcard that matches another deployment", (name) => {
    for (const subject of [...of(name).publish, ...of(name).subscribe]) {
      expect(subject).toMatch(/^(live\.|_INBOX\.live\.|\$JS\.API\.INFO$|\$JS\..+\.live_)/);
    }
  });

  it("are the same for the wildcard namespace as for one namespace", () => {
    for (const name of serviceNames) {
      const anywhere = servicePermissions(anyNamespace, name).publish;
      const here = new Set(
        of(name).publish.map((subject) =>
          subject.replaceAll(/\blive_\w+/g, "*").replace(/(^|\.)live\.(?!\*$)/, "$1*."),
        ),
      );
      expect(new Set(anywhere)).toEqual(here);
    }
  });

  it("let operators publish no message as a service", () => {
    const { publish } = operatorPermissions("live");
    expect(publish.filter((subject) => !subject.startsWith("$JS."))).toEqual([]);
  });
});

describe("the NATS users", () => {
  it("has a user with a password variable for every service, for operators and for the system account", () => {
    const block = formatNatsUsers("live");
    for (const name of [...serviceNames, "ops", "sys"]) {
      expect(block).toContain(`user: "live-${name}"`);
      expect(block).toMatch(new RegExp(`password: \\$NATS_PASSWORD_${name.toUpperCase()}\\b`));
    }
  });
});
