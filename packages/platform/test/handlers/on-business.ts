import type { TestHandlers } from "../test-service.ts";

export const handle = (handlers: TestHandlers) => handlers["on-business"];
