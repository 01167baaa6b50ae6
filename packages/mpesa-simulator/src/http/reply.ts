/** A complete HTTP response, before it is written. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, type: "application/json;charset=utf-8", body: JSON.stringify(body) };
}
