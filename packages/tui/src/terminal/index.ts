/** The terminal itself: what it can do, how it is asked, and how it is left as it was. */
export { detectFeatures, type ImageProtocol, type TerminalFeatures } from "./features.ts";
export type { Terminal, TerminalMode } from "./terminal.ts";
