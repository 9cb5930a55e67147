/** The guarantees of every protocol when its server fails, as tests that each protocol's own test file runs. */
import { expect, test } from "bun:test";

import { receive, setEnv, type ReceivedAnswer } from "./asking.ts";
import { playModel, type Answer, type Fault, type PlayedModel, type Step } from "./index.ts";
import type { AssistantMessageEventStream, FailureKind } from "../types.ts";

/** One request of the protocol to a played model. */
type Ask = (played: PlayedModel) => AssistantMessageEventStream;

export const story = "Once upon a time there was a model. ";
export const tale: Answer = { blocks: [{ text: story, chunks: 6 }] };

export function textOf({ message }: ReceivedAnswer): string {
	return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

async function play(ask: Ask, step: Step): Promise<ReceivedAnswer> {
	await using played = await playModel({ steps: [step] });
	return await receive(ask(played));
}

/** For any protocol. */
export function promiseClearEnds(ask: Ask): void {
	test.each<[Fault, FailureKind]>([
		[{ http: 400 }, "invalid_request"],
		[{ http: 401 }, "auth"],
		[{ http: 403 }, "auth"],
		[{ http: 404 }, "invalid_request"],
		[{ http: 413 }, "overflow"],
		[{ http: 429 }, "rate_limit"],
		[{ http: 500 }, "overloaded"],
		[{ http: 503 }, "overloaded"],
		[{ http: 529 }, "overloaded"],
		[{ overflow: true }, "overflow"],
	])("%j is a failure of kind %s", async (fault, kind) => {
		const { events, message } = await play(ask, { fault });
		expect(events.map(({ type }) => type)).toEqual(["start", "error"]);
		const status = "http" in fault ? fault.http : 400;
		expect(message).toMatchObject({ stopReason: "error", content: [], failure: { kind, status } });
		expect(message.errorMessage).toBe(message.failure?.message);
		expect(message.errorMessage).toStartWith(`HTTP ${status}: `);
	});

	test("a rate limit reports how long to wait", async () => {
		const { message } = await play(ask, { fault: { http: 429, retryAfter: 7 } });
		expect(message.failure?.retryAfterMs).toBe(7000);
		const patient = await play(ask, { fault: { http: 429, retryAfter: 10_000_000 } });
		expect(patient.message.failure?.retryAfterMs).toBe(24 * 60 * 60 * 1000);
	});

	test("an error in the middle of a stream keeps the partial text", async () => {
		const errorEvent = { type: "overloaded_error", message: "Overloaded" };
		const outcome = await play(ask, { answer: tale, fault: { errorEvent, afterChunks: 3 } });
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "overloaded" } });
		expect(textOf(outcome)).toBe(story.slice(0, 18));
	});

	test("a stream without its last events is not complete", async () => {
		const outcome = await play(ask, { answer: tale, fault: { truncated: true } });
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(textOf(outcome)).toBe(story);
	});

	test("a pause does not end the stream", async () => {
		const outcome = await play(ask, { answer: tale, fault: { pauseMs: 20, afterChunks: 3 } });
		expect(outcome.message.stopReason).toBe("stop");
		expect(textOf(outcome)).toBe(story);
	});

	test("a silent server is given up and disconnected", async () => {
		for (const limitMs of [40, 400, 4000]) {
			using _env = setEnv({
				TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: String(limitMs),
				TAU_STREAM_IDLE_TIMEOUT_MS: "60000",
			});
			await using played = await playModel({ steps: [{ fault: { silent: true } }] });
			const { message } = await receive(ask(played));
			expect(message).toMatchObject({ stopReason: "error", failure: { kind: "timeout" } });
			expect(message.errorMessage).toContain(`127.0.0.1:${played.port}`);
			// On a busy machine the limit may pass before the request has left.
			const hasCome = await played.waitForRequest(1, { timeoutMs: limitMs * 10 }).then(
				() => true,
				() => false,
			);
			if (!hasCome && limitMs < 4000) continue;
			expect((await played.waitForEnd(1)).aborted).toBe(true);
			return;
		}
	});
}

/** For streams of server-sent events. */
export function promiseToTellLinesApart(ask: Ask): void {
	test("a line that is not an event of the stream is ignored", async () => {
		const fault = { malformedLine: "}{ what is this", afterChunks: 2 };
		const outcome = await play(ask, { answer: tale, fault });
		expect(outcome.message.stopReason).toBe("stop");
		expect(textOf(outcome)).toBe(story);
	});

	test("an event that is not JSON ends the answer and is quoted", async () => {
		const fault = { malformedLine: 'data: {"type":"content_bl', afterChunks: 2 };
		const outcome = await play(ask, { answer: tale, fault });
		expect(outcome.message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(outcome.message.errorMessage).toContain('{"type":"content_bl');
		expect(textOf(outcome)).toBe(story.slice(0, 12));
	});
}

/** The answer must be the same each time it is played, and contain a call. */
export function promiseTornAnswers(ask: Ask, answer: Answer): void {
	test("a connection may break at any byte: the answer is complete or a network failure", async () => {
		const whole = await play(ask, { answer });
		expect(whole.message.stopReason).toBe("toolUse");
		const tears = Array.from({ length: 200 }, (_, n) => n * 25);
		await using played = await playModel({
			steps: tears.map((tornAtByte) => ({ answer, fault: { tornAtByte } })),
		});
		let broken = 0;
		for (const _at of tears) {
			const { message } = await receive(ask(played));
			if (message.stopReason === "error") {
				broken++;
				expect(message.failure?.kind).toBe("network");
			} else expect(message.content).toEqual(whole.message.content);
		}
		// How many of the late breaks still give the whole answer depends on Bun: when data and the end of the
		// connection arrive together, its fetch may deliver neither.
		expect(broken).toBeGreaterThan(60);
	});
}
