/** Print mode reports how a run ended: answered, failed and why, or interrupted. */
import { describe, expect, test } from "bun:test";

import { MessageBuilder, ownStream, type StreamFunction } from "@tau/ai";
import { playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";
import type { SessionEvent } from "@tau/session";

import { testHost } from "../../../../../test/support/host.ts";
import { testModel } from "../../../../../test/support/session.ts";
import { runPrint, type PrintOutcome } from "./run-print.ts";

async function outcome(
	scenario: Scenario,
	signal: AbortSignal = new AbortController().signal,
	onEvent: (event: SessionEvent) => void = () => {},
): Promise<{ outcome: PrintOutcome; played: PlayedModel }> {
	await using played = await playModel(scenario);
	await using session = await testHost(testModel({ baseUrl: played.anthropicUrl }));
	return {
		outcome: await runPrint(session, [{ text: "hi" }], { onEvent, end: () => {} }, signal),
		played,
	};
}

test("a run with an answer is answered, also after tools", async () => {
	const call = { answer: { blocks: [{ toolCall: { name: "none", arguments: {} } }] } };
	expect((await outcome({ steps: [call, "done"] })).outcome).toEqual({ kind: "answered" });
});

test("a failure has its reason", async () => {
	const { outcome: failed } = await outcome({ steps: [{ fault: { http: 401 } }] });
	expect(failed).toMatchObject({ kind: "failed", failure: { kind: "auth" } });
});

test("a custom model that fails without a reason has failed", async () => {
	const careless: StreamFunction = (model) => {
		const builder = new MessageBuilder(model);
		builder.start();
		const error = { ...builder.message, stopReason: "error" as const, errorMessage: "out of luck" };
		builder.stream.push({ type: "error", reason: "error", error });
		builder.stream.end(error);
		return builder.stream;
	};
	await using session = await testHost({ ...testModel({}), [ownStream]: careless });
	const signal = new AbortController().signal;
	expect(await runPrint(session, [{ text: "hi" }], { onEvent: () => {}, end: () => {} }, signal)).toEqual({
		kind: "failed",
		failure: { kind: "unknown", message: "out of luck" },
	});
});

describe("an interruption", () => {
	test("during an answer ends it", async () => {
		const controller = new AbortController();
		const answer = { blocks: [{ text: "a long answer", chunks: 13 }] };
		const { outcome: interrupted } = await outcome(
			{ steps: [{ answer, fault: { pauseMs: 60_000, afterChunks: 3 } }] },
			controller.signal,
			(event) => {
				if (event.type === "message_update") controller.abort();
			},
		);
		expect(interrupted).toEqual({ kind: "interrupted" });
	});

	test("before the start sends nothing", async () => {
		const { outcome: interrupted, played } = await outcome({ steps: ["no"] }, AbortSignal.abort());
		expect(interrupted).toEqual({ kind: "interrupted" });
		expect(played.requests).toHaveLength(0);
	});
});

test("a printer that fails does not fail the run", async () => {
	const { outcome: answered } = await outcome({ steps: ["fine"] }, undefined, () => {
		throw new Error("the printer is on fire");
	});
	expect(answered).toEqual({ kind: "answered" });
});

test("after the run all listeners are removed", async () => {
	await using played = await playModel({ steps: ["one", "two"] });
	await using session = await testHost(testModel({ baseUrl: played.anthropicUrl }));
	let received = 0;
	await runPrint(
		session,
		[{ text: "hi" }],
		{ onEvent: () => void received++, end: () => {} },
		new AbortController().signal,
	);
	const before = received;
	await session.submit({ text: "again" });
	await session.waitForIdle();
	expect(before).toBeGreaterThan(0);
	expect(received).toBe(before);
});
