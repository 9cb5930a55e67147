/** The terminal itself: its features, queries, and the restoration of its state. */
export { detectFeatures, type ImageProtocol, type TerminalFeatures } from "../terminal-features.ts";
export { hyperlink } from "./osc.ts";
export { ProcessTerminal, type Appearance } from "./process-terminal.ts";
export type { Terminal, TerminalMode } from "./terminal.ts";
