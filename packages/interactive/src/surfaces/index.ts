/** What a session needs to have its extensions draw for terminals elsewhere; loaded when the first one asks for it. */
export { shortcutListener } from "../extensions/start.ts";
export { entryKind, entryMessage, entryRendererFor } from "../entry-message.ts";
export type { KnownCall } from "./blocks.ts";
export type { CustomMessage } from "../views/custom-message.ts";
export { useThemeOf } from "./theme-of.ts";
export { keysFor } from "./keys-for.ts";
export { Surface, type SurfaceFacts, type SurfaceParts } from "./surface.ts";
