import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from "@malipo/contract-tools";
import { headingOf } from "./headings.ts";

export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
  readonly parameters: readonly OpenApiParameter[];
  readonly success: { readonly status: string; readonly response: OpenApiResponse };
  readonly refusals: readonly { readonly status: string; readonly response: OpenApiResponse }[];
}

export interface Resource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly DescribedOperation[];
}

/** Groups the operations by resource, and replaces each `$ref` by its component. */
export function resourcesOf(document: OpenApiDocument): Resource[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describe(document, method.toUpperCase(), path, operation),
    ),
  );
  return document.tags.map(({ name, description = "" }) => ({
    name,
    title: headingOf(name),
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function describe(
  { components }: OpenApiDocument,
  method: string,
  path: string,
  operation: OpenApiOperation,
): DescribedOperation {
  const responses = Object.entries(operation.responses).map(([status, response]) => ({
    status,
    response: resolve(components.responses, response),
  }));
  const success = responses.find(({ status }) => status.startsWith("2"));
  if (!success) throw new Error(`${method} ${path} has no successful response`);
  return {
    id: operation.operationId,
    method,
    path,
    operation,
    parameters: operation.parameters.map((parameter) => resolve(components.parameters, parameter)),
    success,
    refusals: responses.filter((response) => response !== success),
  };
}

function resolve<Value extends object>(
  components: Readonly<Record<string, Value>>,
  value: Value | { readonly $ref: string },
): Value {
  if (!("$ref" in value)) return value;
  const component = components[value.$ref.split("/").at(-1) ?? ""];
  if (!component) throw new Error(`${value.$ref} is missing in the document`);
  return component;
}
