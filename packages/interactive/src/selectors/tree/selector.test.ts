/** The tree of a real session: navigating, searching, labelling, and selecting an entry. */
import { describe, expect, test } from "bun:test";
import { SessionManager } from "@tau/log";
import { answered, said } from "@tau/log/testing";

import { frame, press, testScreen, typeInto, until } from "../../testing/frames.ts";
import { limits } from "../limits.ts";
import { entriesAfter, navigation } from "@tau/session-commands/work";
import { TreeSelector } from "./selector.ts";

/** Two branches from the first answer; the second is the current one. */
function session() {
	const log = SessionManager.inMemory("/work");
	const first = log.appendMessage(said("Start the\ntask"));
	const plan = log.appendMessage(answered("Here is a plan."));
	const a = log.appendMessage(said("Try approach A"));
	const call = { type: "toolCall" as const, id: "c1", name: "bash", arguments: { command: "npm test" } };
	log.appendMessage(answered("", { content: [call], stopReason: "toolUse" }));
	const result = log.appendMessage({
		role: "toolResult",
		toolCallId: "c1",
		toolName: "bash",
		isError: false,
		timestamp: 3,
		content: [{ type: "text", text: "12 pass" }],
	});
	const aEnd = log.appendMessage(answered("A works."));
	log.branch(plan);
	log.appendModelChange("played", "other");
	const b = log.appendMessage(said("Try approach B"));
	const bEnd = log.appendMessage(answered("B works \x1b[31mbetter."));
	return { log, first, plan, a, result, aEnd, b, bEnd };
}

function open(log: SessionManager, rows = 24) {
	const chosen: string[] = [];
	let isClosed = false;
	const selector = new TreeSelector(testScreen(rows), {
		entriesAfter: (id, limit) => entriesAfter(log, id, limit),
		leafId: () => log.getLeafId(),
		filter: "default",
		onChoose: (id) => void chosen.push(id),
		setLabel: (id, label) => void log.appendLabelChange(id, label),
		close: () => (isClosed = true),
	});
	return {
		component: selector.component,
		selector,
		chosen,
		isClosed: () => isClosed,
		[Symbol.dispose]: () => selector[Symbol.dispose](),
	};
}

