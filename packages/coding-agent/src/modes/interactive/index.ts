/** The entry point of the interactive mode. What the first frame needs is in `screen.ts`; the rest comes after it. */
export { InteractiveMode, type InteractiveParts } from "./mode.ts";
