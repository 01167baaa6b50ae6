export { type BusinessViews, openBusinessViews } from "./business-views.ts";
export { ask } from "./call-service.ts";
export { changeRecord, listRecords, showRecord } from "./crud-handlers.ts";
export type { HandlersOf, RouteHandler } from "./handlers.ts";
export { pagePolicy } from "./page-policy.ts";
export type { RequestContext } from "./request-context.ts";
export { type Answer, request } from "./send-request.ts";
export { serveRoutes } from "./serve.ts";
