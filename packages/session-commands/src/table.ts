/** The commands of a session as every client has them: lists them, completes them, and runs them with the right of the client. */
import { assertRight } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { permits, type ClientInfo, type CommandInfo, type CommandReply, type Completion } from "@tau/wire";

import { infoOf, type CommandParts, type SessionCommand } from "./command.ts";
import { extensionRows, resourceRows, serverPromptRows } from "./found.ts";
import { allCommands, findCommand, unknownCommand } from "./names.ts";
import { plainArguments } from "./options.ts";
import { rows } from "./rows/index.ts";
import { commandTarget, type CommandCaller } from "./target.ts";

export class SessionCommands {
	readonly #parts: CommandParts;

	constructor(parts: CommandParts) {
		this.#parts = parts;
	}

	get #all(): SessionCommand[] {
		const { resources, mcpPrompts, extensions } = this.#parts;
		return allCommands(rows, {
			replacing: [],
			found: [...extensionRows(extensions), ...resourceRows(resources), ...serverPromptRows(mcpPrompts)],
		});
	}

	/** Without reserved names. */
	list(): CommandInfo[] {
		return this.#all.map(infoOf);
	}

	/** By its name or an alias. */
	find(name: string): CommandInfo | undefined {
		const command = findCommand(name, rows, this.#all);
		return command && infoOf(command);
	}

	/** Nothing for a name that no command has: the user is still typing it. */
	async complete(name: string, prefix: string, by: ClientInfo): Promise<Completion[]> {
		const command = findCommand(name, rows, this.#all);
		if (!command || !permits(by.rights, neededRight(command, prefix))) return [];
		return (await command.complete?.(prefix, commandTarget(this.#parts, quiet(by)))) ?? [];
	}

	/** Rejects with the reason for the user. */
	async run(name: string, args: string, caller: CommandCaller): Promise<CommandReply> {
		const all = this.#all;
		const command = findCommand(name, rows, all);
		if (!command) throw new UserError(unknownCommand(name, all));
		const target = commandTarget(this.#parts, caller);
		const plain = await plainArguments(command, args.trim(), () => command.complete?.("", target) ?? []);
		assertRight(caller.by, neededRight(command, plain), `/${command.name}`);
		return await command.run(plain, target);
	}
}

function neededRight({ right, shows = [] }: SessionCommand, args: string): SessionCommand["right"] {
	const [first = ""] = args.split(/\s/);
	return shows.includes(first) ? "view" : right;
}

/** Completions say nothing and ask nothing. */
function quiet(by: ClientInfo): CommandCaller {
	return { by, signal: AbortSignal.abort(), progress() {}, notice() {} };
}
