/** A slash command below the screen: what it is called, which right it needs, and what it does to a session. */
import { resolve } from "node:path";

import type { CredentialStore } from "@tau/ai";
import type { SessionMachine } from "@tau/extensions/assembly";
import type { Extensions } from "@tau/extensions/host";
import type { McpManager, McpPrompt } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";
import type { SessionHost } from "@tau/session/host";
import type { ModelRegistry } from "@tau/config/models";
import { UserError } from "@tau/session/run";
import type { Settings } from "@tau/config/settings";
import type { ToolEnv } from "@tau/tools/tool";
import { expandHome, oneLine, stripControls } from "@tau/utils";
import type { ClientInfo, CommandInfo, CommandReply, Completion, Right } from "@tau/wire";

import type { CommandDialogs } from "./ask.ts";
import type { CollabControl } from "./collab-control.ts";
import type { RecordControl } from "./rows/record.ts";
import { limits } from "./limits.ts";
import type { PreviewRestore } from "./work/restore.ts";
import type { DoctorReport } from "./work/doctor-report.ts";

/** The headings of `/help`, in their order. */
export const commandGroups = ["Session", "Model", "Context", "Tools", "Setup"] as const;

/** How a command is called. */
export interface CommandWords {
	/** Without the slash. */
	readonly name: string;
	/** Where `/help` lists it; those of extensions and the like have a heading of their own. */
	readonly group?: (typeof commandGroups)[number];
	/** More than one line about it, for `/help <name>`. */
	readonly details?: string;
	readonly aliases?: readonly string[];
	readonly description: string;
	/** What comes after the name, for a reader: `<name>`, `[model]`. */
	readonly argumentHint?: string;
	/** The words that mean something to it, beside those that it completes; each can be written as an option, `--word`. */
	readonly words?: readonly string[];
	/** Options may follow a text; otherwise they come first. */
	readonly optionsAnywhere?: true;
	/** What follows is a text, which may begin with anything. */
	readonly takesText?: true;
	/** A prompt template of the user with this name takes its place: it is a name that users have chosen before. */
	readonly yieldsToPrompts?: true;
	/** The command expands to a prompt for the model, with all attachments: the session expands it. */
	readonly isPrompt?: true;
}

export interface SessionCommand extends CommandWords {
	/** What a client needs to run it. */
	readonly right: Right;
	/** The first words with which it only shows something; then `view` is enough. An empty word: no arguments. */
	readonly shows?: readonly string[];
	readonly source?: CommandInfo["source"];
	complete?(prefix: string, target: CommandTarget): Completion[] | Promise<Completion[]>;
	/** Throws with the reason for the user. */
	run(args: string, target: CommandTarget): CommandReply | Promise<CommandReply>;
}

/** The session that commands work on, as its owner opened it. What can change is read each time. */
export interface CommandParts {
	readonly host: SessionHost;
	/** Where the tools of the current session work, with what they keep between calls. */
	env(): ToolEnv;
	readonly registry: ModelRegistry;
	readonly credentials: CredentialStore;
	/** Skills and templates that can be called by name. */
	readonly resources: Resources | undefined;
	readonly extensions: CommandExtensions | undefined;
	/** The MCP servers, found when they are needed; absent in a run without them. */
	readonly mcp: (() => Promise<McpManager>) | undefined;
	/** The prompts of MCP servers that are ready. */
	readonly mcpPrompts: readonly McpPrompt[];
	/** The machine that the session works on, and how to choose another one; absent where there is no choice. */
	readonly machine: SessionMachine | undefined;
	/** Examines the machine and the project; absent where the program that opened the session cannot. */
	readonly doctor: (() => Promise<DoctorReport>) | undefined;
	/** Shares the session live; absent where nobody could join it. */
	readonly collab: (() => Promise<CollabControl>) | undefined;
	/** Works on the schedules of the user with the words after `/schedule`; absent where no daemon could run them. */
	readonly schedules:
		| ((
				words: readonly string[],
				signal: AbortSignal,
		  ) => Promise<{ text: string; schedules: readonly unknown[] }>)
		| undefined;
	/** Runs an action of `tau task` in the directory of the session, and gives what it prints; absent where there is no fleet. */
	readonly fleet?: ((action: string, ...operands: readonly string[]) => Promise<string>) | undefined;
	/** Records the session; absent where the program that opened it cannot. */
	readonly recording: RecordControl | undefined;
	/** The directory of the user's own files. */
	readonly agentDir: string;
	/** Whether the user trusts the project of the session. */
	readonly isTrusted: boolean;
	/** Reads settings, skills, templates and extensions again. Resolves with what is wrong with them. */
	reload(): Promise<string[]>;
}

