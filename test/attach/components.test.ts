/** What extensions draw, on terminals that have joined a session. */
import { expect, test } from "bun:test";

import { builtinThemeFacts } from "@tau/tui";

import { openTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";
import { around, custom, extension, joined, say } from "./drawn.ts";
import { attach, detach, launchLocal, untilRow } from "./local.ts";

test("whoever joins a session without a terminal sees what its extensions draw, for its own width", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, around));
	await using one = joined(home, { cols: 100, rows: 30 });
	await one.until("widget of 100 columns");
	await one.until("footer of 100");
	await one.until("text below");
	await one.until("header of mine");
	expect(one.title).toContain("title of mine");
	await using two = joined(home, { cols: 60, rows: 24 });
	await two.until("widget of 60 columns");
	await two.until("footer of 60");
	expect(one.screen()).toContain("widget of 100 columns");
	two.resize({ cols: 70, rows: 24 });
	await two.until("widget of 70 columns");
	await two.until("footer of 70");
});

test("a component appears at the terminal that asked for it, takes its keys, and is closed there", async () => {
	const scenario = { steps: ["Hello.", "Second."] };
	await using home = await launch(scenario);
	await using owner = await openTau(scenario, { home, args: ["-e", extension(home, custom)] });
	await owner.until("played-1");
	owner.type("hello\r");
	await owner.until("Hello.");
	await using client = joined(home, { cols: 50, rows: 20 });
	await client.until("Hello.");
	say(client, "/go");
	await client.until("custom of 50");
	expect(owner.screen()).not.toContain("custom of");
	client.type("abc");
	await client.until("keys: abc");
	// The terminal of the session works meanwhile.
	owner.type("more\r");
	await owner.until("Second.");
	client.type("q");
	await client.until("closed with abc");
	await client.untilGone("custom of");
	say(client, "/over");
	await client.until("custom of 30");
	client.type("x");
	await client.until("keys: x");
	client.type("q");
	await client.until("closed with x");
	// Typed in the terminal of the session, it appears there.
	say(owner, "/go");
	await owner.until("custom of 80");
	expect(client.screen()).not.toContain("custom of 80");
	owner.type("q");
	await owner.until("closed with");
});

test("a component whose terminal leaves is closed, and its command continues", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, custom));
	const client = joined(home, { cols: 80, rows: 24 });
	await client.until("Hello.");
	say(client, "/go");
	await client.until("custom of 80");
	client.kill("SIGHUP");
	await client.exited;
	await untilRow(home, ({ title }) => title === "disposed 1");
	await using next = joined(home, { cols: 80, rows: 24 });
	await next.until("closed with undefined");
	expect(next.screen()).not.toContain("custom of");
	await client[Symbol.asyncDispose]();
});

test("a client that shows no components is told so once, and nothing waits for it", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, custom));
	await using client = attach(home);
	await client.until("Hello.");
	client.send("/go");
	await client.until("needs a terminal");
	await client.until("closed with undefined");
	client.mark();
	client.send("/go");
	await client.until("closed with undefined");
	expect(client.running.output().out.split("needs a terminal")).toHaveLength(2);
});

/** Draws its calls and its messages itself. */
const renderers = `
pi.registerTool({
	name: "paint", label: "Paint", description: "Paints.", parameters: { type: "object", properties: { what: { type: "string" } } },
	async execute(_id, params, signal, onUpdate) {
		onUpdate?.({ content: [{ type: "text", text: "half" }], details: { done: 50 } });
		return { content: [{ type: "text", text: "all of it" }], details: { done: 100 } };
	},
	renderCall: (args, theme) => new Text(theme.fg("accent", "painting " + args.what), 0, 0),
	renderResult: (result, { isPartial }, theme) => ({
		render: (width) => ["painted " + result.details.done + "% for " + width],
		invalidate() {},
	}),
});
pi.registerMessageRenderer("mine", (message, options, theme) => ({
	render: (width) => ["rendered " + message.content + " for " + width],
	invalidate() {},
}));
pi.registerCommand("say", { handler: async (args) => { pi.sendMessage({ customType: "mine", content: args, display: true }); } });`;

const paint = { answer: { blocks: [{ toolCall: { name: "paint", arguments: { what: "the wall" } } }] } };

test("calls and messages that extensions draw look the same on every terminal, also to whoever joins later", async () => {
	const scenario = { steps: [paint, "Done.", paint, "Again."] } as never;
	await using home = await launch(scenario);
	await using owner = await openTau(scenario, { home, args: ["-e", extension(home, renderers)] });
	await owner.until("played-1");
	owner.type("paint it\r");
	await owner.until("Done.");
	expect(owner.screen()).toContain("painted 100% for 79");
	await using client = joined(home, { cols: 60, rows: 30 });
	await client.until("painted 100% for 59");
	expect(client.screen()).toContain("painting the wall");
	expect(client.screen()).not.toContain("all of it");
	say(client, "/say something");
	await client.until("rendered something for 60");
	await owner.until("rendered something for 80");
	client.type("again\r");
	for (const each of [client, owner]) await each.until("Again.");
	const twice = (): boolean => client.screen().split("painted 100% for 59").length === 3;
	await client.untilDrawn(twice, "showed both calls as the extension draws them");
	await using late = joined(home, { cols: 70, rows: 40 });
	await late.until("rendered something for 70");
	await late.until("painted 100% for 69");
});

