/** Common patterns of third-party extensions, each working in the compiled program. */
import { describe, expect, test } from "bun:test";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { needs } from "../../support/needs.ts";
import { openTau, type OpenTau } from "../../interactive/driver.ts";
import { model, startRpc, type Frame, type RpcProcess } from "../../rpc/rpc-process.ts";
import { launch, type Launched } from "../../support/launch.ts";

const folder = join(import.meta.dir, "fixtures");
const loading = (...names: string[]): string[] => names.flatMap((name) => ["-e", join(folder, name)]);

interface Fixture extends AsyncDisposable {
	tau: Launched;
	rpc: RpcProcess;
}

interface Options {
	scenario?: Scenario;
	/** Before Tau starts. */
	prepare?(tau: Launched): string[] | void;
	env?(tau: Launched): Record<string, string>;
}

async function openFixture(
	names: string[],
	{ scenario = { steps: [] }, prepare, env }: Options = {},
): Promise<Fixture> {
	const tau = await launch(scenario);
	const more = prepare?.(tau) ?? [];
	const rpc = startRpc(tau, [...model, ...loading(...names), ...more], env?.(tau) ?? {});
	return {
		tau,
		rpc,
		async [Symbol.asyncDispose]() {
			await rpc[Symbol.asyncDispose]();
			await tau[Symbol.asyncDispose]();
		},
	};
}

const callOf = (name: string, args: object = {}) => ({
	answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] },
});

const shows = (method: string, words: string) => (frame: Frame) =>
	frame.type === "extension_ui_request" && frame.method === method && JSON.stringify(frame).includes(words);

/** Sends a command and waits for its notification. */
async function waitForNotice({ rpc }: Fixture, command: string, words: string): Promise<void> {
	await rpc.ask({ type: "prompt", message: command });
	await rpc.until(shows("notify", words));
}

async function say({ rpc }: Fixture, message: string): Promise<void> {
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message });
	await rpc.until(({ type }) => type === "agent_end", from);
	await rpc.ask({ type: "get_state" });
}

const bodyOf = ({ tau }: Fixture, index: number): string => tau.played.requests[index]?.rawBody ?? "";

test("modules of every kind load unchanged: TypeScript, JavaScript, CommonJS, folders, packages", async () => {
	await using on = await openFixture(
		[
			"namespace-import.ts",
			"with-lib",
			"async-factory.ts",
			"lazy-import.ts",
			"common.cts",
			"create-require.mts",
			"plain.js",
		],
		{
			prepare(tau) {
				const copy = join(tau.home, "pkg");
				cpSync(join(folder, "pkg"), copy, { recursive: true });
				const dependency = join(copy, "node_modules/left-words");
				mkdirSync(dependency, { recursive: true });
				writeFileSync(join(dependency, "package.json"), '{"name":"left-words","main":"main.cjs"}');
				writeFileSync(join(dependency, "main.cjs"), `exports.words = (text) => text.split(" ");`);
				return ["-e", copy, "--shout"];
			},
		},
	);
	await waitForNotice(on, "/sdk", "sdk true 3 3");
	await waitForNotice(on, "/board one", "low: card-one");
	await waitForNotice(on, "/config", "config default ready");
	await waitForNotice(on, "/lazy", "lazy 3 HI! string");
	await waitForNotice(on, "/common", "common true");
	await waitForNotice(on, "/required", "required pattern-pkg create-require.mts");
	await waitForNotice(on, "/plain hello", "HELLO");
	await waitForNotice(on, "/pkg a b c", "pkg 1.2.3 3");
});

