import { type ServiceName, serviceNames } from "@malipo/contracts";
import { readConfig } from "@malipo/platform";
import type { NetworkPolicySpec } from "kubernetes-types/networking/v1.js";
import { describe, expect, it } from "vitest";
import {
  buildOverlay,
  buildOverlayByKubectl,
  type DeploymentManifest,
  deploymentsIn,
  environmentOf,
  generateSecrets,
  type Manifest,
  podOf,
} from "./manifests.ts";
import { findBrokenRules } from "./restricted.ts";
import { serviceConfigs } from "./service-configs.ts";
import { findTypeErrors } from "./type-check.ts";

const overlays = ["sandbox", "live"] as const;
const manifestsByOverlay = new Map<string, Manifest[]>();
for (const overlay of overlays) {
  for (const name of [overlay, `${overlay}-data`, `${overlay}/payment`]) {
    manifestsByOverlay.set(name, buildOverlay(name));
  }
}
const manifestsOf = (overlay: string): Manifest[] => manifestsByOverlay.get(overlay) ?? [];

function labelsOf(service: ServiceName) {
  return { "app.kubernetes.io/name": service, "app.kubernetes.io/part-of": "malipo" };
}

/** Sorts manifests by kind and name, and removes the hash from the names of generated config maps. */
function normalize(manifests: readonly Manifest[]): unknown[] {
  const generated = new RegExp(`("malipo-(?:${serviceNames.join("|")}))-\\w{10}"`, "g");
  const withoutHashes: Manifest[] = JSON.parse(
    JSON.stringify(manifests).replaceAll(generated, '$1"'),
  );
  const byKey = withoutHashes.map(
    (manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const,
  );
  return byKey.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Variables that no manifest sets. A new variable is set in a manifest, or listed here if its default is right. */
const defaultVariables = [
  "NATS_USER",
  "HEALTH_HOST",
  "HEALTH_PORT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
];
const defaultVariablesOf: Partial<Record<ServiceName, readonly string[]>> = {
  gateway: [
    "HOST",
    "PORT",
    "OPERATOR_HOSTS",
    "OPERATOR_PORT",
    "REQUESTS_MAX",
    "CONNECTIONS_PER_ADDRESS_MAX",
  ],
  webhook: ["ALLOW_LOOPBACK", "PROXY_URL", "RETRY_DELAYS", "ATTEMPT_TIMEOUT_MS"],
};

function portsOf(deployment: DeploymentManifest): string[] {
  return podOf(deployment).containers.flatMap(({ ports = [] }) =>
    ports.map(({ name, containerPort }) => `${name} ${containerPort}`),
  );
}

type Policy = Manifest & { readonly spec: NetworkPolicySpec };

function policiesIn(manifests: readonly Manifest[]): Policy[] {
  return manifests.filter((manifest): manifest is Policy => manifest.kind === "NetworkPolicy");
}

/** One line for each rule of a policy: direction, peers and ports. */
function rulesOf({ spec }: Policy): string[] {
  const rules = [
    ...(spec.ingress ?? []).map(({ from, ports }) => ({ direction: "from", peers: from, ports })),
    ...(spec.egress ?? []).map(({ to, ports }) => ({ direction: "to", peers: to, ports })),
  ];
  return rules.map(({ direction, peers = [], ports = [] }) => {
    const peerNames = peers.map(({ ipBlock, namespaceSelector, podSelector }) => {
      if (ipBlock) return ipBlock.cidr;
      const namespace = namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"] ?? "here";
      return [namespace, ...Object.values(podSelector?.matchLabels ?? {})].join("/");
    });
    const portNames = ports.map(({ port, protocol }) =>
      protocol === "UDP" ? `${port}/udp` : port,
    );
    return `${direction} ${peerNames.join(" ") || "any peer"}: ${portNames.join(" ") || "any port"}`;
  });
}

describe("kustomize.ts", async () => {
  const live = await buildOverlayByKubectl("live");

  it.skipIf(!live)("builds the same manifests as kubectl", async () => {
    for (const [overlay, manifests] of manifestsByOverlay) {
      const byKubectl = (await buildOverlayByKubectl(overlay)) ?? [];
      expect(normalize(manifests)).toEqual(normalize(byKubectl));
    }
  });
});

it("every manifest matches its Kubernetes schema", async () => {
  expect(await findTypeErrors([...manifestsByOverlay.values()].flat())).toBe("");
});

it.each([
  ["a misspelt field", { replica: 2 }, `"replica"' does not exist`],
  ["a wrong type", { minReadySeconds: "1" }, "not assignable to type 'number'"],
  ["a missing field", { selector: undefined }, "'selector' is missing"],
])("the schema check reports %s", async (_mistake, change, problem) => {
  const [deployment] = deploymentsIn(manifestsOf("live"));
  const wrong = { ...deployment, spec: { ...deployment?.spec, ...change } };
  expect(await findTypeErrors([wrong as Manifest])).toContain(problem);
});

describe.each(overlays)("the overlay %s", (overlay) => {
  const manifests = manifestsOf(overlay);
  const deployments = deploymentsIn(manifests);

  it("has all kinds of manifests for every service, under its own name and labels", () => {
    for (const service of serviceNames) {
      const ofService = manifests.filter(
        ({ metadata }) => metadata.labels?.["app.kubernetes.io/name"] === service,
      );
      const kinds = ofService.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
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

  it("meets the pod security level restricted, in the namespace's label and in each pod", () => {
    const namespace = manifests.find(({ kind }) => kind === "Namespace");
    expect(namespace?.metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    expect(deployments.flatMap((deployment) => findBrokenRules(podOf(deployment)))).toEqual([]);
  });

  it.each(serviceNames.map((name) => [name]))(
    "gives %s an environment that is valid and has no unknown variables",
    async (service) => {
      const deployment = deployments.find(({ metadata }) => metadata.name === `malipo-${service}`);
      const [container] = deployment ? podOf(deployment).containers : [];
      if (!container) throw new Error(`${service} has no container`);
      const secrets = await generateSecrets(`malipo-${overlay}`);
      // Node reads its own options, and no service does.
      const { NODE_OPTIONS: _nodeOptions, ...environment } = environmentOf(container, [
        ...manifests,
        ...secrets,
      ]);
      const config = serviceConfigs[service];
      expect(Object.keys(environment).filter((name) => !(name in config.shape))).toEqual([]);
      const values = readConfig(config, environment);
      expect(values).toMatchObject({ NAMESPACE: `malipo-${overlay}`, STREAM_REPLICAS: 3 });
      expect(values["MODE"] ?? overlay).toBe(overlay);
      const unset = Object.keys(config.shape).filter((name) => !(name in environment));
      expect(unset.toSorted()).toEqual(
        [...defaultVariables, ...(defaultVariablesOf[service] ?? [])].toSorted(),
      );
    },
  );

  it("contains no secret: each comes from a Secret that is not part of the manifests", () => {
    expect(
      manifests.filter(({ kind, data, stringData }) => kind === "Secret" && (data ?? stringData)),
    ).toEqual([]);
    const names = /PASSWORD|TOKEN|SECRET|_KEY$|MONGODB_URI/;
    const secretVariables = deployments.flatMap((deployment) =>
      (podOf(deployment).containers[0]?.env ?? []).filter(({ name }) => names.test(name)),
    );
    expect(secretVariables.length).toBeGreaterThanOrEqual(2 * serviceNames.length);
    expect(secretVariables.filter(({ valueFrom }) => !valueFrom?.secretKeyRef)).toEqual([]);
    const settings = manifests.flatMap(({ kind, data }) =>
      kind === "ConfigMap" ? Object.keys(data ?? {}) : [],
    );
    expect(settings.filter((name) => names.test(name))).toEqual([]);
  });

  it("selects the pods of exactly one service by each selector", () => {
    for (const service of serviceNames) {
      const labels = labelsOf(service);
      const deployment = deployments.find(({ metadata }) => metadata.name === `malipo-${service}`);
      expect(deployment?.spec.selector.matchLabels).toEqual(labels);
      expect(deployment?.spec.template.metadata?.labels).toEqual(labels);
      const ofName = manifests.filter(({ metadata }) => metadata.name === `malipo-${service}`);
      const manifestOf = (kind: string) =>
        ofName.find((manifest) => manifest.kind === kind) as unknown;
      expect(manifestOf("Service")).toMatchObject({ spec: { selector: labels } });
      expect(manifestOf("PodDisruptionBudget")).toMatchObject({
        spec: { selector: { matchLabels: labels } },
      });
      expect(manifestOf("HorizontalPodAutoscaler")).toMatchObject({
        spec: { scaleTargetRef: { kind: "Deployment", name: `malipo-${service}` } },
      });
    }
  });

  it("probes startup and liveness with /livez, and readiness with /readyz", () => {
    for (const deployment of deployments) {
      const [container] = podOf(deployment).containers;
      expect(container?.startupProbe?.httpGet?.path).toBe("/livez");
      expect(container?.livenessProbe?.httpGet?.path).toBe("/livez");
      expect(container?.readinessProbe?.httpGet?.path).toBe("/readyz");
    }
  });

  it("gives each pod more time to stop than its shutdown delay and its three phases need", () => {
    const phasesMs = 3 * 6_000;
    for (const deployment of deployments) {
      const settings = manifests.find(
        ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === deployment.metadata.name,
      );
      const delayMs = Number(settings?.data?.["SHUTDOWN_DELAY_MS"]);
      const graceMs = 1_000 * (podOf(deployment).terminationGracePeriodSeconds ?? 0);
      expect(graceMs).toBeGreaterThan(delayMs + phasesMs);
    }
  });

  it("denies all connections by default, and opens the internet to payment and webhook only", () => {
    const policies = policiesIn(manifests);
    const denyAll = policies.find(({ metadata }) => metadata.name === "deny-all");
    expect(denyAll?.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    const internetPolicies = policies.filter(({ spec }) =>
      spec.egress?.some(({ to }) => !to?.length || to.some(({ ipBlock }) => ipBlock?.except)),
    );
    expect(internetPolicies.map(({ spec }) => spec.podSelector.matchLabels)).toEqual([
      labelsOf("payment"),
      labelsOf("webhook"),
    ]);
    const excludedRanges = internetPolicies.flatMap(({ spec }) =>
      (spec.egress ?? []).flatMap(({ to }) => to?.flatMap(({ ipBlock }) => ipBlock?.except ?? [])),
    );
    for (const range of ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"]) {
      expect(excludedRanges).toContain(range);
    }
  });

  it("allows the connections that the services need, on exactly these ports", () => {
    const rules = (name: string) =>
      [...policiesIn(manifests), ...policiesIn(manifestsOf(`${overlay}-data`))]
        .filter(({ metadata }) => metadata.name === name)
        .flatMap(rulesOf);
    const dns = "to kube-system 169.254.20.10/32: 53/udp 53";
    expect(rules("services")).toEqual([
      "from monitoring: health",
      dns,
      `to malipo-${overlay}-data: 4222 27017`,
      "to monitoring: 4318",
    ]);
    expect(rules("edge")).toEqual(["from ingress: api"]);
    expect(rules("certificate-challenges")).toEqual(["from ingress: 8089"]);
    expect(rules("data")).toEqual([
      "from here: any port",
      `from malipo-${overlay}/malipo: 4222 27017`,
      "from monitoring: 7777",
      "to here: any port",
      dns,
      "to 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16: 443 6443",
    ]);
    for (const deployment of deployments) {
      const isGateway = deployment.metadata.name === "malipo-gateway";
      expect(portsOf(deployment)).toEqual(
        isGateway ? ["api 8080", "operator 8081", "health 9090"] : ["health 9090"],
      );
    }
  });

  it("refers to its own namespaces only, not to those of the other overlay", () => {
    const text = JSON.stringify([manifests, manifestsOf(`${overlay}-data`)]);
    const other = overlay === "live" ? "sandbox" : "live";
    expect(text).not.toContain(`malipo-${other}`);
    expect(text).toContain(`"kubernetes.io/metadata.name":"malipo-${overlay}-data"`);
    expect(text).toContain(`"kubernetes.io/metadata.name":"malipo-${overlay}"`);
  });
});

it("a disruption budget lets Kubernetes stop one MongoDB member at a time", () => {
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
