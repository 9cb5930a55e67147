/** The terminal itself: what it can do, how it is asked, and how it is left as it was. */
export { detectFeatures, type ImageProtocol, type TerminalFeatures } from "../terminal-features.ts";
export { hyperlink } from "./osc.ts";
export { ProcessTerminal, type Appearance } from "./process-terminal.ts";
export type { Terminal, TerminalMode } from "./terminal.ts";
