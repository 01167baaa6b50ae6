export type StreamKey = "event" | "callback" | "dead";

export interface StreamContract {
  readonly subjects: string;
  readonly maxAgeMs: number;
}
