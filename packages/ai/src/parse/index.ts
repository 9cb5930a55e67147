/** The door of the streaming parsers. */
export { IncrementalJson } from "./incremental-json.ts";
export { SseParser } from "./sse.ts";
