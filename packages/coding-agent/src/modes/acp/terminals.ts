/** The output of commands in terminals of the client. The commands run in Tau's own shell and sandbox. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { ShownOutput } from "@tau/sys";
import { cutUnits, isRecord, log } from "@tau/utils";

import type { AcpPeer } from "./agent.ts";
import { limits } from "./limits.ts";
import type { Result } from "./tool-calls.ts";

type Shown = Pick<acp.ToolCallUpdate, "content" | "_meta">;

/** Each says what the client is to show of a call; undefined where its output is text. */
export interface CommandTerminals {
	/** The call was made known. */
	start(id: string, cwd: string): (Shown & { content: acp.ToolCallContent[] }) | undefined;
	output(id: string, result: Result, cwd: string): Shown | undefined;
	end(id: string, result: Result, isError: boolean): Shown | undefined;
}

/** Only what is new of an output is sent. */
class Sent {
	#text = "";

	next(result: Result): string {
		const before = this.#text;
		this.#text = cutUnits(textOf(result), limits.outputChars);
		if (this.#text.startsWith(before)) return this.#text.slice(before.length);
		// Of a long output only the end is known: it continues where the last words of before are.
		const last = before.slice(-limits.overlapChars);
		const at = this.#text.lastIndexOf(last);
		return at < 0 ? this.#text : this.#text.slice(at + last.length);
	}
}

/** For clients that draw terminals of the agent (`_meta.terminal_output`), such as Zed. */
export class DrawnTerminals implements CommandTerminals {
	readonly #sent = new Map<string, Sent>();

	start(id: string, cwd: string): Shown & { content: acp.ToolCallContent[] } {
		this.#sent.set(id, new Sent());
		return { content: terminal(id), _meta: { terminal_info: { terminal_id: id, cwd } } };
	}

	/** The content is said again: that of a question has taken its place meanwhile. */
	output(id: string, result: Result): Shown | undefined {
		const data = this.#sent.get(id)?.next(result);
		if (data === undefined) return undefined;
		const news = data === "" ? {} : { _meta: { terminal_output: { terminal_id: id, data } } };
		return { content: terminal(id), ...news };
	}

	end(id: string, result: Result, isError: boolean): Shown | undefined {
		const shown = this.output(id, result);
		if (!this.#sent.delete(id) || !shown) return undefined;
		const terminal_exit = { terminal_id: id, exit_code: exitCode(result, isError), signal: null };
		return { ...shown, _meta: { ...shown._meta, terminal_exit } };
	}
}

/** A command whose output is shown, or will be as soon as the client has opened a terminal for it. */
interface ShownCommand {
	readonly sent: Sent;
	latest: Result;
	opened?: Opened;
	isOver?: true;
}

interface Opened extends AsyncDisposable {
	readonly terminalId: string;
	readonly shown: ShownOutput;
}

/** For clients that run commands in terminals of their own (`terminal/create`): what they run shows the output. */
export class ClientTerminals implements CommandTerminals {
	readonly #peer: AcpPeer;
	readonly #sessionId: string;
	readonly #onOpen: (toolCallId: string, shown: Shown) => void;
	readonly #commands = new Map<string, ShownCommand>();

	constructor(peer: AcpPeer, sessionId: string, onOpen: (toolCallId: string, shown: Shown) => void) {
		this.#peer = peer;
		this.#sessionId = sessionId;
		this.#onOpen = onOpen;
	}

	/** With the first output: a command that the user refuses needs none. */
	start(): undefined {
		return undefined;
	}

	output(id: string, result: Result, cwd: string): Shown | undefined {
		const known = this.#commands.get(id);
		if (!known) this.#open(id, result, cwd);
		if (!known?.opened) return undefined;
		known.latest = result;
		return show(known, known.opened);
	}

	end(id: string, result: Result, isError: boolean): Shown | undefined {
		const known = this.#commands.get(id);
		this.#commands.delete(id);
		if (known) Object.assign(known, { isOver: true, latest: result });
		if (!known?.opened) return undefined;
		const shown = show(known, known.opened);
		known.opened.shown.end(exitCode(result, isError));
		void this.#release(known.opened);
		return shown;
	}

	#open(id: string, latest: Result, cwd: string): void {
		const command: ShownCommand = { sent: new Sent(), latest };
		this.#commands.set(id, command);
		const { create, release } = acp.methods.client.terminal;
		const sessionId = this.#sessionId;
		const opening = async (): Promise<void> => {
			await using owned = new AsyncDisposableStack();
			const shown = owned.use(await ShownOutput.open());
			const { terminalId } = await this.#peer.request(create, { sessionId, cwd, ...shown.program });
			owned.defer(() => this.#peer.request(release, { sessionId, terminalId }).then(() => {}));
			// The command has ended meanwhile, and its output was sent as text.
			if (command.isOver) return;
			const moved = owned.move();
			command.opened = { terminalId, shown, [Symbol.asyncDispose]: () => moved.disposeAsync() };
			this.#onOpen(id, show(command, command.opened));
		};
		opening().catch((error: unknown) => log.info("the client opened no terminal", { reason: String(error) }));
	}

	/** When it has shown everything; what it shows stays. */
	async #release(opened: Opened): Promise<void> {
		const { waitForExit } = acp.methods.client.terminal;
		const { terminalId } = opened;
		try {
			await using _ = opened;
			const options = {
				cancellationSignal: AbortSignal.timeout(limits.terminalMs),
				stopWaitingOnCancel: true,
			};
			await this.#peer.request(waitForExit, { sessionId: this.#sessionId, terminalId }, options);
		} catch (error) {
			log.info("a terminal of the client did not end", { reason: String(error) });
		}
	}
}

function show({ sent, latest }: ShownCommand, { shown, terminalId }: Opened): Shown {
	shown.write(sent.next(latest));
	return { content: terminal(terminalId) };
}

function terminal(terminalId: string): acp.ToolCallContent[] {
	return [{ type: "terminal", terminalId }];
}

function exitCode({ details }: Result, isError: boolean): number {
	const known = isRecord(details) ? details.exitCode : undefined;
	return typeof known === "number" ? known : Number(isError);
}

function textOf({ content }: Result): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
