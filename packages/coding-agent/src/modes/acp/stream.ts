/** Messages as lines of JSON: what cannot be read is answered with an error, and costs only itself. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { log } from "@tau/utils";

import type { Output } from "../output.ts";
import { LineSplitter, type Line } from "../line-splitter.ts";
import { limits } from "./limits.ts";

/** It ends with the input, or when the signal is aborted. */
export function lineStream(
	input: ReadableStream<Uint8Array>,
	out: Pick<Output, "write">,
	signal: AbortSignal,
): acp.Stream {
	const reader = input.getReader();
	signal.addEventListener("abort", () => void reader.cancel(), { once: true });
	const splitter = new LineSplitter(limits.messageBytes);
	const write = async (message: object): Promise<void> => out.write(`${JSON.stringify(message)}\n`);
	const refuse = (error: acp.RequestError): Promise<void> =>
		write({ jsonrpc: "2.0", id: null, error: error.toErrorResponse() });
	/** Whether one of the lines was a message. */
	const take = async (
		lines: Iterable<Line>,
		onMessage: (message: acp.AnyMessage) => void,
	): Promise<boolean> => {
		let hasMessage = false;
		for (const line of lines) {
			const message = line && parsed(line);
			if (!line)
				await refuse(acp.RequestError.invalidRequest(undefined, `longer than ${limits.messageBytes} bytes`));
			else if (message === undefined) await refuse(acp.RequestError.parseError());
			else if (message !== nothing) {
				hasMessage = true;
				onMessage(message as acp.AnyMessage);
			}
		}
		return hasMessage;
	};
	return {
		readable: new ReadableStream({
			async pull(controller) {
				const add = (message: acp.AnyMessage): void => controller.enqueue(message);
				try {
					// A pull that adds nothing is not repeated.
					for (;;) {
						const { value, done } = await reader.read();
						const isAdded = await take(done ? splitter.end() : splitter.push(value), add);
						if (done) controller.close();
						if (done || isAdded) return;
					}
				} catch (error) {
					log.warn("the input of ACP mode broke off", { reason: String(error) });
					controller.close();
				}
			},
			cancel: () => reader.cancel(),
		}),
		writable: new WritableStream({ write }),
	};
}

/** A line of white space is no message, and nothing is wrong with it. */
const nothing = Symbol("nothing");

/** Undefined if it is not JSON. */
function parsed(line: Uint8Array): unknown {
	const text = new TextDecoder().decode(line).trim();
	if (text === "") return nothing;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		// The sender gets an error.
		return undefined;
	}
}
