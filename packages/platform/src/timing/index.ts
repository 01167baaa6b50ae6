export { roundTimeout } from "./rounded-timeout.ts";
export { inTime, TookTooLong } from "./with-timeout.ts";