test("an entry that an extension draws appears on terminals that were there before, and on those that join later", async () => {
	const body = `pi.registerEntryRenderer("mark", (entry) => new Text("entry of " + entry.data.what, 0, 0));
pi.registerCommand("mark", { handler: async (args) => void pi.appendEntry("mark", { what: args.trim() }) });`;
	const scenario = { steps: ["Hello."] };
	await using home = await launch(scenario);
	await using owner = await openTau(scenario, { home, args: ["-e", extension(home, body)] });
	await owner.until("played-1");
	owner.type("hello\r");
	await owner.until("Hello.");
	await using client = joined(home, { cols: 60, rows: 24 });
	await client.until("Hello.");
	say(client, "/mark one");
	await owner.until("entry of one");
	await client.until("entry of one");
	say(owner, "/mark two");
	await client.until("entry of two");
	await using late = joined(home, { cols: 70, rows: 24 });
	await late.until("entry of two");
	expect(late.screen()).toContain("entry of one");
});

test("an editor of an extension is written in on every terminal, and sends from there", async () => {
	const editor = `class Mine extends CustomEditor {
		render(width) { return ["EDITOR of " + width, ...super.render(width)]; }
		handleInput(data) { super.handleInput(data === "1" ? "one" : data); }
	}
	pi.on("session_start", (_event, ctx) => ctx.ui.setEditorComponent((tui, theme, keys) => new Mine(tui, theme, keys)));`;
	await using home = await launchLocal({ steps: ["Hello.", "Second."] });
	await detach(home, "hello", "-e", extension(home, editor));
	await using client = joined(home, { cols: 60, rows: 24 });
	await client.until("EDITOR of 60");
	client.type("1 more");
	await client.until("one more");
	client.press("enter");
	await client.until("Second.");
	expect(home.played.requests.at(-1)?.rawBody).toContain("one more");
	client.press("ctrlC");
	client.type("/exit\r");
	expect(await client.exited).toBe(0);
});

test("each terminal is drawn for in its own colors", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, around));
	await using dark = joined(home, { cols: 80, rows: 24, background: "dark" });
	await using light = joined(home, { cols: 80, rows: 24, background: "light" });
	const colors = new Map<string, string>();
	for (const [name, each] of Object.entries({ dark, light })) {
		await each.until("in color");
		const accent = builtinThemeFacts(name as "dark" | "light").colors.accent;
		colors.set(name, String(accent));
		await each.untilDrawn(
			() => colorBefore(each.bytes, "in color") === accent,
			"had the accent of its theme",
		);
	}
	expect(new Set(colors.values()).size).toBe(2);
});

/** The last color that was set before the text was written last, as `#rrggbb`. */
function colorBefore(bytes: string, text: string): string | undefined {
	const before = bytes.slice(0, bytes.lastIndexOf(text));
	const [, ...parts] = [...before.matchAll(/38;2;(\d+);(\d+);(\d+)/g)].at(-1) ?? [];
	return parts.length === 0
		? undefined
		: `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
}

test("components that fail, flood or send control sequences harm neither a terminal nor the session", async () => {
	const hostile = `pi.on("session_start", (_event, ctx) => {
		const widget = (key, render) => ctx.ui.setWidget(key, () => ({ render, invalidate() {} }), { placement: "belowEditor" });
		widget("throws", () => { throw new Error("boom"); });
		widget("numbers", () => [1, 2]);
		widget("nothing", () => undefined);
		widget("controls", () => ["\\x1b[2J\\x1b]0;taken\\x07\\x1b[10Aseen all the same\\x9b31m"]);
		ctx.ui.setWidget("unmade", () => { throw new Error("no component"); }, { placement: "belowEditor" });
		ctx.ui.setStatus("mine", 5);
		pi.registerCommand("flood", { handler: async () => widget("many", () => Array(1e6).fill("row of many")) });
		pi.registerCommand("ebb", { handler: async () => ctx.ui.setWidget("many", undefined) });
	});
	${custom}
	pi.registerCommand("bad", { handler: (_args, ctx) => ctx.ui.custom(() => ({
		render() { throw new Error("bad render"); }, handleInput() { throw new Error("bad key"); }, invalidate() {},
	})) });`;
	await using home = await launchLocal({ steps: ["Hello.", "Second."] });
	await detach(home, "hello", "-e", extension(home, hostile));
	await using client = joined(home, { cols: 80, rows: 100 });
	const texts = [
		"throws: boom",
		"numbers: render()",
		"nothing: render()",
		"unmade: no component",
		"seen all the same",
	];
	for (const text of texts) await client.until(text);
	expect(client.title).not.toContain("taken");
	client.type("more\r");
	await client.until("Second.");
	say(client, "/bad");
	await client.until("bad render");
	client.type("x");
	await client.until("bad key");
	client.press("ctrlC");
	client.press("ctrlC");
	await client.untilGone("bad key");
	say(client, "/flood");
	await client.until("row of many");
	say(client, "/ebb");
	await client.untilGone("row of many");
	say(client, "/go");
	await client.until("custom of 80");
	client.type("yq");
	await client.until("closed with y");
});
