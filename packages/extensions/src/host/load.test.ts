/** Extensions written for pi, omp or Tau load unchanged, and a broken one affects only itself. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { playModel } from "@tau/ai/testing";
import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const good = `export default (pi) => pi.registerCommand("good", { handler() {} });`;

/** Name and problem of each file that was not loaded. */
function problemsOf({ extensions, folder }: ExtensionFixture): string[] {
	return extensions.problems.map(({ path, error }) => `${path.slice(folder.length + 1)}: ${error}`);
}

function commandsOf({ extensions }: ExtensionFixture): string[] {
	return extensions.runner.commands.list().map(({ name }) => name);
}

describe("a broken extension", () => {
	test("is reported with its file and line, whatever the cause, and the others are loaded", async () => {
		await using fixture = await extensionFixture(
			{ steps: [] },
			{
				files: {
					"syntax.ts": "const a = 1;\nexport default function( {\n",
					"import.ts": "const a = 1;\nthrow new Error('no luck');\nexport default () => {};",
					"factory.ts": "export default () => {\n\n  throw new Error('not today');\n};",
					"rejects.ts": "export default async () => {\n  await null;\n  throw new Error('later');\n};",
					"nothing.ts": "export const x = 1;",
					"value.ts": "export default 42;",
					"missing.ts": "import x from 'no-such-package';\nexport default () => x;",
					"action.ts": "export default (pi) => {\n  pi.sendUserMessage('now');\n};",
					"tool.ts":
						"export default (pi) => pi.registerTool({ name: 'bad name', parameters: {}, execute() {} });",
					"good.ts": good,
				},
			},
		);
		expect(problemsOf(fixture)).toEqual([
			expect.stringMatching(/^syntax\.ts: .*\(syntax\.ts:2\)$/),
			"import.ts: no luck (import.ts:2)",
			expect.stringContaining("nothing.ts: It does not export a function"),
			expect.stringContaining("value.ts: It does not export a function"),
			expect.stringMatching(/^missing\.ts: .*no-such-package/),
			"factory.ts: not today (factory.ts:3)",
			"rejects.ts: later (rejects.ts:3)",
			expect.stringMatching(/^action\.ts: Extension runtime not initialized.*\(action\.ts:2\)$/),
			expect.stringMatching(/^tool\.ts: Invalid tool name "bad name"/),
		]);
		expect(commandsOf(fixture)).toEqual(["good"]);
		expect([...fixture.extensions.times.values()].every((ms) => ms >= 0)).toBe(true);
	});

	test("warns about calls that have no effect", async () => {
		await using fixture = await extensionFixture(
			{ steps: [] },
			{
				files: {
					"odd.ts": `export default (pi) => { pi.on("no_such_event", () => {}); pi.registerShortcut("Ctrl+C", { handler() {} }); pi.registerShortcut("ctrl+y", { handler() {} }); };`,
				},
			},
		);
		const [odd] = fixture.extensions.runner.extensions;
		expect(odd?.warnings).toEqual([
			'Unknown event "no_such_event".',
			"The shortcut Ctrl+C is reserved by Tau. Choose another one.",
		]);
		expect([...(odd?.shortcuts.keys() ?? [])]).toEqual(["ctrl+y"]);
	});
});

const imports = ["@earendil-works", "@mariozechner", "@oh-my-pi"].map((scope) => [scope]);

test.each(imports)("an extension that imports from %s runs unchanged", async (scope) => {
	const source = `
		import { isToolCallEventType, truncateHead, DEFAULT_MAX_LINES, type ExtensionAPI } from "${scope}/pi-coding-agent";
		import { StringEnum, Type as AiType, complete } from "${scope}/pi-ai";
		import { matchesKey, visibleWidth } from "${scope}/pi-tui";
		import { Agent } from "${scope}/pi-agent-core";
		import { Type, type Static } from "typebox";
		import { Type as OldType } from "@sinclair/typebox";
		import { Value } from "@sinclair/typebox/value";
		import { more } from "./lib/helper";

		enum Level { Low, High }
		const schema = Type.Object({ name: Type.String(), how: Type.Optional(StringEnum(["a", "b"] as const)) });
		const old = OldType.Object({ name: OldType.String() });
		class Store { constructor(private readonly parts: Static<typeof schema>) {} get name() { return this.parts.name; } }

		export default function (pi: ExtensionAPI) {
			pi.registerTool({
				name: "probe", label: "Probe", description: "Probes", parameters: schema,
				async execute(_id, params) {
					const facts = [
						new Store(params).name, Level.High, more, typeof Agent, typeof complete, AiType === Type,
						truncateHead("a\\nb\\nc", { maxLines: 2 }).content, DEFAULT_MAX_LINES, visibleWidth("日本"),
						matchesKey("\\u001b", "escape"), Value.Check(old, params), typeof isToolCallEventType,
						pi.zod.string().safeParse("x").success, pi.typebox.Type === Type, typeof pi.pi.SessionManager,
					];
					return { content: [{ type: "text", text: JSON.stringify(facts) }], details: {} };
				},
			});
		}`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("probe", { name: "Ada" }), "Ok."] },
		{ files: { "probe.ts": source, "lib/helper.ts": "export const more: string = 'more';" } },
	);
	expect(problemsOf(fixture)).toEqual([]);
	await fixture.prompt("probe");
	const result = fixture.session.state.messages.find(({ role }) => role === "toolResult");
	const facts = [
		"Ada",
		1,
		"more",
		"function",
		"function",
		true,
		"a\nb",
		2000,
		4,
		true,
		true,
		"function",
		true,
		true,
		"function",
	];
	expect(result).toMatchObject({ content: [{ text: JSON.stringify(facts) }] });
});

