import { describe, expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { buildOverlay } from "./manifests.ts";

interface IngressSpec {
  readonly ingressClassName: string;
  readonly tls: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
}

const [ingress] = buildOverlay("live/environment").filter(({ kind }) => kind === "Ingress") as {
  readonly spec?: IngressSpec;
}[];
const { ingressClassName, tls } = ingress?.spec ?? { ingressClassName: "", tls: [] };

function readExample(name: string): unknown[] {
  return parseYaml(readText(`deploy/ingress/${name}.yaml`));
}

describe("an example of an ingress controller", () => {
  it("for Traefik serves the class of the Ingress and keeps the client's address", () => {
    expect(readExample("traefik")).toMatchObject([
      {
        ingressClass: { name: ingressClassName, isDefaultClass: false },
        service: { spec: { externalTrafficPolicy: "Local" } },
      },
    ]);
  });

  it("for HAProxy serves the class of the Ingress and keeps the client's address", () => {
    expect(readExample("haproxy")).toMatchObject([
      {
        controller: {
          ingressClass: ingressClassName,
          ingressClassResource: { name: ingressClassName, default: false },
          service: { externalTrafficPolicy: "Local" },
        },
      },
    ]);
  });

  it("names a class that belongs to no particular controller", () => {
    expect(ingressClassName).toBe("malipo");
  });
});

it("the example of a certificate writes the secret of the Ingress for its host", () => {
  const [issuer, certificate] = readExample("certificate") as { metadata: object }[];
  const name = "malipo";
  const namespace = "malipo-live";
  expect(issuer).toMatchObject({
    kind: "Issuer",
    metadata: { name, namespace },
    spec: { acme: { solvers: [{ http01: { ingress: { ingressClassName } } }] } },
  });
  expect(certificate).toMatchObject({
    metadata: { namespace },
    spec: { secretName: tls[0]?.secretName, dnsNames: tls[0]?.hosts, issuerRef: { name } },
  });
});
