/** Finds and runs the command that a text means, and reports unknown commands. */
import { log, onDispose } from "@tau/utils";
import type { CommandInfo } from "@tau/wire";

import { allCommands, findCommand, unknownCommand, plainArguments } from "@tau/session-commands";
import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";
import { refusalOf } from "./guest.ts";
import { commands } from "./index.ts";
import { remoteCommand } from "./on-screen.ts";

export class CommandTable {
	readonly #host: InteractiveHost;
	/** Of extensions, skills and the like, by name. */
	readonly #added = new Map<string, SlashCommand>();
	/** Of a session in another process. */
	#remote: readonly SlashCommand[] = [];
	readonly #sources = new Set<() => readonly SlashCommand[]>();
	/** What a guest may call is decided where the session runs. */
	#listed: readonly CommandInfo[] = [];
	#listing: Promise<void> | undefined;

	constructor(host: InteractiveHost) {
		this.#host = host;
	}

	/** Reads what a session of another process offers by name; again, whenever it is another session. */
	async follow(): Promise<void> {
		const listing = this.#list();
		this.#listing = listing;
		await listing;
		if (this.#listing === listing) this.#listing = undefined;
	}

	async #list(): Promise<void> {
		try {
			const { commands: listed } = await this.#host.client.request("list_commands", {});
			this.#listed = listed;
			this.#remote = listed.filter(({ source }) => source !== "tau").map(remoteCommand);
		} catch (error) {
			log.warn("the commands of the session could not be listed", { reason: String(error) });
		}
	}

	/** Those that Tau does not have by itself. */
	get added(): readonly SlashCommand[] {
		return this.all.filter((command) => !commands.includes(command));
	}

	get all(): readonly SlashCommand[] {
		return allCommands(commands, {
			replacing: [...this.#added.values()],
			found: [...[...this.#sources].flatMap((source) => source()), ...this.#remote],
		});
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
		return findCommand(name, commands, this.all);
	}

	/**
	 * Returns whether the text was a command, or intended as one; where the session has not listed its commands yet, once it
	 * has. A name that expands to a prompt does not count.
	 */
	take(text: string): boolean | Promise<boolean> {
		const [, name, rest = ""] = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
		if (name === undefined) return false;
		const command = this.find(name);
		const { guest } = this.#host;
		// Whoever has just joined may be quicker than the answer which commands there are, and which a guest may call.
		if (this.#listing && (guest || !command)) return this.#listing.then(() => this.take(text));
		const refusal = guest && command && refusalOf(command, rest, this.#listed, this.#host.client.me);
		if (refusal !== undefined) {
			this.#host.notify(refusal, "warning");
			return true;
		}
		if (command?.isPrompt) return false;
		if (command) void this.#run(command, rest.trim(), text.trim());
		else this.#unknown(name, text);
		return true;
	}

	async #run(command: SlashCommand, args: string, text: string): Promise<void> {
		using _ = this.#host.echo(text);
		try {
			const complete = () => command.complete?.("", this.#host) ?? [];
			const plain = commands.includes(command) ? plainArguments(command, args, complete) : args;
			await command.run(typeof plain === "string" ? plain : await plain, this.#host);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			log.error("a command failed", { command: command.name, reason });
			this.#host.notify(reason, "error");
		}
		this.#host.tui.requestRender();
	}

	/** What was typed goes back to the editor: nothing is lost by a slip. */
	#unknown(name: string, text: string): void {
		this.#host.notify(unknownCommand(name, this.all), "warning");
		if (this.#host.editor.getText() === "") this.#host.editor.setText(text);
	}
}
