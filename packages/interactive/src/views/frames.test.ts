/** How the parts of the screen look, wide and narrow. */
import { describe, expect, test } from "bun:test";

import { builtinTheme, visibleWidth, type Component } from "@tau/tui";

import { frame, testViewContext } from "../testing/view-context.ts";
import { AnswerTextView } from "./answer-text.ts";
import { CustomMessageView } from "./custom-message.ts";
import { DividerView } from "./divider.ts";
import { Footer, type FooterFacts } from "./footer.ts";
import { DebugPanel } from "./debug-panel.ts";
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
	approvals: { mode: "auto", boundary: "sandbox" },
	context: { tokens: 24_000, contextWindow: 200_000, percent: 12, exact: true },
	used: { input: 48_200, output: 3100, cost: 0.1234 },
	statuses: [],
	flash: undefined,
	segments: [],
};

describe("the footer", () => {
	test("shows everything if there is space", () => {
		expect(frame(new Footer(theme, () => facts), 120)).toMatchInlineSnapshot(
			`" /work/project · main* · Mend the parser · auto (sandbox)         played-1 · high · 12% of 200k · ↑48.2k ↓3.1k · $0.123"`,
		);
	});

	test("shows which model a virtual one has chosen", () => {
		const routed = { ...facts, routed: "small-2", segments: ["model", "thinking"] };
		expect(frame(new Footer(theme, () => routed), 40).trim()).toBe("played-1 → small-2 · high");
	});

	test("leaves out the least important parts if there is not", () => {
		expect(frame(new Footer(theme, () => facts), 80)).toMatchInlineSnapshot(
			`" /work/project · main* · auto (sandbox)  played-1 · high · 12% of 200k · $0.123"`,
		);
		expect(frame(new Footer(theme, () => facts), 40)).toMatchInlineSnapshot(
			`" auto (sandbox)  played-1 · 12% of 200k"`,
		);
		expect(frame(new Footer(theme, () => facts), 34)).toMatchInlineSnapshot(
			`" auto      played-1 · 12% of 200k"`,
		);
		expect(frame(new Footer(theme, () => facts), 12)).toMatchInlineSnapshot(`"   played-1"`);
	});

	test("shows a temporary message whatever else there is, cut if needed", () => {
		const flash = "played-1 does not support images; see /model";
		const at = (width: number, segments: string[] = []): string =>
			frame(new Footer(theme, () => ({ ...facts, flash, segments })), width);
		expect(at(80)).toMatchInlineSnapshot(
			`"    played-1 does not support images; see /model  played-1 · high · 12% of 200k"`,
		);
		expect(at(40)).toMatchInlineSnapshot(`" played-1 does not support images; see …"`);
		expect(at(80, ["cwd"])).toMatchInlineSnapshot(
			`" /work/project                     played-1 does not support images; see /model"`,
		);
	});

	test("shows the configured segments in their order", () => {
		const segments = ["model", "cwd", "nonsense"];
		expect(frame(new Footer(theme, () => ({ ...facts, segments })), 80)).toMatchInlineSnapshot(
			`" /work/project                                                         played-1"`,
		);
	});
});

