export { TookTooLong, inTime, roundTimeout } from "./timeouts.ts";
