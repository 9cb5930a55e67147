/** What a user sees of calls in the condensed transcript. */
import { describe, expect, test } from "bun:test";

import { builtinTheme, visibleWidth } from "@tau/tui";
import { builtinTools } from "@tau/integrations/builtin";

import { condensedViewContext, frame, CallGroup, ToolCallView } from "@tau/interactive/testing";
import { limits } from "./limits.ts";

const call = { id: "1", name: "bash", args: { command: "npm test" } };
const given = (text: string, details?: unknown) => ({ content: [{ type: "text" as const, text }], details });
const many = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");
const truecolor = { theme: { current: builtinTheme("dark", "truecolor") } };

describe("a call", () => {
	test("is one line: waiting, running with its time, and done with its duration", () => {
		const viewContext = condensedViewContext();
		const view = new ToolCallView(viewContext, call, "flush");
		expect(frame(view, 80)).toBe(" · bash $ npm test");
		view.start(call.args);
		expect(frame(view, 80)).toBe(" ● bash $ npm test");
		viewContext.clock.pass(4400);
		expect(frame(view, 80)).toBe(" ● bash $ npm test 4s");
		view.finish(given(many), false);
		expect(frame(view, 80)).toBe(" ✓ bash $ npm test · 40 lines · 4.4s");
		expect(viewContext.clock.isWaiting).toBe(false);
	});

	test("with a long output that was cut has the number of all lines", () => {
		const view = new ToolCallView(condensedViewContext(), call, "flush");
		view.start(call.args);
		view.finish({ ...given(many), details: { totalLines: 30_000 } }, false);
		expect(frame(view, 80)).toBe(" ✓ bash $ npm test · 30000 lines");
	});

	test("of tests says what they came to, and opens at the first failure", () => {
		const passed = new ToolCallView(condensedViewContext(), call, "flush");
		passed.start(call.args);
		passed.finish(given(many, { outcome: "40 passed" }), false);
		expect(frame(passed, 80)).toBe(" ✓ bash $ npm test · 40 passed");
		const failed = new ToolCallView(condensedViewContext(), call, "flush");
		failed.start(call.args);
		failed.finish(given(many, { outcome: "39 passed, 1 failed", failureLine: 2 }), true);
		const rows = frame(failed, 80).split("\n");
		expect(rows.slice(0, 2)).toEqual([" ✗ bash $ npm test · 39 passed, 1 failed", "   line 3"]);
		expect(rows.at(-1)).toBe("   … 30 more lines");
	});

	test("that the sandbox has denied something says so, whatever it exited with", () => {
		const denied = given(many, { sandboxSubjects: ["packages.example", "/etc/hosts"] });
		for (const [isError, sign] of [
			[false, "!"],
			[true, "✗"],
		] as const) {
			const view = new ToolCallView(condensedViewContext(), call, "flush");
			view.start(call.args);
			view.finish(denied, isError);
			const [row] = frame(view, 80).split("\n");
			expect(row).toBe(` ${sign} bash $ npm test · sandbox: packages.example, /etc/hosts`);
		}
	});

	test("that took less than a second has no time", () => {
		const viewContext = condensedViewContext();
		const view = new ToolCallView(viewContext, call, "flush");
		view.start(call.args);
		viewContext.clock.pass(900);
		view.finish(given(many), false);
		expect(frame(view, 80)).toBe(" ✓ bash $ npm test · 40 lines");
	});

	test("shows the last lines while it runs, why it failed, and everything when expanded", () => {
		const view = condensedViewContext();
		const running = new ToolCallView(view, call, "flush");
		running.start(call.args);
		running.update(given(many));
		expect(frame(running, 40).split("\n").slice(1)).toEqual([
			"   … 35 earlier lines",
			...[36, 37, 38, 39, 40].map((at) => `   line ${at}`),
		]);
		running.finish(given(many), true);
		expect(frame(running, 40).split("\n").slice(0, 3)).toEqual([
			" ✗ bash $ npm test",
			"   … 32 earlier lines",
			"   line 33",
		]);
		view.expandTools = true;
		running.invalidate();
		expect(frame(running, 40).split("\n")).toHaveLength(41);
	});

	test("that changed files shows what, up to a limit", () => {
		const diff = `--- a.ts\n+++ a.ts\n@@ -1,40 +1,40 @@\n${many.replaceAll(/^/gm, "+")}`;
		const edit = new ToolCallView(
			condensedViewContext(),
			{ id: "1", name: "edit", args: { path: "a.ts" } },
			"flush",
		);
		edit.finish(given("Edited.", { diff }), false);
		expect(frame(edit, 40).split("\n")).toHaveLength(limits.diffRows + 2);
		const args = { path: "a.txt", content: many };
		const write = new ToolCallView(condensedViewContext(), { id: "1", name: "write", args }, "flush");
		write.finish(given("Created.", { created: true }), false);
		expect(frame(write, 40).split("\n").slice(-2)).toEqual(["   line 8", "   … 32 more lines"]);
	});

	test("shows the answers to its questions, and the result of a tool that keeps answers of another form", () => {
		const shown = (answers: unknown): string => {
			const view = new ToolCallView(condensedViewContext(), { ...call, args: { command: "ask" } }, "flush");
			view.finish(given("Red it is.", { answers }), false);
			return frame(view, 80);
		};
		expect(shown([{ id: "a", chosen: ["Red"] }])).toBe(" ✓ bash $ ask\n   → Red");
		expect(shown([{ question: "Which?", answer: "Red" }])).toBe(" ✓ bash $ ask · Red it is.");
	});

	test("never takes more than its line, however narrow the screen", () => {
		const args = { command: "a very long command ".repeat(20) };
		for (const width of [12, 24, 40, 80]) {
			const viewContext = condensedViewContext(truecolor);
			const view = new ToolCallView(viewContext, { id: "1", name: "bash", args }, "flush");
			view.start(args);
			viewContext.clock.pass(61_000);
			const rows = view.render(width);
			expect(rows).toHaveLength(1);
			expect(visibleWidth(rows[0] ?? "")).toBeLessThanOrEqual(width);
			expect(frame(view, width)).toMatch(width < 20 ? /^ ● bash \$ .*…$/ : / 1m 01s$/);
		}
	});

	test.each(builtinTools.filter((tool) => !tool.isQuiet?.(undefined)).map(({ name }) => name))(
		"of %s begins with its name",
		(name) => {
			const view = new ToolCallView(condensedViewContext(), { id: "1", name, args: {} }, "flush");
			expect(frame(view, 80)).toStartWith(` · ${name}`);
		},
	);

	test.each([
		["done", " ✓ bash $ npm test · done"],
		["", " ✓ bash $ npm test"],
		["x".repeat(100), " ✓ bash $ npm test · 1 line"],
	])("says beside it what it led to: %j", (text, line) => {
		const view = new ToolCallView(condensedViewContext(), call, "flush");
		view.finish(given(text), false);
		expect(frame(view, 80)).toBe(line);
	});

	test("names how many lines it changed", () => {
		const view = new ToolCallView(
			condensedViewContext(),
			{ ...call, name: "edit", args: { path: "a" } },
			"flush",
		);
		view.finish(given("Edited.", { diff: "@@ -1,2 +1,3 @@\n-a\n-b\n+c\n+d\n+e\n" }), false);
		expect(frame(view, 80).split("\n")[0]).toBe(" ✓ edit a +3 −2");
	});

	test("of the todo list is quiet while the panel shows the list, unless it failed or everything is shown", () => {
		const todo = { id: "1", name: "todo", args: { ops: [{ op: "done", task: "a" }] } };
		const phases = (status: string) => ({ phases: [{ name: "P", tasks: [{ content: "a", status }] }] });
		const ended = (details: unknown, isError: boolean, expandTools = false): string => {
			const view = new ToolCallView(condensedViewContext({ expandTools }), todo, "flush");
			view.finish(given("text", details), isError);
			return frame(view, 80);
		};
		expect(ended(phases("pending"), false)).toBe("");
		expect(ended(phases("completed"), false)).toStartWith(" ✓ todo done a");
		expect(ended(phases("pending"), true)).toStartWith(" ✗ todo done a");
		expect(ended(phases("pending"), false, true)).toStartWith(" ✓ todo done a");
	});
});

