import { faultRules } from "@malipo/core";
import { z } from "zod";
import { paging } from "./fields.ts";
import { type Route, takesBody, takesQuery } from "./route.ts";

type JsonSchema = Record<string, unknown>;

function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

/** The reference of the public surface, made from the same table as the surface itself. */
export function openApiDocument(routes: readonly Route[], serverUrl: string): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes.filter(({ audience }) => audience === "public")) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Malipo",
      version: "1.0.0",
      description: "Recurring billing, invoicing and mobile-money collection.",
    },
    servers: [{ url: serverUrl }],
    security: [{ secret: [] }],
    paths,
    components: {
      securitySchemes: { secret: { type: "apiKey", in: "header", name: "Authorization" } },
      schemas: { Failure: failureSchema, FailureInMessage: failureInMessageSchema },
    },
  };
}

function operation(route: Route): JsonSchema {
  const failure = route.errorField === "error" ? "Failure" : "FailureInMessage";
  return {
    operationId: route.verb,
    tags: [route.path.split("/")[2]],
    summary: route.summary,
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(takesBody(route) && {
      requestBody: { required: true, content: json(jsonSchema(route.body, "input")) },
    }),
    responses: {
      [route.reply.status]: { description: "Success", content: json(successSchema(route)) },
      default: {
        description: "Refusal",
        content: json({ $ref: `#/components/schemas/${failure}` }),
      },
    },
  };
}

function pathParameters(route: Route): JsonSchema[] {
  return Object.entries(route.params).map(([name, noun]) => ({
    name,
    in: "path",
    required: true,
    description: `The ${noun}'s identifier`,
    schema: { type: "string", pattern: "^[0-9a-fA-F]{24}$" },
  }));
}

function queryParameters(route: Route): JsonSchema[] {
  if (!takesQuery(route)) return [];
  const { properties = {} } = jsonSchema(route.query, "input") as {
    properties?: Record<string, JsonSchema>;
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema,
  }));
}

function successSchema({ reply }: Route): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    success: { const: true },
    ...(reply.message !== undefined && { message: { type: "string" } }),
    data: jsonSchema(reply.data, "output"),
    ...(reply.paging && { [reply.paging]: jsonSchema(paging, "output") }),
  };
  return { type: "object", required: Object.keys(properties), properties };
}

function json(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}

function failureSchemaWith(errorField: string): JsonSchema {
  return {
    type: "object",
    required: ["success", errorField, "code", "requestid"],
    properties: {
      success: { const: false },
      [errorField]: { type: "string" },
      code: { type: "string", enum: Object.keys(faultRules) },
      fields: {
        type: "array",
        items: {
          type: "object",
          required: ["path", "problem"],
          properties: { path: { type: "string" }, problem: { type: "string" } },
        },
      },
      requestid: { type: "string" },
    },
  };
}

const failureSchema = failureSchemaWith("error");
const failureInMessageSchema = failureSchemaWith("message");
