import type { FaultCode } from "@malipo/core";
import type { z } from "zod";
import { nothing, type Nothing, type Operation, type ServiceName } from "./route.ts";

/** What one service asks of another: served like a route, but not to be reached from outside. */
export type Call<
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Service extends ServiceName = ServiceName,
> = Operation<Nothing, Body, Data, never, Service> & {
  /** NATS lets nobody else ask. */
  readonly askedBy: readonly ServiceName[];
};

interface CallSpec<Body extends z.ZodType, Data extends z.ZodType, Service extends ServiceName> {
  readonly service: Service;
  readonly verb: string;
  readonly askedBy: readonly ServiceName[];
  /** Whether it changes anything: what only reads may be asked again after silence. */
  readonly effect: "reads" | "writes";
  readonly body: Body;
  readonly data: Data;
  readonly refusals?: readonly FaultCode[];
  readonly worksWithoutStore?: true;
}

export function call<Body extends z.ZodType, Data extends z.ZodType, Service extends ServiceName>({
  service,
  verb,
  askedBy,
  effect,
  body,
  data,
  refusals = [],
  worksWithoutStore,
}: CallSpec<Body, Data, Service>): Call<Body, Data, Service> {
  return {
    service,
    verb,
    askedBy,
    method: effect === "reads" ? "GET" : "POST",
    errorField: "error",
    params: {},
    query: nothing,
    body,
    reply: { status: 200, data },
    refusals,
    ...(worksWithoutStore && { worksWithoutStore }),
  };
}