test("tools: state in details, schemas of all builders, wrapped built-ins, cut output, a sidecar", async () => {
	await using on = await openFixture(
		["state-in-details.ts", "omp-injected.ts", "wrapped-builtin.ts", "truncated-tool.ts", "rpc-child.ts"],
		{
			scenario: {
				steps: [
					callOf("chores", { action: "add", text: "sweep" }),
					callOf("measure", { word: "tau" }),
					callOf("read", { path: "a.txt" }),
					callOf("many_lines", { count: 10 }),
					callOf("sidecar", { method: "ping" }),
					callOf("chores", { action: "fly" }),
					"Done.",
				],
			},
			prepare: (tau) => writeFileSync(join(tau.project, "a.txt"), "content\n"),
		},
	);
	await on.rpc.until(shows("setStatus", "ready"));
	await say(on, "work");
	expect(bodyOf(on, 1)).toContain("#1 sweep");
	expect(bodyOf(on, 2)).toContain("length 3");
	expect(bodyOf(on, 3)).toMatch(/\/\/ logged\\n.*content/);
	expect(bodyOf(on, 4)).toMatch(/line 2\\n\[3 of 10 lines \(\d+B\)\. Full output: /);
	expect(bodyOf(on, 5)).toContain("sidecar said ping");
	expect(bodyOf(on, 6)).toContain("action");
	await waitForNotice(on, "/chores", "1 chores");
});

test("guards and bridges: the user is asked, and secrets reach the shell but not the model", async () => {
	await using on = await openFixture(["permission-gate.ts", "placeholder-bridge.ts"], {
		scenario: {
			steps: [
				callOf("bash", { command: "sudo true" }),
				callOf("bash", { command: "echo {{SECRET_1}} | wc -c; echo {{SECRET_1}}" }),
				"Done.",
			],
		},
	});
	const from = on.rpc.frames.length;
	await on.rpc.ask({ type: "prompt", message: "use hunter2-secret" });
	const frame = await on.rpc.until(({ method }) => method === "select");
	expect(frame).toMatchObject({ title: "Dangerous: sudo true", options: ["Yes", "No"] });
	on.rpc.write({ type: "extension_ui_response", id: frame.id, value: "No" });
	await on.rpc.until(({ type }) => type === "agent_end", from);
	expect(bodyOf(on, 1)).toContain("Blocked by user");
	expect(bodyOf(on, 2)).toContain("15\\n{{SECRET_1}}");
	for (const { rawBody } of on.tau.played.requests) expect(rawBody).not.toContain("hunter2");
});

test("skills, prompts and themes beside an extension are used", async () => {
	await using on = await openFixture(["skill-kit"], { scenario: { steps: ["Tied.", "Again."] } });
	await say(on, "/tie boat");
	expect(bodyOf(on, 0)).toContain("Tie boat with a reef knot.");
	expect(bodyOf(on, 0)).toMatch(/- knots \([^)]*SKILL\.md\): How to tie knots\./);
	await say(on, "/skill:knots now");
	expect(bodyOf(on, 1)).toContain("left over right");
	const { data } = await on.rpc.ask({ type: "get_commands" });
	expect(JSON.stringify(data)).toMatch(/"tie".*skill:knots/);
});

test("remote shells, for the model and for the user", async () => {
	await using on = await openFixture(["ssh-like.ts"], {
		scenario: { steps: [callOf("bash", { command: "echo here" }), "Done."] },
	});
	await say(on, "go");
	expect(bodyOf(on, 1)).toContain("[far]\\nhere");
	expect(await on.rpc.ask({ type: "bash", command: "echo mine" })).toMatchObject({
		data: { output: expect.stringContaining("[far]\nmine"), exitCode: 0 },
	});
});

needs("git")(
	"modes, rules and checkpoints: tools are disabled, text is added, and the work tree is saved",
	async () => {
		const scenario = { steps: ["One.", callOf("bash", { command: "true" }), "Two."] };
		await using on = await openFixture(["plan-mode.ts", "rules-in-prompt.ts", "git-checkpoint.ts"], {
			scenario,
			prepare(tau) {
				mkdirSync(join(tau.project, ".claude/rules"), { recursive: true });
				writeFileSync(join(tau.project, ".claude/rules/style.md"), "Be brief.");
				const as = ["-c", "user.name=a", "-c", "user.email=a@b"];
				writeFileSync(join(tau.project, "file.txt"), "one");
				for (const args of [
					["init", "-q"],
					["add", "."],
					[...as, "commit", "-qm", "one"],
					["config", "user.name", "a"],
					["config", "user.email", "a@b"],
				])
					Bun.spawnSync(["git", ...args], { cwd: tau.project });
				appendFileSync(join(tau.project, "file.txt"), "two");
			},
		});
		await on.rpc.until(shows("notify", "Found 1 rule(s)"));
		await on.rpc.ask({ type: "prompt", message: "/plan" });
		await on.rpc.until(shows("setStatus", "plan"));
		await say(on, "think");
		const { tools: given } = JSON.parse(bodyOf(on, 0)) as { tools: { name: string }[] };
		const tools = given.map(({ name }) => name);
		expect(tools).toContain("read");
		expect(tools).not.toContain("bash");
		expect(bodyOf(on, 0)).toContain("PLAN MODE: change nothing.");
		expect(bodyOf(on, 0)).toContain("- .claude/rules/style.md");
		await on.rpc.ask({ type: "prompt", message: "/plan" });
		await say(on, "do");
		expect(bodyOf(on, 1)).toContain('"bash"');
		await waitForNotice(on, "/checkpoints", "checkpoints: ");
		const note = on.rpc.frames.find(shows("notify", "checkpoints: "));
		expect(Number(String(note?.message).split(" ")[1])).toBeGreaterThan(0);
	},
);

