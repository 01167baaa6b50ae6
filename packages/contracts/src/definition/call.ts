import type { FaultCode } from "@malipo/core";
import type { z } from "zod";
import { noContent, type NoContent, type Operation } from "./operation.ts";
import type { ServiceName } from "./service-name.ts";

/** What one service asks of another: served like a route, but not to be reached from outside. */
export type Call<
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Service extends ServiceName = ServiceName,
> = Operation<NoContent, Body, Data, never, Service> & {
  /** NATS lets nobody else ask. */
  readonly callers: readonly ServiceName[];
};

interface CallSpec<Body extends z.ZodType, Data extends z.ZodType, Service extends ServiceName> {
  readonly service: Service;
  readonly verb: string;
  readonly callers: readonly ServiceName[];
  /** Whether it changes anything: what only reads may be asked again after silence. */
  readonly effect: "reads" | "writes";
  readonly body: Body;
  readonly data: Data;
  readonly faultCodes?: readonly FaultCode[];
  readonly worksWithoutStore?: true;
}

export function call<Body extends z.ZodType, Data extends z.ZodType, Service extends ServiceName>({
  service,
  verb,
  callers: askedBy,
  effect,
  body,
  data,
  faultCodes: refusals = [],
  worksWithoutStore,
}: CallSpec<Body, Data, Service>): Call<Body, Data, Service> {
  return {
    service,
    verb,
    callers: askedBy,
    method: effect === "reads" ? "GET" : "POST",
    errorField: "error",
    params: {},
    query: noContent,
    body,
    reply: { status: 200, data },
    faultCodes: refusals,
    ...(worksWithoutStore && { worksWithoutStore }),
  };
}
