/** Where a client shows the output of commands: in terminals of the agent that it draws, or in terminals of its own. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import {
	exitCodeOf,
	NewOutput,
	ShownCommands,
	type CallResult,
	type OpenTerminals,
} from "@tau/server/adapters";

import { until, type AcpPeer } from "./peer.ts";

type Shown = Pick<acp.ToolCallUpdate, "content" | "_meta">;

/** Each says what the client is to show of a call; undefined where its output is text. */
export interface CommandTerminals {
	/** The call was made known. */
	start?(id: string, cwd: string): Shown & { content: acp.ToolCallContent[] };
	output(id: string, result: CallResult, cwd: string): Shown | undefined;
	end(id: string, result: CallResult, isError: boolean): Shown | undefined;
}

/** For clients that draw terminals of the agent (`_meta.terminal_output`), such as Zed. */
export class DrawnTerminals implements CommandTerminals {
	readonly #news = new Map<string, NewOutput>();

	start(id: string, cwd: string): Shown & { content: acp.ToolCallContent[] } {
		this.#news.set(id, new NewOutput());
		return { content: terminal(id), _meta: { terminal_info: { terminal_id: id, cwd } } };
	}

	/** The content is said again: that of a question has taken its place meanwhile. */
	output(id: string, result: CallResult): Shown | undefined {
		const data = this.#news.get(id)?.next(result);
		if (data === undefined) return undefined;
		const news = data === "" ? {} : { _meta: { terminal_output: { terminal_id: id, data } } };
		return { content: terminal(id), ...news };
	}

	end(id: string, result: CallResult, isError: boolean): Shown | undefined {
		const shown = this.output(id, result);
		if (!this.#news.delete(id) || !shown) return undefined;
		const terminal_exit = { terminal_id: id, exit_code: exitCodeOf(result, isError), signal: null };
		return { ...shown, _meta: { ...shown._meta, terminal_exit } };
	}
}

/** For clients that run commands in terminals of their own (`terminal/create`): what they run shows the output. */
export class ClientTerminals implements CommandTerminals {
	readonly #commands: ShownCommands;

	constructor(peer: AcpPeer, sessionId: string, onOpen: (toolCallId: string, shown: Shown) => void) {
		const { create, release, waitForExit } = acp.methods.client.terminal;
		const open: OpenTerminals = async (program, cwd) => {
			const { terminalId } = await peer.request(create, { sessionId, cwd, ...program });
			const named = { sessionId, terminalId };
			return {
				id: terminalId,
				ended: (signal) => peer.request(waitForExit, named, until(signal)),
				[Symbol.asyncDispose]: () => peer.request(release, named).then(() => {}),
			};
		};
		this.#commands = new ShownCommands(open, (id, terminalId) =>
			onOpen(id, { content: terminal(terminalId) }),
		);
	}

	output(id: string, result: CallResult, cwd: string): Shown | undefined {
		return shownIn(this.#commands.output(id, result, cwd));
	}

	end(id: string, result: CallResult, isError: boolean): Shown | undefined {
		return shownIn(this.#commands.end(id, result, exitCodeOf(result, isError)));
	}
}

function shownIn(terminalId: string | undefined): Shown | undefined {
	return terminalId === undefined ? undefined : { content: terminal(terminalId) };
}

function terminal(terminalId: string): acp.ToolCallContent[] {
	return [{ type: "terminal", terminalId }];
}
