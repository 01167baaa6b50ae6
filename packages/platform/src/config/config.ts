import { z } from "zod";
import { type KeyRing, parseKeyRing } from "../crypto/cipher.ts";

/** Everything wrong with an environment, at once. Values are never repeated: some are secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** A Zod description on a field says what the variable wants; it is what people read on a mistake. */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<Schema>> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name in schema.shape && value !== ""),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  const names = new Set(parsed.error.issues.map((issue) => String(issue.path[0])));
  const lines = [...names].map((name) => {
    const state = given[name] === undefined ? "is missing" : "is not valid";
    const field: unknown = schema.shape[name];
    const wants = field instanceof z.ZodType ? field.description : undefined;
    return `  ${name} ${state}${wants ? `: ${wants}` : ""}`;
  });
  throw new ConfigError(`The environment does not fit:\n${lines.join("\n")}`);
}

export function port(what: string, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .default(fallback)
    .describe(`${what}, 0 to 65535 (default ${fallback})`);
}

/** The keys of what a service keeps encrypted: a new one is put in front of those before it. */
export function encryptionKey(what: string) {
  return z
    .string()
    .transform((text, check): KeyRing => {
      const ring = parseKeyRing(text);
      if (ring) return ring;
      check.addIssue({ code: "custom" });
      return z.NEVER;
    })
    .describe(
      `32 random bytes in base64: ${what} are encrypted with them; several as 2:…,1:…, of which the first encrypts and all decrypt`,
    );
}

/** What every service needs to know. */
export const platformConfig = z.object({
  NAMESPACE: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/)
    .default("malipo")
    .describe("the deployment's name in subjects, streams and databases: a-z, 0-9 and hyphens"),
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^@]*$/)
    .describe(
      "where NATS listens, as nats://host:port, several separated by commas; user and password have variables of their own",
    ),
  NATS_USER: z
    .string()
    .optional()
    .describe("the service's own user of NATS (default <NAMESPACE>-<service>, with NATS_PASSWORD)"),
  NATS_PASSWORD: z
    .string()
    .optional()
    .describe("that user's password; without one NATS has to take anybody"),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//)
    .describe("the connection string of a MongoDB replica set, as mongodb://host:port/"),
  STREAM_REPLICAS: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe("how many NATS servers keep each stream: 1 alone, 3 in a cluster"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("one of fatal, error, warn, info, debug, trace, silent"),
  HEALTH_HOST: z.string().default("0.0.0.0").describe("the address the health port listens on"),
  HEALTH_PORT: port("the port of /livez, /readyz and /metrics", 9090),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("where traces are sent by OTLP over HTTP, as http://host:4318 (default: nowhere)"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe("which share of the traces that begin here is recorded, 0 to 1 (default 0.1)"),
  SHUTDOWN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(20_000)
    .default(0)
    .describe("how long to go on serving after SIGTERM, 0 to 20000: load balancers learn late"),
});

export type PlatformConfig = z.output<typeof platformConfig>;
