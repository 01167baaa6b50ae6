import { existsSync } from "node:fs";
import { join } from "node:path";
import { passwordVariable } from "@malipo/contract-tools";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { readConfig } from "@malipo/platform";
import { describe, expect, it } from "vitest";
import { simulatorConfig } from "../../packages/mpesa-simulator/src/config.ts";
import { parseYaml, readText } from "./files.ts";
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

const [compose] = parseYaml(readText("docker-compose.yml")) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}[];
const services = compose?.services ?? {};
/** The services whose image is built from this repository. */
const builtServices = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** Replaces `${NAME:-default}` by the default, as Docker Compose does when the variable is not set. */
const withDefaults = (value: string) => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1");

function environmentOf(name: string): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, withDefaults(value)]));
}

describe("docker-compose.yml", () => {
  it("builds every service, the simulator and the command line from folders that exist", () => {
    const names = builtServices.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining([...serviceNames, "mpesa-simulator", "malipo"]));
    for (const [name, { build }] of builtServices) {
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
    "gives %s an environment that is valid and has no unknown variables",
    (name) => {
      const environment = environmentOf(name);
      const config = serviceConfigs[name];
      expect(Object.keys(environment).filter((key) => !(key in config.shape))).toEqual([]);
      expect(readConfig(config, environment)).toMatchObject({ NAMESPACE: "malipo" });
    },
  );

  it("calls a service healthy when it is ready, and starts the seed after the gateway and invoice are", () => {
    for (const name of serviceNames) {
      expect(services[name]?.healthcheck?.test.join(" ")).toContain("127.0.0.1:9090/readyz");
    }
    for (const name of ["gateway", "invoice"]) {
      expect(services["seed"]?.depends_on).toMatchObject({
        [name]: { condition: "service_healthy" },
      });
    }
  });

  it("gives NATS and each service the same password", () => {
    for (const name of serviceNames) {
      const password = environmentOf("nats")[passwordVariable(name)];
      expect(password).toMatch(/^[a-z]/);
      expect(environmentOf(name)).toMatchObject({ NATS_PASSWORD: password });
    }
  });

  it("lets payment reach the simulator, and the simulator call back the gateway", () => {
    const simulator = readConfig(simulatorConfig, environmentOf("mpesa-simulator"));
    const payment = readConfig(serviceConfigs.payment, environmentOf("payment"));
    const callback = new URL(String(payment["CALLBACK_URL"]));
    expect(simulator.PLAIN_HTTP_HOSTS).toContain(callback.hostname);
    expect(callback.port).toBe(
      String(readConfig(serviceConfigs.gateway, environmentOf("gateway"))["PORT"]),
    );
    expect(payment["MPESA_BASE_URL"]).toBe(`http://mpesa-simulator:${simulator.PORT}`);
  });

  it("uses images with exact versions, and mounts and depends on what exists", () => {
    const images = Object.values(services).flatMap(({ image }) => image ?? []);
    expect(images.length).toBe(Object.keys(services).length - builtServices.length);
    for (const image of images) expect(image).toMatch(/:v?\d+\.\d+\.\d+(-\w+)?$/);
    for (const [name, service] of Object.entries(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        const doesExist = source.startsWith("./")
          ? existsSync(join(workspaceRoot, source))
          : Object.hasOwn(compose?.volumes ?? {}, source);
        expect({ name, volume, doesExist }).toEqual({ name, volume, doesExist: true });
      }
      const dependencies = Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {});
      for (const dependency of dependencies) expect(Object.keys(services)).toContain(dependency);
    }
  });

  it("publishes ports on 127.0.0.1 only, and gives our containers a read-only file system", () => {
    const ports = Object.values(services).flatMap(({ ports: published = [] }) => published);
    expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    expect(builtServices.filter(([, service]) => !service.read_only)).toEqual([]);
  });
});
