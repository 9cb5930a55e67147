/** RPC mode: commands come in as JSON lines, responses and events go out as JSON lines, until the input ends. */
import { abortable, log as diary } from "@tau/utils";
import { UserError } from "@tau/session/run";

import { eventFrame, frameLine } from "../frames.ts";
import type { Output } from "../output.ts";
import {
	failed,
	readCommand,
	type CommandType,
	type Received,
	type RpcCommand,
	type RpcCommandOf,
} from "./commands.ts";
import { RpcConnectionState, type RpcSession } from "./connection-state.ts";
import { handlers } from "./handlers.ts";
import { LineSplitter, type Line } from "./line-splitter.ts";
import { limits } from "./limits.ts";
import type { RpcResponse } from "./protocol.ts";

export interface RpcOptions extends RpcSession {
	input: ReadableStream<Uint8Array>;
	out: Pick<Output, "write">;
	/** Ends it as the end of the input does. */
	signal: AbortSignal;
}

/** Answered whenever they are done: the commands behind them do not wait. */
const slow: ReadonlySet<CommandType> = new Set(["bash", "compact"]);

/**
 * Commands are done one after the other, so that a client may send several without waiting. A reader that does not read
 * stops the reading of commands and the run, instead of filling the memory.
 */
export async function runRpc({ input, out, signal, ...session }: RpcOptions): Promise<void> {
	using state = new RpcConnectionState(
		session,
		(event) => out.write(frameLine(eventFrame(event))),
		(request) => out.write(frameLine(request)),
	);
	const pending = new Set<Promise<void>>();
	const queue = new CommandQueue(state.ui);
	const work = (received: Received): void | Promise<void> => {
		if (received.kind === "refused") return out.write(frameLine(received.response));
		if (received.kind !== "command") return undefined;
		const { command } = received;
		const answering = answer(command, state).then((response) => out.write(frameLine(response)));
		if (!slow.has(command.type)) return answering.then(() => state.onResponse());
		keep(answering, pending);
	};
	await queue.add(() => state.start());
	for await (const line of linesOf(input, AbortSignal.any([signal, state.ended]))) {
		const received = readCommand(line);
		if (received.kind === "answer") state.ui.answer(received.answer);
		else await queue.add(() => work(received));
	}
	await state.stop();
	await Promise.all([queue.idle, ...pending]);
}

/** One after the other. Only while a dialog waits for the client is more read than is being done. */
class CommandQueue {
	readonly #dialogs: RpcConnectionState["ui"];
	#waiting = 0;
	idle: Promise<void> = Promise.resolve();

	constructor(dialogs: RpcConnectionState["ui"]) {
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

async function* linesOf(input: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Line> {
	const splitter = new LineSplitter(limits.commandBytes);
	const reader = input.getReader();
	try {
		for (;;) {
			const next = await abortable(reader.read(), signal);
			if (next.done) break;
			yield* splitter.push(next.value);
		}
		yield* splitter.end();
	} catch (error) {
		if (!signal.aborted) diary.warn("the input of RPC mode broke off", { reason: String(error) });
	} finally {
		// A pipe that is still being read from would keep the process alive.
		await reader.cancel().catch(() => {});
	}
}

async function answer(command: RpcCommand, state: RpcConnectionState): Promise<RpcResponse> {
	const { id, type } = command;
	try {
		const data = await handle(type, command, state);
		return {
			...(id === undefined ? {} : { id }),
			type: "response",
			command: type,
			success: true,
			...(data === undefined ? {} : { data }),
		};
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		if (!(error instanceof UserError)) diary.warn("an RPC command failed", { command: type, reason });
		return failed(type, reason, id);
	}
}

function handle<T extends CommandType>(type: T, command: RpcCommand, state: RpcConnectionState) {
	// The type of a command chooses its schema, so that the one belongs to the other.
	return handlers[type](command as RpcCommandOf<T>, state);
}
