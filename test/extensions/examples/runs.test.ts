/** The examples that follow a run, from the prompt until the session is idle. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { callOf, type ExtensionFixtureOptions, extensionFixtureWith } from "../../support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);
const folder = join(import.meta.dir, "../../../packages/coding-agent/examples/extensions");

const play = (name: string, scenario: Scenario, options: ExtensionFixtureOptions = {}) =>
	extensionFixture(scenario, { ...options, paths: [join(folder, name)] });

/** A user who confirms everything. */
const yes = { answer: () => true };

test("turn-timer: turns and calls are counted, and the end is reported once", async () => {
	await using fixture = await play(
		"turn-timer.ts",
		{ steps: [callOf("bash", { command: "true" }), "Ok."] },
		yes,
	);
	await fixture.prompt("go");
	await fixture.until("Done after 2 turns");
	expect(fixture.shown).toEqual([
		"setWorkingMessage: Thinking…",
		"setStatus: turn | turn 1",
		expect.stringMatching(/^setStatus: turn \| 1 calls, [\d.]+ s$/),
		"setStatus: turn | turn 2",
		expect.stringMatching(/^setStatus: turn \| 0 calls/),
		"setWorkingMessage: ",
		"setStatus: turn",
		expect.stringMatching(/^notify: Done after 2 turns, [\d.]+ s\.$/),
	]);
});

test("answer-speed: it is shown while the answer streams, and stored in the session", async () => {
	await using fixture = await play(
		"answer-speed.ts",
		{ steps: [{ answer: { blocks: [{ text: "x".repeat(100), chunks: 4 }] } }] },
		yes,
	);
	await fixture.prompt("go");
	expect(fixture.shown.length).toBeGreaterThan(1);
	expect(fixture.shown.at(-1)).toBe("setWidget: speed");
	expect(fixture.log.getEntries()).toContainEqual(
		expect.objectContaining({ customType: "answer-speed", data: { chars: 100, ms: expect.any(Number) } }),
	);
});

test("keep-going: the model is reminded once of open items", async () => {
	await using fixture = await play("keep-going.ts", { steps: ["Done.", "Really done.", "Hello."] });
	writeFileSync(join(fixture.cwd, "TODO.md"), "- [x] one\n- [ ] two\n");
	await fixture.prompt("work");
	expect(fixture.played.requests).toHaveLength(2);
	expect(fixture.request(1)).toContain("TODO.md has open items:\\n- [ ] two");
	expect(fixture.request(1)).not.toContain("- [x] one");
	writeFileSync(join(fixture.cwd, "TODO.md"), "- [x] two\n");
	await fixture.prompt("hi");
	expect(fixture.played.requests).toHaveLength(3);
});

test("request-log: requests carry the session id and the added fields", async () => {
	await using fixture = await play("request-log.ts", { steps: ["Ok."] });
	await fixture.prompt("go");
	const [request] = fixture.played.requests;
	expect(request?.body).toMatchObject({ metadata: { user_id: "somebody" } });
	expect(request?.headers["x-tau-session"]).toBe(fixture.log.getSessionId());
});

test("careful-models: the current model is shown, and thinking is enabled if it supports it", async () => {
	await using fixture = await play("careful-models.ts", { steps: [] }, yes);
	fixture.session.setThinkingLevel("high");
	fixture.session.setThinkingLevel("off");
	const model = { ...fixture.session.model, id: "thinker", reasoning: true };
	fixture.session.setModel(model);
	await fixture.until("thinker (low)");
	expect(fixture.session.state.thinkingLevel).toBe("low");
	expect(fixture.shown[0]).toBe("setStatus: model | played-1 (high)");
});

test("trouble: a retry is shown, and removed after the last attempt", async () => {
	const busy = { fault: { http: 529 } as const };
	await using fixture = await play("trouble.ts", { steps: [busy, busy, busy] }, { ...yes, retries: 1 });
	await fixture.prompt("go");
	await fixture.until("Gave up");
	expect(fixture.shown).toEqual([
		"setStatus: trouble | try 1 of 1 in 0 s",
		"setStatus: trouble",
		"notify: Gave up after 1 attempts. | error",
	]);
});

test("trouble: a triggered rule and open tasks are named", async () => {
	await using fixture = await play("trouble.ts", { steps: [] }, yes);
	await fixture.session.emit({
		type: "ttsr_triggered",
		rules: [{ name: "no-any", path: "/r.md" } as never],
	});
	await fixture.session.emit({
		type: "retry_fallback_applied",
		from: "a/one",
		to: "b/two",
		role: "default",
		reason: "overloaded",
	});
	await fixture.session.emit({ type: "retry_fallback_succeeded", model: "b/two", role: "default" });
	const todos = [{ content: "sweep", status: "pending" as const }];
	await fixture.session.emit({ type: "todo_reminder", todos, attempt: 1, maxAttempts: 3 });
	expect(fixture.shown).toEqual([
		"notify: Stopped by a rule: no-any | warning",
		"setStatus: trouble | b/two instead of a/one",
		"setStatus: trouble | with b/two",
		"notify: 1 tasks are open: reminder 1 of 3.",
	]);
});

test("name-session: the first prompt becomes the session name and the terminal title", async () => {
	await using fixture = await play("name-session.ts", { steps: ["One.", "Two."] }, yes);
	await fixture.prompt("Mend the roof\nof the house");
	await fixture.prompt("And the door");
	expect(fixture.log.getSessionName()).toBe("Mend the roof");
	expect(fixture.shown).toEqual(["setTitle: tau: Mend the roof"]);
});

test("later: the prompt is sent after its delay", async () => {
	await using fixture = await play("later.ts", { steps: ["Looked."] }, yes);
	await fixture.prompt("/later soon");
	await fixture.prompt("/later 0.01 look at the tests");
	await fixture.until("setStatus: later");
	await fixture.session.waitForIdle();
	expect(fixture.request(0)).toContain("look at the tests");
	expect(fixture.shown).toEqual([
		"notify: /later 10 look at the tests | warning",
		"notify: In 0.01 s.",
		"setStatus: later",
	]);
});
