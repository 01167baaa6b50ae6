import { type ServiceName, serviceNames } from "@malipo/contracts";
import { readConfig } from "@malipo/platform";
import type { NetworkPolicySpec } from "kubernetes-types/networking/v1.js";
import { describe, expect, it } from "vitest";
import { parseYaml, read } from "./files.ts";
import {
  build,
  buildByKubectl,
  type DeploymentManifest,
  deploymentsIn,
  drawSecrets,
  environmentOf,
  type Manifest,
  podOf,
} from "./manifests.ts";
import { restrictionsBroken } from "./restricted.ts";
import { serviceConfigs } from "./service-configs.ts";
import { typeErrors } from "./type-check.ts";

const overlays = ["sandbox", "live"] as const;
const built = new Map<string, Manifest[]>();
for (const overlay of overlays) {
  built.set(overlay, build(overlay));
  built.set(`${overlay}-data`, build(`${overlay}-data`));
}
const manifestsOf = (overlay: string): Manifest[] => built.get(overlay) ?? [];

function labelsOf(service: ServiceName) {
  return { "app.kubernetes.io/name": service, "app.kubernetes.io/part-of": "malipo" };
}

/** By kind and name, and without the hash in the names of what was generated. */
function inOrder(manifests: readonly Manifest[]): unknown[] {
  const generated = /("malipo-(?:environment|settings))-\w{10}"/g;
  const plain: Manifest[] = JSON.parse(JSON.stringify(manifests).replaceAll(generated, '$1"'));
  const byKey = plain.map((each) => [`${each.kind} ${each.metadata.name}`, each] as const);
  return byKey.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Settings that no manifest names: what is new is set, or is put here because its default is meant. */
const leftToDefault = [
  "NATS_USER",
  "HEALTH_HOST",
  "HEALTH_PORT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
];
const leftToDefaultBy: Partial<Record<ServiceName, readonly string[]>> = {
  gateway: ["HOST", "PORT", "OPERATOR_PORT"],
  webhook: ["ALLOW_LOOPBACK", "PROXY_URL", "RETRY_DELAYS", "ATTEMPT_TIMEOUT_MS"],
};

function portsOf(deployment: DeploymentManifest): string[] {
  return podOf(deployment).containers.flatMap(({ ports = [] }) =>
    ports.map(({ name, containerPort }) => `${name} ${containerPort}`),
  );
}

type Policy = Manifest & { readonly spec: NetworkPolicySpec };

function policiesIn(manifests: readonly Manifest[]): Policy[] {
  return manifests.filter((each): each is Policy => each.kind === "NetworkPolicy");
}

/** Each rule of a policy in a line: who, and which ports. */
function rulesOf({ spec }: Policy): string[] {
  const rules = [
    ...(spec.ingress ?? []).map(({ from, ports }) => ({ way: "from", peers: from, ports })),
    ...(spec.egress ?? []).map(({ to, ports }) => ({ way: "to", peers: to, ports })),
  ];
  return rules.map(({ way, peers = [], ports = [] }) => {
    const who = peers.map(({ ipBlock, namespaceSelector, podSelector }) => {
      if (ipBlock) return ipBlock.cidr;
      const namespace = namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"] ?? "here";
      return [namespace, ...Object.values(podSelector?.matchLabels ?? {})].join("/");
    });
    const which = ports.map(({ port, protocol }) => (protocol === "UDP" ? `${port}/udp` : port));
    return `${way} ${who.join(" ") || "anybody"}: ${which.join(" ") || "any port"}`;
  });
}

describe("what is built here", async () => {
  const live = await buildByKubectl("live");

  it.skipIf(!live)("is what kubectl builds", async () => {
    for (const [overlay, manifests] of built) {
      expect(inOrder(manifests)).toEqual(inOrder((await buildByKubectl(overlay)) ?? []));
    }
  });
});

it("every manifest fits its schema", async () => {
  expect(await typeErrors([...built.values()].flat())).toBe("");
});

it.each([
  ["a misspelt field", { replica: 2 }, `"replica"' does not exist`],
  ["a wrong type", { minReadySeconds: "1" }, "not assignable to type 'number'"],
  ["a missing field", { selector: undefined }, "'selector' is missing"],
])("%s does not", async (_what, different, problem) => {
  const [deployment] = deploymentsIn(manifestsOf("live"));
  const wrong = { ...deployment, spec: { ...deployment?.spec, ...different } };
  expect(await typeErrors([wrong as Manifest])).toContain(problem);
});

describe.each(overlays)("the overlay %s", (overlay) => {
  const manifests = manifestsOf(overlay);
  const deployments = deploymentsIn(manifests);

  it("has for every service what a team releases, under its own name and labels", () => {
    for (const service of serviceNames) {
      const own = manifests.filter(
        ({ metadata }) => metadata.labels?.["app.kubernetes.io/name"] === service,
      );
      const kinds = own.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(kinds).toEqual(
        expect.arrayContaining(
          [
            "Deployment",
            "Service",
            "ServiceAccount",
            "PodDisruptionBudget",
            "HorizontalPodAutoscaler",
          ].map((kind) => `${kind} malipo-${service}`),
        ),
      );
    }
    expect(deployments).toHaveLength(serviceNames.length);
  });

  it("is restricted, by label and by each pod", () => {
    const namespace = manifests.find(({ kind }) => kind === "Namespace");
    expect(namespace?.metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    expect(deployments.flatMap((each) => restrictionsBroken(podOf(each)))).toEqual([]);
  });

  it.each(serviceNames.map((name) => [name]))(
    "gives %s an environment that it takes, and nothing that it does not know",
    async (service) => {
      const deployment = deployments.find(({ metadata }) => metadata.name === `malipo-${service}`);
      const [container] = deployment ? podOf(deployment).containers : [];
      if (!container) throw new Error("no container");
      const secrets = await drawSecrets(`malipo-${overlay}`);
      const environment = environmentOf(container, [...manifests, ...secrets]);
      const config = serviceConfigs[service];
      expect(Object.keys(environment).filter((name) => !(name in config.shape))).toEqual([]);
      const read = readConfig(config, environment);
      expect(read).toMatchObject({ NAMESPACE: `malipo-${overlay}`, STREAM_REPLICAS: 3 });
      expect(read["MODE"] ?? overlay).toBe(overlay);
      const unset = Object.keys(config.shape).filter((name) => !(name in environment));
      expect(unset.toSorted()).toEqual(
        [...leftToDefault, ...(leftToDefaultBy[service] ?? [])].toSorted(),
      );
    },
  );

  it("selects one service's pods by each selector, and no others", () => {
    for (const service of serviceNames) {
      const labels = labelsOf(service);
      const deployment = deployments.find(({ metadata }) => metadata.name === `malipo-${service}`);
      expect(deployment?.spec.selector.matchLabels).toEqual(labels);
      expect(deployment?.spec.template.metadata?.labels).toEqual(labels);
      const named = manifests.filter(({ metadata }) => metadata.name === `malipo-${service}`);
      const specOf = (kind: string) => named.find((each) => each.kind === kind) as unknown;
      expect(specOf("Service")).toMatchObject({ spec: { selector: labels } });
      expect(specOf("PodDisruptionBudget")).toMatchObject({
        spec: { selector: { matchLabels: labels } },
      });
      expect(specOf("HorizontalPodAutoscaler")).toMatchObject({
        spec: { scaleTargetRef: { kind: "Deployment", name: `malipo-${service}` } },
      });
    }
  });

  it("starts without what it waits for, and is ready with it", () => {
    for (const each of deployments) {
      const [container] = podOf(each).containers;
      expect(container?.startupProbe?.httpGet?.path).toBe("/livez");
      expect(container?.livenessProbe?.httpGet?.path).toBe("/livez");
      expect(container?.readinessProbe?.httpGet?.path).toBe("/readyz");
    }
  });

  it("stops in order within its time", () => {
    const environment = manifests.find(
      ({ kind, metadata }) =>
        kind === "ConfigMap" && metadata.name.startsWith("malipo-environment"),
    );
    const delayMs = Number(environment?.data?.["SHUTDOWN_DELAY_MS"]);
    const phasesMs = 3 * 6_000;
    for (const each of deployments) {
      const graceMs = 1_000 * (podOf(each).terminationGracePeriodSeconds ?? 0);
      expect(graceMs).toBeGreaterThan(delayMs + phasesMs);
    }
  });

  it("lets nobody talk to anybody, and only payment and webhook reach outside", () => {
    const policies = policiesIn(manifests);
    const denying = policies.find(({ metadata }) => metadata.name === "deny-all");
    expect(denying?.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    const outward = policies.filter(({ spec }) =>
      spec.egress?.some(({ to }) => !to?.length || to.some(({ ipBlock }) => ipBlock)),
    );
    expect(outward.map(({ spec }) => spec.podSelector.matchLabels)).toEqual([
      labelsOf("payment"),
      labelsOf("webhook"),
    ]);
    const excepted = outward.flatMap(({ spec }) =>
      (spec.egress ?? []).flatMap(({ to }) => to?.flatMap(({ ipBlock }) => ipBlock?.except ?? [])),
    );
    for (const range of ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"]) {
      expect(excepted).toContain(range);
    }
  });

  it("lets pass what the services need, on these ports", () => {
    const rules = (name: string) =>
      [...policiesIn(manifests), ...policiesIn(manifestsOf(`${overlay}-data`))]
        .filter(({ metadata }) => metadata.name === name)
        .flatMap(rulesOf);
    const names = "to kube-system: 53/udp 53";
    expect(rules("services")).toEqual([
      "from monitoring: health",
      names,
      `to malipo-${overlay}-data: 4222 27017`,
      "to monitoring: 4318",
    ]);
    expect(rules("edge")).toEqual(["from ingress: api"]);
    expect(rules("data")).toEqual([
      "from here: any port",
      `from malipo-${overlay}/malipo: 4222 27017`,
      "from monitoring: 7777",
      "to here: any port",
      names,
      "to 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16: 443 6443",
    ]);
    for (const deployment of deployments) {
      const isGateway = deployment.metadata.name === "malipo-gateway";
      expect(portsOf(deployment)).toEqual(
        isGateway ? ["api 8080", "operator 8081", "health 9090"] : ["health 9090"],
      );
    }
  });

  it("keeps to its own data", () => {
    const text = JSON.stringify([manifests, manifestsOf(`${overlay}-data`)]);
    const other = overlay === "live" ? "sandbox" : "live";
    expect(text).not.toContain(`malipo-${other}`);
    expect(text).toContain(`"kubernetes.io/metadata.name":"malipo-${overlay}-data"`);
    expect(text).toContain(`"kubernetes.io/metadata.name":"malipo-${overlay}"`);
  });
});

it("MongoDB loses one member at a time", () => {
  for (const overlay of overlays) {
    const budget = manifestsOf(`${overlay}-data`).find(
      ({ kind }) => kind === "PodDisruptionBudget",
    );
    expect(budget).toMatchObject({
      metadata: { namespace: `malipo-${overlay}-data` },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: "malipo-mongodb-svc" } } },
    });
  }
});

it("MongoDB gives each service a user, with its own database alone", () => {
  const [replicaSet] = parseYaml(read("deploy/mongodb/replica-set.yaml")) as {
    spec: { members: number; users: { name: string; roles: object[] }[] };
  }[];
  expect(replicaSet?.spec.members).toBe(3);
  for (const service of serviceNames) {
    const user = replicaSet?.spec.users.find(({ name }) => name === service);
    expect(user?.roles).toEqual([{ db: `DEPLOYMENT_${service}`, name: "readWrite" }]);
  }
  const names = replicaSet?.spec.users.map(({ name }) => name);
  expect(names?.toSorted()).toEqual([...serviceNames, "backup"].toSorted());
  const backup = replicaSet?.spec.users.find(({ name }) => name === "backup");
  expect(backup?.roles).toEqual(
    ["backup", "restore", "replayOplog"].map((name) => ({ db: "admin", name })),
  );
});

it("has a password for every user of MongoDB", async () => {
  const secrets = await drawSecrets("malipo-live");
  const dataOf = (name: string) =>
    secrets.find(({ metadata }) => metadata.name === name)?.stringData;
  const passwords = dataOf("malipo-mongodb") ?? {};
  expect(Object.keys(passwords).toSorted()).toEqual([...serviceNames, "backup"].toSorted());
  expect(dataOf("malipo-backup")?.["MONGODB_URI"]).toContain(`//backup:${passwords["backup"]}@`);
});
