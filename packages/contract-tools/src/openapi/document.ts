import type { Route } from "@malipo/contracts";
import { failureSchemaName, failureSchema } from "./failure-schema.ts";
import { sharedFailureResponses } from "./failures.ts";
import { headerParameters, headers } from "./headers.ts";
import { describeOperation, resourceOf } from "./operation.ts";
import { resources } from "./resources.ts";
import type { OpenApiDocument, OpenApiOperation } from "./types.ts";

/** The OpenAPI document of the public routes, built from the route table that the gateway serves. */
export function buildOpenApiDocument(routes: readonly Route[], serverUrl: string): OpenApiDocument {
  const publicRoutes = routes.filter(({ audience }) => audience === "public");
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of publicRoutes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route) };
  }
  const errorFields = [...new Set(publicRoutes.map(({ errorField }) => errorField))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Malipo",
      version: "1.0.0",
      description: "Recurring billing, invoicing and mobile-money collection.",
    },
    servers: [{ url: serverUrl }],
    security: [{ secret: [] }, { bearer: [] }],
    tags: [...new Set(publicRoutes.map(resourceOf))].map((name) => ({
      name,
      ...(resources[name] !== undefined && { description: resources[name] }),
    })),
    paths,
    components: {
      securitySchemes: {
        secret: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "The client secret is the whole value.",
        },
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The same secret after the word Bearer, as many clients send it.",
        },
      },
      schemas: Object.fromEntries(
        errorFields.map((field) => [failureSchemaName(field), failureSchema(field)]),
      ),
      headers,
      parameters: headerParameters,
      responses: Object.fromEntries(errorFields.flatMap(sharedFailureResponses)),
    },
  };
}