describe("the selector", () => {
	test("draws the branches, starts at the current entry, and names calls by what they did", () => {
		const { log } = session();
		using tree = open(log);
		expect(frame(tree.component, 80)).toMatchInlineSnapshot(`
		  "
		  ── Tree: conversation ─────────────────────────────────────────────────── 7/7 ──
		   >
		     • user: Start the task
		     • assistant: Here is a plan.
		     ├─ user: Try approach A
		     │  [bash] $ npm test
		     │  assistant: A works.
		     └─ • user: Try approach B
		   ❯    • assistant: B works better. ← here

		     enter continue · ctrl+o filter · shift+l label · ctrl+← fold · esc close
		  "
		`);
		expect(frame(tree.component, 40)).toMatchInlineSnapshot(`
		  "
		  ── Tree: conversation ─────────── 7/7 ──
		   >
		     • user: Start the task
		     • assistant: Here is a plan.
		     ├─ user: Try approach A
		     │  [bash] $ npm test
		     │  assistant: A works.
		     └─ • user: Try approach B
		   ❯    • assistant: B works bette… ← here

		     enter continue · ctrl+o filter
		     shift+l label · ctrl+← fold
		     esc close
		  "
		`);
	});

	test("shows the first line of a result whose call has no words of its own", () => {
		const { log } = session();
		log.appendMessage({
			role: "toolResult",
			toolCallId: "c2",
			toolName: "todo",
			isError: false,
			timestamp: 4,
			content: [{ type: "text", text: "2 of 2 left.\n\nP:\n- [/] a\n- [ ] b" }],
		});
		using tree = open(log);
		expect(frame(tree.component, 80)).toMatch(/\[todo\] 2 of 2 left\. ← here/);
	});

	test("cycles through the filters, forwards, backwards and directly", () => {
		const { log } = session();
		using tree = open(log);
		press(tree.component, "ctrl+o");
		expect(frame(tree.component, 80)).not.toContain("[bash]");
		press(tree.component, "shift+ctrl+o", "shift+ctrl+o");
		expect(frame(tree.component, 80)).toContain("[model] played/other");
		press(tree.component, "alt+u");
		expect(frame(tree.component, 80)).toMatchInlineSnapshot(`
		  "
		  ── Tree: user messages ────────────────────────────────────────────────── 3/3 ──
		   >
		     • user: Start the task
		     ├─ user: Try approach A
		   ❯ └─ • user: Try approach B







		     enter continue · ctrl+o filter · shift+l label · ctrl+← fold · esc close
		  "
		`);
		press(tree.component, "alt+l");
		expect(frame(tree.component, 80)).toContain("No entries");
		press(tree.component, "alt+d");
		expect(frame(tree.component, 80)).toContain("[bash] $ npm test");
	});

	test("finds a tool's arguments, and Escape clears the search before it closes", () => {
		const { log } = session();
		using tree = open(log);
		typeInto(tree.component, "npm TEST");
		expect(frame(tree.component, 60)).toContain("[bash] $ npm test");
		expect(frame(tree.component, 60)).not.toContain("approach");
		const match = tree.component.selected?.entry.id;
		press(tree.component, "escape");
		expect(tree.isClosed()).toBe(false);
		expect(frame(tree.component, 60)).toContain("approach A");
		expect(tree.component.selected?.entry.id).toBe(match);
		press(tree.component, "escape");
		expect(tree.isClosed()).toBe(true);
	});

	test("keeps the selection through a search that finds nothing", () => {
		const { log, b } = session();
		using tree = open(log);
		press(tree.component, "up");
		expect(tree.component.selected?.entry.id).toBe(b);
		typeInto(tree.component, "zebra");
		expect(frame(tree.component, 60)).toContain('No entry matches "zebra"');
		press(tree.component, "escape");
		expect(tree.component.selected?.entry.id).toBe(b);
	});

	test("labels an entry in place, shows when, and removes the label again", async () => {
		const { log, b } = session();
		using tree = open(log);
		press(tree.component, "up", "L");
		typeInto(tree.component, "milestone");
		press(tree.component, "enter");
		await until(() => frame(tree.component, 80).includes("[milestone] user: Try approach B"));
		expect(log.getLabel(b)).toBe("milestone");
		await until(() => !tree.component.wantsEscape());
		press(tree.component, "T");
		expect(frame(tree.component, 80)).toMatch(/\[milestone \d{4}-\d\d-\d\d \d\d:\d\d\]/);
		press(tree.component, "T", "L", ...Array.from({ length: 9 }, () => "backspace"), "enter");
		await until(() => !frame(tree.component, 80).includes("[milestone"));
		expect(log.getLabel(b)).toBeUndefined();
	});

	test("folds and unfolds the branch", () => {
		const { log } = session();
		using tree = open(log);
		press(tree.component, "ctrl+left", "ctrl+left");
		expect(frame(tree.component, 80)).toContain("▸ • user: Try approach B");
		expect(frame(tree.component, 80)).not.toContain("B works");
		press(tree.component, "ctrl+right");
		expect(frame(tree.component, 80)).toContain("B works better.");
	});

	test("returns the selected entry, which is found by its label too", () => {
		const { log, a } = session();
		log.appendLabelChange(a, "x");
		using tree = open(log);
		typeInto(tree.component, "x approach");
		press(tree.component, "enter");
		expect(tree.chosen).toEqual([a]);
	});

	test("pages with left and right, and keeps the selection in the middle", () => {
		const log = SessionManager.inMemory("/work");
		for (let at = 0; at < 40; at++) log.appendMessage(said(`message ${at}`));
		using tree = open(log, 20);
		expect(frame(tree.component, 60).match(/message/g)?.length).toBe(10);
		press(tree.component, "left");
		expect(frame(tree.component, 60)).toContain("❯ • user: message 29");
		press(tree.component, "right");
		expect(frame(tree.component, 60)).toContain("❯ • user: message 39");
	});

	test("accepts keys while a long session is still loading", async () => {
		const log = SessionManager.inMemory("/work");
		for (let at = 0; at < limits.entriesPerTurn * 3; at++) log.appendMessage(said(`message ${at}`));
		using tree = open(log);
		const last = limits.entriesPerTurn * 3 - 1;
		expect(frame(tree.component, 60)).not.toContain(`message ${last}`);
		await until(() => frame(tree.component, 60).includes(`❯ • user: message ${last}`));
	});

	test("of an empty session says so", () => {
		using tree = open(SessionManager.inMemory("/work"));
		expect(frame(tree.component, 60)).toContain("No entries");
	});
});

describe("selecting", () => {
	test("a user message moves before it and restores its text", () => {
		const { log, plan, a, bEnd } = session();
		expect(navigation(log, a, bEnd)).toMatchObject({ kind: "move", to: plan, prefill: "Try approach A" });
	});

	test("the very first one moves to the start", () => {
		const { log, first, bEnd } = session();
		expect(navigation(log, first, bEnd)).toMatchObject({ to: null, prefill: "Start the\ntask" });
	});

	test("any other entry moves there, with an empty editor", () => {
		const { log, result, bEnd } = session();
		const step = navigation(log, result, bEnd);
		expect(step).toMatchObject({ kind: "move", to: result });
		expect(step).not.toHaveProperty("prefill");
	});

	test("a message of an extension restores its text too", () => {
		const { log } = session();
		const leaf = log.getLeafId();
		const id = log.appendCustomMessageEntry("note", [{ type: "text", text: "From an extension" }], true);
		log.appendMessage(answered("Seen."));
		expect(navigation(log, id, log.getLeafId())).toMatchObject({ to: leaf, prefill: "From an extension" });
	});

	test("the current entry changes nothing", () => {
		const { log, bEnd } = session();
		log.appendLabelChange(bEnd, "x");
		expect(navigation(log, bEnd, bEnd)).toEqual({ kind: "stay" });
		expect(navigation(log, "missing", bEnd)).toEqual({ kind: "stay" });
	});

	test("a last message without an answer is edited again", () => {
		const { log, bEnd } = session();
		const id = log.appendMessage({ role: "user", content: "unanswered", timestamp: 0 });
		expect(navigation(log, id, id)).toMatchObject({ kind: "move", to: bEnd, prefill: "unanswered" });
	});

	test("lists the abandoned entries, from the fork on", () => {
		const { log, aEnd, plan, b, bEnd } = session();
		const step = navigation(log, aEnd, bEnd);
		const left = step.kind === "move" ? step.left : [];
		expect(left.map(({ id, type }) => (type === "message" ? id : type))).toEqual(["model_change", b, bEnd]);
		const up = navigation(log, plan, bEnd);
		expect(up.kind === "move" && up.left.length).toBe(3);
	});
});
