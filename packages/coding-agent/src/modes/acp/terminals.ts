/** Commands as terminals that the client draws: for editors that say so (`_meta.terminal_output`), such as Zed. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { cutUnits, isRecord } from "@tau/utils";
import type { EventFrameOf } from "@tau/wire";

import { limits } from "./limits.ts";

type Result = EventFrameOf<"tool_execution_end">["result"];
type Shown = Pick<acp.ToolCallUpdate, "content" | "_meta">;

/** Only what is new of an output is sent. */
export class CommandTerminals {
	readonly #sent = new Map<string, string>();

	start(id: string, cwd: string): Shown & { content: acp.ToolCallContent[] } {
		this.#sent.set(id, "");
		return { content: terminal(id), _meta: { terminal_info: { terminal_id: id, cwd } } };
	}

	has(id: string): boolean {
		return this.#sent.has(id);
	}

	/** The content is said again: that of a question has taken its place meanwhile. */
	output(id: string, result: Result): Shown {
		const text = cutUnits(textOf(result), limits.outputChars);
		const sent = this.#sent.get(id) ?? "";
		this.#sent.set(id, text);
		// Of a long output only the end is known: what was cut away is not sent again.
		const data = text.startsWith(sent) ? text.slice(sent.length) : sent === "" ? text : "";
		return {
			content: terminal(id),
			...(data === "" ? {} : { _meta: { terminal_output: { terminal_id: id, data } } }),
		};
	}

	end(id: string, result: Result, isError: boolean): Shown {
		const shown = this.output(id, result);
		this.#sent.delete(id);
		const { details } = result;
		const known = isRecord(details) ? details.exitCode : undefined;
		const exit_code = typeof known === "number" ? known : Number(isError);
		return {
			...shown,
			_meta: { ...shown._meta, terminal_exit: { terminal_id: id, exit_code, signal: null } },
		};
	}
}

function terminal(terminalId: string): acp.ToolCallContent[] {
	return [{ type: "terminal", terminalId }];
}

function textOf({ content }: Result): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
