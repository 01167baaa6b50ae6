import { z } from "zod";
import { type KeyRing, parseKeyRing } from "../crypto/index.ts";

/** Lists all problems of an environment at once. It never repeats a value: some are secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The Zod description of a field says what the variable needs; operators read it in the error. */
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
    const description = field instanceof z.ZodType ? field.description : undefined;
    return `  ${name} ${state}${description ? `: ${description}` : ""}`;
  });
  throw new ConfigError(`The configuration is not valid:\n${lines.join("\n")}`);
}

export function portVariable(description: string, fallback: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .default(fallback)
    .describe(`${description}, 0 to 65535 (default ${fallback})`);
}

/** The keys that encrypt a service's stored secrets. To rotate, put a new key in front. */
export function encryptionKeyVariable(encrypted: string) {
  return z
    .string()
    .transform((text, check): KeyRing => {
      const ring = parseKeyRing(text);
      if (ring) return ring;
      check.addIssue({ code: "custom" });
      return z.NEVER;
    })
    .describe(
      `32 random bytes in base64, the key that encrypts ${encrypted}; several keys as 2:…,1:…, of which the first encrypts and all decrypt`,
    );
}

/** The variables that every service reads. */
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
      "the address of NATS, as nats://host:port, several separated by commas; user and password have their own variables",
    ),
  NATS_USER: z
    .string()
    .optional()
    .describe(
      "the NATS user of the service (default <NAMESPACE>-<service> if NATS_PASSWORD is set)",
    ),
  NATS_PASSWORD: z
    .string()
    .optional()
    .describe(
      "the password of that user; without one, NATS must accept connections without credentials",
    ),
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
    .describe("the number of NATS servers that store each stream: 1 alone, 3 in a cluster"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("one of fatal, error, warn, info, debug, trace, silent"),
  HEALTH_HOST: z.string().default("0.0.0.0").describe("the address the health port listens on"),
  HEALTH_PORT: portVariable("the port of /livez, /readyz and /metrics", 9090),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "the OTLP collector that receives traces, as http://host:4318 (default: none, no traces)",
    ),
  OTEL_TRACES_EXPORTER: z
    .string()
    .optional()
    .describe("otlp, console, zipkin or none (default otlp if an endpoint is set, else none)"),
  OTEL_TRACES_SAMPLER: z
    .string()
    .optional()
    .describe("a sampler of OpenTelemetry (default parentbased_traceidratio)"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe("the share of the traces that begin here and are recorded, 0 to 1 (default 0.1)"),
  SHUTDOWN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(20_000)
    .default(0)
    .describe("how long to keep serving after SIGTERM, 0 to 20000 ms: load balancers notice late"),
});

export type PlatformConfig = z.output<typeof platformConfig>;
