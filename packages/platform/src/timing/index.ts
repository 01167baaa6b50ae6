export { TimedOut, withTimeout, roundTimeout } from "./timeouts.ts";
