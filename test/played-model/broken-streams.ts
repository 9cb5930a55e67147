/** Checks how an official SDK reads a broken stream: exactly the text that was sent, and then a failure. */
import type { Answer, Fault, Scenario, VendorError } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import { catchFrom } from "./samples.ts";

export const letters: Answer = { blocks: [{ text: "abcdef", chunks: 6 }] };

interface Sdk extends AsyncDisposable {
	whole(): Promise<unknown>;
}

export interface Listener<S extends Sdk> {
	/** An SDK that asks a played model. */
	connect(scenario: Scenario): Promise<S>;
	/** Requests a stream and passes on each text delta; rejects as the SDK does. */
	listen(sdk: S, say: (text: string) => void): Promise<unknown>;
}

/** The text when the stream broke, and the error. */
export async function receiveUntilBroken<S extends Sdk>({ connect, listen }: Listener<S>, fault: Fault) {
	await using sdk = await connect({ steps: [{ answer: letters, fault }] });
	let received = "";
	const say = (text: string): void => {
		received += text;
	};
	const error = await catchFrom(listen(sdk, say));
	return { received, error };
}

export function promiseTornFailure<S extends Sdk>(listener: Listener<S>, tornAtByte: number): void {
	test("a torn connection is heard as a failure, not as a short answer", async () => {
		const { received, error } = await receiveUntilBroken(listener, { tornAtByte });
		expect("abcdef").toStartWith(received);
		expect(error).toBeInstanceOf(Error);
		await using sdk = await listener.connect({ steps: [{ answer: letters, fault: { tornAtByte: 20 } }] });
		expect(await catchFrom(sdk.whole())).toBeInstanceOf(Error);
	});
}

interface BrokenEvents {
	errorEvent: VendorError;
	/** How the SDK reports that error. */
	error: { type: new (...given: never[]) => Error; fields: object };
	malformedLine?: string;
}

/** For protocols that stream server-sent events. */
export function promiseBrokenEvents<S extends Sdk>(
	listener: Listener<S>,
	{ errorEvent, error: expected, malformedLine = "data: {broken" }: BrokenEvents,
): void {
	test.each([0, 2, 6, 99])(
		"an error event after %d chunks comes after exactly those",
		async (afterChunks) => {
			const { received, error } = await receiveUntilBroken(listener, { errorEvent, afterChunks });
			expect(received).toBe("abcdef".slice(0, afterChunks));
			expect(error).toBeInstanceOf(expected.type);
			expect(error).toMatchObject(expected.fields);
		},
	);

	test("a malformed line is heard after the chunks before it", async () => {
		const { received, error } = await receiveUntilBroken(listener, { malformedLine, afterChunks: 2 });
		expect(received).toBe("ab");
		expect(String(error)).toContain("JSON");
	});
}
