/** Messages of JSON-RPC as lines: what cannot be read is answered with an error, and costs only itself. */
import { frameLine, jsonOf, linesOf } from "@tau/utils";

/** A prompt may hold several images; what is longer is discarded and answered with an error. */
const messageBytes = 64 * 1024 * 1024;

export interface MessageStream<M> {
	readonly readable: ReadableStream<M>;
	readonly writable: WritableStream<M>;
}

/** It ends with the input, or when the signal is aborted. */
export function lineStream<M extends object>(
	input: ReadableStream<Uint8Array>,
	out: { write(text: string): void | Promise<void> },
	signal: AbortSignal,
): MessageStream<M> {
	const left = new AbortController();
	const lines = linesOf(input, messageBytes, AbortSignal.any([signal, left.signal]));
	const write = async (message: object): Promise<void> => out.write(frameLine(message));
	const refuse = (code: number, message: string): Promise<void> =>
		write({ jsonrpc: "2.0", id: null, error: { code, message } });
	return {
		readable: new ReadableStream({
			async pull(controller) {
				// A pull that adds nothing is not repeated.
				for (;;) {
					const { value: line, done } = await lines.next();
					if (done) return controller.close();
					const read = jsonOf(line, messageBytes);
					if (read && "value" in read) return controller.enqueue(read.value as M);
					if (read && line) await refuse(-32_700, "Parse error");
					else if (read) await refuse(-32_600, `Invalid request: ${read.reason}`);
				}
			},
			cancel: () => left.abort(),
		}),
		writable: new WritableStream({ write }),
	};
}

/** The first message, and a stream that begins with it. */
export async function startOf<M>({
	readable,
	writable,
}: MessageStream<M>): Promise<{ first: unknown; stream: MessageStream<M> }> {
	const reader = readable.getReader();
	const { value: first } = await reader.read();
	const whole = new ReadableStream<M>({
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
