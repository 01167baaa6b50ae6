/** `mongodb://host:port`, or a socket of the file system in place of both. */
export function addressIn(uri: string) {
  const { host } = new URL(uri);
  const [first = ""] = decodeURIComponent(host).split(",");
  if (first.startsWith("/")) return { path: first };
  const [name = "", port = "27017"] = first.split(":");
  return { host: name, port: Number(port) };
}

/** The same database, user and options, on the proxy alone: the driver must not look for other servers. */
export function uriOf(uri: string, port: number): string {
  const [, credentials = "", rest = ""] = /^mongodb:\/\/([^@/]*@)?[^/?]*(.*)$/.exec(uri) ?? [];
  const url = new URL(`mongodb://${credentials}127.0.0.1:${port}${rest}`);
  url.searchParams.delete("replicaSet");
  url.searchParams.set("directConnection", "true");
  return url.href;
}
