/** Hooks run at the same points of a session as in Claude Code, and their output has the same effect. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { limits } from "./limits.ts";
import {
	call,
	gone,
	hookFixtureWith,
	matching,
	says,
	there,
	type Hooks,
	type HookFixture,
} from "../../../../test/support/hooks.ts";

const fixtureOf = hookFixtureWith((steps: Scenario["steps"]) => playModel({ steps }));

describe("a prompt", () => {
	test("includes a hook's output, and the first prompt also that of SessionStart", async () => {
		await using fixture = await fixtureOf(
			{
				SessionStart: "echo today is a Sunday",
				UserPromptSubmit: "cat > input.json; echo the tests are red",
			},
			["Ok.", "Ok."],
		);
		await fixture.session.prompt({ text: "go" });
		const [first] = fixture.played.requests;
		expect(first?.rawBody).toContain("today is a Sunday");
		expect(first?.rawBody).toContain("the tests are red");
		expect(fixture.hookInput("input.json")).toMatchObject({
			hook_event_name: "UserPromptSubmit",
			prompt: "go",
		});
		await fixture.session.prompt({ text: "again" });
		expect(fixture.played.requests[1]?.rawBody.split("today is a Sunday").length).toBe(2);
	});

	test("that is queued includes a hook's output", async () => {
		const steps = [call("bash", { command: "until [ -e go ]; do sleep 0.01; done" }), "Ok.", "Ok."];
		await using fixture = await fixtureOf({ UserPromptSubmit: "echo the tests are red" }, steps);
		const answering = fixture.session.prompt({ text: "go" });
		const running = Promise.withResolvers<void>();
		using _ = fixture.session.subscribe((event) => {
			if (event.type === "tool_execution_start") running.resolve();
		});
		await running.promise;
		const later = await fixture.session.input({ text: "and then?" });
		expect(later?.text).toBe("and then?\n\nthe tests are red");
		writeFileSync(join(fixture.env.cwd, "go"), "");
		await answering;
	});

	test("of an extension is not the user's, and no hook runs for it", async () => {
		await using fixture = await fixtureOf({ UserPromptSubmit: "exit 2" }, ["Ok."]);
		await fixture.session.prompt({ text: "go", source: "extension" });
		expect(fixture.played.requests.length).toBe(1);
	});

	test("that a hook blocks is not sent, and the user reads why", async () => {
		await using fixture = await fixtureOf(
			{ UserPromptSubmit: says({ decision: "block", reason: "it names a key" }) },
			["Never."],
		);
		await expect(fixture.session.prompt({ text: "go" })).rejects.toThrow("it names a key");
		expect(fixture.played.requests).toEqual([]);
		expect(fixture.session.state.messages).toEqual([]);
		expect(fixture.notices).toEqual(["A hook blocked the prompt: it names a key"]);
	});
});

describe("when the model would stop", () => {
	test("a hook makes it continue with its reason, and is informed that it did", async () => {
		const command = `cat > input.json; if [ -e once ]; then exit 0; fi; touch once; echo 'run the tests first' >&2; exit 2`;
		await using fixture = await fixtureOf({ Stop: command }, ["I am done.", "Now I am.", "Again."]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.played.requests.length).toBe(2);
		expect(fixture.played.requests[1]?.rawBody).toContain("[Stop hook] run the tests first");
		expect(fixture.hookInput("input.json")).toMatchObject({
			stop_hook_active: true,
			last_assistant_message: "Now I am.",
		});
		await fixture.session.prompt({ text: "again" });
		expect(fixture.hookInput("input.json")).toMatchObject({ stop_hook_active: false });
	});

	test("agent_end is emitted after the hook is done, so exiting then interrupts nothing", async () => {
		await using fixture = await fixtureOf({ Stop: "sleep 0.1; touch stopped" }, ["Done."]);
		const stopped = join(fixture.env.cwd, "stopped");
		let isThere: boolean | undefined;
		fixture.session.subscribe((event) => {
			if (event.type === "agent_end") isThere = existsSync(stopped);
		});
		await fixture.session.prompt({ text: "go" });
		expect(isThere).toBe(true);
	});

	test("a hook that always blocks the stop is ignored in the end", async () => {
		const steps = Array.from({ length: limits.stopsInARow + 5 }, () => "Done.");
		await using fixture = await fixtureOf({ Stop: "exit 2" }, steps);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.played.requests.length).toBe(limits.stopsInARow + 1);
		expect(fixture.notices.join()).toContain("It is now ignored");
	});

	test("a failure runs StopFailure instead of Stop", async () => {
		await using fixture = await fixtureOf({ Stop: "touch stopped", StopFailure: "cat > input.json" }, [
			{ fault: { http: 401 } },
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.hookInput("input.json")).toMatchObject({ hook_event_name: "StopFailure", error: "auth" });
		expect(existsSync(join(fixture.env.cwd, "stopped"))).toBe(false);
	});
});

describe("a compaction", () => {
	const words = Array.from({ length: 8 }, (_, index) => `word ${index} `.repeat(200));

	async function compacting(hooks: Hooks): Promise<{ outcome: string; stage: HookFixture }> {
		const fixture = await fixtureOf(hooks, [...words, "The summary.", "Ok."]);
		for (const [index] of words.entries()) await fixture.session.prompt({ text: `prompt ${index}` });
		const outcome = await fixture.session.compact("be short").then(
			({ summary }) => summary,
			(error: unknown) => String(error),
		);
		return { outcome, stage: fixture };
	}

	test("can be blocked", async () => {
		const { outcome, stage: fixture } = await compacting({
			PreCompact: matching("manual", "cat > input.json; echo later >&2; exit 2"),
		});
		await using _ = fixture;
		expect(outcome).toContain("cancelled the compaction");
		expect(fixture.notices).toEqual(["A hook blocked the compaction: later"]);
		expect(fixture.hookInput("input.json")).toMatchObject({
			trigger: "manual",
			custom_instructions: "be short",
		});
	});

	test("runs PostCompact, and SessionStart again for the new context", async () => {
		const { outcome, stage: fixture } = await compacting({
			PreCompact: matching("auto", "exit 2"),
			PostCompact: "touch compacted",
			SessionStart: matching("compact", "echo remember the rules"),
		});
		await using _ = fixture;
		expect(outcome).toContain("The summary.");
		expect(existsSync(join(fixture.env.cwd, "compacted"))).toBe(true);
		await fixture.session.prompt({ text: "on" });
		expect(fixture.played.requests.at(-1)?.rawBody).toContain("remember the rules");
	});
});

test("a Notification hook runs when the session waits for the user after an answer", async () => {
	await using fixture = await fixtureOf(
		{ Notification: matching("idle_prompt", "cat > input.json.draft; mv input.json.draft input.json") },
		["Ok."],
		{ deadline: { idleMs: 1 } },
	);
	await fixture.session.prompt({ text: "go" });
	await there(join(fixture.env.cwd, "input.json"));
	expect(fixture.hookInput("input.json")).toMatchObject({
		hook_event_name: "Notification",
		message: "Tau is waiting for your input",
	});
});

test("SessionStart and SessionEnd run with the project in the environment", async () => {
	const keep = 'cat > "$CLAUDE_PROJECT_DIR/$TAU_HOOK_EVENT.json"; env > env';
	const fixture = await fixtureOf({ SessionStart: matching("startup", keep), SessionEnd: keep }, [], {
		env: { env: { PATH: process.env.PATH, OPENAI_API_KEY: "sk-secret" } },
	});
	const { cwd } = fixture.env;
	await fixture.session[Symbol.asyncDispose]();
	expect(fixture.hookInput("SessionStart.json")).toMatchObject({
		hook_event_name: "SessionStart",
		source: "startup",
	});
	expect(fixture.hookInput("SessionEnd.json")).toMatchObject({
		hook_event_name: "SessionEnd",
		reason: "other",
	});
	const env = readFileSync(join(cwd, "env"), "utf8");
	expect(env).toContain("TAU_SESSION_ID=s-1");
	expect(env).not.toContain("sk-secret");
	await fixture[Symbol.asyncDispose]();
});

test("an async hook does not delay the call, and is ended with the session", async () => {
	const hook = matching("*", "echo $$ > pid; touch began; sleep 1000", { async: true });
	const fixture = await fixtureOf({ PreToolUse: hook }, [call("bash", { command: "echo ran" }), "Ok."]);
	await fixture.session.prompt({ text: "go" });
	expect(fixture.results()).toEqual(["ran"]);
	await there(join(fixture.env.cwd, "began"));
	const pid = Number(readFileSync(join(fixture.env.cwd, "pid"), "utf8"));
	await fixture[Symbol.asyncDispose]();
	await gone(pid);
});

test("a hook's text reaches the terminal without control sequences and within a limit", async () => {
	const message = `\u001b]0;owned\u0007${"x".repeat(5000)}`;
	await using fixture = await fixtureOf({ UserPromptSubmit: says({ systemMessage: message }) }, ["Ok."]);
	writeFileSync(join(fixture.env.cwd, "x"), "");
	await fixture.session.prompt({ text: "go" });
	const [notice = ""] = fixture.notices;
	expect(notice).not.toContain("\u001b");
	expect(notice.length).toBeLessThanOrEqual(limits.noticeChars + 1);
});
