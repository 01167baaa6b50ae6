import { noContent, paging, type Route } from "@malipo/contracts";
import { type JsonSchema, toJsonSchema } from "../json-schema/json-schema.ts";

export function buildSuccessSchema({ reply }: Route): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    success: { type: "boolean", const: true },
    ...(reply.message !== undefined && { message: { type: "string", const: reply.message } }),
    ...(reply.data !== noContent && { data: toJsonSchema(reply.data, "output") }),
    ...(reply.paging && { [reply.paging]: toJsonSchema(reply.pagingSchema ?? paging, "output") }),
  };
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
