import { serviceNames } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { buildOverlay, deploymentsIn, imagesIn, type Manifest, podOf } from "./manifests.ts";

function byName(manifests: readonly Manifest[]): Map<string, Manifest> {
  return new Map(
    manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]),
  );
}

describe.each(["live", "sandbox"])("the overlay %s", (overlay) => {
  const whole = buildOverlay(overlay);

  it("names the registry and the tag or digest of every image", () => {
    const images = imagesIn(whole);
    expect(images).toHaveLength(serviceNames.length);
    const hasRegistryAndRelease =
      /^[\w.-]+\.[\w.-]+(?::\d+)?\/[\w./-]+(?::[\w.-]+|@sha256:\w{64})$/;
    expect(images.filter((image) => !hasRegistryAndRelease.test(image))).toEqual([]);
    expect(images.filter((image) => image.endsWith(":latest"))).toEqual([]);
  });

  it("lets every pod log in to the registry", () => {
    const accounts = whole.filter(({ kind }) => kind === "ServiceAccount");
    expect(accounts).toHaveLength(serviceNames.length);
    for (const account of accounts) {
      expect(account).toMatchObject({ imagePullSecrets: [{ name: "malipo-registry" }] });
    }
  });

  it("consists of the environment and one overlay for each service", () => {
    const parts = ["environment", ...serviceNames].map((part) => `${overlay}/${part}`);
    expect(byName(parts.flatMap(buildOverlay))).toEqual(byName(whole));
  });

  it.each(serviceNames.map((name) => [name]))(
    "releases %s with manifests and settings of its own only",
    (service) => {
      const manifests = buildOverlay(`${overlay}/${service}`);
      const owners = manifests.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/name"]);
      expect(new Set(owners)).toEqual(new Set([service]));
      expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(
        new Set([`malipo-${overlay}`]),
      );
      const [deployment] = deploymentsIn(manifests);
      const [container] = deployment ? podOf(deployment).containers : [];
      const name = `malipo-${service}`;
      expect(container?.envFrom).toEqual([{ configMapRef: { name } }]);
      const shared = (container?.env ?? []).filter(({ valueFrom }) => valueFrom?.configMapKeyRef);
      expect(shared).toEqual([]);
    },
  );

  it("gives the services that read the same setting the same value", () => {
    const values = new Map<string, Set<string>>();
    for (const { kind, data = {} } of whole) {
      if (kind !== "ConfigMap") continue;
      for (const [name, value] of Object.entries(data)) {
        values.set(name, (values.get(name) ?? new Set()).add(value));
      }
    }
    expect([...values].filter(([, { size }]) => size > 1)).toEqual([]);
    expect(values.get("PUBLIC_URL")?.size).toBe(1);
  });
});
