import {
  context,
  diag,
  DiagLogLevel,
  logs,
  type Meter,
  metrics,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { NodeSDK, type NodeSDKConfiguration } from "@opentelemetry/sdk-node";

interface Telemetry {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** Sends the spans that are still queued. */
  shutdown(): Promise<void>;
}

interface TelemetryOptions {
  /** `service.name`, and the attributes beside it. */
  readonly service: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onProblem?: (message: string) => void;
  /** Overrides that the SDK would else read from the `OTEL_*` variables of the process. */
  readonly sdk: Partial<NodeSDKConfiguration>;
}

/**
 * Starts an OpenTelemetry SDK for one service. The SDK registers its providers for the whole process
 * and keeps the first ones. So we take the tracer and the meter, and unregister the providers at
 * once: of several services in one process, each has its own SDK with its own `service.name`.
 */
export function startTelemetry(options: TelemetryOptions): Telemetry {
  const { service, attributes = {}, onProblem, sdk: overrides } = options;
  if (onProblem) logProblems(onProblem);
  const sdk = new NodeSDK({
    resource: resourceFromAttributes(attributes),
    serviceName: service,
    // Trace context travels in our own headers.
    textMapPropagator: null,
    // Log lines go to standard output.
    logRecordProcessors: [],
    ...overrides,
  });
  sdk.start();
  const telemetry = {
    tracer: trace.getTracer("malipo"),
    meter: metrics.getMeter("malipo"),
    shutdown: () => sdk.shutdown(),
  };
  for (const registered of [trace, metrics, logs, context]) registered.disable();
  return telemetry;
}

/** The SDK's own log is one for the process; the service that starts last receives it. */
function logProblems(onProblem: (message: string) => void): void {
  diag.setLogger(
    { error: onProblem, warn: onProblem, info() {}, debug() {}, verbose() {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
