/** Messages as lines of JSON: what cannot be read is answered with an error, and costs only itself. */
import * as acp from "@agentclientprotocol/sdk/unstable";

import { jsonOf, linesOf } from "@tau/utils";
import type { Output } from "../output.ts";
import { limits } from "./limits.ts";

/** It ends with the input, or when the signal is aborted. */
export function lineStream(
	input: ReadableStream<Uint8Array>,
	out: Pick<Output, "write">,
	signal: AbortSignal,
): acp.Stream {
	const left = new AbortController();
	const lines = linesOf(input, limits.messageBytes, AbortSignal.any([signal, left.signal]));
	const write = async (message: object): Promise<void> => out.write(`${JSON.stringify(message)}\n`);
	const refuse = (error: acp.RequestError): Promise<void> =>
		write({ jsonrpc: "2.0", id: null, error: error.toErrorResponse() });
	return {
		readable: new ReadableStream({
			async pull(controller) {
				// A pull that adds nothing is not repeated.
				for (;;) {
					const { value: line, done } = await lines.next();
					if (done) return controller.close();
					const read = jsonOf(line, limits.messageBytes);
					if (read && "value" in read) return controller.enqueue(read.value as acp.AnyMessage);
					if (read && line) await refuse(acp.RequestError.parseError());
					else if (read) await refuse(acp.RequestError.invalidRequest(undefined, read.reason));
				}
			},
			cancel: () => left.abort(),
		}),
		writable: new WritableStream({ write }),
	};
}

/** The first message, and a stream that begins with it. */
export async function startOf({
	readable,
	writable,
}: acp.Stream): Promise<{ first: unknown; stream: acp.Stream }> {
	const reader = readable.getReader();
	const { value: first } = await reader.read();
	const whole = new ReadableStream<acp.AnyMessage>({
		start: (controller) => (first ? controller.enqueue(first) : undefined),
		async pull(controller) {
			const { value, done } = await reader.read();
			if (done) controller.close();
			else controller.enqueue(value);
		},
		cancel: (reason) => reader.cancel(reason),
	});
	return { first, stream: { readable: whole, writable } };
}
