/** What the parts of the screen look like, wide and narrow. */
import { describe, expect, test } from "bun:test";

import { builtinTheme, visibleWidth, type Component } from "@tau/tui";

import { frame, testViewContext } from "../testing/view-context.ts";
import { AnswerTextView } from "./answer-text.ts";
import { DividerView } from "./divider.ts";
import { Footer, type FooterFacts } from "./footer.ts";
import { JobsLine } from "./jobs-line.ts";
import { linesBlock } from "./lines.ts";
import { NoticeView } from "./notice.ts";
import { PendingView } from "./pending.ts";
import { UserCommandView } from "./user-command.ts";
import { StatusLane } from "./status-lane.ts";
import { ThinkingView } from "./thinking.ts";
import { TodoPanel } from "./todo-panel.ts";
import { ToolCallView } from "./tool-call.ts";
import { UserMessageView } from "./user-message.ts";
import { Welcome } from "./welcome.ts";

const theme = { current: builtinTheme("dark", "none") };

const facts: FooterFacts = {
	cwd: "/work/project",
	git: { branch: "main", isDirty: true },
	sessionName: "Mend the parser",
	model: { provider: "played", id: "played-1", reasoning: true },
	thinking: "high",
	context: { tokens: 24_000, contextWindow: 200_000, percent: 12, exact: true },
	used: { input: 48_200, output: 3100, cost: 0.1234 },
	statuses: [],
	flash: undefined,
	segments: [],
};

describe("the footer", () => {
	test("tells everything where there is room", () => {
		expect(frame(new Footer(theme, () => facts), 120)).toMatchInlineSnapshot(
			`" /work/project · main* · Mend the parser                          played-1 · high · 12% of 200k · ↑48.2k ↓3.1k · $0.123"`,
		);
	});

	test("leaves out what matters least where there is none", () => {
		expect(frame(new Footer(theme, () => facts), 80)).toMatchInlineSnapshot(
			`" /work/project · main*    played-1 · high · 12% of 200k · ↑48.2k ↓3.1k · $0.123"`,
		);
		expect(frame(new Footer(theme, () => facts), 40)).toMatchInlineSnapshot(
			`" main*    played-1 · high · 12% of 200k"`,
		);
		expect(frame(new Footer(theme, () => facts), 12)).toMatchInlineSnapshot(`"   played-1"`);
	});

	test("tells what is said for a moment whatever else is there, cut where it must be", () => {
		const flash = "played-1 does not support images; see /model";
		const at = (width: number, segments: string[] = []): string =>
			frame(new Footer(theme, () => ({ ...facts, flash, segments })), width);
		expect(at(80)).toMatchInlineSnapshot(
			`" main*     played-1 does not support images; see /model  played-1 · 12% of 200k"`,
		);
		expect(at(40)).toMatchInlineSnapshot(`" played-1 does not support images; see …"`);
		expect(at(80, ["cwd"])).toMatchInlineSnapshot(
			`" /work/project                     played-1 does not support images; see /model"`,
		);
	});

	test("shows what it is told to, in that order", () => {
		const segments = ["model", "cwd", "nonsense"];
		expect(frame(new Footer(theme, () => ({ ...facts, segments })), 80)).toMatchInlineSnapshot(
			`" /work/project                                                         played-1"`,
		);
	});
});

describe("a message that calls a skill", () => {
	const content = '<skill name="pdf" location="/x/SKILL.md">\nRun it.\n</skill>\n\nUser: read the bill';

	test("is what was written, and its text when everything is shown", () => {
		const message = { role: "user" as const, content, timestamp: 0 };
		expect(frame(new UserMessageView(testViewContext(), message), 60)).toMatchInlineSnapshot(`
		  "
		   ❯ /skill:pdf read the bill"
		`);
		const all = new UserMessageView(testViewContext({ expandTools: true }), message);
		expect(frame(all, 60)).toMatchInlineSnapshot(`
		  "
		   ❯ /skill:pdf read the bill
		     <skill name="pdf" location="/x/SKILL.md">
		     Run it.
		     </skill>

		     User: read the bill"
		`);
	});

	test("keeps its images in sight", () => {
		const image = { type: "image" as const, mimeType: "image/png", data: "" };
		const text = { type: "text" as const, text: "Review it." };
		const message = { role: "user" as const, content: [text, image], called: "/review", timestamp: 0 };
		expect(frame(new UserMessageView(testViewContext(), message), 60)).toMatchInlineSnapshot(`
		  "
		   ❯ /review [image/png]"
		`);
	});
});

