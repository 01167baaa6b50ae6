import { z } from "zod";
import { parseJson } from "./http/parse-json.ts";
import { settingsSchema } from "./settings.ts";

const merchant = z.strictObject({
  name: z.string().min(1).max(60),
  type: z.enum(["paybill", "till"]),
  shortcode: z.string().regex(/^\d{5,7}$/),
  receiver: z.string().regex(/^\d{5,7}$/),
  passkey: z.string().min(1).max(200),
  key: z.string().regex(/^[^:]{1,200}$/),
  secret: z.string().min(1).max(200),
});

function json<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform(parseJson).pipe(schema);
}

/** The description of a field completes an error message about its variable. */
export const simulatorConfig = z.object({
  HOST: z.string().default("127.0.0.1").describe("the address to listen on"),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .default(8090)
    .describe("the port to listen on, 0 to 65535; 0 takes a free one (default 8090)"),
  MERCHANTS: json(z.array(merchant).min(1).max(1_000))
    .optional()
    .describe(
      'the merchants that may request payments, as a JSON list of {"name", "type": "paybill" or "till", "shortcode", "receiver", "passkey", "key", "secret"}',
    ),
  FAULTS: json(settingsSchema).optional().describe("settings in JSON, as PUT /faults takes them"),
  PLAIN_HTTP_HOSTS: z
    .string()
    .default("")
    .transform((list) => list.split(",").filter(Boolean))
    .describe(
      "hosts, separated by commas, whose callback addresses may use plain http; loopback addresses always may",
    ),
  KNOWN_HOSTS: z
    .string()
    .default("")
    .transform((list) => list.split(",").filter(Boolean))
    .describe(
      "host names, separated by commas, under which clients reach the simulator; localhost, 127.0.0.1 and [::1] always may",
    ),
  KEPT_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe("the number of prompts, and of requests, that are kept for inspection"),
});

/** Throws one error that names every invalid variable. Values are not repeated: some are secrets. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
): z.output<typeof simulatorConfig> {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = simulatorConfig.safeParse(set);
  if (parsed.success) return parsed.data;
  const names = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  const fields: Readonly<Record<string, z.ZodType>> = simulatorConfig.shape;
  const lines = [...names].map((name) => `  ${name} is not valid: ${fields[name]?.description}`);
  throw new Error(`The environment is not valid:\n${lines.join("\n")}`);
}