/** What commands use of the extensions of a session. */
export type CommandExtensions = Pick<Extensions, "beforeTree" | "afterTree" | "times" | "problems"> &
	Partial<Pick<Extensions, "runner">>;

/** The session, and the client that runs the command. */
export interface CommandTarget extends CommandParts {
	readonly settings: Settings;
	readonly cwd: string;
	/** Who runs it. */
	readonly by: ClientInfo;
	/** Questions that any client may answer. */
	readonly ask: CommandDialogs;
	/** Aborted when the client stops the command, or leaves. */
	readonly signal: AbortSignal;
	/** What the command does while the client waits; undefined if it does not wait any more. */
	progress(text: string | undefined, how?: ProgressKind): void;
	/** A message before the reply. Resolves when clients have it: what is asked then comes after it. */
	notice(text: string, level?: CommandReply["level"]): void | Promise<void>;
	/** Takes an answer as it is written; absent where only the whole reply is shown. */
	readonly onText?: ((delta: string) => void) | undefined;
	/** Shows the diffs of a restore, and resolves when the user has seen them; absent where only text is shown. */
	readonly preview?: PreviewRestore | undefined;
	/** What the client knows about itself, for bug reports: its terminal, its colors. */
	clientFacts(): readonly (readonly [string, string])[];
	/** Sends a prompt to the model, or queues it while the model answers. */
	prompt(text: string): void;
}

/** Work in the background: the user continues meanwhile. */
export type ProgressKind = "background";

/** The row without what it does, as clients list it. */
export function infoOf(command: SessionCommand): CommandInfo {
	const { name, aliases, group, description, details, argumentHint, words, right, shows } = command;
	return {
		name,
		...(aliases && aliases.length > 0 ? { aliases } : {}),
		...(group === undefined ? {} : { group }),
		description,
		...(details === undefined ? {} : { details }),
		...(argumentHint === undefined ? {} : { argumentHint }),
		...(words ? { words } : {}),
		right,
		...(shows ? { shows } : {}),
		source: command.source ?? "tau",
	};
}

/** Events have told every client the reason already: a screen does not show it again. */
export class ReportedError extends UserError {}

/** A reply in one sentence. */
export function reply(text: string, level: NonNullable<CommandReply["level"]> = "info"): CommandReply {
	return { text, level };
}

/** Names with their values, as `/status` shows them. */
export function facts(rows: readonly (readonly [string, string])[]): CommandReply {
	const lines = rows.map(([name, value]) => [plain(name), plain(value)] as const);
	const widest = Math.max(0, ...lines.map(([name]) => name.length));
	const text = lines.map(([name, value]) => `${name.padEnd(widest)}  ${value}`.trimEnd()).join("\n");
	return { text, level: "info", data: { facts: lines } };
}

/** Foreign text for one line. */
export function plain(text: string): string {
	return oneLine(stripControls(text, { newline: false, tab: false }), limits.lineChars);
}

/** The values that fit what was typed; the one that applies now says so. */
export function valueItems(
	values: readonly { value: string; description?: string | undefined }[],
	prefix: string,
	current: string | undefined,
): Completion[] {
	return values
		.filter(({ value }) => value.startsWith(prefix))
		.map(({ value, description = "" }) => {
			const about = [value === current ? "current" : "", description].filter(Boolean).join(" · ");
			return { value, label: value, ...(about === "" ? {} : { description: about }) };
		});
}

/** A path as a user types it: the rest of the line, with or without the quotes that a shell would need. */
export function pathArgument(args: string, cwd: string): string {
	return resolve(cwd, expandHome(/^(["'])(.+)\1$/.exec(args)?.[2] ?? args));
}
