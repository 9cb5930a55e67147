/** Works on the commands of one client: their order, and one answer for each id. */
import { log } from "@tau/utils";
import { UserError } from "@tau/session/run";
import { commandRights, type ClientInfo } from "@tau/wire";

import { checkCommand, type RpcCommand } from "../rpc/commands.ts";
import type { CommandScope, RpcSession } from "../rpc/command-scope.ts";
import {
	handle,
	handleRequest,
	isComponentCommand,
	isRequestCommand,
	SlashCommandRuns,
	type ClientComponents,
} from "../rpc/serve.ts";
import { slow } from "../rpc/run-rpc.ts";
import { runFor } from "../surfaces/acting.ts";
import type { Answers, ResponseBody } from "./answers.ts";
import { limits } from "../local/limits.ts";

export interface ClientCommandsOptions {
	session: RpcSession;
	client: ClientInfo;
	/** Where it shows what extensions draw. */
	components?: ClientComponents | undefined;
	/** What this client was answered before, also on an earlier connection. */
	answers: Answers;
	/** Puts it in the queue of the client. */
	respond(body: ResponseBody): void;
}

export class ClientCommands {
	readonly #options: ClientCommandsOptions;
	readonly #slashCommands: SlashCommandRuns;
	#open = 0;
	/** Commands are done one after the other, so that a client may send several without waiting. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(options: ClientCommandsOptions) {
		this.#options = options;
		const { session, client, components } = options;
		this.#slashCommands = new SlashCommandRuns(session.commands, {
			by: () => client,
			emit: (event) => session.host.emitToClients(event),
			preview: () => components?.preview,
		});
	}

	/** Takes a line of the client. */
	take(line: Record<string, unknown>): void {
		if (line.type === "bye") return this.#options.components?.[Symbol.dispose]();
		const { id } = line;
		const received = checkCommand(line);
		if (typeof id !== "string" || id === "") return;
		if (received.kind === "refused") return this.#refuse(id, received.response.error);
		if (received.kind !== "command") return;
		const { command } = received;
		if (this.#open >= limits.openCommands)
			return this.#refuse(id, `${limits.openCommands} commands are being worked on. Wait for one to end.`);
		this.#open++;
		const responded = Promise.withResolvers<void>();
		const work = (): Promise<ResponseBody> => this.#work(id, command, responded.promise);
		// What only reads may be done again. A slash command has its right in its own row.
		const isReading = commandRights[command.type] === "view" && command.type !== "run_command";
		const answering = isReading ? work() : this.#options.answers.once(id, work);
		void answering.then((body) => {
			this.#open--;
			this.#options.respond(body);
			responded.resolve();
		});
	}

	#refuse(id: string, error: string): void {
		this.#options.respond({ id, ok: false, error });
	}

	async #work(id: string, command: RpcCommand, responded: Promise<void>): Promise<ResponseBody> {
		const released = Promise.withResolvers<void>();
		// A question is answered, and a run is stopped, also while an earlier command waits.
		const isUrgent = isRequestCommand(command) || isComponentCommand(command) || command.type === "abort";
		const before = isUrgent ? Promise.resolve() : this.#last;
		const answering = before.then(() => this.#answer(id, command, responded, () => released.resolve()));
		if (!isUrgent && !slow.has(command.type)) this.#last = Promise.race([answering, released.promise]);
		return await answering;
	}

	#scope(responded: Promise<void>, release: () => void): CommandScope {
		const { session, client: by, components } = this.#options;
		const { host, extensions, resources, mcp, commands } = session;
		const slashCommands = this.#slashCommands;
		const ui = { setKinds: refuseKinds };
		return {
			host,
			extensions,
			resources,
			mcp,
			commands,
			by,
			slashCommands,
			ui,
			components,
			responded,
			release,
		};
	}

	async #answer(
		id: string,
		command: RpcCommand,
		responded: Promise<void>,
		release: () => void,
	): Promise<ResponseBody> {
		const { session, client: by } = this.#options;
		const { host } = session;
		try {
			const data = isRequestCommand(command)
				? handleRequest(command, host.requests, (requestId, answer) => host.answer(requestId, answer, by))
				: await runFor(by.id, () => handle(command, this.#scope(responded, release)));
			return { id, ok: true, ...(data === undefined ? {} : { data }) };
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			if (!(error instanceof UserError))
				log.warn("a command of a client failed", { command: command.type, reason });
			return { id, ok: false, error: reason };
		}
	}
}

function refuseKinds(): never {
	throw new UserError("A client says which requests it can show when it joins.");
}
