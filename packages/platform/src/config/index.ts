export {
  ConfigError,
  encryptionKey,
  type PlatformConfig,
  platformConfig,
  port,
  readConfig,
} from "./config.ts";
