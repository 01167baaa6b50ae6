/**
 * The options of mongod 8.0's configuration file that a replica set of the community edition may set, by
 * MongoDB's reference and the definitions in its sources. mongod does not start with an unknown option.
 *
 * The list leaves out what MongoDB's operator sets itself: the name of the replica set, the data folder,
 * the address, TLS, key file and authorization.
 */
export const mongodOptions: readonly string[] = [
  "net.compression.compressors",
  "net.ipv6",
  "net.listenBacklog",
  "net.maxIncomingConnections",
  "net.maxIncomingConnectionsOverride",
  "net.unixDomainSocket.enabled",
  "net.unixDomainSocket.filePermissions",
  "net.unixDomainSocket.pathPrefix",
  "net.wireObjectCheck",
  "operationProfiling.filter",
  "operationProfiling.mode",
  "operationProfiling.slowOpSampleRate",
  "operationProfiling.slowOpThresholdMs",
  "replication.enableMajorityReadConcern",
  "replication.oplogSizeMB",
  "security.javascriptEnabled",
  "storage.directoryPerDB",
  "storage.engine",
  "storage.journal.commitIntervalMs",
  "storage.oplogMinRetentionHours",
  "storage.syncPeriodSecs",
  "storage.wiredTiger.collectionConfig.blockCompressor",
  "storage.wiredTiger.engineConfig.cacheSizeGB",
  "storage.wiredTiger.engineConfig.directoryForIndexes",
  "storage.wiredTiger.engineConfig.journalCompressor",
  "storage.wiredTiger.engineConfig.zstdCompressionLevel",
  "storage.wiredTiger.indexConfig.prefixCompression",
  "systemLog.logRotate",
  "systemLog.quiet",
  "systemLog.timeStampFormat",
  "systemLog.traceAllExceptions",
  "systemLog.verbosity",
];

/** Options whose names are free below this prefix. */
const openPrefixes = ["setParameter.", "systemLog.component."];

/** The full names of the options in a configuration, whether it is nested or has dots in its keys. */
export function optionsIn(config: object, prefix = ""): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? optionsIn(value as object, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

export function findUnknownOptions(config: object): string[] {
  return optionsIn(config).filter(
    (name) =>
      !mongodOptions.includes(name) && !openPrefixes.some((prefix) => name.startsWith(prefix)),
  );
}
