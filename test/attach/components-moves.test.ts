/** What extensions draw on attached terminals, when the session, its extensions or a connection change. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";

import type { ComponentChanges } from "@tau/wire";

import { openTau } from "../interactive/driver.ts";
import { launch } from "../support/launch.ts";
import { around, custom, extension, joined, say } from "./drawn.ts";
import { detach, launchLocal, untilRow } from "./local.ts";
import { RawClient } from "./raw-client.ts";

/** `/more` counts, and asks the screen that it knows to be drawn again. */
const counter = `
let count = 0;
let draw = () => {};
pi.on("session_start", (_event, ctx) => {
	ctx.ui.setWidget("count", (tui) => {
		draw = () => tui.requestRender();
		return { render: () => ["counted to " + count], invalidate() {} };
	});
});
pi.registerCommand("more", { handler: async () => { count++; draw(); } });
pi.registerShortcut("ctrl+q", { description: "Counts", handler: async () => { count += 10; draw(); } });`;

test("what one screen asks to be drawn again is drawn again on all, and shortcuts work on each", async () => {
	const scenario = { steps: ["Hello."] };
	await using home = await launch(scenario);
	await using owner = await openTau(scenario, { home, args: ["-e", extension(home, counter)] });
	await owner.until("counted to 0");
	await using client = joined(home, { cols: 60, rows: 20 });
	await client.until("counted to 0");
	say(owner, "/more");
	for (const each of [owner, client]) await each.until("counted to 1");
	say(client, "/more");
	for (const each of [owner, client]) await each.until("counted to 2");
	client.type("\x11");
	for (const each of [owner, client]) await each.until("counted to 12");
	client.kill("SIGKILL");
	await client.exited;
	say(owner, "/more");
	await owner.until("counted to 13");
});

test("terminals that are attached when the session moves to the background are drawn for there", async () => {
	const scenario = { steps: ["Hello."] };
	await using home = await launchLocal(scenario);
	await using owner = await openTau(scenario, { home, args: ["-e", extension(home, around + custom)] });
	await owner.until("widget of 80 columns");
	owner.type("hello\r");
	await owner.until("Hello.");
	await using client = joined(home, { cols: 60, rows: 24 });
	await client.until("widget of 60 columns");
	say(owner, "/detach");
	expect(await owner.exited).toBe(0);
	await untilRow(home, ({ detached, clients }) => detached && clients === 1);
	await client.until("is back");
	await client.until("widget of 60 columns");
	say(client, "/go");
	await client.until("custom of 60");
	client.type("zq");
	await client.until("closed with z");
});

test("a reload replaces what the extensions of before have drawn, and closes what they had open", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	const file = extension(home, `${around}${custom}`);
	await detach(home, "hello", "-e", file);
	await using client = joined(home, { cols: 80, rows: 24 });
	await using other = joined(home, { cols: 70, rows: 24 });
	for (const each of [client, other]) await each.until("header of mine");
	say(client, "/go");
	await client.until("custom of 80");
	writeFileSync(
		file,
		`export default (pi) => pi.on("session_start", (_event, ctx) => ctx.ui.setWidget("mine", ["after the reload"]));`,
	);
	say(other, "/reload");
	for (const each of [client, other]) {
		await each.until("after the reload");
		await each.untilGone("footer of");
	}
	await client.untilGone("custom of");
});

test("a terminal that is stopped holds up nobody, and shows the latest when it continues", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	const flood = `pi.on("session_start", (_event, ctx) => {
		let frame = 0;
		ctx.ui.setWidget("mine", (tui) => ({ render: (width) => Array.from({ length: 8 }, (_, at) => "frame " + frame + " row " + at + "x".repeat(width - 20)), invalidate() {} }));
		pi.registerCommand("play", { handler: async () => {
			for (frame = 0; frame < 400; frame++) {
				ctx.ui.setStatus("frame", "at " + frame);
				await new Promise((resolve) => setTimeout(resolve, 1));
			}
			ctx.ui.setStatus("frame", "at the end");
		} });
	});`;
	await detach(home, "hello", "-e", extension(home, flood));
	await using stopped = joined(home, { cols: 100, rows: 24 });
	await using client = joined(home, { cols: 90, rows: 24 });
	for (const each of [stopped, client]) await each.until("frame 0 row 0");
	stopped.kill("SIGSTOP");
	say(client, "/play");
	await client.until("at the end");
	await client.until("frame 400 row 0");
	stopped.kill("SIGCONT");
	await stopped.until("frame 400 row 0");
	await stopped.until("at the end");
});

test("what happens while a terminal joins is not on its screen twice", async () => {
	const sending = `let isSent = false;
	pi.on("session_start", (_event, ctx) => ctx.ui.setWidget("mine", () => {
		if (!isSent) pi.sendMessage({ customType: "mine", content: "sent while drawing", display: true });
		isSent = true;
		return new Text("widget of mine", 0, 0);
	}));`;
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, sending));
	await untilRow(home, ({ phase }) => phase === "idle");
	await using client = joined(home, { cols: 80, rows: 30 });
	await client.until("widget of mine");
	client.type("!echo all was drawn\r");
	await client.until(/^ +all was drawn/m);
	expect(client.scrollback().split("sent while drawing").length).toBeLessThanOrEqual(2);
});

const window = (columns: number) => ({
	columns,
	rows: 24,
	theme: { name: "dark", appearance: "dark", mode: "none", colors: {} },
	expandTools: false,
	hyperlinks: false,
});

test("only a client that has said how it shows components is sent some, and only what has changed", async () => {
	await using home = await launchLocal({ steps: ["Hello."] });
	await detach(home, "hello", "-e", extension(home, around));
	await untilRow(home, ({ phase }) => phase === "idle");
	using client = new RawClient(home, { client: { id: "raw", name: "raw", kinds: [] } });
	client.send({ id: "1", type: "component_key", data: "x" });
	expect(await client.answer("1")).toMatchObject({ ok: false });
	client.send({ id: "2", type: "show_components", ...window(1_000_000) });
	expect(await client.answer("2")).toMatchObject({ ok: false });
	expect(client.lines.some(({ kind }) => kind === "component")).toBe(false);
	client.send({ id: "3", type: "show_components", ...window(80) });
	expect(await client.answer("3")).toMatchObject({ ok: true });
	const first = client.lines.find(({ kind }) => kind === "component")?.body as ComponentChanges;
	expect(first.number).toBe(0);
	expect(first.ids).toEqual(["header", "above", "below", "footer"]);
	expect(JSON.stringify(first.changed)).toContain("widget of 80 columns");
	client.send({ id: "4", type: "show_components", ...window(70) });
	const second = await client.until(({ kind, body }) => kind === "component" && body !== first);
	const { number, ids, changed, values } = second.body as ComponentChanges;
	expect([number, ids, values]).toEqual([1, undefined, undefined]);
	const widget = changed?.find(({ id }) => id === "above");
	expect(widget).toMatchObject({ width: 70, patch: [[0, 1, ["widget of 70 columns"]]] });
});
