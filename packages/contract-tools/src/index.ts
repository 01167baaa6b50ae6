export * from "./json-schema/json-schema.ts";
export * from "./nats/permissions.ts";
export * from "./nats/users.ts";
export * from "./openapi/document.ts";
export type * from "./openapi/types.ts";
export type {
  EventSample,
  OperationContract,
  PublishedEventContract,
  RequestSample,
  ServiceContract,
} from "./releases/service-contract.ts";
