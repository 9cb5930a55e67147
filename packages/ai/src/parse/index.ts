/** The public interface of the streaming parsers. */
export { IncrementalJson } from "./incremental-json.ts";
export { GrowingText } from "./growing-text.ts";
export { eventParser, type EventParser } from "./framing.ts";