describe("the pulse of a running call", () => {
	const shade = (view: ToolCallView): string | undefined =>
		/38;2;(\d+;\d+;\d+)m●/.exec(view.render(80)[0] ?? "")?.[1];

	test("goes from dim to accent and back, twenty times a second, and redraws nothing but itself", () => {
		const viewContext = condensedViewContext(truecolor);
		const other = new ToolCallView(viewContext, { ...call, id: "2" }, "flush");
		const view = new ToolCallView(viewContext, call, "flush");
		view.start(call.args);
		viewContext.redrawn.length = 0;
		const theme = truecolor.theme.current;
		expect(theme.getFgAnsi("dim")).toContain(shade(view) ?? "nothing");
		viewContext.clock.pass(limits.pulseMs / 2);
		expect(theme.getFgAnsi("accent")).toContain(shade(view) ?? "nothing");
		viewContext.clock.pass(limits.pulseMs / 2);
		expect(theme.getFgAnsi("dim")).toContain(shade(view) ?? "nothing");
		expect(viewContext.redrawn).toHaveLength(limits.pulseMs / limits.frameMs);
		expect(viewContext.redrawn).not.toContain(other);
		view.finish(given(""), false);
		expect(viewContext.clock.isWaiting).toBe(false);
	});

	test("is left out without enough colors, or with animations disabled", () => {
		for (const mode of ["256color", "16color", "none"] as const) {
			const viewContext = condensedViewContext({ theme: { current: builtinTheme("dark", mode) } });
			const view = new ToolCallView(viewContext, call, "flush");
			view.start(call.args);
			const [before] = view.render(80);
			viewContext.clock.pass(600);
			expect(view.render(80)[0]).toBe(before ?? "nothing");
			expect(viewContext.redrawn).toHaveLength(1);
		}
		const still = condensedViewContext(truecolor);
		still.animation.isStill = true;
		const view = new ToolCallView(still, call, "flush");
		view.start(call.args);
		const [before] = view.render(80);
		still.clock.pass(600);
		expect(view.render(80)[0]).toBe(before ?? "nothing");
	});
});