describe("a call of a tool", () => {
	const call = { id: "1", name: "bash", args: { command: "npm test" } };

	test("is one line with a sign while it runs, and its time once that says something", () => {
		const viewContext = testViewContext();
		const view = new ToolCallView(viewContext, call, "flush");
		expect(frame(view, 80)).toMatchInlineSnapshot(`" · bash $ npm test"`);
		view.start(call.args);
		viewContext.clock.pass(400);
		expect(frame(view, 80)).toMatchInlineSnapshot(`" ⠴ bash $ npm test"`);
		viewContext.clock.pass(4000);
		expect(frame(view, 80)).toMatchInlineSnapshot(`" ⠴ bash $ npm test 4s"`);
		view.finish({ content: [{ type: "text", text: "all is well" }] }, false);
		expect(frame(view, 80)).toMatchInlineSnapshot(`
		  " ✓ bash $ npm test 4.4s
		     all is well"
		`);
		expect(view.isFinal()).toBe(true);
		expect(viewContext.clock.isWaiting).toBe(false);
	});

	test("shows the end of what it prints while it runs", () => {
		const viewContext = testViewContext();
		const view = new ToolCallView(viewContext, call, "flush");
		view.start(call.args);
		const text = Array.from({ length: 29 }, (_, at) => `line ${at + 1}`).join("\n");
		view.update({ content: [{ type: "text", text }] });
		const rows = frame(view, 40).split("\n");
		expect(rows.slice(0, 3)).toEqual([" ⠋ bash $ npm test", "   … 9 earlier lines", "   line 10"]);
		expect(rows.at(-1)).toBe("   line 29");
	});

	test("shows why it failed without being asked", () => {
		const view = new ToolCallView(testViewContext(), call, "flush");
		view.start(call.args);
		view.finish(
			{ content: [{ type: "text", text: "npm: not found\n\nCommand exited with code 127" }] },
			true,
		);
		expect(frame(view, 40)).toMatchInlineSnapshot(`
		  " ✗ bash $ npm test
		     npm: not found

		     Command exited with code 127"
		`);
	});

	test("shows how its result begins, up to a bound", () => {
		const view = new ToolCallView(testViewContext(), call, "flush");
		const text = Array.from({ length: 29 }, (_, at) => `line ${at + 1}`).join("\n");
		view.finish({ content: [{ type: "text", text }] }, false);
		const rows = frame(view, 40).split("\n");
		expect(rows.slice(0, 2)).toEqual([" ✓ bash $ npm test", "   line 1"]);
		expect(rows.slice(-2)).toEqual(["   line 20", "   … 9 more lines"]);
		const cut = new ToolCallView(testViewContext(), call, false);
		cut.finish({ content: [{ type: "text", text }], details: { truncated: true, artifactId: "4" } }, false);
		const note = "   … 9 more lines · truncated, all of it is in artifact://4";
		expect(frame(cut, 70).split("\n").at(-1)).toBe(note);
	});

	test("shows all when everything is shown", () => {
		const viewContext = testViewContext({ expandTools: true });
		const view = new ToolCallView(viewContext, call, "flush");
		view.finish({ content: [{ type: "text", text: "one\ntwo" }] }, false);
		expect(frame(view, 40)).toMatchInlineSnapshot(`
		  " ✓ bash $ npm test
		     one
		     two"
		`);
	});

	test("shows what it changed", () => {
		const args = { path: "a.ts" };
		const diff = "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new";
		const view = new ToolCallView(testViewContext(), { id: "1", name: "edit", args }, "flush");
		view.finish({ content: [{ type: "text", text: "Edited a.ts" }], details: { diff } }, false);
		expect(frame(view, 40)).toMatchInlineSnapshot(`
		  " ✓ edit a.ts
		     1   same
		     2 - old
		     2 + new"
		`);
	});

	test("of a new file shows how it begins", () => {
		const content = Array.from({ length: 24 }, (_, at) => `line ${at + 1}`).join("\n");
		const view = new ToolCallView(
			testViewContext(),
			{ id: "1", name: "write", args: { path: "a.txt", content } },
			"flush",
		);
		view.finish({ content: [{ type: "text", text: "Created" }], details: { created: true } }, false);
		const rows = frame(view, 40).split("\n");
		expect(rows.slice(0, 2)).toEqual([" ✓ write a.txt", "   line 1"]);
		expect(rows.slice(-2)).toEqual(["   line 20", "   … 4 more lines"]);
	});

	test("of a tool that nobody knows still says what is called", () => {
		const view = new ToolCallView(
			testViewContext(),
			{ id: "1", name: "weather", args: { city: "Rome", days: 3 } },
			"flush",
		);
		view.finish(undefined, false);
		expect(frame(view, 40)).toMatchInlineSnapshot(`" ✓ weather city: Rome, days: 3"`);
	});

	test("that never ran is neither done nor failed", () => {
		const view = new ToolCallView(testViewContext(), call, "flush");
		view.drop();
		expect(frame(view, 40)).toMatchInlineSnapshot(`" · bash $ npm test"`);
	});

	test("is drawn by its tool where that can, and a tool that fails to draw says so", () => {
		const drawn = (rows: string[]): Component => ({ render: () => rows, invalidate: () => {} });
		const own = testViewContext({ findRenderer: () => ({ renderCall: () => drawn(["my own call"]) }) });
		expect(frame(new ToolCallView(own, call, "flush"), 40)).toBe("my own call");
		const broken = testViewContext({
			findRenderer: () => ({
				renderCall: () => {
					throw new Error("no pen");
				},
			}),
		});
		expect(frame(new ToolCallView(broken, call, "flush"), 40)).toBe("[could not be drawn: no pen]");
	});
});

