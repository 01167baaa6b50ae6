export { currentTrace, runInTrace } from "./current-trace.ts";
export {
  answerSpan,
  processSpan,
  publishSpan,
  requestSpan,
  traceHeaders,
} from "./message-spans.ts";
export { openTracer } from "./open-tracer.ts";
export type { Span, Tracer } from "./tracer.ts";