test("an import that Tau does not provide fails only when it is used, with a reason", async () => {
	const source = `
		import { PROVIDER_REGISTRY } from "@mariozechner/pi-ai";
		import { AgentHarness } from "@mariozechner/pi-agent-core";
		import { Marked } from "@mariozechner/pi-tui";
		import * as natives from "@oh-my-pi/pi-natives";
		class Own extends AgentHarness {}
		const tries = {
			call: () => Marked("x"),
			make: () => new Own(),
			method: () => PROVIDER_REGISTRY.get("x"),
			all: () => natives.PhotonImage.parse("x"),
		};
		export default (pi) => {
			for (const [name, run] of Object.entries(tries)) pi.registerCommand(name, { handler: run });
		};`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "early.ts": source } });
	for (const name of ["call", "make", "method", "all"]) await fixture.prompt(`/${name}`);
	const errors = fixture.events.flatMap((event) => (event.type === "extension_error" ? [event.error] : []));
	expect(errors).toEqual([
		expect.stringContaining("Tau does not provide Marked of @mariozechner/pi-tui: Tau has its own Markdown"),
		expect.stringContaining(
			"Tau does not provide AgentHarness of @mariozechner/pi-agent-core: pi took it out",
		),
		expect.stringContaining("Tau does not provide PROVIDER_REGISTRY of @mariozechner/pi-ai: credentials are"),
		expect.stringContaining("Tau does not provide PhotonImage of @oh-my-pi/pi-natives: omp’s native code"),
	]);
});

test("a CommonJS module is an extension too", async () => {
	const source = `module.exports = function (pi) { pi.registerCommand("old", { handler() {} }); };`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "old.cjs": source } });
	expect(problemsOf(fixture)).toEqual([]);
	expect(commandsOf(fixture)).toEqual(["old"]);
});

test("reloading reads the files and their helpers again, and recovers a broken one", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: {
				"a.ts": `import { name } from "./lib/name.ts"; export default (pi) => pi.registerCommand(name, { handler() {} });`,
				"b.ts": "throw new Error('not yet');",
				"lib/name.ts": `export const name = "one";`,
			},
		},
	);
	expect(commandsOf(fixture)).toEqual(["one"]);
	writeFileSync(join(fixture.folder, "lib/name.ts"), `export const name = "two";`);
	writeFileSync(join(fixture.folder, "b.ts"), good);
	await fixture.extensions.sessionEnding({ reason: "reload" });
	fixture.next();
	await fixture.extensions.sessionStarted("reload");
	expect(commandsOf(fixture)).toEqual(["two", "good"]);
	expect(problemsOf(fixture)).toEqual([]);
});

test("each session has its own instances, and the old ones report that they are stale", async () => {
	const source = `
		let instances = 0;
		export default (pi) => {
			const number = ++instances;
			let kept;
			pi.on("session_start", (_event, ctx) => { kept = ctx; globalThis.staleTest = { pi, ctx }; });
			pi.registerCommand("which", { handler: (_args, ctx) => ctx.ui.notify("instance " + number) });
		};`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "one.ts": source } });
	const old = Reflect.get(globalThis, "staleTest") as {
		pi: { getActiveTools(): unknown };
		ctx: { sessionManager: unknown };
	};
	await fixture.prompt("/which");
	await fixture.extensions.sessionEnding({ reason: "new" });
	fixture.next();
	await fixture.extensions.sessionStarted("new");
	await fixture.prompt("/which");
	expect(fixture.shown).toEqual(["notify: instance 1", "notify: instance 2"]);
	expect(() => old.pi.getActiveTools()).toThrow("belongs to a session that was closed (new)");
	expect(() => old.ctx.sessionManager).toThrow("belongs to a session that was closed (new)");
	Reflect.deleteProperty(globalThis, "staleTest");
});

test("a built-in tool can be wrapped, and its commands changed or run elsewhere", async () => {
	const source = `
		import { createBashTool, createReadTool } from "@earendil-works/pi-coding-agent";
		export default (pi) => {
			const cwd = process.cwd();
			const local = createReadTool(cwd);
			pi.registerTool({ ...local, async execute(id, params, signal, onUpdate) {
				const result = await local.execute(id, params, signal, onUpdate);
				return { ...result, content: [{ type: "text", text: "wrapped: " + result.content[0].text }] };
			} });
			pi.registerTool(createBashTool(cwd, { commandPrefix: "A=1", spawnHook: (context) => ({ ...context, command: context.command + " $A $B", env: { ...context.env, B: "2" } }) }));
			const far = createBashTool("/far", { operations: { async exec(command, cwd, { onData }) { onData(Buffer.from(cwd + " ran " + command)); return { exitCode: 3 }; } } });
			pi.registerTool({ ...far, name: "far" });
		};`;
	const file = join(import.meta.dir, "load.test.ts");
	await using fixture = await extensionFixture(
		{
			steps: [
				callOf("read", { path: file, limit: 1 }),
				callOf("read", { path: "/no/such/file" }),
				callOf("bash", { command: "echo hi" }),
				callOf("far", { command: "ls" }),
				"Ok.",
			],
		},
		{ files: { "wrap.ts": source } },
	);
	expect(problemsOf(fixture)).toEqual([]);
	await fixture.prompt("go");
	const results = fixture.session.state.messages.filter((message) => message.role === "toolResult");
	expect(results).toMatchObject([
		{
			isError: false,
			content: [{ text: expect.stringMatching(/^wrapped: .*Extensions written for pi, omp or Tau load/s) }],
		},
		{ isError: true },
		{ isError: false, content: [{ text: "hi 1 2" }] },
		{ isError: true, content: [{ text: "/far ran ls\n\nCommand exited with code 3" }] },
	]);
});
