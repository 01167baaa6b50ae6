import { port } from "@malipo/platform";
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

export const simulatorConfig = z.object({
  HOST: z.string().default("127.0.0.1").describe("the address to listen on"),
  PORT: port("the port to listen on; 0 takes a free one", 8090),
  MERCHANTS: json(z.array(merchant).min(1).max(1_000))
    .optional()
    .describe(
      'who may ask for payments, as a JSON list of {"name", "type": "paybill" or "till", "shortcode", "receiver", "passkey", "key", "secret"}',
    ),
  FAULTS: json(settingsSchema).optional().describe("as JSON, what PUT /faults takes"),
  PLAIN_HTTP_HOSTS: z
    .string()
    .default("")
    .transform((list) => list.split(",").filter(Boolean))
    .describe(
      "hosts, separated by commas, that may be called back by plain http; this machine always may",
    ),
  KEPT_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe("how many prompts and requests are kept to be looked at"),
});
