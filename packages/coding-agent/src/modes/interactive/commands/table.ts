/** Finds and runs the command that a text means, and reports unknown commands. */
import { log, nearest, onDispose } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";
import { commands } from "./index.ts";
import { withPlainWords } from "./options.ts";

/** A built-in command that another one of the same name replaces. */
function prefixed({ aliases: _, ...command }: SlashCommand): SlashCommand {
	return { ...command, name: `tau:${command.name}` };
}

/** A name comes before the alias of another command. */
function findIn(list: readonly SlashCommand[], name: string): SlashCommand | undefined {
	return list.find((command) => command.name === name) ?? list.find(({ aliases }) => aliases?.includes(name));
}

function namesOf({ name, aliases = [] }: SlashCommand): string[] {
	return [name, ...aliases];
}

export class CommandTable {
	readonly #host: InteractiveHost;
	/** Of extensions, skills and the like, by name. */
	readonly #added = new Map<string, SlashCommand>();
	readonly #sources = new Set<() => readonly SlashCommand[]>();

	constructor(host: InteractiveHost) {
		this.#host = host;
	}

	/** Those that Tau does not have by itself. */
	get added(): readonly SlashCommand[] {
		return this.all.filter((command) => !commands.includes(command));
	}

	get all(): readonly SlashCommand[] {
		const slashCommands = [...this.#sources].flatMap((source) => source());
		const isFirst = (command: SlashCommand): boolean =>
			!command.isPrompt || commands.some((own) => own.yieldsToPrompts && namesOf(command).includes(own.name));
		const added = [...this.#added.values(), ...slashCommands.filter(isFirst)];
		const names = new Set(added.flatMap((command) => (command.isPrompt ? namesOf(command) : command.name)));
		const replaced = commands.filter(({ name, isPlaceholder }) => names.has(name) && !isPlaceholder);
		const own = [...commands.filter(({ name }) => !names.has(name)), ...added, ...replaced.map(prefixed)];
		const taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
		return [...own, ...slashCommands.filter((command) => !isFirst(command) && !taken.has(command.name))];
	}

	/** Asked each time for the commands that there are, until it is disposed of. */
	addSource(source: () => readonly SlashCommand[]): Disposable {
		this.#sources.add(source);
		return onDispose(() => this.#sources.delete(source));
	}

	/** One with the name of another replaces it. */
	add(command: SlashCommand): void {
		this.#added.set(command.name, command);
	}

	/** `tau:name` is always the built-in one. */
	find(name: string): SlashCommand | undefined {
		const [, builtin] = /^tau:(.+)$/.exec(name) ?? [];
		return builtin === undefined ? findIn(this.all, name) : findIn(commands, builtin);
	}

	/** Returns whether the text was a command, or intended as one. A name that expands to a prompt does not count. */
	take(text: string): boolean {
		const [, name, rest = ""] = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
		if (name === undefined) return false;
		const command = this.find(name);
		if (command?.isPrompt) return false;
		if (command) void this.#run(command, rest.trim(), text.trim());
		else this.#unknown(name, text);
		return true;
	}

	async #run(command: SlashCommand, args: string, text: string): Promise<void> {
		using _ = this.#host.echo(text);
		try {
			if (args !== "" && command.argumentHint === undefined && commands.includes(command))
				throw new Error(`/${command.name} takes no arguments. Usage: /${command.name}`);
			const isOwn = commands.includes(command);
			await command.run(isOwn ? await withPlainWords(command, args, this.#host) : args, this.#host);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			log.error("a command failed", { command: command.name, reason });
			this.#host.notify(reason, "error");
		}
		this.#host.tui.requestRender();
	}

	/** What was typed goes back to the editor: nothing is lost by a slip. */
	#unknown(name: string, text: string): void {
		const near = nearest(
			name,
			this.all.map((command) => command.name),
			2,
		);
		const hint =
			near.length > 0 ? `Did you mean ${near.map((one) => `/${one}`).join(" or ")}?` : "See /help.";
		this.#host.notify(`Unknown command /${name}. ${hint}`, "warning");
		if (this.#host.editor.getText() === "") this.#host.editor.setText(text);
	}
}
