/** What else a check of a call may return: another input, text beside the result, the end of the run. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

test("a returned input is what runs, and the next check sees it", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo one", timeout: 5 }), "Ok."] },
		{
			files: {
				"a.ts": on("tool_call", `() => ({ input: { command: "echo two" } })`),
				"b.ts": on("tool_call", `({ input }, ctx) => ctx.ui.notify(JSON.stringify(input))`),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.shown).toEqual(['notify: {"command":"echo two"}']);
	expect(fixture.session.state.messages.at(-2)).toMatchObject({ content: [{ text: "two" }] });
});

test("text of all checks is added to the result, also if no handler changes results", async () => {
	const aside = (text: string): string => on("tool_call", `() => ({ additionalContext: "${text}" })`);
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo out" }), callOf("read", { path: "/no/such" }), "Ok."] },
		{ files: { "a.ts": aside("mind the gap"), "b.ts": aside("mind the step") } },
	);
	await fixture.prompt("go");
	const results = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(results[0]).toMatchObject({
		content: [{ text: "out" }, { text: "mind the gap" }, { text: "mind the step" }],
	});
	expect(results[1]).toMatchObject({ isError: true });
	expect(fixture.request(2)).toContain("mind the step");
});

test("a block with terminate ends the run, unless another call of the answer continues", async () => {
	const refuse = on(
		"tool_call",
		`({ input }) => input.command === "no" ? { block: true, reason: "never", terminate: true } : undefined`,
	);
	const block = (command: string) => ({ toolCall: { name: "bash", arguments: { command } } });
	await using alone = await extensionFixture(
		{ steps: [callOf("bash", { command: "no" }), "Not asked."] },
		{ files: { "a.ts": refuse } },
	);
	await alone.prompt("go");
	expect(alone.played.requests).toHaveLength(1);
	expect(alone.session.state.messages.at(-1)).toMatchObject({ role: "toolResult", isError: true });
	await using both = await extensionFixture(
		{ steps: [{ answer: { blocks: [block("no"), block("true")] } }, "Asked."] },
		{ files: { "a.ts": refuse } },
	);
	await both.prompt("go");
	expect(both.played.requests).toHaveLength(2);
});

test("regression: input changed by a handler is validated again, announced and logged", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo one" }), callOf("bash", { command: "echo bad" }), "Ok."] },
		{
			files: {
				"mend.ts": on(
					"tool_call",
					`({ input }) => { if (input.command === "echo one") input.command = "echo two"; else input.command = 7; }`,
				),
				"watch.ts": on("tool_execution_start", `({ args }, ctx) => ctx.ui.notify(JSON.stringify(args))`),
			},
		},
	);
	await fixture.prompt("go");
	const [first, second] = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(first).toMatchObject({
		content: [{ text: "two" }],
		rewritten: { by: ["The extension mend"], arguments: { command: "echo two" } },
	});
	expect(second).toMatchObject({
		isError: true,
		content: [
			{
				text: expect.stringContaining(
					"The extension mend changed the arguments of bash, and they are not valid: command:",
				),
			},
		],
	});
	expect(fixture.shown[0]).toBe('notify: {"command":"echo two"}');
	expect(JSON.stringify(fixture.log.getEntries())).toContain("The extension mend");
});

test("a handler that allowed a call is called again when a later one changes the call", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo hello" }), "Ok."] },
		{
			files: {
				"guard.ts": on(
					"tool_call",
					`({ input }) => input.command.includes("rm") ? { block: true, reason: "no rm" } : undefined`,
				),
				"meddler.ts": on("tool_call", `({ input }) => { input.command = "rm nothing"; }`),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.session.state.messages.at(-2)).toMatchObject({
		isError: true,
		content: [{ text: "no rm" }],
	});
});

test("a tool of an extension may change its arguments, which are its own copy", async () => {
	const source = `export default (pi) => pi.registerTool({ name: "trim", description: "trims", parameters: { type: "object" },
		execute: async (_id, params) => { params.text = params.text.trim(); return { content: [{ type: "text", text: params.text }] }; } });`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("trim", { text: " a " }), "Ok."] },
		{ files: { "a.ts": source } },
	);
	await fixture.prompt("go");
	expect(fixture.session.state.messages.at(-2)).toMatchObject({ content: [{ text: "a" }] });
});

describe("a guard that knows pi's tools", () => {
	const guard = on(
		"tool_call",
		`({ toolName, input }, ctx) => {
			if (toolName !== "edit" && toolName !== "write") return;
			ctx.ui.notify(toolName + " " + input.path);
			if (input.path.endsWith("locked.ts")) return { block: true, reason: "locked.ts is protected" };
		}`,
	);
	const rewrite = { pattern: "foo($A)", rewrite: "bar($A)", path: ".", lang: "ts" };

	test("is called for every file that a structural edit would change", async () => {
		await using fixture = await extensionFixture(
			{ steps: [callOf("ast_edit", rewrite), callOf("resolve", { action: "apply" }), "Ok."] },
			{ files: { "a.ts": guard }, tools: ["ast_edit", "resolve"] },
		);
		for (const name of ["free.ts", "locked.ts"]) writeFileSync(join(fixture.cwd, name), "foo(1);\n");
		await fixture.prompt("go");
		expect(fixture.shown).toEqual(["notify: edit free.ts", "notify: edit locked.ts"]);
		expect(fixture.request(2)).toContain("locked.ts is protected");
		expect(readFileSync(join(fixture.cwd, "free.ts"), "utf8")).toBe("foo(1);\n");
	});

	test("sees the lines that are written, and those that they replace", async () => {
		const showing = on(
			"tool_call",
			`({ toolName, input }, ctx) => { if (toolName === "edit") ctx.ui.notify(JSON.stringify(input)); }`,
		);
		const cell = { path: "a.ipynb", action: "insert", cell_index: 0, cell_type: "code", content: "a = 1" };
		await using fixture = await extensionFixture(
			{
				steps: [
					callOf("ast_edit", rewrite),
					callOf("resolve", { action: "apply", reason: "because" }),
					callOf("notebook", cell),
					"Ok.",
				],
			},
			{ files: { "a.ts": showing }, tools: ["ast_edit", "resolve", "notebook"] },
		);
		writeFileSync(join(fixture.cwd, "free.ts"), "const key = 1;\nfoo(key);\nexport {};\n");
		await fixture.prompt("go");
		expect(fixture.shown.map((line) => JSON.parse(line.slice("notify: ".length)) as unknown)).toEqual([
			{ path: "free.ts", edits: [{ oldText: "foo(key);", newText: "bar(key);" }] },
			{ path: "a.ipynb", edits: [{ oldText: "", newText: "a = 1" }] },
		]);
	});

	test("is called for a notebook", async () => {
		const guardNotebooks = on(
			"tool_call",
			`({ toolName, input }) => toolName === "edit" && input.edits[0].newText.includes("secret") ? { block: true, reason: "no " + input.path } : undefined`,
		);
		const cell = { path: "a.ipynb", action: "insert", cell_index: 0, cell_type: "code", content: "secret" };
		await using fixture = await extensionFixture(
			{ steps: [callOf("notebook", cell), "Ok."] },
			{ files: { "a.ts": guardNotebooks }, tools: ["notebook"] },
		);
		await fixture.prompt("go");
		expect(fixture.request(1)).toContain("no a.ipynb");
	});

	test("sees the files of a patch, and allows it if none is protected", async () => {
		const patch = (...names: string[]): string =>
			["*** Begin Patch", ...names.flatMap((name) => [`*** Add File: ${name}`, "+x"]), "*** End Patch"].join(
				"\n",
			);
		await using fixture = await extensionFixture(
			{
				steps: [
					callOf("edit", { input: patch("one.ts", "locked.ts") }),
					callOf("edit", { input: patch("one.ts", "two.ts") }),
					"Ok.",
				],
			},
			{ files: { "a.ts": guard }, tools: ["edit"], settings: "edit:\n  mode: apply_patch\n" },
		);
		await fixture.prompt("go");
		expect(fixture.shown).toEqual(
			["one.ts", "locked.ts", "one.ts", "two.ts"].map((name) => `notify: edit ${name}`),
		);
		expect(fixture.request(1)).toContain("locked.ts is protected");
		expect(existsSync(join(fixture.cwd, "locked.ts"))).toBe(false);
		expect(readFileSync(join(fixture.cwd, "two.ts"), "utf8")).toBe("x\n");
	});
});
