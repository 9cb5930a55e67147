/** An extension that returns nonsense, hangs or exits the process harms neither the session nor its content. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";
import { plainData } from "../support/plain-data.ts";

const extensionFixture = extensionFixtureWith(playModel);

/** Tools by name, each with the expression that it returns. */
function tools(given: Readonly<Record<string, string>>): string {
	const rows = Object.entries(given).map(
		([name, result]) =>
			`pi.registerTool({ name: "${name}", label: "${name}", description: "d", parameters: { type: "object", properties: {} }, execute: async (_id, _params, _signal, update) => (${result}) });`,
	);
	return `export default (pi) => { ${rows.join("\n")} };`;
}

interface KeptMessage {
	role: string;
	content: { type: string; text?: string }[];
	details?: unknown;
}

/** The tool results of the session, as they are stored. */
function kept({ log }: ExtensionFixture): KeptMessage[] {
	const entries: { message?: KeptMessage }[] = JSON.parse(JSON.stringify(log.getEntries()));
	return entries.flatMap(({ message }) => (message?.role === "toolResult" ? [message] : []));
}

test("a result whose details are cyclic, throw or have no JSON form is stored all the same", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("circle"), callOf("getter"), callOf("bigint"), "Ok."] },
		{
			files: {
				"odd.ts": tools({
					circle: `(() => { const me = { name: "x" }; me.me = me; return { content: [{ type: "text", text: "circle" }], details: me }; })()`,
					getter: `{ content: [{ type: "text", text: "getter" }], details: { good: 1, get bad() { throw new Error("no"); } } }`,
					bigint: `{ content: [{ type: "text", text: "bigint" }], details: { size: 12n, at: new Date(0) } }`,
				}),
			},
		},
	);
	await fixture.prompt("go");
	expect(kept(fixture).map(({ details }) => details)).toEqual([
		{ name: "x", me: "[see above]" },
		{ good: 1, bad: "[Error]" },
		{ size: "12", at: "1970-01-01T00:00:00.000Z" },
	]);
});

test("parts of a result that are neither text nor an image are named to the model, and the session continues", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("odd"), "Ok."] },
		{
			files: {
				"odd.ts": tools({
					odd: `{ content: [null, "plain", { type: "text" }, { type: "text", text: 42 }, { type: "video", data: "x" }, { type: "image", mimeType: "image/png" }, { type: "image", mimeType: "image/png", data: "no base64!" }, { type: "image", mimeType: "x", data: "AAAA" }, { type: "image", mimeType: "image/png", data: "AAAA" }] }`,
				}),
			},
		},
	);
	await fixture.prompt("go");
	const [result] = kept(fixture);
	expect(result?.content.map(({ type }) => type)).toEqual([
		...Array.from({ length: 8 }, () => "text"),
		"image",
	]);
	expect(result?.content[1]?.text).toBe("plain");
	expect(result?.content[4]?.text).toContain('{"type":"video","data":"x"}');
	expect(fixture.played.requests).toHaveLength(2);
});

test("invalid updates are ignored, and the result counts", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("odd"), "Ok."] },
		{
			files: {
				"odd.ts": tools({
					odd: `(update(null), update({}), update({ content: [null] }), { content: [{ type: "text", text: "done" }] })`,
				}),
			},
		},
	);
	await fixture.prompt("go");
	expect(kept(fixture)[0]?.content).toEqual([{ type: "text", text: "done" }]);
	const updates = fixture.events.filter(({ type }) => type === "tool_execution_update");
	expect(updates).toHaveLength(1);
});

test("a text too long for any model is shown by its ends, and the rest is an artifact", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("long"), "Ok."] },
		{
			files: {
				"long.ts": tools({
					long: `{ content: [{ type: "text", text: "first\\n" + "a line of a long text\\n".repeat(100_000) + "last" }] }`,
				}),
			},
		},
	);
	await fixture.prompt("go");
	const text = kept(fixture)[0]?.content[0]?.text ?? "";
	expect(text.length).toBeLessThan(64 * 1024);
	expect(text).toContain("first");
	expect(text).toEndWith("last");
	expect(text).toContain("artifact://");
});

test("a result that a handler changed is sanitized like any other", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("plain"), "Ok."] },
		{
			files: {
				"plain.ts": tools({ plain: `{ content: [{ type: "text", text: "plain" }] }` }),
				"hook.ts": `export default (pi) => pi.on("tool_result", () => { const me = {}; me.me = me; return { content: [null], details: me }; });`,
			},
		},
	);
	await fixture.prompt("go");
	expect(kept(fixture)).toMatchObject([{ content: [{ type: "text" }], details: { me: "[see above]" } }]);
});

