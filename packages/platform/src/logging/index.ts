export { describeError } from "./describe-error.ts";
export { createLog, type Log } from "./log.ts";
