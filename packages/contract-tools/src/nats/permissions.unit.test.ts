import { describe, expect, it } from "vitest";
import { anyNamespace, operatorPermissions, servicePermissions } from "./permissions.ts";
import { formatAuthorization, listNatsUsers } from "./users.ts";
import { type ServiceName, serviceNames } from "@malipo/contracts";

const of = (service: ServiceName) => servicePermissions("live", service);
const everyService = serviceNames.map((name) => [name] as const);

/** The services that it may ask. */
const asked = (name: ServiceName) =>
  new Set(
    of(name)
      .publish.filter((subject) => subject.startsWith("live.rpc."))
      .map((subject) => subject.split(".")[2]),
  );

/** Whether some event could be published under the pattern. */
const isEvent = (subject: string) => subject.startsWith("live.event.");

describe("what NATS permits a service", () => {
  it.each(everyService)("%s hears its own questions and answers, and nobody else's", (name) => {
    const allowed = [`_INBOX.live.${name}.>`, `live.rpc.${name}.* ${name}`];
    const others = of(name).subscribe.filter((subject) => !allowed.includes(subject));
    expect(others.filter((subject) => !/^live\.(signal|live)\.[^>]+$/.test(subject))).toEqual([]);
  });

  it("lets each event be published by one service, and by the gateway, which replays dead letters", () => {
    const said = serviceNames.flatMap((name) => of(name).publish.filter(isEvent));
    expect(said.toSorted()).toEqual(
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

  it("keeps calls from the gateway, and routes from all others", () => {
    expect(of("gateway").publish).toContain("live.rpc.invoice.create-invoice");
    expect(of("gateway").publish).not.toContain("live.rpc.invoice.issue-invoice");
    expect(of("subscription").publish).toContain("live.rpc.invoice.issue-invoice");
    for (const name of serviceNames.filter((service) => service !== "gateway")) {
      expect(of(name).publish).not.toContain("live.rpc.invoice.create-invoice");
    }
  });

  it("lets commands flow one way: scheduler, subscription, invoice, payment", () => {
    expect(asked("scheduler")).toEqual(new Set(["subscription", "invoice", "payment"]));
    expect(asked("subscription")).toEqual(new Set(["gateway", "invoice", "payment"]));
    expect(asked("invoice")).toEqual(new Set(["gateway"]));
    expect(asked("webhook")).toEqual(new Set());
  });

  it("lets one service alone make streams", () => {
    const makers = serviceNames.filter((name) =>
      of(name).publish.some((subject) => subject.startsWith("$JS.API.STREAM.CREATE.")),
    );
    expect(makers).toEqual(["gateway"]);
  });

  it("keeps who reads the whole stream away from the consumers of others", () => {
    expect(of("webhook").publishDenied).toContain(
      "$JS.API.CONSUMER.MSG.NEXT.live_event.invoice-on-payment",
    );
  });

  it.each(everyService)("gives %s no wildcard that reaches into another deployment", (name) => {
    for (const subject of [...of(name).publish, ...of(name).subscribe]) {
      expect(subject).toMatch(/^(live\.|_INBOX\.live\.|\$JS\.API\.INFO$|\$JS\..+\.live_)/);
    }
  });

  it("is as much in any namespace as in one", () => {
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

  it("lets operators speak for no service", () => {
    const { publish } = operatorPermissions("live");
    expect(publish.filter((subject) => !subject.startsWith("$JS."))).toEqual([]);
  });
});

describe("the configuration", () => {
  it("names every service and the operators, and no password", () => {
    const written = formatAuthorization(listNatsUsers("live"));
    for (const name of [...serviceNames, "ops"]) {
      expect(written).toContain(`user: "live-${name}"`);
      expect(written).toContain(`password: $NATS_PASSWORD_${name.toUpperCase()}\n`);
    }
  });
});
