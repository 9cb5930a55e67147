/** The session host decides what happens to a prompt, and keeps memory, log and clients in step. */
import { describe, expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import type { SessionEvent } from "../run/behavior.ts";

import { testHost, type TestHostOptions } from "../../../../test/support/host.ts";
import { testModel } from "../../../../test/support/session.ts";

async function open(scenario: Scenario, options: TestHostOptions = {}) {
	const played = await playModel(scenario);
	const host = await testHost(testModel({ baseUrl: played.anthropicUrl, reasoning: true }), options);
	const events: SessionEvent[] = [];
	host.attach({ onEvent: (event) => void events.push(event) });
	return {
		host,
		played,
		events,
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await played[Symbol.asyncDispose]();
		},
	};
}

const silent: Scenario = { steps: [{ fault: { silent: true } }, "Two."] };

test("a client that retries as soon as it reads of a failed run is not refused", async () => {
	await using on = await open({ steps: [{ fault: { http: 500 } }, "Two."] });
	const retried = Promise.withResolvers<void>();
	on.host.attach({
		onEvent: ({ type }) => {
			if (type === "agent_end") on.host.retry().then(retried.resolve, retried.reject);
		},
	});
	await on.host.submit({ text: "one" });
	await retried.promise;
	expect(on.host.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Two." }] });
});

test("a message about something that the model has seen meanwhile is withdrawn", async () => {
	await using on = await open(silent);
	await on.host.submit({ text: "one" });
	await on.played.waitForRequest(1);
	const known = new AbortController();
	const about = { customType: "job", wakes: true };
	await on.host.deliver({ text: "job 1 ended", ...about, known: known.signal });
	await on.host.deliver({ text: "job 2 ended", ...about });
	expect(on.host.session.state.followUps).toHaveLength(2);
	known.abort();
	expect(on.host.session.state.followUps).toMatchObject([{ content: "job 2 ended" }]);
	await on.host.deliver({ text: "job 1 ended", ...about, known: known.signal });
	expect(on.host.session.state.followUps).toHaveLength(1);
	await on.host.stop();
});

describe("a prompt", () => {
	test("starts a run, and the next one is rejected unless it may be queued", async () => {
		await using on = await open(silent);
		const begun = await on.host.submit({ text: "one" });
		expect(begun.kind).toBe("begun");
		await on.played.waitForRequest(1);
		expect(on.host.phase).toBe("running");
		expect(await on.host.submit({ text: "two" })).toMatchObject({ kind: "refused" });
		expect(await on.host.submit({ text: "two" }, { as: "followUp" })).toEqual({ kind: "queued" });
		expect(on.host.session.state.followUps).toHaveLength(1);
		await on.host.stop();
		expect(on.host.phase).toBe("idle");
	});

	test("that may be queued starts a run when idle, or waits for the next", async () => {
		await using on = await open({ steps: ["One."] });
		expect(await on.host.submit({ text: "later" }, { as: "steer", whenIdle: "queue" })).toEqual({
			kind: "queued",
		});
		const begun = await on.host.submit({ text: "now" }, { as: "steer" });
		expect(begun.kind).toBe("begun");
		await on.host.waitForIdle();
	});

	test("that is sent while a run is being stopped starts the next one, and is not left in the queue", async () => {
		await using on = await open(silent);
		await on.host.submit({ text: "one" });
		await on.played.waitForRequest(1);
		const stopped = on.host.stop("run");
		const next = await on.host.submit({ text: "two" }, { as: "steer" });
		expect(next.kind).toBe("begun");
		await stopped;
		await on.host.waitForIdle();
		expect(on.host.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Two." }] });
		expect(on.host.session.state.steering).toEqual([]);
	});

	test("is announced to its client before the run starts", async () => {
		await using on = await open({ steps: ["One."] });
		const order: string[] = [];
		on.host.attach({
			onEvent: ({ type }) => {
				if (type === "agent_start") order.push(type);
			},
		});
		await on.host.submit({ text: "hi" }, { onAdmitted: ({ kind }) => void order.push(kind) });
		await on.host.waitForIdle();
		expect(order).toEqual(["begun", "agent_start"]);
	});

	test("sets the phase to running before its caller continues", async () => {
		await using on = await open(silent);
		void on.host.submit({ text: "one" });
		expect(on.host.isBusy).toBe(true);
		await on.host.stop();
	});
});

test("the phases of a run are announced in order", async () => {
	await using on = await open({ steps: ["One."] });
	await on.host.submit({ text: "hi" });
	await on.host.waitForIdle();
	const phases = on.events.flatMap((event) => (event.type === "phase_changed" ? [event.phase] : []));
	expect(phases).toEqual(["running", "settling", "idle"]);
});

describe("a change", () => {
	test("of the model and the level is in memory, in the log and announced", async () => {
		await using on = await open({ steps: [] });
		const { host } = on;
		expect(await host.apply({ type: "model", model: { ...host.session.model, id: "other" } })).toEqual({
			ok: true,
		});
		await host.apply({ type: "thinking", level: "high" });
		expect(host.state).toMatchObject({ model: { id: "other" }, thinkingLevel: "high" });
		expect(host.log.getEntries().map(({ type }) => type)).toEqual(["model_change", "thinking_level_change"]);
		const announced = on.events.map(({ type }) => type);
		expect(announced).toEqual(["model_changed", "thinking_level_changed"]);
	});

	test("to an empty name is rejected, and changes nothing", async () => {
		await using on = await open({ steps: [] });
		expect(await on.host.apply({ type: "name", name: "  " })).toMatchObject({ ok: false });
		expect(on.host.log.getEntries()).toEqual([]);
	});

	test("of a setting takes effect at once", async () => {
		await using on = await open(silent);
		await on.host.apply({ type: "queueMode", followUp: "all" });
		expect(on.host.session.state.followUpMode).toBe("all");
		expect(await on.host.apply({ type: "setting", path: "retry.maxRetries", value: "many" })).toMatchObject({
			ok: false,
		});
	});
});

describe("a move", () => {
	test("to a fork returns the text that it leaves out, and keeps the rest", async () => {
		await using on = await open({ steps: ["One.", "Two."] });
		for (const text of ["first", "second"]) {
			await on.host.submit({ text });
			await on.host.waitForIdle();
		}
		const [, second] = on.host.forkMessages();
		const outcome = await on.host.move({ to: "fork", entryId: second?.entryId, position: "before" });
		expect(outcome).toEqual({ kind: "moved", text: "second" });
		expect(on.host.session.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
	});

	test("to a file that is not a session is rejected, and the run continues", async () => {
		await using on = await open(silent);
		await on.host.submit({ text: "one" });
		await expect(on.host.move({ to: "resume", file: "/nowhere" })).rejects.toThrow(
			"No session found at /nowhere",
		);
		expect(on.host.isBusy).toBe(true);
		await on.host.stop();
	});

	test("answers a prompt that is sent meanwhile in the new session", async () => {
		await using on = await open({ steps: ["Hello."] }, { log: SessionManager.inMemory("/") });
		const before = on.host.state.id;
		const moving = on.host.move({ to: "new" });
		expect(await on.host.submit({ text: "hi" })).toMatchObject({ kind: "queued" });
		await moving;
		await on.host.waitForIdle();
		expect(on.host.state.id).not.toBe(before);
		expect(on.host.session.state.messages).toMatchObject([
			{ role: "user" },
			{ role: "assistant", content: [{ text: "Hello." }] },
		]);
	});

	test("to a new session keeps the model", async () => {
		await using on = await open({ steps: [] }, { log: SessionManager.inMemory("/") });
		await on.host.apply({ type: "model", model: { ...on.host.session.model, id: "other" } });
		const before = on.host.state.id;
		expect(await on.host.move({ to: "new" })).toEqual({ kind: "moved" });
		expect(on.host.state).toMatchObject({ model: { id: "other" } });
		expect(on.host.state.id).not.toBe(before);
	});
});

test("a user's command reaches the model, also while a run is active", async () => {
	await using on = await open(silent);
	await on.host.submit({ text: "one" });
	await on.played.waitForRequest(1);
	expect(await on.host.shell("echo hi")).toMatchObject({ output: "hi\n", exitCode: 0 });
	expect(on.host.session.state.messages.map(({ role }) => role)).not.toContain("bashExecution");
	await on.host.stop();
	expect(on.host.session.state.messages.map(({ role }) => role)).toContain("bashExecution");
});

test("messages that wait during a handoff are sent after a run that an extension starts in the new session", async () => {
	await using on = await open({ steps: [{ fault: { silent: true } }, "The document.", "Hello.", "Later!"] });
	await on.host.submit({ text: "one" });
	await on.played.waitForRequest(1);
	await on.host.submit({ text: "later?" }, { as: "followUp" });
	const greeting = { role: "custom", customType: "greeting", display: true, timestamp: 1 } as const;
	let greeted: Promise<void> | undefined;
	on.host.attach({
		onEvent: ({ type }) => {
			if (type === "handoff_end") greeted = on.host.run([{ ...greeting, content: "hi" }]);
		},
	});
	await on.host.handoff();
	await greeted;
	await on.host.waitForIdle();
	const answers = on.host.session.state.messages.filter(({ role }) => role === "assistant");
	expect(answers).toMatchObject([{ content: [{ text: "Hello." }] }, { content: [{ text: "Later!" }] }]);
});
