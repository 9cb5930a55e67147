/** The public interface of pseudo-terminals. */
export { PtySession, type PtyCommand } from "./session.ts";
export { TerminalScreen, type TerminalSize } from "./terminal-screen.ts";
