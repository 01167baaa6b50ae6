export { defineService, type ServiceDefinition } from "./definition.ts";
export { reportHealth } from "./report-health.ts";
export { runService, runServices } from "./run.ts";
export { openService, type Service, type Sources, sweepEvents } from "./service.ts";
