import { type ServiceName, serviceNames } from "@malipo/contracts";
import { readConfig } from "@malipo/platform";
import type { NetworkPolicySpec } from "kubernetes-types/networking/v1.js";
import { describe, expect, it } from "vitest";
import { parseYaml, read } from "./files.ts";
import {
  build,
  buildByKubectl,
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
    const policies = manifests.filter(
      (each): each is Manifest & { spec: NetworkPolicySpec } => each.kind === "NetworkPolicy",
    );
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

  it("keeps to its own data", () => {
    const text = JSON.stringify([manifests, manifestsOf(`${overlay}-data`)]);
    const other = overlay === "live" ? "sandbox" : "live";
    expect(text).not.toContain(`malipo-${other}`);
    expect(text).toContain(`"kubernetes.io/metadata.name":"malipo-${overlay}-data"`);
    expect(text).toContain(`"kubernetes.io/metadata.name":"malipo-${overlay}"`);
  });
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
  expect(replicaSet?.spec.users).toHaveLength(serviceNames.length);
});