test("thinking is a line, with its text when expanded", () => {
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

test("a headline of the thinking is bold, without the signs of Markdown", () => {
	const viewContext = testViewContext();
	viewContext.showThinking = true;
	const view = new ThinkingView(viewContext, "**Reading the tests**\n\nA sum of 2 ** 3 is wrong.", true);
	expect(frame(view, 40)).toMatchInlineSnapshot(`
	  "
	   ∴ thought
	     Reading the tests

	     A sum of 2 ** 3 is wrong."
	`);
});

test("thinking that the vendor hides leaves no line", () => {
	const view = new ThinkingView(testViewContext(), "", false);
	view.finish();
	expect(view.render(40)).toEqual([]);
});

test("notices show their severity", () => {
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

test("a divider shows more below it when expanded", () => {
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

test("queued messages are shown in two lanes, and a long queue is counted", () => {
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

test("the status line shows what runs, for how long, and how to stop it", () => {
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
		what: "Overloaded (529).",
		remark: "(attempt 1 of 5)",
		since: 0,
		until: clock.now() + 4000,
	});
	expect(frame(lane, 60)).toMatchInlineSnapshot(`
	  "
	   ⠹ Overloaded (529). Retrying in 4s · esc to interrupt"
	`);
	const reason = "This request would exceed your organization's rate limit (429).";
	lane.set({ what: reason, since: 0, until: clock.now() + 4000 });
	expect(frame(lane, 60)).toContain("… Retrying in 4s");
	lane.set(undefined);
	expect(clock.isWaiting).toBe(false);
	lane.set({ what: "answering", since: clock.now(), written: () => 1234 });
	expect(frame(lane, 60)).toEndWith(" answering 0s · ↓ 1.2k · esc to interrupt");
	expect(frame(lane, 40)).toEndWith(" answering 0s · esc to interrupt");
	expect(frame(lane, 32)).toEndWith(" answering · esc to interrupt");
});

test("the todo list shows the current phase", () => {
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
	     … 4 more"
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
	const port = { type: "port_update", port: 3000, address: "127.0.0.1:3000", label: "npm run dev" } as const;
	line.followPort({ ...port, state: "open", jobId: "j1" });
	expect(frame(line, 80)).toContain("#j1 npm run dev → http://127.0.0.1:3000 · #j2");
	line.followPort({ ...port, state: "closed", jobId: "j1" });
	expect(frame(line, 80)).toContain("#j1 npm run dev · #j2");
	line.follow({ type: "job_update", id: "j1", label: "npm run dev", state: "done" });
	line.follow({ type: "job_update", id: "j2", label: "tail -f log", state: "killed" });
	expect(line.render(60)).toEqual([]);
});

test("a debugged program is shown with its breakpoints until it ends", () => {
	const panel = new DebugPanel(theme);
	const update = {
		type: "debug_update" as const,
		id: "d1",
		program: "shop.py",
		adapter: "debugpy",
		state: "stopped" as const,
		place: "shop.py:7 in total",
		reason: "breakpoint",
		breakpoints: [
			{ at: "shop.py:7 if price > 1", isSet: true },
			...Array.from({ length: 6 }, (_, at) => ({ at: `shop.py:${at + 90}`, isSet: false })),
		],
		exceptions: ["uncaught"],
	};
	panel.follow(update);
	expect(frame(panel, 60)).toMatchInlineSnapshot(`
	  "
	   ◼ shop.py stopped at shop.py:7 in total · breakpoint
	     ● shop.py:7 if price > 1
	     ○ shop.py:90 (not set)
	     ○ shop.py:91 (not set)
	     ○ shop.py:92 (not set)
	     ○ shop.py:93 (not set)
	     … 2 more breakpoints
	     exceptions: uncaught"
	`);
	panel.follow({ ...update, state: "ended" });
	expect(panel.render(60)).toEqual([]);
});

test("the end of a job keeps its margin when it is wrapped, and so does its output", () => {
	const content = "job 1 finished: exit code 0 (sleep 1; echo ready)\nready to take requests on port 3000";
	const message = { role: "custom" as const, customType: "job", content, display: true, timestamp: 0 };
	const view = testViewContext({ expandTools: true });
	expect(frame(new CustomMessageView(view, message), 30)).toMatchInlineSnapshot(`
	  "
	   job 1 finished: exit code 0
	   (sleep 1; echo ready)
	     ready to take requests on
	     port 3000"
	`);
});

test("a message of an extension that draws nothing itself says whose it is", () => {
	const message = {
		role: "custom" as const,
		customType: "plan-mode",
		content: "**Plan complete**",
		display: true,
		timestamp: 0,
	};
	expect(frame(new CustomMessageView(testViewContext(), message), 30)).toMatchInlineSnapshot(`
	  "
	   [plan-mode]
	   Plan complete"
	`);
});

test("a user's command shows its output and how it ended", () => {
	const end = { output: "one\ntwo", exitCode: 3, cancelled: false, tookMs: 2500 };
	expect(frame(new UserCommandView(testViewContext(), { command: "make", isPrivate: false }, end), 40))
		.toMatchInlineSnapshot(`
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
	expect(frame(new UserCommandView(testViewContext(), { command: "seq", isPrivate: false }, cut), 40))
		.toMatchInlineSnapshot(`
	  "
	   ! seq
	     end
	     The output was truncated; all of it
	     is in /s/0.bash.log"
	`);
	const stopped = { output: "", exitCode: undefined, cancelled: true };
	expect(frame(new UserCommandView(testViewContext(), { command: "sleep 9", isPrivate: true }, stopped), 40))
		.toMatchInlineSnapshot(`
	  "
	   !! sleep 9 stopped"
	`);
});

test("the welcome fits a narrow screen, and can be hidden", () => {
	const welcome = new Welcome(theme, () => ({
		version: "1.2.3",
		cwd: "/work/project",
		model: "played/played-1",
		loaded: ["AGENTS.md"],
		tip: "@ names a file.",
		approvals: "Runs commands and edits files without asking.",
	}));
	expect(frame(welcome, 80)).toMatchInlineSnapshot(`
	  "
	   τ tau 1.2.3 · played/played-1 · /work/project
	   with AGENTS.md
	   @ names a file.
	   Runs commands and edits files without asking."
	`);
	expect(frame(welcome, 30)).toMatchInlineSnapshot(`
	  "
	   τ tau 1.2.3 ·
	   played/played-1 ·
	   /work/project
	   with AGENTS.md
	   @ names a file.
	   Runs commands and edits
	   files without asking."
	`);
	welcome.isGone = true;
	expect(welcome.render(80)).toEqual([]);
});

test("an answer is Markdown below a blank row, also while it streams", () => {
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
		new UserCommandView(
			view,
			{ command: long, isPrivate: false },
			{ output: long, exitCode: 1, cancelled: false },
		),
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
