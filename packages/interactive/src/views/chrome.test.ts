/** What is around the conversation: the first row of a session, the footer, the panel of shortcuts, the echo of a command. */
import { expect, test } from "bun:test";

import { Text, visibleWidth, type Component } from "@tau/tui";

import { frame, testViewContext } from "../testing/view-context.ts";
import { CommandEcho } from "./echo.ts";
import { Footer, type FooterFacts } from "./footer.ts";
import { NoticeView } from "./notice.ts";
import { showShortcuts } from "./shortcuts.ts";
import { StatusLane } from "./status-lane.ts";
import { Titled } from "./titled.ts";
import { SessionStartView } from "./welcome.ts";

test.each([
	[120, 1],
	[100, 1],
	[97, 1],
	[80, 2],
	[40, 3],
])("at %d cells, the shortcuts are in %d rows of columns, and none is cut", (width, groups) => {
	let panel: Component | undefined;
	const host = { theme: testViewContext().theme, editor: {} } as Parameters<typeof showShortcuts>[0];
	showShortcuts({
		...host,
		showInEditor: (shown) => ((panel = shown), { close() {}, closed: Promise.resolve() }),
	});
	const rows = frame(panel ?? expect.unreachable(), width).split("\n");
	expect(rows.every((row) => visibleWidth(row) <= width)).toBe(true);
	expect(rows.filter((row) => /^ (?:Write|While Tau works|Session)/.test(row))).toHaveLength(groups);
	expect(rows.join("\n")).toContain("ctrl+o");
	expect(rows.join("\n")).not.toContain("…");
});

test("on a narrow screen the keys of a dialog are wrapped, so that the one that leaves it is seen", () => {
	const dialog = new Titled("Round?", new Text("Yes", 1, 0), testViewContext().theme, {
		keys: () => "1-3 or enter to select",
	});
	dialog.focused = true;
	expect(frame(dialog, 32).replaceAll(/\s+/g, " ")).toContain("to cancel");
});

test("the scrollback of a session begins with what it was started with", () => {
	const facts = {
		version: "1.2.3",
		cwd: "/work/project",
		model: "played/played-1",
		loaded: [],
		approvals: "",
		tip: "",
	};
	expect(frame(new SessionStartView(testViewContext(), facts), 60)).toBe(
		"\n τ tau 1.2.3 · played/played-1 · /work/project",
	);
});

test("a command is shown once, directly above what it printed, and not at all when it printed nothing", () => {
	const view = testViewContext();
	const echo = new CommandEcho(view);
	const output = new NoticeView(view, "No changes.", "info");
	{
		using _ = echo.begin("/diff");
		expect(frame(echo.above(output), 40)).toBe("\n ❯ /diff\n · No changes.");
		expect(echo.above(output)).toBe(output);
	}
	echo.begin("/model")[Symbol.dispose]();
	expect(echo.above(output)).toBe(output);
});

test("a command that takes a while shows the key for the background, where there is room for it", () => {
	const { animation, clock, theme } = testViewContext();
	const lane = new StatusLane(theme, animation);
	lane.set({ what: "running bash", since: clock.now() });
	clock.pass(65_000);
	lane.awaitedMs = () => 5000;
	expect(frame(lane, 80)).toEndWith(" · esc to interrupt · ctrl+b background");
	expect(frame(lane, 50)).toEndWith(" · esc to interrupt");
	lane.awaitedMs = () => 4999;
	expect(frame(lane, 80)).toEndWith(" · esc to interrupt");
	lane.set(undefined);
});

test("the footer is laid out once, until a fact or the width changes", () => {
	const facts: FooterFacts = {
		cwd: "/work/project",
		git: { branch: "main", isDirty: false },
		sessionName: undefined,
		model: undefined,
		thinking: "off",
		approvals: undefined,
		context: undefined,
		used: { input: 0, output: 0, cost: 0 },
		statuses: [],
		flash: undefined,
		segments: [],
	};
	const footer = new Footer(testViewContext().theme, () => facts);
	const rows = footer.render(60);
	expect(footer.render(60)).toBe(rows);
	facts.git = { branch: "other", isDirty: true };
	expect(frame(footer, 60)).toContain("other*");
	expect(frame(footer, 60)).not.toContain("main");
	expect(footer.render(30)).not.toEqual(footer.render(60));
});
