/** The entry point of the demo model. */
export { demoModel } from "./model.ts";
export { type ConnectionFacts, createDemoStream } from "./stream.ts";
