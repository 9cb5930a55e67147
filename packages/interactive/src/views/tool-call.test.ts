/** What a tool call looks like while it runs, when it has ended, and when its renderer fails. */
import { describe, expect, test } from "bun:test";

import { builtinTheme, resetCapabilitiesCache, setCapabilities, type Component } from "@tau/tui";

import { frame, testViewContext } from "../testing/view-context.ts";
import { ToolCallView } from "./tool-call.ts";
import type { ViewContext } from "./view-context.ts";

describe("a call of a tool", () => {
	const call = { id: "1", name: "bash", args: { command: "npm test" } };

	test("is one line with a sign while it runs, with its time after a while", () => {
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

	test("does not count the time that its user took to answer", () => {
		const viewContext = testViewContext();
		const view = new ToolCallView(viewContext, call, "flush");
		view.start(call.args);
		view.wait(true);
		viewContext.clock.pass(19_000);
		expect(frame(view, 80)).toEndWith("bash $ npm test");
		view.wait(false);
		viewContext.clock.pass(4000);
		expect(frame(view, 80)).toEndWith("bash $ npm test 4s");
		view.finish({ content: [] }, false, 3900);
		expect(frame(view, 80)).toContain("bash $ npm test 3.9s");
	});

	test("says what the sandbox has denied it", () => {
		const view = new ToolCallView(testViewContext(), call, "flush");
		view.start(call.args);
		view.finish({ content: [], details: { sandboxSubjects: ["packages.example"] } }, false);
		expect(frame(view, 80)).toBe(" ! bash $ npm test · sandbox: packages.example");
		expect(frame(view, 30)).toBe(" ! bas… · sandbox: packages.e…");
	});

	test("shows the end of its output while it runs", () => {
		const viewContext = testViewContext();
		const view = new ToolCallView(viewContext, call, "flush");
		view.start(call.args);
		const text = Array.from({ length: 29 }, (_, at) => `line ${at + 1}`).join("\n");
		view.update({ content: [{ type: "text", text }] });
		const rows = frame(view, 40).split("\n");
		expect(rows.slice(0, 3)).toEqual([" ⠋ bash $ npm test", "   … 9 earlier lines", "   line 10"]);
		expect(rows.at(-1)).toBe("   line 29");
	});

	test("continues a long line of a file below its text, not below its number", () => {
		const view = new ToolCallView(testViewContext(), { id: "1", name: "look", args: {} }, "flush");
		const text = "     1  short\n     2  \tconst sum = items.reduce((sum, item) => sum + item.price, 0);";
		view.finish({ content: [{ type: "text", text }] }, false);
		expect(frame(view, 50)).toMatchInlineSnapshot(`
		  " ✓ look
		          1  short
		          2     const sum = items.reduce((sum, item)
		                => sum + item.price, 0);"
		`);
	});

	test("shows why it failed without being expanded", () => {
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

	test("shows the output of a failed command as output, and in the color of errors only how it ended", () => {
		const paint = builtinTheme("dark", "truecolor");
		const context = { ...testViewContext(), theme: { current: paint } };
		const view = new ToolCallView(context, call, "flush");
		const text = "ok 1\n\nnot ok 2\n\nCommand exited with code 1";
		view.finish({ content: [{ type: "text", text }], details: { exitCode: 1 } }, true);
		const rows = view.render(60);
		expect(rows).toContain(`   ${paint.fg("toolOutput", "not ok 2")}`);
		expect(rows).toContain(`   ${paint.fg("error", "Command exited with code 1")}`);
	});

	test("shows the start of its result, up to a limit", () => {
		const view = new ToolCallView(testViewContext(), call, "flush");
		const text = Array.from({ length: 29 }, (_, at) => `line ${at + 1}`).join("\n");
		view.finish({ content: [{ type: "text", text }] }, false);
		const rows = frame(view, 40).split("\n");
		expect(rows.slice(0, 2)).toEqual([" ✓ bash $ npm test", "   line 1"]);
		expect(rows.slice(-2)).toEqual(["   line 20", "   … 9 more lines"]);
		const cut = new ToolCallView(testViewContext(), call, "flush");
		cut.finish({ content: [{ type: "text", text }], details: { truncated: true, artifactId: "4" } }, false);
		const note = "   … 9 more lines · truncated, all of it is in artifact://4";
		expect(frame(cut, 70).split("\n").at(-1)).toBe(note);
	});

	test("shows everything when expanded", () => {
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

	test("of a new file shows its start", () => {
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

	test("of an unknown tool still shows the call", () => {
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

	test("is drawn by its tool's renderer, and a renderer that fails is reported", () => {
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

test("an image that a tool made for the user is drawn below its call, and any other with the details, where the terminal shows images", () => {
	const png =
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
	const content = [
		{ type: "text" as const, text: "Saved dot.png." },
		{ type: "image" as const, data: png, mimeType: "image/png" },
	];
	const rowsFor = (name: string, context: ViewContext = testViewContext()): string[] => {
		const view = new ToolCallView(context, { id: "1", name, args: { subject: "a dot" } }, "flush");
		view.start({ subject: "a dot" });
		view.finish({ content }, false);
		return view.render(80);
	};
	try {
		setCapabilities({ images: "kitty", trueColor: true, hyperlinks: true });
		const isImage = (row: string): boolean => row.includes("\u001B_tau:");
		expect(rowsFor("generate_image").filter(isImage)).toHaveLength(1);
		expect(rowsFor("gemini_image").filter(isImage)).toHaveLength(1);
		expect(rowsFor("eval").filter(isImage)).toHaveLength(1);
		expect(rowsFor("read").filter(isImage)).toHaveLength(0);
		const expanded = { ...testViewContext(), expandTools: true };
		expect(rowsFor("read", expanded).filter(isImage)).toHaveLength(1);
		const without = { ...testViewContext(), imageSize: { columns: 0, rows: 20 } };
		expect(rowsFor("generate_image", without).filter(isImage)).toHaveLength(0);
		setCapabilities({ images: null, trueColor: true, hyperlinks: true });
		expect(rowsFor("generate_image").filter(isImage)).toHaveLength(0);
	} finally {
		resetCapabilitiesCache();
	}
});