test("what the person said stands on its ground, with the images in it", () => {
	const content = [
		{ type: "text" as const, text: "look at this, it is a longer sentence" },
		{ type: "image" as const, mimeType: "image/png", data: "" },
	];
	const view = new UserMessageView(testViewContext(), { role: "user", content, timestamp: 0 });
	expect(frame(view, 80)).toMatchInlineSnapshot(`
	  "
	   ❯ look at this, it is a longer sentence [image/png]"
	`);
	expect(frame(view, 24)).toMatchInlineSnapshot(`
	  "
	   ❯ look at this, it is
	     a longer sentence
	     [image/png]"
	`);
});

test("thinking is a line, and its words when they are asked for", () => {
	const viewContext = testViewContext();
	const view = new ThinkingView(viewContext, "", false);
	view.append("First this.\nThen that.");
	viewContext.clock.pass(3200);
	expect(frame(view, 40)).toMatchInlineSnapshot(`""`);
	view.finish();
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	   ∴ thought for 3.2s"
	`);
	viewContext.showThinking = true;
	view.invalidate();
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	   ∴ thought for 3.2s
	     First this.
	     Then that."
	`);
});

test("thinking that the vendor hides leaves no line", () => {
	const view = new ThinkingView(testViewContext(), "", false);
	view.finish();
	expect(view.render(40)).toEqual([]);
});

test("notices say how bad it is", () => {
	const view = testViewContext();
	expect(frame(new NoticeView(view, "Something to know", "info"), 40)).toMatchInlineSnapshot(`
	  "
	   · Something to know"
	`);
	expect(frame(new NoticeView(view, "It failed, and the reason is longer than a row", "error"), 30))
		.toMatchInlineSnapshot(`
	  "
	   ✗ It failed, and the reason
	     is longer than a row"
	`);
});

