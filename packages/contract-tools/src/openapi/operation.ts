import { isWrite, type Route, takesBody, takesQuery } from "@malipo/contracts";
import { failureResponses } from "./failures.ts";
import { buildExample } from "../json-schema/examples.ts";
import { type JsonSchema, toJsonSchema } from "../json-schema/json-schema.ts";
import { standardHeaders, headerReferences } from "./headers.ts";
import { buildSuccessSchema } from "./success-schema.ts";
import type { Content, OpenApiOperation, OpenApiParameter, OpenApiReference } from "./types.ts";

/** The tag that groups operations in the reference: the second word of the path. */
export function resourceOf({ path }: Route): string {
  return path.split("/")[2] ?? "";
}

export function describeOperation(route: Route): OpenApiOperation {
  const isWriting = isWrite(route);
  return {
    operationId: route.verb,
    tags: [resourceOf(route)],
    summary: route.summary,
    parameters: [
      ...pathParameters(route),
      ...queryParameters(route),
      ...(isWriting ? [parameterReference("IdempotencyKey")] : []),
      parameterReference("RequestId"),
    ],
    ...(takesBody(route) && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: json(toJsonSchema(route.body, "input")),
      },
    }),
    responses: Object.fromEntries([
      [
        String(route.reply.status),
        {
          description: route.reply.message ?? "Success",
          headers: headerReferences([
            ...standardHeaders,
            ...(isWriting ? (["Idempotent-Replayed"] as const) : []),
          ]),
          content: json(buildSuccessSchema(route)),
        },
      ],
      ...failureResponses(route),
    ]),
  };
}

function json(schema: JsonSchema): Content {
  return { "application/json": { schema, example: buildExample(schema) } };
}

function parameterReference(name: "IdempotencyKey" | "RequestId"): OpenApiReference {
  return { $ref: `#/components/parameters/${name}` };
}

function pathParameters(route: Route): OpenApiParameter[] {
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

function queryParameters(route: Route): OpenApiParameter[] {
  if (!takesQuery(route)) return [];
  const { properties = {}, required = [] } = toJsonSchema(route.query, "input");
  return Object.entries(properties).map(([name, { description = "", ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description,
    schema,
  }));
}
