/** The user sees and changes the todo list by words, by numbers, or by editing it as Markdown. */
import { describe, expect, test } from "bun:test";
import { markdownToPhases } from "@tau/tools/todo";

import { frame, press, testScreen, typeInto } from "../../testing/frames.ts";
import { report } from "../kit/report.ts";
import { drawTodo } from "./draw-todo.ts";
import { TodoEditor } from "./todo-editor.ts";
import { parseTodoCommand } from "@tau/session-commands/work";

const phases = markdownToPhases(
	"# Build\n- [x] Write the parser\n- [/] Write the tests\n# Ship\n- [ ] Write the page\n- [-] Paint it",
);

describe("/todo", () => {
	test.each([
		["", { kind: "show" }],
		["edit", { kind: "edit" }],
		["add  Call home ", { kind: "change", op: { op: "append", phase: "Ship", items: ["Call home"] } }],
		["done 3", { kind: "change", op: { op: "done", task: "Write the page" } }],
		["done the TESTS", { kind: "change", op: { op: "done", task: "Write the tests" } }],
		["rm ship", { kind: "change", op: { op: "rm", phase: "Ship" } }],
		["rm all", { kind: "change", op: { op: "rm" } }],
		["start write the page", { kind: "change", op: { op: "start", task: "Write the page" } }],
	])("%p means %j", (text, action) => {
		expect(parseTodoCommand(text, phases)).toEqual(action as never);
	});

	test.each([
		["done write the", "No single task matches."],
		["done", "Usage: /todo done <task or number or all>"],
		["add", "Usage: /todo add <task>"],
		["dance", "Usage: /todo [show|edit"],
	])("%p is rejected with a hint", (text, message) => {
		const action = parseTodoCommand(text, phases);
		expect(action.kind === "wrong" && action.message).toContain(message);
	});

	test("an empty list is started by adding", () => {
		expect(parseTodoCommand("add x", [])).toMatchObject({ op: { phase: "Todos", items: ["x"] } });
		expect(parseTodoCommand("done x", [])).toMatchObject({ kind: "wrong" });
	});
});

test("the list is shown with the numbers that commands use", () => {
	const block = report(testScreen().theme, (width, theme) => drawTodo(phases, width, theme));
	expect(frame(block, 40)).toMatchInlineSnapshot(`
	  "

	   Build 1/2
	     1 ☑ Write the parser
	     2 ▸ Write the tests
	   Ship 1/2
	     3 ☐ Write the page
	     4 × Paint it
	  "
	`);
	const none = report(testScreen().theme, (width, theme) => drawTodo([], width, theme));
	expect(frame(none, 80)).toContain("The todo list is empty.");
});

test("it is edited as Markdown: Enter is a new line, a key saves it, and an error is shown", () => {
	const saved: string[] = [];
	using editor = new TodoEditor(testScreen(), {
		text: "# Build",
		save: (text) => {
			saved.push(text);
			return saved.length === 1 ? "Too long." : undefined;
		},
	});
	editor.focused = true;
	press(editor, "enter");
	typeInto(editor, "- [ ] More");
	expect(frame(editor, 60)).toMatchInlineSnapshot(`
	  "
	   Todo list [ ] to do  [/] doing  [x] done  [-] dropped
	  ────────────────────────────────────────────────────────────
	  # Build
	  - [ ] More
	  ────────────────────────────────────────────────────────────
	   ctrl+s save · esc discard
	  "
	`);
	press(editor, "ctrl+s");
	expect(frame(editor, 60)).toContain("Too long.");
	press(editor, "ctrl+s");
	expect(saved).toEqual(["# Build\n- [ ] More", "# Build\n- [ ] More"]);
	expect(editor.wantsEscape()).toBe(false);
});
