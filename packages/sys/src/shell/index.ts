/** The public interface of the shell. */
export { commandEnvironment } from "./environment.ts";
export { findOwn, standardPath } from "./find-shell.ts";
export type { CurrentLauncher, Launch, LaunchOptions, ShellLauncher } from "./launcher.ts";
export { OutputTail } from "./output-tail.ts";
export { endAll, ownedEnvironment } from "./owned.ts";
export { ShellRoom } from "./pipe-room.ts";
export { shellQuote } from "./quote.ts";
export { ShownOutput } from "./shown-output.ts";
export { rcSnapshot, type RcOptions } from "./rc-snapshot.ts";
export { runProgram, type ProgramRun } from "./run-program.ts";
export { runShell, type ShellCommand, type ShellOutcome } from "./run.ts";
export {
	ShellSession,
	type SessionCommand,
	type SessionOutcome,
	type ShellSessionOptions,
} from "./session.ts";
export { startProgram, type ProgramEnd, type ProgramStart, type RunningProgram } from "./start-program.ts";
export { readWritten } from "./written-file.ts";
