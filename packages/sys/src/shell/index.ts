/** The door of the shell. */
export { commandEnvironment } from "./environment.ts";
export { OutputTail } from "./output-tail.ts";
export { runShell, type ShellCommand, type ShellOutcome } from "./run.ts";
