/** The entry point `@tau/session-commands`. */
export {
	commandGroups,
	type CommandParts,
	type CommandTarget,
	type CommandWords,
	pathArgument,
	type ProgressKind,
	ReportedError,
	type SessionCommand,
	valueItems,
} from "./command.ts";
export type {
	CollabControl,
	CollabGuest,
	CollabLink,
	CollabStatus,
	SharedRight,
	WantedLink,
} from "./collab-control.ts";
export type { RecordControl } from "./rows/record.ts";
export { builtinPromptRows, extensionRows, resourceRows, serverPromptRows } from "./found.ts";
export { allCommands, findCommand, unknownCommand } from "./names.ts";
export { plainArguments } from "./options.ts";
export { SessionCommands } from "./table.ts";
export { commandTarget } from "./target.ts";
