/** The door of outputs that may be long. */
export { liveUpdates } from "./live-updates.ts";
export { OutputSink } from "./sink.ts";
