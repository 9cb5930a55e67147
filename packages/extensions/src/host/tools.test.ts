/** Tools of extensions work like built-in ones: called, validated, aborted, hooked and removed alike. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const tool = (name: string, body: string): string =>
	`import { Type } from "typebox";
	export default (pi) => { const name = "${name}"; const define = (more) => pi.registerTool({ name, label: name, description: "Does " + name, parameters: Type.Object({}), execute: async () => ({ content: [{ type: "text", text: name }], details: {} }), ...more }); ${body} };`;

function results({ session }: ExtensionFixture): unknown[] {
	return session.state.messages.flatMap((message) =>
		message.role === "toolResult"
			? [
					{
						text: message.content.map((part) => (part.type === "text" ? part.text : part.type)).join("|"),
						isError: message.isError,
					},
				]
			: [],
	);
}

test("a tool replaces a built-in one, with hooks around it", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("read", { path: "a.txt" }), "Ok."] },
		{
			files: {
				"read.ts": tool(
					"read",
					`define({ parameters: Type.Object({ path: Type.String() }), execute: async (_id, { path }) => ({ content: [{ type: "text", text: "own " + path }] }) });`,
				),
				"hook.ts": `export default (pi) => pi.on("tool_result", ({ content }) => ({ content: [{ type: "text", text: content[0].text + " seen" }] }));`,
			},
		},
	);
	expect(fixture.session.state.tools.map(({ name }) => name)).toEqual(["read", "write", "bash"]);
	await fixture.prompt("read");
	expect(results(fixture)).toEqual([{ text: "own a.txt seen", isError: false }]);
	const info = fixture.extensions.runner.tools.info();
	expect(info.map(({ name, sourceInfo: { source } }) => `${name} ${source}`)).toEqual([
		"read cli",
		"write builtin",
		"bash builtin",
	]);
});

test("an exception is a failed result, a returned value says whether it is one, and an invalid value is an error", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("thrower"), callOf("returner"), callOf("nothing"), "Ok."] },
		{
			files: {
				"a.ts": tool("thrower", `define({ execute: async () => { throw new Error("no luck"); } });`),
				"b.ts": tool(
					"returner",
					`define({ execute: () => ({ isError: true, content: [{ type: "text", text: "less fine" }] }) });`,
				),
				"c.ts": tool("nothing", "define({ execute: async () => undefined });"),
			},
		},
	);
	await fixture.prompt("go");
	expect(results(fixture)).toEqual([
		{ text: "no luck", isError: true },
		{ text: "less fine", isError: true },
		{ text: "The tool nothing returned no content.", isError: true },
	]);
});

test("arguments are prepared, then validated by the schema, whether TypeBox's or Zod's", async () => {
	const typed = `define({
		parameters: Type.Object({ names: Type.Array(Type.String()) }),
		prepareArguments: (args) => (args.name ? { names: [args.name] } : args),
		execute: async (_id, { names }) => ({ content: [{ type: "text", text: names.join("+") }] }),
	});`;
	const zodded = `define({
		parameters: pi.zod.object({ count: pi.zod.number().default(3) }),
		execute: async (_id, { count }) => ({ content: [{ type: "text", text: String(count) }] }),
	});`;
	await using fixture = await extensionFixture(
		{
			steps: [
				callOf("typed", { name: "old" }),
				callOf("typed", { names: "wrong" }),
				callOf("zodded", {}),
				callOf("zodded", { count: "many" }),
				"Ok.",
			],
		},
		{ files: { "a.ts": tool("typed", typed), "b.ts": tool("zodded", zodded) } },
	);
	await fixture.prompt("go");
	expect(results(fixture)).toEqual([
		{ text: "old", isError: false },
		{ text: "Bad arguments for typed: names: must be array, not string.", isError: true },
		{ text: "3", isError: false },
		{ text: expect.stringContaining("Bad arguments for zodded: count:"), isError: true },
	]);
	expect(fixture.played.requests[0]?.body).toMatchObject({
		tools: expect.arrayContaining([
			expect.objectContaining({ name: "zodded", input_schema: expect.objectContaining({ type: "object" }) }),
		]),
	});
});

test("a sequential tool runs alone, others in parallel", async () => {
	const source = (name: string, mode: string): string =>
		tool(
			name,
			`define({ executionMode: "${mode}", execute: async () => {
			globalThis.inside = (globalThis.inside ?? 0) + 1;
			await new Promise(setImmediate);
			const text = String(globalThis.inside);
			await new Promise(setImmediate);
			globalThis.inside--;
			return { content: [{ type: "text", text }] };
		} });`,
		);
	const block = (name: string) => ({ toolCall: { name, arguments: {} } });
	const answer = { blocks: ["alone", "alone", "beside", "beside"].map(block) };
	await using fixture = await extensionFixture(
		{ steps: [{ answer }, "Ok."] },
		{ files: { "a.ts": source("alone", "sequential"), "b.ts": source("beside", "parallel") } },
	);
	await fixture.prompt("go");
	expect(results(fixture)).toEqual(["1", "1", "2", "2"].map((text) => ({ text, isError: false })));
	Reflect.deleteProperty(globalThis, "inside");
});

test("Escape reaches the tool, and its context has the session", async () => {
	const running = Promise.withResolvers<void>();
	const source = tool(
		"waits",
		`define({ execute: (_id, _params, signal, _update, ctx) => new Promise((_done, fail) => {
		signal.addEventListener("abort", () => fail(new Error("heard it")));
		ctx.ui.notify([ctx.cwd === process.cwd(), ctx.isIdle(), ctx.signal === undefined, ctx.model.id, ctx.hasUI].join(" "));
	}) });`,
	);
	const shown: string[] = [];
	const notify = (text: string): void => {
		shown.push(text);
		running.resolve();
	};
	await using fixture = await extensionFixture(
		{ steps: [callOf("waits")] },
		{ files: { "a.ts": source }, mode: { ui: { notify } as never } },
	);
	const done = fixture.prompt("go");
	await running.promise;
	fixture.session.abort();
	await done;
	expect(shown).toEqual(["false false false played-1 false"]);
	expect(results(fixture)).toEqual([{ text: "Interrupted by the user.", isError: true }]);
});

describe("terminate", () => {
	const ends = tool(
		"ends",
		`define({ execute: async () => ({ content: [{ type: "text", text: "over" }], terminate: true }) });`,
	);

	test("ends the run if every call of the answer sets it", async () => {
		await using fixture = await extensionFixture(
			{ steps: [callOf("ends"), "Not asked."] },
			{ files: { "a.ts": ends } },
		);
		await fixture.prompt("go");
		expect(fixture.played.requests).toHaveLength(1);
	});

	test("does not if another call continues", async () => {
		const blocks = ["ends", "bash"].map((name) => ({ toolCall: { name, arguments: { command: "true" } } }));
		await using fixture = await extensionFixture(
			{ steps: [{ answer: { blocks } }, "Ok."] },
			{ files: { "a.ts": ends } },
		);
		await fixture.prompt("go");
		expect(fixture.played.requests).toHaveLength(2);
	});
});

test("tools come and go while the session runs, and so does the system prompt's list", async () => {
	const source = tool(
		"late",
		`
		pi.registerCommand("bring", { handler: () => define({ promptSnippet: "comes\\n late", promptGuidelines: ["Use late last."] }) });
		pi.registerCommand("only", { handler: (args, ctx) => { pi.setActiveTools(args.split(",")); ctx.ui.notify(pi.getActiveTools().join(",") + " of " + pi.getAllTools().length); } });`,
	);
	await using fixture = await extensionFixture(
		{ steps: [callOf("late"), "One.", "Two."] },
		{ files: { "a.ts": source } },
	);
	const { systemPrompt } = fixture.session.state;
	await fixture.prompt("/bring");
	expect(fixture.session.state.systemPrompt).toContain("- late: comes late");
	expect(fixture.session.state.systemPrompt).toContain("- Use late last.");
	await fixture.prompt("go");
	expect(results(fixture)).toEqual([{ text: "late", isError: false }]);
	await fixture.prompt("/only bash,nowhere");
	expect(fixture.shown).toEqual(["notify: bash of 4"]);
	await fixture.prompt("on");
	expect(fixture.played.requests[2]?.body).toMatchObject({ tools: [{ name: "bash" }] });
	expect(fixture.session.state.systemPrompt).not.toContain("late");
	await fixture.prompt("/only read,write,bash");
	expect(fixture.session.state.systemPrompt).toBe(systemPrompt);
});

test("a guideline that several tools have is in the system prompt once", async () => {
	const source = `export default (pi) => { for (const name of ["one", "two"]) pi.registerTool({ name, label: name, description: name, promptGuidelines: ["Ask first.", "Use " + name + " rarely."], parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) }); };`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	const { systemPrompt } = fixture.session.state;
	expect(systemPrompt.split("- Ask first.")).toHaveLength(2);
	expect(systemPrompt).toContain("- Use two rarely.");
});

test("onSession informs a tool about its session's lifecycle, and an exception there does no harm", async () => {
	const source = tool(
		"keeper",
		`define({ onSession: (event, ctx) => { (globalThis.told ??= []).push(event.reason); if (event.reason === "start") throw new Error("no"); } });`,
	);
	{
		await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
		await fixture.extensions.sessionEnding({ reason: "new" });
		fixture.next();
		await fixture.extensions.sessionStarted("new");
	}
	expect(Reflect.get(globalThis, "told")).toEqual(["start", "shutdown", "switch", "shutdown"]);
	Reflect.deleteProperty(globalThis, "told");
});

test("pi.exec runs a program in the session's directory, and returns its output", async () => {
	const source = tool(
		"runs",
		`
		pi.registerCommand("run", { async handler(_args, ctx) {
			const here = await pi.exec("cat", ["a.txt"]);
			const bad = await pi.exec("sh", ["-c", "echo err >&2; exit 3"]);
			const late = await pi.exec("sleep", ["60"], { timeout: 20 });
			const none = await pi.exec("no-such-program", []);
			ctx.ui.notify(JSON.stringify([here, bad, late.killed, none.code]));
		} });`,
	);
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	writeFileSync(join(fixture.cwd, "a.txt"), "hello");
	await fixture.prompt("/run");
	const [line = ""] = fixture.shown;
	expect(JSON.parse(line.slice("notify: ".length))).toEqual([
		{ stdout: "hello", stderr: "", code: 0, killed: false },
		{ stdout: "", stderr: "err\n", code: 3, killed: false },
		true,
		127,
	]);
});

test("a tool declares its approval and touches; the default is any effect, or what the tool has that it replaces", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: {
				"a.ts": tool(
					"careful",
					`define({ approval: "read", touches: ({ file }) => [{ kind: "read", path: file, tree: true }, { kind: "exec", command: "ls", cwd: "/", env: { A: "1" } }] });`,
				),
				"b.ts": tool("silent", "define({ touches: () => 'nothing' });"),
				"c.ts": tool("write", "define({});"),
				"d.ts": tool("plain", "define({});"),
			},
		},
	);
	const facts = (name: string, args: Record<string, unknown>): unknown => {
		const sessionTool = fixture.session.tools?.get(name);
		return [sessionTool?.approval, sessionTool?.touches?.(args)];
	};
	expect(facts("careful", { file: "/a" })).toEqual([
		"read",
		[
			{ kind: "read", path: "/a", tree: true },
			{ kind: "exec", command: "ls", cwd: "/", env: { A: "1" } },
		],
	]);
	expect(() => facts("silent", {})).toThrow("touches are not a list");
	expect(facts("write", { path: "/a" })).toEqual(["write", [{ kind: "write", path: "/a" }]]);
	expect(facts("plain", { path: "/a" })).toEqual(["exec", undefined]);
});

test("a tool may decide about the approval of each call, as omp's do", async () => {
	const approval = `({ env }) => env === "prod" ? { tier: "exec", policy: "deny", reason: "Not on Fridays." } : env === "test" ? { tier: "write", override: true, reason: "Test is shared." } : "read"`;
	await using fixture = await extensionFixture(
		{
			steps: [
				...["prod", "test", "dev"].map((env) => callOf("deploy", { env })),
				callOf("odd", {}),
				callOf("fixed", {}),
				"Done.",
			],
		},
		{
			files: {
				"a.ts": tool("deploy", `define({ approval: ${approval} });`),
				"b.ts": tool("odd", `define({ approval: () => { throw new Error("lost"); } });`),
				"c.ts": tool("fixed", `define({ approval: { tier: "write" } });`),
			},
		},
	);
	const deploy = fixture.session.tools?.get("deploy");
	expect([deploy?.approval, deploy?.approvalFor?.({ env: "test" }), deploy?.approvalFor?.({})]).toEqual([
		"exec",
		"write",
		"read",
	]);
	expect(fixture.session.tools?.get("fixed")).toMatchObject({ approval: "write" });
	await fixture.prompt("go");
	expect(results(fixture)).toEqual([
		{ text: expect.stringContaining("Not on Fridays."), isError: true },
		{ text: expect.stringContaining("Test is shared."), isError: true },
		{ text: "deploy", isError: false },
		{ text: expect.stringContaining("lost"), isError: true },
		{ text: "fixed", isError: false },
	]);
});

test.each(['{ kind: "execute", command: "touch made" }', '{ kind: "exec", command: "touch made" }', "5"])(
	"a call whose effects cannot be read does not run: %s",
	async (touch) => {
		const define = `define({ approval: "exec", touches: () => [${touch}] });`;
		await using fixture = await extensionFixture(
			{ steps: [callOf("deploy", {}), "Done."] },
			{ files: { "a.ts": tool("deploy", define) } },
		);
		await fixture.prompt("go");
		const result = fixture.session.state.messages.find(({ role }) => role === "toolResult");
		expect(JSON.stringify(result)).toContain("deploy was not run, because a check failed: its touches");
	},
);
