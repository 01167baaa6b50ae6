import { existsSync } from "node:fs";
import { join } from "node:path";
import { passwordVariable } from "@malipo/contract-tools";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { readConfig } from "@malipo/platform";
import { describe, expect, it } from "vitest";
import { simulatorConfig } from "../../packages/mpesa-simulator/src/config.ts";
import { parseYaml, read } from "./files.ts";
import { serviceConfigs } from "./service-configs.ts";

interface ComposeService {
  readonly image?: string;
  readonly build?: {
    readonly context: string;
    readonly dockerfile: string;
    readonly args: Readonly<Record<string, string>>;
  };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>> | readonly string[];
  readonly read_only?: boolean;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const [compose] = parseYaml(read("docker-compose.yml")) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}[];
const services = compose?.services ?? {};
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** As Docker Compose fills it in when nobody has set anything. */
const withDefaults = (value: string) => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1");

function environmentOf(name: string): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, withDefaults(value)]));
}

describe("docker-compose.yml", () => {
  it("builds every service, the simulator and the command line from what is there", () => {
    const built = ours.map(([name]) => name);
    expect(built).toEqual(expect.arrayContaining([...serviceNames, "mpesa-simulator", "malipo"]));
    for (const [name, { build }] of ours) {
      const { SERVICE, WORKSPACE = `services/${SERVICE}` } = build?.args ?? {};
      expect({ name, dockerfile: build?.dockerfile }).toEqual({
        name,
        dockerfile: "deploy/Dockerfile",
      });
      expect(existsSync(join(workspaceRoot, WORKSPACE, "package.json"))).toBe(true);
      const file = `src/${WORKSPACE === "packages/local" ? "seed-main" : "main"}.ts`;
      expect(existsSync(join(workspaceRoot, WORKSPACE, file))).toBe(true);
    }
  });

  it.each(serviceNames.map((name) => [name]))(
    "gives %s an environment that it takes, and nothing that it does not know",
    (name) => {
      const environment = environmentOf(name);
      const config = serviceConfigs[name];
      expect(Object.keys(environment).filter((key) => !(key in config.shape))).toEqual([]);
      expect(readConfig(config, environment)).toMatchObject({ NAMESPACE: "malipo" });
    },
  );

  it("calls a service healthy when it serves, so that the seed finds it", () => {
    for (const name of serviceNames) {
      expect(services[name]?.healthcheck?.test.join(" ")).toContain("127.0.0.1:9090/readyz");
    }
    for (const name of ["gateway", "invoice"]) {
      expect(services["seed"]?.depends_on).toMatchObject({
        [name]: { condition: "service_healthy" },
      });
    }
  });

  it("knows each service on NATS by the password that it shows", () => {
    for (const name of serviceNames) {
      const known = environmentOf("nats")[passwordVariable(name)];
      expect(known).toMatch(/^[a-z]/);
      expect(environmentOf(name)).toMatchObject({ NATS_PASSWORD: known });
    }
  });

  it("lets the simulator call the gateway back, and payment find both", () => {
    const simulator = readConfig(simulatorConfig, environmentOf("mpesa-simulator"));
    const payment = readConfig(serviceConfigs.payment, environmentOf("payment"));
    const callback = new URL(String(payment["CALLBACK_URL"]));
    expect(simulator.PLAIN_HTTP_HOSTS).toContain(callback.hostname);
    expect(callback.port).toBe(
      String(readConfig(serviceConfigs.gateway, environmentOf("gateway"))["PORT"]),
    );
    expect(payment["MPESA_BASE_URL"]).toBe(`http://mpesa-simulator:${simulator.PORT}`);
  });

  it("names images by exact versions, and files, volumes and services that are there", () => {
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    expect(images.length).toBe(Object.keys(services).length - ours.length);
    for (const image of images) expect(image).toMatch(/:v?\d+\.\d+\.\d+(-\w+)?$/);
    for (const [name, service] of Object.entries(services)) {
      for (const volume of service.volumes ?? []) {
        const [from = ""] = volume.split(":");
        const isThere = from.startsWith("./")
          ? existsSync(join(workspaceRoot, from))
          : Object.hasOwn(compose?.volumes ?? {}, from);
        expect({ name, volume, isThere }).toEqual({ name, volume, isThere: true });
      }
      const needed = Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {});
      for (const other of needed) expect(Object.keys(services)).toContain(other);
    }
  });

  it("opens nothing to the network, and lets nothing of ours write to its own files", () => {
    const ports = Object.values(services).flatMap(({ ports: each = [] }) => each);
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    expect(ours.filter(([, service]) => !service.read_only)).toEqual([]);
  });
});

describe("the image", () => {
  it("runs the Node of the workspace, as nobody in particular", () => {
    const dockerfile = read("deploy/Dockerfile");
    const { devDependencies } = JSON.parse(read("package.json"));
    expect(dockerfile).toContain(`NODE_IMAGE=node:${devDependencies.node}-`);
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(dockerfile).toContain("/livez");
  });
});
