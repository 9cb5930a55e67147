/** The public exports of bounded output. */
export { liveUpdates } from "./live-updates.ts";
export { OutputSink, type OutputSummary } from "./sink.ts";
