/** The slash commands that an RPC client runs: several at a time, until it stops them or leaves. */
import type { SessionEvent } from "@tau/session";
import { UserError } from "@tau/session/run";
import type { ClientInfo, CommandInfo, CommandReply, Completion } from "@tau/wire";

import type { CommandParts, CommandTarget, SessionCommands } from "@tau/session-commands";
import { limits } from "./limits.ts";

interface SlashClient {
	by(): ClientInfo;
	emit(event: SessionEvent): void | Promise<void>;
	/** Shows the diffs of a restore; undefined where only text is shown. */
	preview?(): CommandTarget["preview"];
}

interface Running {
	readonly name: string;
	readonly stop: AbortController;
}

export class SlashCommandRuns {
	readonly #parts: CommandParts | undefined;
	readonly #client: SlashClient;
	readonly #running = new Set<Running>();

	constructor(parts: CommandParts | undefined, client: SlashClient) {
		this.#parts = parts;
		this.#client = client;
	}

	async list(): Promise<CommandInfo[]> {
		return this.#parts ? (await this.#table(this.#parts)).list() : [];
	}

	async complete(name: string, prefix: string): Promise<Completion[]> {
		if (!this.#parts) return [];
		return await (await this.#table(this.#parts)).complete(name, prefix, this.#client.by());
	}

	/** Rejects with the reason for the user. */
	async run(name: string, args: string): Promise<CommandReply> {
		const parts = this.#parts;
		if (!parts) throw new UserError("This session has no slash commands.");
		if (this.#running.size >= limits.slashCommands)
			throw new UserError(
				`${limits.slashCommands} commands are running. Wait for one, or send abort_command.`,
			);
		const running = { name, stop: new AbortController() };
		this.#running.add(running);
		const by = this.#client.by();
		let shown: string | undefined;
		const progress = (text: string | undefined): void => {
			if (text === shown) return;
			shown = text;
			const said = text === undefined ? {} : { text };
			void this.#client.emit({ type: "command_progress", name, ...said, to: by.id });
		};
		try {
			const table = await this.#table(parts);
			return await table.run(name, args, {
				by,
				signal: running.stop.signal,
				progress,
				notice: (text, level) => parts.host.notice(text, level === "warning" ? "warning" : "info"),
				onText: (delta) => void this.#client.emit({ type: "command_text", name, delta, to: by.id }),
				preview: this.#client.preview?.(),
			});
		} finally {
			progress(undefined);
			this.#running.delete(running);
		}
	}

	/** Stops the commands of that name, or all. */
	abort(name?: string): void {
		for (const running of this.#running)
			if (name === undefined || running.name === name) running.stop.abort();
	}

	/** Loaded when the first client asks for commands. */
	async #table(parts: CommandParts): Promise<SessionCommands> {
		const { SessionCommands: Table } = await import("@tau/session-commands/table");
		return new Table(parts);
	}
}