test("entries and messages of an extension are stored, whatever they contain", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"keeps.ts": `export default (pi) => pi.on("session_start", () => { const me = {}; me.me = me; pi.appendEntry("mine", me); });`,
			},
		},
	);
	await fixture.prompt("go");
	expect(JSON.stringify(fixture.log.getEntries())).toContain('"me":"[see above]"');
});

test("objects that all refer to each other are copied once each", () => {
	const nodes = Array.from({ length: 200 }, (): { others: unknown[] } => ({ others: [] }));
	for (const node of nodes) node.others = nodes;
	expect(JSON.stringify(plainData(nodes[0])).length).toBeLessThan(100_000);
	const sound = { a: [1, "x", null] };
	expect(plainData(sound)).toBe(sound);
});

test("an extension that never finishes loading times out, and the others are loaded", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: {
				"waits.ts": "await new Promise(() => {}); export default () => {};",
				"good.ts": `export default (pi) => pi.registerCommand("good", { handler() {} });`,
			},
			deadline: { slowMs: 10, limitMs: 50 },
		},
	);
	expect(fixture.extensions.problems.map(({ error }) => error)).toEqual([
		expect.stringContaining("Timed out after"),
	]);
	expect(fixture.extensions.runner.commands.list().map(({ name }) => name)).toEqual(["good"]);
});

test("a session starts without an extension that hangs, and one that is only slow joins it later", async () => {
	const slow = `pi.registerTool({ name: "late_tool", label: "Late", description: "late", parameters: { type: "object", properties: {} }, execute() {} });
		pi.registerCommand("late", { handler() {} });
		pi.on("session_start", ({ reason }, ctx) => ctx.ui.notify("late " + reason));`;
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"reads.ts": "await new Promise(() => {}); export default () => {};",
				"hangs.ts": "export default () => new Promise(() => {});",
				"slow.ts": `export default async (pi) => { await new Promise((go) => { globalThis.letGo = go; }); ${slow} };`,
				"good.ts": `export default (pi) => pi.registerCommand("good", { handler() {} });`,
			},
			graceMs: 30,
		},
	);
	const { extensions, session } = fixture;
	expect(extensions.runner.commands.list().map(({ name }) => name)).toEqual(["good"]);
	Reflect.get(globalThis, "letGo")();
	await fixture.until("late startup");
	expect(extensions.runner.commands.list().map(({ name }) => name)).toEqual(["late", "good"]);
	expect(session.state.tools.map(({ name }) => name)).toContain("late_tool");
	await fixture.prompt("go");
	expect(fixture.request(0)).toContain("late_tool");
});

test("a prompt that an extension holds is not sent when the user cancels it, or when the time is up", async () => {
	const holds = `export default (pi) => pi.on("input", () => new Promise(() => {}));`;
	await using late = await extensionFixture(
		{ steps: [] },
		{ files: { "a.ts": holds }, deadline: { slowMs: 5, limitMs: 30 } },
	);
	expect(late.prompt("go")).rejects.toThrow("The prompt was not sent: a: Timed out");
	await late.session.waitForIdle();
	await using held = await extensionFixture({ steps: [] }, { files: { "a.ts": holds } });
	const prompting = held.prompt("go");
	held.session.abort();
	expect(prompting).rejects.toThrow("The prompt was not sent: a: ");
	expect([late.played.requests, held.played.requests]).toEqual([[], []]);
});

test("an extension that exits the process or throws an unreadable value while loading is reported like any other", async () => {
	const { exit } = process;
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: {
				"script.ts": "process.exit(7);",
				"factory.ts": "export default async () => { await null; process.exit(0); };",
				"odd.ts": "export default () => { throw { get message() { throw 1; }, toString() { throw 2; } }; };",
			},
		},
	);
	expect(fixture.extensions.problems.map(({ error }) => error)).toEqual([
		expect.stringContaining("It tried to exit the program"),
		expect.stringContaining("It tried to exit the program"),
		"It threw something that cannot be read.",
	]);
	expect(process.exit).toBe(exit);
});

test("a message without content or with unreadable content is stored and sent as text", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"says.ts": `export default (pi) => {
					pi.on("session_start", () => { pi.sendMessage({ customType: "mine" }); pi.sendMessage({ customType: "mine", content: [null] }); });
					pi.on("before_agent_start", () => ({ message: 7 }));
				};`,
			},
		},
	);
	await fixture.prompt("go");
	const said = fixture.session.state.messages.flatMap((message) =>
		message.role === "custom" ? [message.content] : [],
	);
	expect(said).toContainEqual("");
	expect(said).toContainEqual([{ type: "text", text: "[neither text nor an image: null]" }]);
	expect(fixture.played.requests).toHaveLength(1);
});
