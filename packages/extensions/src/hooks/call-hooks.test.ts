/** Hooks around a call work as in Claude Code: they block it, change it, and add to its result. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolGate } from "@tau/agent";
import { playModel, type Scenario } from "@tau/ai/testing";
import type { Behavior } from "@tau/session";
import { call, gone, hookFixtureWith, matching, says, there } from "../../../../test/support/hooks.ts";

const fixtureOf = hookFixtureWith((steps: Scenario["steps"]) => playModel({ steps }));

/** A gate after the hooks, as the approval policy is. */
function judging(judge: NonNullable<ToolGate["judge"]>): Behavior {
	return { name: "policy", attach: (session) => session.gateTools({ name: "policy", judge }) };
}

describe("before a call", () => {
	test("exit code 2 blocks it, and the model reads why", async () => {
		await using fixture = await fixtureOf(
			{ PreToolUse: matching("Bash", "cat > input.json; echo 'no rm here' >&2; exit 2") },
			[call("bash", { command: "touch ran" }), "Ok."],
		);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["no rm here"]);
		expect(existsSync(join(fixture.env.cwd, "ran"))).toBe(false);
		expect(fixture.hookInput("input.json")).toMatchObject({
			session_id: "s-1",
			transcript_path: "/log.jsonl",
			cwd: fixture.env.cwd,
			hook_event_name: "PreToolUse",
			tool_name: "Bash",
			tau_tool_name: "bash",
			tool_input: { command: "touch ran" },
		});
	});

	test("output that is not JSON does not reach the model", async () => {
		await using fixture = await fixtureOf({ PreToolUse: "echo noise", PostToolUse: "echo noise" }, [
			call("bash", { command: "echo ran" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["ran"]);
		expect(fixture.notices).toEqual([]);
	});

	test("another exit code is a failure of the hook: it is reported, and the call runs", async () => {
		await using fixture = await fixtureOf({ PreToolUse: "echo broken >&2; exit 1" }, [
			call("bash", { command: "echo ran" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["ran"]);
		expect(fixture.notices.join()).toContain("failed: it exited with 1: broken");
	});

	test("a hook that cannot run or times out is reported and does not block", async () => {
		const hooks = [
			{ type: "command", command: "/no/such/hook", args: [] },
			{ command: "sleep 100", timeout: 0.1 },
		];
		await using fixture = await fixtureOf({ PreToolUse: [{ hooks }] }, [
			call("bash", { command: "echo ran" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["ran"]);
		expect(fixture.notices.join()).toContain("/no/such/hook");
		expect(fixture.notices.join()).toContain("it timed out");
	});

	test("the strictest of several hooks decides", async () => {
		const decide = (permissionDecision: string, permissionDecisionReason: string): object => ({
			hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason },
		});
		const commands = [
			says(decide("allow", "fine")),
			says(decide("deny", "not today")),
			says({ decision: "approve" }),
		];
		const hooks = commands.map((command) => ({ type: "command", command }));
		await using fixture = await fixtureOf({ PreToolUse: [{ hooks }] }, [
			call("bash", { command: "touch ran" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["not today"]);
	});

	test("new arguments in Claude Code's names are what the tool runs with", async () => {
		const program = `const { file_path, content } = (await Bun.stdin.json()).tool_input;
			const updatedInput = { file_path: file_path.replace("a.txt", "b.txt"), content: content + "!" };
			console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } }));`;
		const update = `'${process.execPath}' -e '${program}'`;
		await using fixture = await fixtureOf({ PreToolUse: matching("Write|Edit", update) }, [
			call("write", { path: "a.txt", content: "hello" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(existsSync(join(fixture.env.cwd, "a.txt"))).toBe(false);
		expect(readFileSync(join(fixture.env.cwd, "b.txt"), "utf8")).toBe("hello!");
	});

	test("new arguments replace all others: what a hook omits is omitted", async () => {
		const updatedInput = { command: "echo ${WORD:-nothing}" };
		await using fixture = await fixtureOf({ PreToolUse: says({ hookSpecificOutput: { updatedInput } }) }, [
			call("bash", { command: "true", env: { WORD: "something" } }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["nothing"]);
	});

	test("a hook runs again if an extension changes the call after it", async () => {
		const meddler: Behavior = {
			name: "meddler",
			attach: (session) =>
				session.gateTools({ name: "Meddler", rewrite: () => ({ arguments: { command: "touch ran" } }) }),
		};
		const guard = `if grep -q '"command":"touch'; then echo 'no touching' >&2; exit 2; fi`;
		await using fixture = await fixtureOf(
			{ PreToolUse: matching("Bash", guard) },
			[call("bash", { command: "echo harmless" }), "Ok."],
			{ behaviors: [meddler] },
		);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results()).toEqual(["no touching"]);
		expect(existsSync(join(fixture.env.cwd, "ran"))).toBe(false);
	});

	test("invalid new arguments block the call", async () => {
		const answer = { hookSpecificOutput: { updatedInput: { content: 7 } } };
		await using fixture = await fixtureOf({ PreToolUse: says(answer) }, [
			call("write", { path: "a.txt", content: "hello" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results().join()).toContain(
			"A PreToolUse hook changed the arguments of write, and they are not valid: path:",
		);
		expect(existsSync(join(fixture.env.cwd, "a.txt"))).toBe(false);
	});

	test('a hook\'s "ask" becomes an approval, which is a no without a user', async () => {
		const ask = says({
			hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "it is Sunday" },
		});
		const steps = [call("bash", { command: "echo ran" }), "Ok."];
		await using alone = await fixtureOf({ PreToolUse: ask }, steps);
		await alone.session.prompt({ text: "go" });
		expect(alone.results().join()).toContain("nobody can be asked: a hook asks about bash: it is Sunday");
		for (const [verdict, outcome] of [
			[{ allow: true, asked: true }, "ran"],
			[{ allow: false, reason: "not today" }, "not today"],
		] as const) {
			const asked: (readonly string[] | undefined)[] = [];
			await using hookFixture = await fixtureOf({ PreToolUse: ask }, steps, {
				behaviors: [judging(({ askFor }) => (asked.push(askFor && [...askFor]), verdict))],
			});
			await hookFixture.session.prompt({ text: "go" });
			expect(asked).toEqual([["a hook asks about bash: it is Sunday"]]);
			expect(hookFixture.results().join()).toContain(outcome);
		}
	});

	test('a hook\'s "allow" is known to the policy, which need not ask then', async () => {
		const allow = says({ hookSpecificOutput: { permissionDecision: "allow" } });
		const seen: unknown[] = [];
		await using fixture = await fixtureOf(
			{ PreToolUse: allow },
			[call("bash", { command: "echo ran" }), "Ok."],
			{
				behaviors: [judging(({ allowedBy }) => void seen.push(allowedBy))],
			},
		);
		await fixture.session.prompt({ text: "go" });
		expect(seen).toEqual(["A PreToolUse hook"]);
	});

	test("continue: false ends the run, and the user reads the reason", async () => {
		await using fixture = await fixtureOf(
			{ PreToolUse: says({ continue: false, stopReason: "enough for today" }), Stop: "exit 2" },
			[call("bash", { command: "touch ran" }), "Never said."],
		);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.played.requests.length).toBe(1);
		expect(fixture.notices).toEqual(["enough for today"]);
		expect(existsSync(join(fixture.env.cwd, "ran"))).toBe(false);
	});

	test("a command that is configured twice runs once, and its matcher selects the calls", async () => {
		const once = { type: "command", command: "echo x >> count" };
		const rule = { type: "command", command: "echo y >> rule", if: "Bash(git *)" };
		await using fixture = await fixtureOf(
			{
				PreToolUse: [
					{ matcher: "Bash", hooks: [once, rule] },
					{ matcher: "*", hooks: [once] },
				],
			},
			[call("bash", { command: "true" }), call("bash", { command: "cd . && git --version" }), "Ok."],
		);
		await fixture.session.prompt({ text: "go" });
		expect(readFileSync(join(fixture.env.cwd, "count"), "utf8")).toBe("x\nx\n");
		expect(readFileSync(join(fixture.env.cwd, "rule"), "utf8")).toBe("y\n");
	});

	test("a hook's context for the model follows the result, and does not block other calls", async () => {
		const add = says({ hookSpecificOutput: { additionalContext: "mind the cache" } });
		const two = ["one", "two"].map((word) => ({
			toolCall: { name: "bash", arguments: { command: `echo ${word}` } },
		}));
		await using fixture = await fixtureOf({ PreToolUse: add }, [{ answer: { blocks: two } }, "Ok."]);
		await fixture.session.prompt({ text: "go" });
		const said = "[PreToolUse hook] mind the cache";
		expect(fixture.results()).toEqual([`one|${said}`, `two|${said}`]);
	});

	test("a slow hook is named once", async () => {
		const steps = [call("bash", { command: "true" }), call("bash", { command: "true" }), "Ok."];
		const wait = "until [ -e go ]; do sleep 0.01; done";
		await using fixture = await fixtureOf({ PreToolUse: wait }, steps, { deadline: { slowMs: 1 } });
		fixture.session.subscribe((event) => {
			if (event.type === "notice") writeFileSync(join(fixture.env.cwd, "go"), "");
		});
		await fixture.session.prompt({ text: "go" });
		expect(fixture.notices).toEqual([`The PreToolUse hook "${wait}" is still running. Esc stops it.`]);
	});

	test("Escape ends a hook with its children", async () => {
		await using fixture = await fixtureOf({ PreToolUse: "sleep 1000 & echo $! > pid; touch began; wait" }, [
			call("bash", { command: "touch ran" }),
		]);
		const answering = fixture.session.prompt({ text: "go" });
		await there(join(fixture.env.cwd, "began"));
		fixture.session.abort();
		await answering;
		const pid = Number(readFileSync(join(fixture.env.cwd, "pid"), "utf8"));
		await gone(pid);
		expect(existsSync(join(fixture.env.cwd, "ran"))).toBe(false);
	});
});

describe("after a call", () => {
	test("a hook's objection follows the result, for the model", async () => {
		await using fixture = await fixtureOf(
			{ PostToolUse: matching("Write", "cat > input.json; echo 'line 1 is too long' >&2; exit 2") },
			[call("write", { path: "a.txt", content: "hello" }), "Ok."],
		);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results().join()).toContain("[PostToolUse hook] line 1 is too long");
		const path = join(fixture.env.cwd, "a.txt");
		expect(fixture.hookInput("input.json")).toMatchObject({
			tool_name: "Write",
			tool_input: { file_path: path, path: "a.txt", content: "hello" },
			tool_response: { filePath: path, success: true },
		});
	});

	test("a failed call is a different event", async () => {
		const add = { hookSpecificOutput: { additionalContext: "try again" } };
		await using fixture = await fixtureOf({ PostToolUse: "touch wrong", PostToolUseFailure: says(add) }, [
			call("bash", { command: "exit 3" }),
			"Ok.",
		]);
		await fixture.session.prompt({ text: "go" });
		expect(fixture.results().join()).toContain("try again");
		expect(existsSync(join(fixture.env.cwd, "wrong"))).toBe(false);
	});
});
