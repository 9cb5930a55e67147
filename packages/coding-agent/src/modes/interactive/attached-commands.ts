/** The slash commands of a session that runs elsewhere: what it lists is run there, and its reply is drawn here. */
import { log } from "@tau/utils";
import type { CommandInfo, SessionClient } from "@tau/wire";

import type { SlashCommand } from "./commands/command.ts";
import type { CommandTable } from "./commands/table.ts";
import type { InteractiveHost } from "./host.ts";
import { drawReply } from "./run-row.ts";

export class AttachedCommands implements Disposable {
	readonly #client: SessionClient;
	readonly #owned = new DisposableStack();
	#rows: ReadonlyMap<string, CommandInfo> = new Map();
	#loaded: Promise<void> = Promise.resolve();

	constructor(host: Pick<InteractiveHost, "client" | "status">, table: CommandTable) {
		const { client } = host;
		this.#client = client;
		table.attached = this;
		this.#owned.use(table.addSource(() => this.found));
		this.#owned.use(client.onReset(() => void this.load()));
		this.#owned.use(
			client.subscribe((event) => {
				if (event.type === "command_progress") host.status(`command ${event.name}`, event.text);
			}),
		);
	}

	/** Asks for what there is. Where the session lists nothing, the screen has its own commands alone. */
	load(): Promise<void> {
		return (this.#loaded = this.#load());
	}

	async #load(): Promise<void> {
		try {
			const { commands } = await this.#client.request("list_commands", {});
			this.#rows = new Map(commands.map((row) => [row.name, row]));
		} catch (error) {
			log.warn("the commands of a session are not known", { reason: String(error) });
		}
	}

	/** A command of the screen that the session has too is run by the session. */
	adopt(command: SlashCommand): SlashCommand {
		if (command.isPrompt) return command;
		const row = this.#row(command.name);
		return {
			...command,
			...(row ? this.#elsewhere(row) : {}),
			// It may be called before the list is there.
			run: async (args, host) => {
				await this.#loaded;
				const listed = this.#row(command.name);
				await (listed ? this.#elsewhere(listed) : command).run(args, host);
			},
		};
	}

	#row(name: string): CommandInfo | undefined {
		const row = this.#rows.get(name);
		return row?.source === "tau" ? row : undefined;
	}

	/** What the screen does not have by itself: commands of extensions, templates, skills and prompts of servers. */
	get found(): SlashCommand[] {
		const rows = [...this.#rows.values()].filter(({ source }) => source !== "tau");
		return rows.map((row) => ({
			name: row.name,
			description: row.description,
			...(row.aliases ? { aliases: row.aliases } : {}),
			...(row.argumentHint === undefined ? {} : { argumentHint: row.argumentHint }),
			// The session expands them.
			...(row.source === "extension" ? {} : { isPrompt: true as const }),
			...this.#elsewhere(row),
		}));
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}

	#elsewhere({ name }: CommandInfo): Pick<SlashCommand, "complete" | "run"> {
		return {
			complete: async (prefix) => {
				const { items } = await this.#client.request("complete_command", { name, prefix });
				return [...items];
			},
			run: async (args, host) => {
				// Its questions are those of the user of this screen.
				host.expectRequest();
				drawReply(await this.#client.request("run_command", { name, args }), host);
			},
		};
	}
}
