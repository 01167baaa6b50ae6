import type { ErrorField } from "@malipo/contracts";
import { type FaultCode, faultRules } from "@malipo/core";
import type { JsonSchema } from "../json-schema/json-schema.ts";

/** The schema of the body that `formatFailure` writes. Only the name of the text's field varies. */
export function failureSchema(errorField: ErrorField): JsonSchema {
  return {
    type: "object",
    required: ["success", errorField, "code", "requestid"],
    properties: {
      success: { type: "boolean", const: false },
      [errorField]: { type: "string", description: "What went wrong, for people." },
      code: {
        type: "string",
        description: "What went wrong, for programs.",
        enum: Object.keys(faultRules),
      },
      retry_after: {
        type: "integer",
        minimum: 1,
        description: "Seconds after which the request may be sent again.",
      },
      details: { type: "string", description: "What the payment provider said." },
      transactionid: {
        type: "string",
        description: "The payment whose outcome is not known yet; its details will tell.",
      },
      fields: {
        type: "array",
        minItems: 1,
        maxItems: 20,
        description: "What is wrong with the query or the body, field by field.",
        items: {
          type: "object",
          required: ["path", "problem"],
          properties: {
            path: { type: "string", description: "The field; empty for the whole body." },
            problem: { type: "string", description: "What is wrong with it." },
          },
          additionalProperties: false,
        },
      },
      requestid: { type: "string", description: "The same as in X-Request-Id." },
    },
    additionalProperties: false,
  };
}

export function failureSchemaName(errorField: ErrorField): string {
  return errorField === "error" ? "Failure" : "FailureInMessage";
}

/** The schema of a failure with one of the given codes. */
export function failureSchemaWithCodes(
  errorField: ErrorField,
  codes: readonly FaultCode[],
): JsonSchema {
  return {
    allOf: [
      { $ref: `#/components/schemas/${failureSchemaName(errorField)}` },
      {
        type: "object",
        properties: { code: { type: "string", enum: codes } },
        // A rate-limited response always has `retry_after`.
        ...(codes.includes("rate_limited") && { required: ["retry_after"] }),
      },
    ],
  };
}