test("a divider shows more below it when everything is shown", () => {
	const viewContext = testViewContext();
	const view = new DividerView(viewContext, "summed up", "We talked about it.");
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	  ── summed up ───────────────────────────"
	`);
	viewContext.expandTools = true;
	view.invalidate();
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	  ── summed up ───────────────────────────
	    We talked about it."
	`);
});

test("what waits stands in two lanes, and a long queue is counted", () => {
	testViewContext();
	const view = new PendingView(theme);
	expect(view.render(40)).toEqual([]);
	view.set(["turn left"], ["one", "two", "three", "four"]);
	expect(frame(view, 60)).toMatchInlineSnapshot(`
	  "
	   Steering:  turn left
	   Follow-up: one
	   Follow-up: two
	   Follow-up: three
	              and 1 more
	     Steering is sent after the current step · Follow-ups are
	     sent when the turn ends · alt+↑ edits the last one"
	`);
});

test("the status lane says what, for how long, and how to stop it", () => {
	const { animation, clock } = testViewContext();
	const lane = new StatusLane(theme, animation);
	expect(lane.render(60)).toEqual([]);
	lane.set({ what: "running bash", since: clock.now() });
	clock.pass(65_000);
	expect(frame(lane, 60)).toMatchInlineSnapshot(`
	  "
	   ⠹ running bash 1m 05s · esc to interrupt"
	`);
	lane.set({
		what: "Overloaded (529). Retrying",
		remark: "(attempt 1 of 5)",
		since: 0,
		until: clock.now() + 4000,
	});
	expect(frame(lane, 60)).toMatchInlineSnapshot(`
	  "
	   ⠹ Overloaded (529). Retrying in 4s (attempt 1 of 5) · esc …"
	`);
	lane.set(undefined);
	expect(clock.isWaiting).toBe(false);
	lane.set({ what: "answering", since: clock.now(), written: () => 1234 });
	expect(frame(lane, 60)).toEndWith(" answering 0s · ↓ 1.2k · esc to interrupt");
});

test("the todo list shows the phase that is worked on", () => {
	const panel = new TodoPanel(theme);
	panel.set([
		{ name: "Look", tasks: [{ content: "read", status: "completed" }] },
		{
			name: "Mend",
			tasks: [
				{ content: "find it", status: "completed" },
				{ content: "mend it", status: "in_progress" },
				...Array.from({ length: 8 }, (_, at) => ({ content: `check ${at + 1}`, status: "pending" as const })),
			],
		},
	]);
	expect(frame(panel, 40)).toMatchInlineSnapshot(`
	  "
	   Mend 2/11
	     ☑ find it
	     ▸ mend it
	     ☐ check 1
	     ☐ check 2
	     ☐ check 3
	     ☐ check 4
	     … 4 more
	  "
	`);
	panel.isIdle = true;
	expect(frame(panel, 40)).toBe("\n ☐ 2/11 mend it");
	panel.set([{ name: "Done", tasks: [{ content: "all", status: "completed" }] }]);
	expect(panel.render(40)).toEqual([]);
});

test("jobs are a row while they run", () => {
	const line = new JobsLine(theme);
	expect(line.render(60)).toEqual([]);
	line.follow({ type: "job_update", id: "j1", label: "npm run dev", state: "running" });
	line.follow({ type: "job_update", id: "j2", label: "tail -f log", state: "running" });
	expect(frame(line, 60)).toMatchInlineSnapshot(`
	  "
	   ◷ 2 background jobs · #j1 npm run dev · #j2 tail -f log"
	`);
	line.follow({ type: "job_update", id: "j1", label: "npm run dev", state: "done" });
	line.follow({ type: "job_update", id: "j2", label: "tail -f log", state: "killed" });
	expect(line.render(60)).toEqual([]);
});