test("other models: one is called beside the conversation, and one behind a gateway answers", async () => {
	await using on = await openFixture(["small-model-namer.ts", "proxy-provider.ts"], {
		scenario: { steps: ["Mended roof", "Through the gateway."] },
		env: (tau) => ({ PATTERN_GATEWAY: tau.played.anthropicUrl, PATTERN_KEY: "secret-key" }),
	});
	await waitForNotice(on, "/name mend the roof", "named Mended roof");
	await waitForNotice(on, "/gateway", "gateway true");
	await say(on, "hello");
	const request = on.tau.played.requests[1];
	expect(request?.headers["x-gateway"]).toBe("yes");
	expect(request?.headers["x-api-key"]).toBe("secret-key");
	expect(request?.body).toMatchObject({ model: "gw-1" });
});

test("between extensions and from outside: the bus, patched calls, watched files, custom compaction", async () => {
	await using on = await openFixture(
		["shared-bus-a.ts", "shared-bus-b.ts", "patched-ui.ts", "file-trigger.ts", "compact-with-own-words.ts"],
		{ scenario: { steps: ["Heard.", "Long.", "More."] } },
	);
	await on.rpc.until(shows("notify", "watching"));
	await waitForNotice(on, "/weather Oslo", "weather in Oslo: sun");
	await on.rpc.ask({ type: "prompt", message: "/widget" });
	expect(await on.rpc.until(({ method }) => method === "setWidget")).toMatchObject({
		widgetLines: ["[patched] plain"],
	});
	const from = on.rpc.frames.length;
	writeFileSync(join(on.tau.project, "trigger.txt"), "build failed");
	await on.rpc.until(({ type }) => type === "agent_end", from);
	expect(bodyOf(on, 0)).toContain("External trigger: build failed");
	for (const text of ["word ".repeat(30_000), "word ".repeat(30_000)]) await say(on, text);
	const { data } = await on.rpc.ask({ type: "compact" });
	expect(data).toMatchObject({ summary: expect.stringMatching(/^\d+ lines of talk$/) });
	await on.rpc.until(shows("notify", "compacting true true"));
});

describe("in the terminal", () => {
	async function atScreen(scenario: Scenario, ...names: string[]): Promise<OpenTau> {
		const tau = await openTau(scenario, { args: loading(...names) });
		await tau.until("played-1");
		return tau;
	}

	test("a dialog with its own keys, messages in a box, a loader that is cancelled, and a footer", async () => {
		const question = callOf("question", { question: "Which way?", options: ["left", "right"] });
		await using tau = await atScreen(
			{ steps: [question, "Right it is."] },
			"question-form.ts",
			"boxed-message.ts",
			"loader.ts",
			"status-line.ts",
			"skill-kit",
		);
		tau.type("/theme sepia \r");
		tau.type("/theme \r");
		await tau.until("sepia (now)");
		tau.press("escape");
		await tau.untilGone("sepia (now)");
		tau.type("go\r");
		await tau.until("> left");
		tau.press("down");
		await tau.until("> right");
		tau.press("enter");
		await tau.until("Right it is.");
		expect(tau.screen()).toContain("answer: right");
		expect(tau.home.played.requests[1]?.rawBody).toContain("chose right");
		tau.type("/done all tests \r");
		await tau.until("[DONE] all tests");
		tau.press("ctrlO");
		await tau.until("[DONE] all tests at noon");
		tau.type("/load \r");
		await tau.until("Loading things...");
		tau.press("escape");
		await tau.until("load cancelled");
		tau.type("/footer \r");
		await tau.until(/out:\d+ +played-1 -/);
	});

	test("an editor class that draws its mode", async () => {
		await using tau = await atScreen({ steps: ["Heard."] }, "modal-editor.ts");
		await tau.until("INSERT");
		tau.type("abc");
		await tau.until("abc");
		tau.press("escape");
		await tau.until("NORMAL");
		tau.type("zzz");
		tau.type("i");
		await tau.until("INSERT");
		tau.type("d");
		await tau.until("abcd");
		tau.press("enter");
		await tau.until("Heard.");
	});
});

test("every pattern is loaded by a test here", () => {
	const names = readdirSync(folder).filter((name) => !["shared.mjs"].includes(name));
	const source = readFileSync(import.meta.path, "utf8");
	expect(names.filter((name) => !source.includes(`"${name}"`))).toEqual([]);
	expect(names.length).toBeGreaterThanOrEqual(25);
});
