import { refusalsOf } from "./failures.ts";
import { exampleOf } from "../json-schema/examples.ts";
import { type JsonSchema, jsonSchema } from "../json-schema/json-schema.ts";
import { alwaysSent, headerReferences } from "./headers.ts";
import { successSchema } from "./success-schema.ts";
import type { Content, OpenApiOperation, Parameter, Reference } from "./types.ts";
import { isChange, type Route, takesBody, takesQuery } from "@malipo/contracts";

/** The word by which the reference groups operations. */
export function resourceOf({ path }: Route): string {
  return path.split("/")[2] ?? "";
}

export function operationOf(route: Route): OpenApiOperation {
  const leavesTrace = isChange(route);
  return {
    operationId: route.verb,
    tags: [resourceOf(route)],
    summary: route.summary,
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route),
      ...(leavesTrace ? [parameterReference("IdempotencyKey")] : []),
      parameterReference("RequestId"),
    ],
    ...(takesBody(route) && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: json(jsonSchema(route.body, "input")),
      },
    }),
    responses: Object.fromEntries([
      [
        String(route.reply.status),
        {
          description: route.reply.message ?? "Success",
          headers: headerReferences([
            ...alwaysSent,
            ...(leavesTrace ? (["Idempotent-Replayed"] as const) : []),
          ]),
          content: json(successSchema(route)),
        },
      ],
      ...refusalsOf(route),
    ]),
  };
}

function json(schema: JsonSchema): Content {
  return { "application/json": { schema, example: exampleOf(schema) } };
}

function parameterReference(name: "IdempotencyKey" | "RequestId"): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

function pathParameters(route: Route): Parameter[] {
  return Object.entries(route.params).map(([name, noun]) => ({
    name,
    in: "path",
    required: true,
    description: `The ${noun}'s identifier: 24 hexadecimal characters.`,
    schema: {
      type: "string",
      pattern: "^[0-9a-fA-F]{24}$",
      examples: ["6743f1b2c9e8a45d3f0b7c21"],
    },
  }));
}

function queryParameters(route: Route): Parameter[] {
  if (!takesQuery(route)) return [];
  const { properties = {}, required = [] } = jsonSchema(route.query, "input");
  return Object.entries(properties).map(([name, { description = "", ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description,
    schema,
  }));
}
