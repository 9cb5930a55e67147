/** Hooks hear the moments of a session as they do in Claude Code, and what they say is heeded. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { limits } from "./limits.ts";
import {
	call,
	gone,
	hookStageWith,
	matching,
	says,
	there,
	type Hooks,
	type HookStage,
} from "../../../../test/support/hooks.ts";

const stageOf = hookStageWith((steps: Scenario["steps"]) => playModel({ steps }));

describe("a prompt", () => {
	test("gets what a hook prints along, and so does the first one from the beginning of the session", async () => {
		await using stage = await stageOf(
			{ SessionStart: "echo today is a Sunday", UserPromptSubmit: "cat > told.json; echo the tests are red" },
			["Ok.", "Ok."],
		);
		await stage.session.prompt({ text: "go" });
		const [first] = stage.played.requests;
		expect(first?.rawBody).toContain("today is a Sunday");
		expect(first?.rawBody).toContain("the tests are red");
		expect(stage.told("told.json")).toMatchObject({ hook_event_name: "UserPromptSubmit", prompt: "go" });
		await stage.session.prompt({ text: "again" });
		expect(stage.played.requests[1]?.rawBody.split("today is a Sunday").length).toBe(2);
	});

	test("that waits for its turn brings along what a hook says to it", async () => {
		const steps = [call("bash", { command: "until [ -e go ]; do sleep 0.01; done" }), "Ok.", "Ok."];
		await using stage = await stageOf({ UserPromptSubmit: "echo the tests are red" }, steps);
		const answering = stage.session.prompt({ text: "go" });
		const running = Promise.withResolvers<void>();
		using _ = stage.session.subscribe((event) => {
			if (event.type === "tool_execution_start") running.resolve();
		});
		await running.promise;
		const later = await stage.session.input({ text: "and then?" });
		expect(later?.text).toBe("and then?\n\nthe tests are red");
		writeFileSync(join(stage.place.cwd, "go"), "");
		await answering;
	});

	test("of an extension is not the person's, and no hook is told of it", async () => {
		await using stage = await stageOf({ UserPromptSubmit: "exit 2" }, ["Ok."]);
		await stage.session.prompt({ text: "go", source: "extension" });
		expect(stage.played.requests.length).toBe(1);
	});

	test("is not said when a hook says no, and the person reads why", async () => {
		await using stage = await stageOf(
			{ UserPromptSubmit: says({ decision: "block", reason: "it names a key" }) },
			["Never."],
		);
		await stage.session.prompt({ text: "go" });
		expect(stage.played.requests).toEqual([]);
		expect(stage.session.state.messages).toEqual([]);
		expect(stage.notices).toEqual(["A hook blocked the prompt: it names a key"]);
	});
});

describe("when the model would stop", () => {
	test("a hook sends it on with its reason, and knows that it did", async () => {
		const command = `cat > told.json; if [ -e once ]; then exit 0; fi; touch once; echo 'run the tests first' >&2; exit 2`;
		await using stage = await stageOf({ Stop: command }, ["I am done.", "Now I am.", "Again."]);
		await stage.session.prompt({ text: "go" });
		expect(stage.played.requests.length).toBe(2);
		expect(stage.played.requests[1]?.rawBody).toContain("[Stop hook] run the tests first");
		expect(stage.told("told.json")).toMatchObject({
			stop_hook_active: true,
			last_assistant_message: "Now I am.",
		});
		await stage.session.prompt({ text: "again" });
		expect(stage.told("told.json")).toMatchObject({ stop_hook_active: false });
	});

	test("the end is told when the hook is done: whoever leaves then cuts nothing off", async () => {
		await using stage = await stageOf({ Stop: "sleep 0.1; touch stopped" }, ["Done."]);
		const stopped = join(stage.place.cwd, "stopped");
		let isThere: boolean | undefined;
		stage.session.subscribe((event) => {
			if (event.type === "agent_end") isThere = existsSync(stopped);
		});
		await stage.session.prompt({ text: "go" });
		expect(isThere).toBe(true);
	});

	test("a hook that never lets it stop is not heeded for ever", async () => {
		const steps = Array.from({ length: limits.stopsInARow + 5 }, () => "Done.");
		await using stage = await stageOf({ Stop: "exit 2" }, steps);
		await stage.session.prompt({ text: "go" });
		expect(stage.played.requests.length).toBe(limits.stopsInARow + 1);
		expect(stage.notices.join()).toContain("It is now ignored");
	});

	test("after a failure it is told of that, and after an abort of nothing", async () => {
		await using stage = await stageOf({ Stop: "touch stopped", StopFailure: "cat > told.json" }, [
			{ fault: { http: 401 } },
		]);
		await stage.session.prompt({ text: "go" });
		expect(stage.told("told.json")).toMatchObject({ hook_event_name: "StopFailure", error: "auth" });
		expect(existsSync(join(stage.place.cwd, "stopped"))).toBe(false);
	});
});

describe("a compaction", () => {
	const words = Array.from({ length: 8 }, (_, index) => `word ${index} `.repeat(200));

	async function compacting(hooks: Hooks): Promise<{ outcome: string; stage: HookStage }> {
		const stage = await stageOf(hooks, [...words, "The summary.", "Ok."]);
		for (const [index] of words.entries()) await stage.session.prompt({ text: `prompt ${index}` });
		const outcome = await stage.session.compact("be short").then(
			({ summary }) => summary,
			(error: unknown) => String(error),
		);
		return { outcome, stage };
	}

	test("may be kept from happening", async () => {
		const { outcome, stage } = await compacting({
			PreCompact: matching("manual", "cat > told.json; echo later >&2; exit 2"),
		});
		await using _ = stage;
		expect(outcome).toContain("cancelled the compaction");
		expect(stage.notices).toEqual(["A hook blocked the compaction: later"]);
		expect(stage.told("told.json")).toMatchObject({ trigger: "manual", custom_instructions: "be short" });
	});

	test("is told of, and what belongs to the beginning is said again behind it", async () => {
		const { outcome, stage } = await compacting({
			PreCompact: matching("auto", "exit 2"),
			PostCompact: "touch compacted",
			SessionStart: matching("compact", "echo remember the rules"),
		});
		await using _ = stage;
		expect(outcome).toContain("The summary.");
		expect(existsSync(join(stage.place.cwd, "compacted"))).toBe(true);
		await stage.session.prompt({ text: "on" });
		expect(stage.played.requests.at(-1)?.rawBody).toContain("remember the rules");
	});
});

test("whoever waits for the person is told of it, once a prompt is answered", async () => {
	await using stage = await stageOf(
		{ Notification: matching("idle_prompt", "cat > told.json.draft; mv told.json.draft told.json") },
		["Ok."],
		{ patience: { idleMs: 1 } },
	);
	await stage.session.prompt({ text: "go" });
	await there(join(stage.place.cwd, "told.json"));
	expect(stage.told("told.json")).toMatchObject({
		hook_event_name: "Notification",
		message: "Tau is waiting for your input",
	});
});

test("the beginning and the end of a session are told, with the project in the environment", async () => {
	const keep = 'cat > "$CLAUDE_PROJECT_DIR/$TAU_HOOK_EVENT.json"; env > env';
	const stage = await stageOf({ SessionStart: matching("startup", keep), SessionEnd: keep }, [], {
		place: { env: { PATH: process.env.PATH, OPENAI_API_KEY: "sk-secret" } },
	});
	const { cwd } = stage.place;
	await stage.session[Symbol.asyncDispose]();
	expect(stage.told("SessionStart.json")).toMatchObject({
		hook_event_name: "SessionStart",
		source: "startup",
	});
	expect(stage.told("SessionEnd.json")).toMatchObject({ hook_event_name: "SessionEnd", reason: "other" });
	const env = readFileSync(join(cwd, "env"), "utf8");
	expect(env).toContain("TAU_SESSION_ID=s-1");
	expect(env).not.toContain("sk-secret");
	await stage[Symbol.asyncDispose]();
});

test("a hook that nobody waits for does not hold up the call, and is ended with the session", async () => {
	const hook = matching("*", "echo $$ > pid; touch began; sleep 1000", { async: true });
	const stage = await stageOf({ PreToolUse: hook }, [call("bash", { command: "echo ran" }), "Ok."]);
	await stage.session.prompt({ text: "go" });
	expect(stage.results()).toEqual(["ran"]);
	await there(join(stage.place.cwd, "began"));
	const pid = Number(readFileSync(join(stage.place.cwd, "pid"), "utf8"));
	await stage[Symbol.asyncDispose]();
	await gone(pid);
});

test("nothing of a hook reaches the terminal as a command to it, nor in any length", async () => {
	const message = `\u001b]0;owned\u0007${"x".repeat(5000)}`;
	await using stage = await stageOf({ UserPromptSubmit: says({ systemMessage: message }) }, ["Ok."]);
	writeFileSync(join(stage.place.cwd, "x"), "");
	await stage.session.prompt({ text: "go" });
	const [notice = ""] = stage.notices;
	expect(notice).not.toContain("\u001b");
	expect(notice.length).toBeLessThanOrEqual(limits.noticeChars + 1);
});
