import { randomUUID } from "node:crypto";
import { type Call, readFailure } from "@malipo/contracts";
import { err, type Fault, ok, type Result, secondMs } from "@malipo/core";
import type { z } from "zod";
import { type Asker, request } from "./send-request.ts";

const patienceMs = 5 * secondMs;

interface Question<C extends Call> {
  /** What the other service takes for its own request's business. */
  readonly businessid?: string;
  readonly body: z.input<C["body"]>;
  /** The same whenever the same thing is asked for again. */
  readonly operationid?: string | undefined;
  readonly traceparent?: string | undefined;
  /** When the asker itself has to answer; five seconds from now, if it has nobody to answer to. */
  readonly deadline?: Date;
}

type DataOf<C extends Call> = z.output<C["reply"]["data"]>;

/** Asks another service; its refusals are the asker's to judge. */
export async function ask<C extends Call>(
  service: Asker,
  call: C,
  { body, deadline, ...context }: Question<C>,
): Promise<Result<DataOf<C>, Fault>> {
  const answer = await request(
    service,
    call,
    {
      requestid: randomUUID(),
      deadline: deadline ?? new Date(service.clock().getTime() + patienceMs),
      params: {},
      ...context,
    },
    Buffer.from(JSON.stringify(body)),
  );
  if (!answer.ok) return answer;
  const said: unknown = JSON.parse(Buffer.from(answer.value.body).toString());
  return answer.value.status < 400
    ? ok((said as { data: DataOf<C> }).data)
    : err(readFailure(said));
}
