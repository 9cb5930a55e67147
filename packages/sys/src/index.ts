/** The machine: running commands and owning the processes that they start. */
export { killTree, listDescendants } from "./process/index.ts";
export {
	commandEnvironment,
	OutputTail,
	runShell,
	type ShellCommand,
	type ShellOutcome,
} from "./shell/index.ts";
