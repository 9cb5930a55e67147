/**
 * Reserves a standard stream for its owner: output of other code would corrupt a screen or a protocol. Other writes
 * are diverted; the owner writes with `ownWrite`.
 */
import { onDispose } from "./dispose.ts";

type Stream = Pick<NodeJS.WritableStream, "write">;
type Done = (error?: Error | null) => void;
type Write = (text: string | Uint8Array, done?: Done) => boolean;

const own = new WeakMap<Stream, Write>();

/** Writes to the real stream, even while it is diverted. */
export function ownWrite(stream: Stream): Write {
	return own.get(stream) ?? ((text, done) => stream.write(text, done));
}

/** Passes everything that is written to the stream to `onText`, until disposed. */
export function divertWrites(stream: Stream, onText: (text: string) => void): Disposable {
	const before = stream.write;
	if (!own.has(stream)) own.set(stream, before.bind(stream));
	const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
		onText(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
		const done = rest.find((each) => typeof each === "function") as Done | undefined;
		if (done) queueMicrotask(() => done());
		return true;
	};
	stream.write = write;
	return onDispose(() => {
		if (stream.write !== write) return;
		stream.write = before;
		own.delete(stream);
	});
}
