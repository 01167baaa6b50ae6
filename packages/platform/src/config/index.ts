export {
  ConfigError,
  encryptionKeyVariable,
  type PlatformConfig,
  platformConfig,
  portVariable,
  readConfig,
} from "./config.ts";
