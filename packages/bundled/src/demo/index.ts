/** The entry point of the demo model. */
export type { ConnectionFacts } from "./connection-facts.ts";
export { demoModel } from "./model.ts";
export { createDemoStream } from "./stream.ts";
