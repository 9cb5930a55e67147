/** The entry point of the interactive mode. What the first frame needs is in `screen.ts`; the rest comes after it. */
export { InteractiveMode, type InteractiveParts } from "./mode.ts";
export { dialogsIn } from "./dialogs.ts";
export { entryRendererFor } from "./entry-message.ts";
export type { GuestRoom, LocalParts } from "./local-parts.ts";
export { dialogKinds, RequestDialogs } from "./request-dialogs.ts";
