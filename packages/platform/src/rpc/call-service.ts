import { randomUUID } from "node:crypto";
import { type Call, parseFailure } from "@malipo/contracts";
import { err, type Fault, ok, type Result, secondMs } from "@malipo/core";
import type { z } from "zod";
import { type Caller, sendRequest } from "./send-request.ts";

const timeoutMs = 5 * secondMs;

interface CallRequest<C extends Call> {
  /** The called service treats this as the business of the request. */
  readonly businessid?: string;
  readonly body: z.input<C["body"]>;
  /** The same for every retry of one operation. */
  readonly operationid?: string | undefined;
  readonly traceparent?: string | undefined;
  /** The deadline of the caller's own request; by default five seconds from now. */
  readonly deadline?: Date;
}

type DataOf<C extends Call> = z.output<C["reply"]["data"]>;

/** Calls another service. A fault of that service is returned, and the caller decides about it. */
export async function callService<C extends Call>(
  caller: Caller,
  call: C,
  { body, deadline, ...context }: CallRequest<C>,
): Promise<Result<DataOf<C>, Fault>> {
  const reply = await sendRequest(
    caller,
    call,
    {
      requestid: randomUUID(),
      deadline: deadline ?? new Date(caller.clock().getTime() + timeoutMs),
      params: {},
      ...context,
    },
    Buffer.from(JSON.stringify(body)),
  );
  if (!reply.ok) return reply;
  const read: unknown = JSON.parse(Buffer.from(reply.value.body).toString());
  return reply.value.status < 400
    ? ok((read as { data: DataOf<C> }).data)
    : err(parseFailure(read));
}