describe("calls that follow each other", () => {
	const groupOf = (names: readonly string[], isSameAnswer: boolean) => {
		const view = condensedViewContext();
		const facts = names.map((command, at) => ({ id: `${at}`, name: "bash", args: { command } }));
		const [first = call] = facts;
		const group = CallGroup.begin(view, first, "flush") ?? expect.unreachable();
		const taken: boolean[] = [];
		const views = facts.map((each, at) => {
			taken.push(group.takes(each, isSameAnswer ? 0 : at));
			return group.add(each, 0);
		});
		return { view, group, views, taken: taken.slice(1) };
	};

	test("are counted in one line if they are the same, at any stage", () => {
		const { group, views } = groupOf(["npm test", "ls", "npm test", "npm test"], true);
		for (const view of views) view.start(view.call.args);
		expect(frame(group, 60)).toBe(" ● bash ×3 $ npm test\n ● bash $ ls");
		views[0]?.finish(given("fine"), false);
		expect(frame(group, 60)).toBe(" ✓ bash $ npm test · fine\n ● bash $ ls\n ● bash ×2 $ npm test");
		views[2]?.finish(given("fine"), false);
		views[3]?.finish(given("broken"), true);
		expect(frame(group, 60)).toBe(" ✓ bash ×2 $ npm test\n ● bash $ ls\n\n ✗ bash $ npm test\n   broken");
	});

	test("are separate lines if one took long or changed files", () => {
		const viewContext = condensedViewContext();
		const files = ["a.ts", "b.ts", "c.ts"];
		const facts = files.map((path) => ({ id: path, name: "read", args: { path } }));
		const [first = call] = facts;
		const reads = CallGroup.begin(viewContext, first, "flush") ?? expect.unreachable();
		const [a, b, c] = facts.map((each) => reads.add(each, 0));
		a?.start({ path: "a.ts" });
		viewContext.clock.pass(1500);
		for (const view of [a, b, c]) view?.finish(given("text"), false);
		expect(frame(reads, 60)).toBe(" ✓ read a.ts 1.5s\n ✓ read ×2 b.ts, c.ts");

		const edit = { name: "edit", args: { path: "a.ts" } };
		const edits = CallGroup.begin(viewContext, { id: "1", ...edit }, "flush") ?? expect.unreachable();
		const diff = "--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-old\n+new";
		for (const id of ["1", "2"]) edits.add({ id, ...edit }, 0).finish(given("Edited.", { diff }), false);
		expect(frame(edits, 60).match(/\+ new/g)).toHaveLength(2);
	});

	test("join only within one answer, and never while everything is expanded", () => {
		expect(groupOf(["a", "b"], true).taken).toEqual([true]);
		expect(groupOf(["a", "a"], false).taken).toEqual([false]);
		const { group, view } = groupOf(["a", "a"], true);
		view.expandTools = true;
		expect(frame(group, 60)).toBe(" · bash $ a\n · bash $ a");
	});
});

test("with the full transcript, calls and results are drawn as without mu", () => {
	let isCondensed = true;
	const viewContext = condensedViewContext({}, () => isCondensed);
	const view = new ToolCallView(viewContext, call, "flush");
	view.finish(given("one\ntwo"), false);
	expect(frame(view, 40)).toBe(" ✓ bash $ npm test · 2 lines");
	isCondensed = false;
	view.invalidate();
	expect(frame(view, 40)).toBe(" ✓ bash $ npm test\n   one\n   two");
});
