/** A caller may abort at any moment: the stream ends at once, and the server is disconnected. */
import { describe, expect, test } from "bun:test";

import { limits } from "./limits.ts";
import { stream } from "./stream.ts";
import { apis, receive, hello, playedModel } from "./testing/asking.ts";
import { playModel, type Step } from "./testing/index.ts";

const text = "one two three four five six ";
const stalled: Step = {
	answer: { blocks: [{ text, chunks: 6 }] },
	fault: { pauseMs: 60_000, afterChunks: 3 },
};

describe.each(apis)("%s", (api) => {
	test("an abort before the request sends none", async () => {
		await using played = await playModel({ steps: [], fallback: "too late" });
		const { events, message } = await receive(
			stream(playedModel(played, api), hello, { signal: AbortSignal.abort() }),
		);
		expect(events.map(({ type }) => type)).toEqual(["start", "error"]);
		expect(message).toMatchObject({
			stopReason: "aborted",
			content: [],
			errorMessage: "Request was aborted",
		});
		expect(played.requests).toHaveLength(0);
	});

	test("an abort before the first byte disconnects", async () => {
		await using played = await playModel({ steps: [{ fault: { silent: true } }] });
		const controller = new AbortController();
		const outcome = receive(stream(playedModel(played, api), hello, { signal: controller.signal }));
		await played.waitForRequest(1);
		controller.abort(new Error("a reason that is nobody's business"));
		expect((await outcome).message).toMatchObject({
			stopReason: "aborted",
			errorMessage: "Request was aborted",
		});
		expect((await played.waitForEnd(1)).aborted).toBe(true);
	});

	test("an abort in the middle keeps the partial content", async () => {
		await using played = await playModel({ steps: [stalled] });
		const controller = new AbortController();
		const answers = stream(playedModel(played, api), hello, { signal: controller.signal });
		const types: string[] = [];
		for await (const event of answers) {
			types.push(event.type);
			if (event.type === "text_delta") controller.abort();
		}
		const message = await answers.result();
		expect(types.slice(-2)).toEqual(["text_end", "error"]);
		expect(message.stopReason).toBe("aborted");
		const [block] = message.content;
		expect(block?.type === "text" && block.text !== "" && text.startsWith(block.text)).toBe(true);
		expect((await played.waitForEnd(1)).aborted).toBe(true);
	});

	test("an answer at full speed leaves turns of the event loop to others, one of which may abort it", async () => {
		const deltas = 4000;
		const fast: Step = { answer: { blocks: [{ text: "many words ".repeat(deltas), chunks: deltas }] } };
		await using played = await playModel({ steps: [fast] });
		const controller = new AbortController();
		const answers = stream(playedModel(played, api), hello, { signal: controller.signal });
		const eventsPerTurn = [0];
		const nextTurn = (): void => {
			if (eventsPerTurn.length > 12) controller.abort();
			else setImmediate(nextTurn);
			if (eventsPerTurn.at(-1) !== 0) eventsPerTurn.push(0);
		};
		for await (const event of answers) {
			if (event.type === "start") nextTurn();
			if (event.type === "text_delta") eventsPerTurn.push((eventsPerTurn.pop() ?? 0) + 1);
		}
		expect((await answers.result()).stopReason).toBe("aborted");
		// No event is shorter.
		expect(Math.max(...eventsPerTurn)).toBeLessThanOrEqual(limits.turnBytes / 40);
	});

	test("an abort after the end changes nothing", async () => {
		await using played = await playModel({ steps: ["all said"] });
		const controller = new AbortController();
		const { message } = await receive(stream(playedModel(played, api), hello, { signal: controller.signal }));
		controller.abort();
		await played.waitForEnd(1);
		expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "all said" }] });
		expect(message.failure).toBeUndefined();
	});

	test("a reader that leaves the loop disconnects", async () => {
		await using played = await playModel({ steps: [stalled] });
		const answers = stream(playedModel(played, api), hello);
		for await (const event of answers) if (event.type === "text_delta") break;
		expect((await played.waitForEnd(1)).aborted).toBe(true);
		expect((await answers.result()).stopReason).toBe("aborted");
	});

	test("one of many streams may be aborted without affecting the others", async () => {
		const open: Step = { when: { bodyContains: "wait" }, ...stalled, times: "always" };
		await using played = await playModel({ steps: [open], fallback: "done" });
		const model = playedModel(played, api);
		const waiting = { messages: [{ role: "user" as const, content: "wait", timestamp: 0 }] };
		const controller = new AbortController();
		const stopped = Array.from({ length: 5 }, () =>
			receive(stream(model, waiting, { signal: controller.signal })),
		);
		await played.waitForRequest(5);
		const others = Array.from({ length: 10 }, () => receive(stream(model, hello)));
		for (const { message } of await Promise.all(others)) expect(message.stopReason).toBe("stop");
		controller.abort();
		for (const { message } of await Promise.all(stopped)) expect(message.stopReason).toBe("aborted");
	});
});
