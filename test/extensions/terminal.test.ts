/** What extensions learn of the terminal through pi's `TUI`, and how they draw on it at once. */
import { expect, test } from "bun:test";

import { go, say, withExtension } from "./opened.ts";

/** The `TUI` that a widget's factory is given. */
const withTui = (body: string): string => `let tui;
	pi.on("session_start", (_event, ctx) => ctx.ui.setWidget("w", (t) => { tui = t; return new Text("widget here", 0, 0); }));
	${go(body)}`;

test("the terminal's background and color scheme can be asked for, and changes of it are reported", async () => {
	await using opened = await withExtension(
		withTui(`
		const { r, g, b } = await tui.queryTerminalBackgroundColor({ timeoutMs: 5000 });
		const scheme = await tui.queryTerminalColorScheme({ timeoutMs: 5000 });
		const stop = tui.onTerminalColorSchemeChange((now) => { stop(); ctx.ui.notify("changed to " + now); });
		ctx.ui.notify(["background", r, g, b, scheme].join(" "));`),
		{ steps: [] },
		{ background: "light" },
	);
	const { tau } = opened;
	await tau.until("widget here");
	say(tau, "/go");
	await tau.until("background 250 250 245 light");
	tau.switchTo("dark");
	await tau.until("changed to dark");
	tau.switchTo("light");
	say(tau, "/go");
	await tau.untilDrawn(() => tau.scrollback().split("245 light").length === 3, "answered again");
	expect(tau.scrollback()).not.toContain("changed to light");
});

test("a terminal that does not answer gives undefined after the time that the extension allows", async () => {
	await using opened = await withExtension(
		withTui(`const color = await tui.queryTerminalBackgroundColor({ timeoutMs: 50 });
		const scheme = await tui.queryTerminalColorScheme({ timeoutMs: 50 });
		ctx.ui.notify("answers: " + [typeof color, typeof scheme].join());`),
	);
	await opened.tau.until("widget here");
	say(opened.tau, "/go");
	await opened.tau.until("answers: undefined,undefined");
});

test("reports of the focus reach the extension that asked for them, no one types them, and they end with Tau", async () => {
	await using opened = await withExtension(
		`pi.on("session_start", (_event, ctx) => {
			process.stdout.write("\\x1b[?1004h");
			ctx.ui.onTerminalInput((data) => {
				if (data === "\\x1b[I" || data === "\\x1b[O") ctx.ui.setStatus("focus", data === "\\x1b[I" ? "in focus" : "out of focus");
			});
		});`,
	);
	const { tau } = opened;
	await tau.untilDrawn(() => tau.bytes.includes("\x1b[?1004h"), "asked for reports");
	tau.type("a\x1b[O");
	await tau.until("out of focus");
	tau.type("\x1b[Ib");
	await tau.until("in focus");
	await tau.until("ab");
	expect(tau.screen()).not.toMatch(/\[[IO]/);
	expect(tau.screen()).not.toContain("prints to the terminal");
	tau.press("ctrlC", "ctrlD");
	await tau.exited;
	expect(tau.bytes.lastIndexOf("\x1b[?1004l")).toBeGreaterThan(tau.bytes.lastIndexOf("\x1b[?1004h"));
});

test("renderNow draws before it returns, and getFocusedComponent is what the keys go to", async () => {
	await using opened = await withExtension(
		`let shown = "before";
		pi.on("session_start", (_event, ctx) => ctx.ui.setWidget("w", (tui) => ({
			render: () => [shown],
			invalidate() {},
			handleInput() {},
		})));
		${go(`await ctx.ui.custom((tui, theme, keys, done) => {
			let drawn = 0;
			const dialog = {
				render() { drawn++; return ["drawn " + drawn]; },
				invalidate() {},
				handleInput(data) {
					const before = drawn;
					tui.renderNow();
					const during = drawn;
					tui.renderNow(true);
					done([during > before, drawn > during, tui.getFocusedComponent() === dialog].join());
				},
			};
			return dialog;
		}).then((words) => ctx.ui.notify("now: " + words));`)}`,
	);
	const { tau } = opened;
	await tau.until("before");
	say(tau, "/go");
	await tau.until(/drawn \d/);
	tau.type("x");
	await tau.until("now: true,true,true");
});

test("the footer shows a model and a level that an extension sets in session_start", async () => {
	await using opened = await withExtension(
		`pi.on("session_start", async (_event, ctx) => {
			const current = ctx.model;
			await pi.setModel({ ...current, id: "played-2", name: "Second", reasoning: true });
			pi.setThinkingLevel("high");
		});`,
		undefined,
		// The first frame may already show the extension's model.
		{ ready: /played-2.*high|Second.*high/ },
	);
	expect(opened.tau.screen()).not.toContain("played-1");
});
