/** The door of terminals. */
export { PtySession, type PtyCommand } from "./session.ts";
