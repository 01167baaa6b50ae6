import { existsSync } from "node:fs";

/** A handler's file exports `handle`, which takes what the service depends on. */
interface HandlerModule<Handler> {
  readonly handle: (deps: unknown) => Handler;
}

/** The contract names the file. Sources end in .ts and builds in .js, like the folder's own service. */
export async function loadHandler<Handler>(
  folder: URL,
  name: string,
  deps: unknown,
): Promise<Handler> {
  const file = [`${name}.ts`, `${name}.js`]
    .map((candidate) => new URL(candidate, folder))
    .find((candidate) => existsSync(candidate));
  if (!file)
    throw new Error(`${name} is in the contract, but ${folder.pathname} has no such handler`);
  const module = (await import(file.href)) as Partial<HandlerModule<Handler>>;
  if (!module.handle) throw new Error(`${file.pathname} does not export handle`);
  return module.handle(deps);
}
