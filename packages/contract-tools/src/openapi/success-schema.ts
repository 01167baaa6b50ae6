import { type JsonSchema, jsonSchema } from "../json-schema/json-schema.ts";
import { nothing, paging, type Route } from "@malipo/contracts";

export function successSchema({ reply }: Route): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    success: { type: "boolean", const: true },
    ...(reply.message !== undefined && { message: { type: "string", const: reply.message } }),
    ...(reply.data !== nothing && { data: jsonSchema(reply.data, "output") }),
    ...(reply.paging && { [reply.paging]: jsonSchema(reply.pagingShape ?? paging, "output") }),
  };
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
