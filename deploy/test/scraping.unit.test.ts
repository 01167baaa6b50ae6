import { serviceNames } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { parseYaml, readText } from "./files.ts";
import { serviceConfigs } from "./service-configs.ts";

interface ScrapeJob {
  readonly job_name: string;
  readonly static_configs?: readonly {
    readonly targets: readonly string[];
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly kubernetes_sd_configs?: readonly {
    readonly role: string;
    readonly namespaces: { readonly names: readonly string[] };
  }[];
  readonly relabel_configs?: readonly {
    readonly source_labels: readonly string[];
    readonly target_label?: string;
    readonly regex?: string;
    readonly action?: string;
  }[];
}

/** Dashboards and alerts select by this job name and by the label `namespace`. */
const job_name = "malipo";

describe("Prometheus in Docker Compose", () => {
  it("scrapes the health port of every service, with the namespace of the services as label", () => {
    const [prometheus] = parseYaml(readText("deploy/observability/prometheus.yaml")) as {
      readonly scrape_configs: readonly ScrapeJob[];
    }[];
    const [compose] = parseYaml(readText("docker-compose.yml")) as {
      readonly services: Readonly<Record<string, { readonly environment: { NAMESPACE: string } }>>;
    }[];
    const namespaces = serviceNames.map(
      (name) => compose?.services[name]?.environment.NAMESPACE ?? "",
    );
    expect(new Set(namespaces).size).toBe(1);
    const port = serviceConfigs.invoice.shape.HEALTH_PORT.parse(undefined);
    const scraped = prometheus?.scrape_configs.flatMap(({ static_configs = [], ...job }) =>
      static_configs.map(({ targets, labels }) => ({ ...job, targets: new Set(targets), labels })),
    );
    const targets = new Set(serviceNames.map((name) => `${name}:${port}`));
    expect(scraped).toEqual([{ job_name, targets, labels: { namespace: namespaces[0] } }]);
  });
});

describe("Prometheus in a cluster", () => {
  const [[job] = []] = parseYaml(
    readText("deploy/observability/scrape-cluster.yaml"),
  ) as ScrapeJob[][];

  it("scrapes the pods of every deployment", () => {
    const deployments = ["live", "sandbox"].map((overlay) => {
      const [kustomization] = parseYaml(
        readText(`deploy/k8s/overlays/${overlay}/environment/kustomization.yaml`),
      ) as { readonly namespace: string }[];
      return kustomization?.namespace;
    });
    expect(job).toMatchObject({
      job_name,
      kubernetes_sd_configs: [{ role: "pod", namespaces: { names: deployments } }],
    });
  });

  it("scrapes one port of each pod, with the pod's namespace as label", () => {
    const [port] = (
      parseYaml(readText("deploy/k8s/service/deployment.yaml")) as {
        spec: {
          template: {
            spec: { containers: { ports: { name: string; containerPort: number }[] }[] };
          };
        };
      }[]
    ).flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ ports }) => ports));
    const health = serviceConfigs.invoice.shape.HEALTH_PORT.parse(undefined);
    expect(port).toMatchObject({ name: "health", containerPort: health });
    expect(job?.relabel_configs).toEqual(
      expect.arrayContaining([
        {
          source_labels: ["__meta_kubernetes_pod_container_port_name"],
          regex: port?.name,
          action: "keep",
        },
        { source_labels: ["__meta_kubernetes_namespace"], target_label: "namespace" },
      ]),
    );
  });
});
