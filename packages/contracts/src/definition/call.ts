import type { FaultCode } from "@malipo/core";
import type { z } from "zod";
import { noContent, type NoContent, type Operation } from "./operation.ts";
import type { ServiceName } from "./service-name.ts";

/** A request from one service to another. It is served like a route, but the gateway does not expose it. */
export type Call<
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Service extends ServiceName = ServiceName,
> = Operation<NoContent, Body, Data, never, Service> & {
  /** The services that may send it. NATS refuses all others. */
  readonly callers: readonly ServiceName[];
};

interface CallSpec<Body extends z.ZodType, Data extends z.ZodType, Service extends ServiceName> {
  readonly service: Service;
  readonly verb: string;
  readonly callers: readonly ServiceName[];
  /** A call that only reads may be repeated after a timeout. */
  readonly effect: "reads" | "writes";
  readonly body: Body;
  readonly data: Data;
  readonly faultCodes?: readonly FaultCode[];
  readonly worksWithoutStore?: true;
}

export function call<Body extends z.ZodType, Data extends z.ZodType, Service extends ServiceName>({
  service,
  verb,
  callers,
  effect,
  body,
  data,
  faultCodes = [],
  worksWithoutStore,
}: CallSpec<Body, Data, Service>): Call<Body, Data, Service> {
  return {
    service,
    verb,
    callers,
    method: effect === "reads" ? "GET" : "POST",
    errorField: "error",
    params: {},
    query: noContent,
    body,
    reply: { status: 200, data },
    faultCodes,
    ...(worksWithoutStore && { worksWithoutStore }),
  };
}
