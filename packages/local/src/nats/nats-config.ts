/** For nats-server 2.9 and newer. */
export function formatNatsConfig(options: { port: number; storeDir: string }): string {
  return [
    `listen: "127.0.0.1:${options.port}"`,
    `server_name: "malipo-local"`,
    `jetstream {`,
    `  store_dir: ${JSON.stringify(options.storeDir)}`,
    `  max_memory_store: 64MB`,
    `}`,
    "",
  ].join("\n");
}
