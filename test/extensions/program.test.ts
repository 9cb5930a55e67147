/** Extensions in the real, compiled program: found, trusted, configured by flags, and never a reason not to start. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { describe, expect, test } from "bun:test";

import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { launch, root, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const examples = join(root, "packages/coding-agent/examples/extensions");

function writeFixture(tau: Launched, path: string, text: string): string {
	const file = join(tau.home, "..", path);
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, text);
	return file;
}

const says = (text: string): string =>
	`import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
	export default (pi: ExtensionAPI) => { pi.on("session_start", (_event, ctx) => ctx.ui.notify("${text}")); };`;

test("an extension written for pi works in the compiled program", async () => {
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "greet", arguments: { name: "Ada" } } }] } },
			"Greeted.",
		],
	});
	const file = writeFixture(
		tau,
		"greet.ts",
		`import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
		import { StringEnum } from "@mariozechner/pi-ai";
		import { Text } from "@mariozechner/pi-tui";
		import { Type } from "@sinclair/typebox";
		export default function (pi: ExtensionAPI) {
			pi.registerTool({
				name: "greet", label: "Greet", description: "Greets somebody",
				parameters: Type.Object({ name: Type.String(), tone: Type.Optional(StringEnum(["warm", "cold"] as const)) }),
				async execute(_id, { name }) { return { content: [{ type: "text", text: "Hello " + name }], details: { name } }; },
				renderCall: ({ name }) => new Text("greet " + name, 0, 0),
			});
		}`,
	);
	const { code, out, err } = await tau.run(["-p", ...model, "-e", file, "greet Ada"]);
	expect({ code, out, err }).toEqual({ code: 0, out: "Greeted.\n", err: "" });
	expect(tau.played.requests[1]?.rawBody).toContain("Hello Ada");
});

test("a provider in models.yml uses the protocol of an extension", async () => {
	await using tau = await launch({ steps: [] });
	writeFixture(
		tau,
		join(basename(tau.home), ".tau/agent/models.yml"),
		"providers:\n  mine:\n    baseUrl: http://127.0.0.1:1\n    auth: none\n    api: homemade\n    models:\n      - id: x\n",
	);
	const file = writeFixture(
		tau,
		"homemade.ts",
		`import { createAssistantMessageEventStream, registerApiProvider } from "@mariozechner/pi-ai";
		const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
		const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
		export default () => registerApiProvider({ api: "homemade", streamSimple: ({ api, provider, id: model }) => {
			const content = [{ type: "text", text: "Homemade." }];
			const message = { role: "assistant", content, api, provider, model, usage, stopReason: "stop", timestamp: 0 };
			const events = createAssistantMessageEventStream();
			events.push({ type: "done", reason: "stop", message });
			events.end(message);
			return events;
		} });`,
	);
	const { code, out, err } = await tau.run(["-p", "--model", "mine/x", "-e", file, "hi"]);
	expect({ code, out, err }).toEqual({ code: 0, out: "Homemade.\n", err: "" });
});

test("problems of extensions are reported, and the prompt is answered all the same", async () => {
	await using tau = await launch({ steps: ["Here."] });
	const broken = writeFixture(tau, "broken.ts", "const x = 1;\nexport default function( {");
	const throws = writeFixture(
		tau,
		"throws.ts",
		`export default (pi) => {\n  pi.on("agent_start", () => {\n    throw new Error("oops");\n  });\n};`,
	);
	const { code, out, err } = await tau.run(["-p", ...model, "-e", broken, "-e", throws, "hi"]);
	expect({ code, out }).toEqual({ code: 0, out: "Here.\n" });
	expect(err).toMatch(/broken\.ts was not loaded: .*\(broken\.ts:2\)/);
	expect(err).toMatch(/throws\.ts \(agent_start\): oops \(throws\.ts:3\)/);
});

test("an error in session_start is printed in print mode and is an event in JSON mode", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	const file = writeFixture(
		tau,
		"starts.ts",
		`export default (pi) => pi.on("session_start", () => { throw new Error("no start"); });`,
	);
	const text = await tau.run(["-p", ...model, "-e", file, "hi"]);
	expect(text).toMatchObject({ code: 0, out: "One.\n" });
	expect(text.err).toMatch(/starts\.ts \(session_start\): no start/);
	const { out } = await tau.run(["-p", "--mode", "json", ...model, "-e", file, "hi"]);
	const events = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(events).toContainEqual(
		expect.objectContaining({
			type: "extension_error",
			event: "session_start",
			error: expect.stringContaining("no start"),
		}),
	);
});

describe("a project's own extension", () => {
	test("is named in one notice with hooks and MCP servers that did not run either", async () => {
		await using tau = await launch({ steps: ["One."] });
		writeFixture(tau, "project/.tau/extensions/own.ts", says("of the project"));
		const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "true" }] }] };
		writeFixture(tau, "project/.tau/hooks.json", JSON.stringify({ hooks }));
		writeFixture(tau, "project/.mcp.json", '{ "mcpServers": { "own": { "command": "true" } } }');
		const { err } = await tau.run(["-p", ...model, "hi"]);
		expect(err.match(/not trusted/g)).toHaveLength(1);
		expect(err).toMatch(
			/An extension, hooks \(.*hooks\.json\) and MCP servers \(.*\.mcp\.json\) of this project/,
		);
	});

	test("does not run before the user trusts it, and the user is informed", async () => {
		await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
		writeFixture(tau, "project/.tau/extensions/own.ts", says("of the project"));
		const first = await tau.run(["-p", ...model, "hi"]);
		expect(first.err).toContain("did not run, because the project is not trusted");
		expect(first.err).not.toContain("of the project\n");
		const second = await tau.run(["-p", ...model, "--trust", "hi"]);
		expect(second.err).toBe("tau: of the project\n");
		writeFileSync(join(tau.agentDir, "trust.json"), JSON.stringify({ projects: { [tau.project]: true } }));
		expect((await tau.run(["-p", ...model, "hi"])).err).toBe("tau: of the project\n");
	});

	test("does not run when it has changed since the yes, also where the yes was about a parent", async () => {
		await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
		const file = writeFixture(tau, "project/.tau/extensions/own.ts", says("of the project"));
		const parent = realpathSync(join(tau.project, ".."));
		writeFileSync(join(tau.agentDir, "trust.json"), JSON.stringify({ projects: { [parent]: true } }));
		expect((await tau.run(["-p", ...model, "hi"])).err).toBe("tau: of the project\n");
		writeFileSync(file, says("of somebody else"));
		const { err } = await tau.run(["-p", ...model, "hi"]);
		expect(err).toContain(
			"did not run, because its code has changed since you trusted it: .tau/extensions/own.ts (changed).",
		);
		expect((await tau.run(["-p", ...model, "--trust", "hi"])).err).toBe("tau: of somebody else\n");
	});

	test("cannot be trusted by the project's own settings, only by the user", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		writeFixture(tau, "project/evil.ts", says("let in"));
		writeFixture(tau, "project/.tau/config.yml", "extensions: [../evil.ts]\n");
		const { err } = await tau.run(["-p", ...model, "hi"]);
		expect(err).not.toContain("let in");
		expect(err).toContain("did not run, because the project is not trusted");
		expect((await tau.run(["-p", ...model, "--trust", "hi"])).err).toBe("tau: let in\n");
	});
});

test("the user's extensions are found, named in the settings, disabled, and skipped with --no-extensions", async () => {
	await using tau = await launch({ steps: [], fallback: "Ok." });
	writeFixture(tau, "home/.tau/agent/extensions/a.ts", says("a"));
	writeFixture(tau, "home/.pi/agent/extensions/b/index.ts", says("b"));
	writeFixture(tau, "home/.tau/agent/extensions/off.ts", says("off"));
	const named = writeFixture(tau, "c.ts", says("c"));
	writeFixture(tau, "home/.tau/agent/config.yml", `extensions: ["${named}"]\ndisabledExtensions: [off]\n`);
	expect((await tau.run(["-p", ...model, "hi"])).err).toBe("tau: a\ntau: b\ntau: c\n");
	expect((await tau.run(["-p", ...model, "--no-extensions", "-e", named, "hi"])).err).toBe("tau: c\n");
	expect((await tau.run(["-p", ...model, "--no-extensions", "--hook", named, "hi"])).err).toBe("tau: c\n");
});

describe("flags of extensions", () => {
	const readOnly = join(examples, "read-only.ts");
	const tools = (tau: Launched, index: number): string[] => {
		const body = tau.played.requests[index]?.body as { tools: { name: string }[] } | undefined;
		return (body?.tools ?? []).map(({ name }) => name);
	};

	test("are parsed anywhere on the command line", async () => {
		await using tau = await launch({ steps: ["One.", "Two."] });
		expect((await tau.run(["-p", ...model, "--read-only", "hi", "-e", readOnly])).code).toBe(0);
		expect(tools(tau, 0)).not.toContain("bash");
		expect(tau.played.requests[0]?.rawBody).not.toContain("read-only");
		await tau.run(["-p", ...model, "-e", readOnly, "hi"]);
		expect(tools(tau, 1)).toContain("bash");
	});

	test("take a value, and an unknown one is rejected as usual", async () => {
		await using tau = await launch({ steps: ["One."] });
		const file = writeFixture(
			tau,
			"env.ts",
			`export default (pi) => { pi.registerFlag("stage", { type: "string" }); pi.on("session_start", (_e, ctx) => ctx.ui.notify("stage " + pi.getFlag("stage"))); };`,
		);
		const finished = await tau.run(["-p", ...model, "-e", file, "--stage", "prod", "go"]);
		expect(finished).toEqual({ code: 0, out: "One.\n", err: "tau: stage prod\n" });
		expect(tau.played.requests[0]?.rawBody).not.toContain("prod");
		const unknown = await tau.run(["-p", ...model, "-e", file, "--stagee", "prod", "go"]);
		expect(unknown.code).toBe(2);
		expect(unknown.err).toContain("Unknown flag --stagee");
	});
});

test("a command runs in print mode, and its prompt is answered", async () => {
	await using tau = await launch({ steps: ["Deployed."] });
	const deploy = join(examples, "deploy-command.ts");
	const { code, out } = await tau.run(["-p", ...model, "-e", deploy, "/deploy staging"]);
	expect({ code, out }).toEqual({ code: 0, out: "Deployed.\n" });
	const nothing = await tau.run(["-p", ...model, "-e", deploy, "/deploy moon"]);
	expect(nothing).toEqual({ code: 0, out: "", err: "tau: Where to? staging or production\n" });
});

test("--tools includes tools of extensions, and --no-tools disables all", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	const count = join(examples, "word-count.ts");
	await tau.run(["-p", ...model, "-e", count, "--tools", "word_count,read", "hi"]);
	expect(tau.played.requests[0]?.body).toMatchObject({ tools: [{ name: "read" }, { name: "word_count" }] });
	await tau.run(["-p", ...model, "-e", count, "--no-tools", "hi"]);
	expect(tau.played.requests[1]?.rawBody).not.toContain("word_count");
});

test("a model of an extension can be selected on the command line", async () => {
	await using tau = await launch({ steps: [] });
	const echo = join(examples, "echo-provider.ts");
	expect(await tau.run(["-p", "-e", echo, "--model", "echo/parrot", "Polly"])).toEqual({
		code: 0,
		out: "Polly\n",
		err: "",
	});
	expect((await tau.run(["--list-models", "parrot", "-e", echo])).out).toContain("parrot");
});

test("an uncaught error of an extension does not end the program", async () => {
	const wait = "until [ -e thrown ]; do sleep 0.01; done";
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: wait } } }] } },
			"Still here.",
		],
	});
	const file = writeFixture(
		tau,
		"stray.ts",
		`import { writeFileSync } from "node:fs";
		export default (pi) => pi.on("tool_execution_start", (_event, ctx) => {
			setTimeout(() => { throw new Error("from a timer"); });
			void Promise.reject(new Error("from a promise"));
			setTimeout(() => writeFileSync(ctx.cwd + "/thrown", ""), 10);
		});`,
	);
	const { code, out, err } = await tau.run(["-p", ...model, "-e", file, "go"]);
	expect({ code, out }).toEqual({ code: 0, out: "Still here.\n" });
	expect(err).toContain("stray.ts (uncaught): from a promise (stray.ts:4)");
	expect(err).toContain("stray.ts (uncaught): from a timer (stray.ts:3)");
});

describe("a template call", () => {
	const review = "---\ndescription: Reviews\n---\nReview $1 with care.";
	const short = `export default (pi) => pi.on("input", ({ text }) => {
		if (text.endsWith("?a.ts")) return { action: "transform", text: "/review a.ts" };
		if (text === "/skill:mine") return { action: "handled" };
	});`;

	test("is expanded after the input handlers of extensions, in print mode too", async () => {
		await using tau = await launch({ steps: ["One."] });
		writeFixture(tau, "project/.tau/prompts/review.md", review);
		const file = writeFixture(tau, "short.ts", short);
		const { code, out } = await tau.run(["-p", ...model, "-e", file, "about ?a.ts", "/skill:mine"]);
		expect({ code, out }).toEqual({ code: 0, out: "One.\n" });
		expect(tau.played.requests).toHaveLength(1);
		expect(tau.played.requests[0]?.rawBody).toContain("Review a.ts with care.");
	});

	test("is expanded in RPC mode, also during a run", async () => {
		const wait = {
			toolCall: { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done" } },
		};
		await using tau = await launch({ steps: ["One.", { answer: { blocks: [wait] } }, "Two."] });
		writeFixture(tau, "project/.tau/prompts/review.md", review);
		await using rpc = startRpc(tau, [...model, "-e", writeFixture(tau, "short.ts", short)]);
		await rpc.ask({ type: "prompt", message: "?a.ts" });
		await rpc.until(isEvent("agent_end"));
		expect(tau.played.requests[0]?.rawBody).toContain("Review a.ts with care.");
		expect(await rpc.ask({ type: "prompt", message: "/skill:mine" })).toMatchObject({ success: true });
		await rpc.ask({ type: "prompt", message: "begin" });
		await rpc.until(isEvent("tool_execution_start"));
		await rpc.ask({ type: "prompt", message: "/review b.ts", streamingBehavior: "steer" });
		writeFileSync(join(tau.project, "go"), "");
		await rpc.until((frame) => frame.type === "turn_end" && JSON.stringify(frame).includes("Two."));
		expect(tau.played.requests.at(-1)?.rawBody).toContain("Review b.ts with care.");
		expect(tau.played.requests).toHaveLength(3);
	});
});

test("an extension that git ignores is loaded only if the settings name it, and doctor says why", async () => {
	await using tau = await launch({ steps: ["Without.", "With."] });
	writeFixture(tau, "project/.git/HEAD", "ref: refs/heads/main\n");
	writeFixture(tau, "project/.gitignore", ".tau/extensions/\n");
	const file = writeFixture(tau, "project/.tau/extensions/local.ts", says("it is here"));
	const run = (): Promise<{ err: string }> => tau.run(["-p", ...model, "--trust", "--no-session", "hi"]);
	const without = await run();
	expect(without.err).toContain("not loaded, because git ignores it");
	expect(without.err).not.toContain("it is here");
	expect((await tau.run(["doctor"])).out).toContain("git ignores it");
	writeFileSync(join(tau.agentDir, "config.yml"), `extensions: [${JSON.stringify(file)}]\n`);
	const named = await run();
	expect(named.err).toContain("it is here");
});

test("an extension that starts tau, which starts tau, is stopped after eight processes", async () => {
	await using tau = await launch({ steps: Array.from({ length: 9 }, (_, index) => `Answer ${index + 1}.`) });
	const file = writeFixture(
		tau,
		"again.ts",
		`import { spawnSync } from "node:child_process";
		export default (pi) => pi.on("agent_end", (_event, ctx) => {
			const { status, stderr } = spawnSync("${join(root, "tau")}", ["-p", "--model", "played/played-1", "--no-session", "-e", "${join(tau.home, "..", "again.ts")}", "hi"], { encoding: "utf8" });
			ctx.ui.notify("[child " + status + "] " + stderr);
		});`,
	);
	const { code, err } = await tau.run(["-p", ...model, "--no-session", "-e", file, "hi"]);
	expect(code).toBe(0);
	expect(tau.played.requests).toHaveLength(8);
	expect(err).toContain("[child 2] tau: 8 processes of Tau have started one another");
	expect(err).toContain("unset TAU_PROCESS_DEPTH");
}, 180_000);
