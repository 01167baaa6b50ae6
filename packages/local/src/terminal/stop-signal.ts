const parentCheckMs = 500;

export interface StopSignal {
  readonly signal: AbortSignal;
  readonly requested: Promise<undefined>;
  request(): void;
}

/** Ctrl-C often arrives twice, from the terminal and from npm. Only the first one counts. */
export function listenForStop(): StopSignal {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const request = (): void => {
    controller.abort();
    resolve(undefined);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, request);
  return { signal: controller.signal, requested: promise, request };
}

/** Calls `onGone` when the parent dies. A killed npm passes no signal on, so nothing else would stop us. */
export function followParent(
  environment: Readonly<Record<string, string | undefined>>,
  onGone: () => void,
): void {
  const follows =
    environment["npm_lifecycle_event"] !== undefined ||
    environment["MALIPO_FOLLOW_PARENT"] !== undefined;
  if (!follows) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, parentCheckMs).unref();
}
