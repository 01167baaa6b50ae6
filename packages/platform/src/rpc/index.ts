export { type BusinessViews, openBusinessViews } from "./business-views.ts";
export { callService } from "./call-service.ts";
export { createUpdateHandler, createListHandler, createGetHandler } from "./crud-handlers.ts";
export type { HandlersOf, RouteHandler } from "./handlers.ts";
export { contentSecurityPolicy } from "./page-policy.ts";
export type { RequestContext } from "./request-context.ts";
export { type ServiceReply, sendRequest } from "./send-request.ts";
export { serveRoutes } from "./serve.ts";
