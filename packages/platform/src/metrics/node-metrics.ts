import { readdirSync } from "node:fs";
import {
  constants,
  monitorEventLoopDelay,
  type NodeGCPerformanceDetail,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import type { Meter, Observable, ObservableResult } from "@opentelemetry/api";

/** Metrics of the Node process, measured from the first scrape on. */
export function measureNode(meter: Meter): void {
  measureProcess(meter);
  measureEventLoop(meter);
  measureHeapSpaces(meter);
  measureGarbageCollections(meter);
}

type ProcessMetrics = readonly (readonly [name: string, description: string, read: () => number])[];

const gauges: ProcessMetrics = [
  ["process_start_time_seconds", "Start of the process, seconds since 1970", startedAtSeconds],
  ["process_resident_memory_bytes", "Resident memory", () => memory().rss],
  ["nodejs_heap_size_total_bytes", "Size of V8's heap", () => memory().heapTotal],
  ["nodejs_heap_size_used_bytes", "Used part of V8's heap", () => memory().heapUsed],
  [
    "nodejs_external_memory_bytes",
    "Memory of V8's objects outside the heap",
    () => memory().external,
  ],
  // Without /proc (macOS) the read fails and the gauge is left out.
  ["process_open_fds", "Open files and sockets", () => readdirSync("/proc/self/fd").length],
];

const counters: ProcessMetrics = [
  ["process_cpu_user_seconds_total", "CPU time in user mode", userSeconds],
  ["process_cpu_system_seconds_total", "CPU time in the kernel", systemSeconds],
  [
    "process_cpu_seconds_total",
    "CPU time in user mode and in the kernel",
    () => userSeconds() + systemSeconds(),
  ],
];

function memory(): NodeJS.MemoryUsage {
  return process.memoryUsage();
}

function startedAtSeconds(): number {
  return Math.round(performance.timeOrigin / 1_000);
}

function userSeconds(): number {
  return process.cpuUsage().user / 1e6;
}

function systemSeconds(): number {
  return process.cpuUsage().system / 1e6;
}

function observeWith(instrument: Observable, read: () => number): void {
  instrument.addCallback((result) => result.observe(read()));
}

function measureProcess(meter: Meter): void {
  for (const [name, description, read] of gauges) {
    observeWith(meter.createObservableGauge(name, { description }), read);
  }
  for (const [name, description, read] of counters) {
    observeWith(meter.createObservableCounter(name, { description }), read);
  }
}

/** Each scrape covers the time since the scrape before. */
function measureEventLoop(meter: Meter): void {
  const delay = monitorEventLoopDelay();
  delay.enable();
  const reads = {
    p50: () => delay.percentile(50),
    p90: () => delay.percentile(90),
    p99: () => delay.percentile(99),
    max: () => delay.max,
  };
  const delays = Object.entries(reads).map(([which, read]) => {
    const description = `Delay of the event loop since the last scrape: ${which}`;
    const name = `nodejs_eventloop_lag_${which}_seconds`;
    return { gauge: meter.createObservableGauge(name, { description }), read };
  });
  meter.addBatchObservableCallback(
    (result) => {
      for (const { gauge, read } of delays) result.observe(gauge, read() / 1e9);
      delay.reset();
    },
    delays.map(({ gauge }) => gauge),
  );
}

function measureHeapSpaces(meter: Meter): void {
  const description = "Used part of V8's heap, by space";
  const used = meter.createObservableGauge("nodejs_heap_space_size_used_bytes", { description });
  used.addCallback((result: ObservableResult) => {
    for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
      result.observe(space_used_size, { space: space_name.replace(/_space$/, "") });
    }
  });
}

const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

function measureGarbageCollections(meter: Meter): void {
  const seconds = meter.createHistogram("nodejs_gc_duration_seconds", {
    description: "Duration of garbage collections, by kind",
    advice: { explicitBucketBoundaries: [0.001, 0.01, 0.1, 1, 2, 5] },
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as typeof entry & { readonly detail: NodeGCPerformanceDetail };
      seconds.record(entry.duration / 1_000, { kind: kinds.get(detail.kind) ?? "other" });
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}
