/** The door of the streaming parsers. */
export { IncrementalJson } from "./incremental-json.ts";
export { SseParser, type SseEvent } from "./sse.ts";