test("a command of the person shows what it printed and how it ended", () => {
	const end = { output: "one\ntwo", exitCode: 3, cancelled: false, tookMs: 2500 };
	expect(frame(new UserCommandView(testViewContext(), "make", false, end), 40)).toMatchInlineSnapshot(`
	  "
	   ! make exit 3 2.5s
	     one
	     two"
	`);
	const cut = {
		output: "end",
		exitCode: 0,
		cancelled: false,
		truncated: true,
		fullOutputPath: "/s/0.bash.log",
	};
	expect(frame(new UserCommandView(testViewContext(), "seq", false, cut), 40)).toMatchInlineSnapshot(`
	  "
	   ! seq
	     end
	     The output was truncated; all of it
	     is in /s/0.bash.log"
	`);
	const stopped = { output: "", exitCode: undefined, cancelled: true };
	expect(frame(new UserCommandView(testViewContext(), "sleep 9", true, stopped), 40)).toMatchInlineSnapshot(`
	  "
	   !! sleep 9 stopped"
	`);
});

test("the welcome fits a narrow screen, and is gone when it is told", () => {
	const welcome = new Welcome(theme, () => ({
		version: "1.2.3",
		cwd: "/work/project",
		model: "played/played-1",
		loaded: ["AGENTS.md"],
		tip: "@ names a file.",
	}));
	expect(frame(welcome, 80)).toMatchInlineSnapshot(`
	  "
	   τ tau 1.2.3 · played/played-1 · /work/project
	   with AGENTS.md
	   @ names a file.
	   Runs commands and edits files without asking.
	  "
	`);
	expect(frame(welcome, 30)).toMatchInlineSnapshot(`
	  "
	   τ tau 1.2.3 ·
	   played/played-1 ·
	   /work/project
	   with AGENTS.md
	   @ names a file.
	   Runs commands and edits
	   files without asking.
	  "
	`);
	welcome.isGone = true;
	expect(welcome.render(80)).toEqual([]);
});

test("an answer is Markdown below a blank row, also while it comes", () => {
	const view = new AnswerTextView(testViewContext(), "", false);
	expect(view.render(40)).toEqual([]);
	view.append("Some **bold");
	view.append("** words.\n\n- one");
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	   Some bold words.

	   • one"
	`);
	expect(view.isFinal()).toBe(false);
	view.finish("Some **bold** words.\n\n- one\n- two");
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	   Some bold words.

	   • one
	   • two"
	`);
	expect(view.liveFrom(40)).toBe(view.rowCount(40));
});

test("no row of any part is wider than the screen, however narrow that is", () => {
	const view = testViewContext({ expandTools: true });
	const long = "wörd 漢字 \u001b[31mred\u001b[0m ".repeat(12);
	const call = new ToolCallView(view, { id: "1", name: "bash", args: { command: long } }, "blank");
	call.finish({ content: [{ type: "text", text: long }] }, true);
	const panel = new TodoPanel(theme);
	panel.set([{ name: long, tasks: [{ content: long, status: "in_progress" }] }]);
	const pending = new PendingView(theme);
	pending.set([long], [long]);
	const lane = new StatusLane(theme, view.animation);
	lane.set({ what: long, since: 0 });
	const parts: Component[] = [
		call,
		panel,
		pending,
		lane,
		new UserMessageView(view, { role: "user", content: long, timestamp: 0 }),
		new NoticeView(view, long, "error"),
		new DividerView(view, long, long),
		new UserCommandView(view, long, false, { output: long, exitCode: 1, cancelled: false }),
		new AnswerTextView(view, long, true),
		new Footer(theme, () => ({ ...facts, cwd: long, statuses: [long] })),
		linesBlock({ theme }, [[long, long]]),
	];
	for (let width = 4; width <= 100; width += 3) {
		for (const part of parts) {
			for (const row of part.render(width)) {
				expect(visibleWidth(row), `${part.constructor.name} at ${width}`).toBeLessThanOrEqual(width);
			}
		}
	}
});
