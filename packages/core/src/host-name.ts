/** The names under which a program reaches its own machine, as `URL` writes them. */
export const loopbackNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Whether a `Host` header names one of the hosts, with any port. A page whose name was rebound to the
 * address of this machine sends its own name, so a server that compares names refuses it.
 */
export function isHostAmong(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined || !/^[\w.:[\]-]{1,255}$/.test(header)) return false;
  const address = `http://${header}`;
  return URL.canParse(address) && names.includes(new URL(address).hostname);
}
