import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { passwordVariable } from "@malipo/contract-tools";
import { serviceNames } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { readConfig } from "@malipo/platform";
import { afterAll, describe, expect, it } from "vitest";
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
  readonly command?: readonly string[];
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

const folder = mkdtempSync(join(tmpdir(), "malipo-compose-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the script that operators run, and returns what it wrote. */
function generateSecrets(path: string): Record<string, string> {
  execFileSync(process.execPath, [join(workspaceRoot, "deploy/compose-secrets.mjs"), path]);
  return parseEnv(readFileSync(path, "utf8")) as Record<string, string>;
}

const secrets = generateSecrets(join(folder, ".env"));

/** Replaces variables as Docker Compose does with nothing but the generated secrets in `.env`. */
const interpolate = (value: string) =>
  value.replaceAll(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_all, name: string, operator: string, text: string) =>
      secrets[name] ?? (operator === "-" ? text : fail(`${name}: ${text}`)),
  );

function fail(message: string): never {
  throw new Error(message);
}

function environmentOf(name: string): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, interpolate(value)]));
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

  it("lets clients inside reach the simulator and the operator API by their host names", () => {
    const simulator = readConfig(simulatorConfig, environmentOf("mpesa-simulator"));
    const gateway = readConfig(serviceConfigs.gateway, environmentOf("gateway"));
    const simulatorUrl = environmentOf("payment")["MPESA_BASE_URL"] ?? "";
    expect(simulator.KNOWN_HOSTS).toContain(new URL(simulatorUrl).hostname);
    for (const url of [
      environmentOf("seed")["OPERATOR_URL"],
      environmentOf("malipo")["MALIPO_OPERATOR_URL"],
    ]) {
      expect(gateway["OPERATOR_HOSTS"]).toContain(new URL(url ?? "").hostname);
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

describe("the secrets of docker-compose.yml", () => {
  const text = readText("docker-compose.yml");
  const required = [...text.matchAll(/\$\{(\w+):\?run node deploy\/compose-secrets\.mjs\}/g)];

  it("have no default, so that nothing starts without them", () => {
    const optional = [...text.matchAll(/(?<!\$)\$\{?(\w+)(?!\w*:\?)/g)].map(([, name]) => name);
    expect(new Set(optional)).toEqual(new Set(["LOG_LEVEL", "OTEL_EXPORTER_OTLP_ENDPOINT"]));
    for (const [name, { environment = {} }] of Object.entries(services)) {
      for (const [key, value] of Object.entries(environment)) {
        const holdsSecret = /PASSWORD|TOKEN|SECRET|(?<!PUBLIC_)KEY$/.test(key);
        const isLiteral = holdsSecret && !/^\$\{\w+:\?[^}]+\}$/.test(value);
        expect({ name, key, isLiteral }).toEqual({ name, key, isLiteral: false });
      }
    }
  });

  it("are what compose-secrets.mjs generates, all different and long", () => {
    expect(Object.keys(secrets).toSorted()).toEqual(
      [...new Set(required.map(([, name]) => name))].toSorted(),
    );
    const values = Object.values(secrets);
    expect(new Set(values).size).toBe(values.length);
    for (const value of values) expect(value).toMatch(/^[\w+/=]{44,}$/);
    const again = generateSecrets(join(folder, "other"));
    expect(Object.values(again).filter((value) => values.includes(value))).toEqual([]);
  });

  it("are in a file for its owner alone, which keeps what it has", () => {
    const path = join(folder, "kept");
    writeFileSync(path, '# mine\nENCRYPTION_KEY=old\nOPERATOR_TOKEN=\nCALLBACK_KEY=""\nOTHER=1', {
      mode: 0o644,
    });
    const first = generateSecrets(path);
    expect(first).toMatchObject({ ENCRYPTION_KEY: "old", OTHER: "1" });
    for (const name of ["OPERATOR_TOKEN", "CALLBACK_KEY"])
      expect(first[name]).toMatch(/^p[0-9a-f]{64}$/);
    expect(readFileSync(path, "utf8")).toMatch(/^# mine\n/);
    expect(generateSecrets(path)).toEqual(first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readText(".gitignore").split("\n")).toContain(".env");
  });

  it("open MongoDB to one user, and to nobody else", () => {
    const { username, password, hostname } = new URL(environmentOf("invoice")["MONGODB_URI"] ?? "");
    const mongodb = environmentOf("mongodb");
    expect({ username, password, hostname }).toEqual({
      username: "malipo",
      password: mongodb["MONGODB_PASSWORD"],
      hostname: "mongodb",
    });
    // MongoDB takes 6 to 1024 base64 characters as a key.
    expect(mongodb["MONGODB_KEY"]).toMatch(/^\w{6,1024}$/);
    expect(services["mongodb"]?.command?.join(" ")).toContain("--keyFile /data/configdb/key");
    expect(services["mongodb"]?.healthcheck?.test.join(" ")).toContain('user: "malipo"');
  });

  it("are needed to log in to Grafana, and what has no login is not published", () => {
    const grafana = environmentOf("grafana");
    expect(grafana["GF_SECURITY_ADMIN_PASSWORD"]).toBe(secrets["GRAFANA_PASSWORD"]);
    expect(Object.keys(grafana).filter((key) => /ANONYMOUS|DISABLE_LOGIN|PROXY/.test(key))).toEqual(
      [],
    );
    const published = Object.keys(services).filter((name) => services[name]?.ports !== undefined);
    expect(published.toSorted()).toEqual(["gateway", "grafana", "mpesa-simulator"]);
  });
});
