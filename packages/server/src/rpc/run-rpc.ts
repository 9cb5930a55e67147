/** RPC mode: commands come in as JSON lines, responses and events go out as JSON lines, until the input ends. */
import { abortable, frameLine, linesOf, log as logger, withTimeout } from "@tau/utils";
import type { SessionEvent } from "@tau/session";
import { eventFrame, type UserRequests } from "@tau/session/host";
import { UserError } from "@tau/session/run";

import { failed, readCommand, type CommandType, type RpcCommand } from "./commands.ts";
import type { RpcSession } from "./command-scope.ts";
import { RpcConnectionState } from "./connection-state.ts";
import { handle, type QueuedCommand } from "./handlers.ts";
import { limits } from "./limits.ts";
import type { RpcResponse, RpcResult } from "./protocol.ts";
import { handleRequest, isRequestCommand } from "./request-handlers.ts";
import { RpcExtensionUI } from "./rpc-extension-ui.ts";

export interface RpcOptions {
	input: ReadableStream<Uint8Array>;
	/** A promise while the reader lags behind: awaiting it keeps unread output from filling the memory. */
	out: { write(text: string): void | Promise<void> };
	/** Ends it as the end of the input does. */
	signal: AbortSignal;
	/** The client is asked here, also before the session is open. */
	requests: UserRequests;
	/** Opens the session; the caller disposes of it. A rejection ends the mode with it. */
	open(): RpcSession | Promise<RpcSession>;
}

/** Answered whenever they are done: the commands behind them do not wait. */
export const slow: ReadonlySet<CommandType> = new Set([
	"bash",
	"cell",
	"compact",
	"handoff",
	"btw",
	"ask_model",
	"run_command",
	"wait_for_idle",
]);

/**
 * Commands are done one after the other, so that a client may send several without waiting; the first thing that is done
 * is to open the session. A reader that does not read stops the reading of commands and the run, instead of filling the
 * memory.
 */
export async function runRpc({ input, out, signal, requests, open }: RpcOptions): Promise<void> {
	const write = (frame: object): void | Promise<void> => out.write(frameLine(frame));
	const ended = new AbortController();
	using owned = new DisposableStack();
	const ui = owned.use(new RpcExtensionUI(requests, write));
	const connect = async (): Promise<RpcConnectionState> => {
		// Once there is a session, it emits these events.
		using _ = requests.subscribe((event) => void write(eventFrame(event)));
		const session = await open();
		const emit = (event: SessionEvent): void | Promise<void> => write(eventFrame(event));
		return owned.use(new RpcConnectionState(session, { ui, emit, end: () => ended.abort() }));
	};
	const connected = connect();
	connected.catch(() => ended.abort());
	const pending = new Set<Promise<void>>();
	/** Answered when code of an extension is done, which may be never. */
	const ofExtensions = new Set<Promise<void>>();
	const queue = new CommandQueue(ui);
	const work = async (command: QueuedCommand): Promise<void> => {
		const state = await connected;
		const { released } = state;
		const answering = respond(command, () => handle(command, state)).then(write);
		if (slow.has(command.type)) return keep(answering, pending);
		const onWritten = await Promise.race([answering.then(() => undefined), released]);
		if (onWritten) keep(answering.then(onWritten), ofExtensions);
		else state.onResponse();
	};
	await queue.add(async () => (await connected).start());
	for await (const line of linesOf(input, limits.commandBytes, AbortSignal.any([signal, ended.signal]))) {
		const received = readCommand(line);
		if (received.kind === "answer") ui.answer(received.answer);
		else if (received.kind === "refused") await queue.add(() => write(received.response));
		else if (received.kind === "command") {
			const { command } = received;
			if (isRequestCommand(command))
				await respond(command, () => handleRequest(command, requests)).then(write);
			else await queue.add(() => work(command));
		}
	}
	// What was asked is declined, and the session may then open.
	ui[Symbol.dispose]();
	await (await connected).stop();
	await Promise.all([queue.idle, ...pending]);
	using late = withTimeout(undefined, limits.commandEndMs, "An extension did not end.");
	await abortable(Promise.all(ofExtensions), late.signal).catch(() => {
		logger.warn("RPC mode ended before a command of an extension did");
	});
}

/** One after the other. Only while a dialog waits for the client is more read than is being done. */
class CommandQueue {
	readonly #dialogs: RpcExtensionUI;
	#waiting = 0;
	idle: Promise<void> = Promise.resolve();

	constructor(dialogs: RpcExtensionUI) {
		this.#dialogs = dialogs;
	}

	/** Resolves when the next line may be read. */
	async add(work: () => void | Promise<void>): Promise<void> {
		this.#waiting++;
		this.idle = this.idle.then(async () => {
			await work();
			this.#waiting--;
		});
		await (this.#waiting > limits.queuedCommands
			? this.idle
			: Promise.race([this.idle, this.#dialogs.waiting()]));
	}
}

function keep(promise: Promise<void>, among: Set<Promise<void>>): void {
	among.add(promise);
	void promise.then(() => among.delete(promise));
}

async function respond(
	{ id, type }: RpcCommand,
	work: () => RpcResult | Promise<RpcResult>,
): Promise<RpcResponse> {
	try {
		const data = await work();
		return {
			...(id === undefined ? {} : { id }),
			type: "response",
			command: type,
			success: true,
			...(data === undefined ? {} : { data }),
		};
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		if (!(error instanceof UserError)) logger.warn("an RPC command failed", { command: type, reason });
		return failed(type, reason, id);
	}
}
