/** What the application's keys do, depending on what is running. */
import { expect, test } from "bun:test";

import { Editor, setKeybindings } from "@tau/tui";

import { actionsFor, type ActionParts } from "./actions.ts";
import { newKeys, type AppAction } from "./keys.ts";
import { liveSelectTheme } from "./screen.ts";
import { HandClock } from "./testing/view-context.ts";
import { ThemeStore } from "./theme-store.ts";

interface Fixture {
	done: string[];
	clock: HandClock;
	editor: Editor;
	isRunning: boolean;
	press(action: AppAction): boolean;
}

function fixture(): Fixture {
	setKeybindings(newKeys());
	const theme = new ThemeStore({ mode: "none", directory: "/nowhere", name: "dark", appearance: "dark" });
	const editor = new Editor(
		{ requestRender: () => {} },
		{ borderColor: (text) => text, selectList: liveSelectTheme(theme) },
	);
	const clock = new HandClock();
	const done: string[] = [];
	const say = (what: string) => () => void done.push(what);
	const made: Fixture = { done, clock, editor, isRunning: false, press: (action) => act(action) };
	const parts: ActionParts = {
		editor,
		now: () => clock.now(),
		stop: () => {
			if (made.isRunning) done.push("stop");
			return made.isRunning;
		},
		doubleEscape: say("double escape"),
		leave: say("quit"),
		background: () => false,
		stashDraft: () => false,
		suspend: say("suspend"),
		redraw: say("redraw"),
		editOutside: say("edit outside"),
		pasteImage: say("paste image"),
		followUp: say("follow up"),
		dequeueLast: () => false,
		answerOffer: () => false,
		toggleTools: say("tools"),
		toggleThinking: say("thinking"),
		cycleApproval: say("cycle approval"),
		cycleThinking: say("cycle thinking"),
		cycleModel: (step) => void done.push(`model ${step}`),
		runCommand: (name) => name === "new" && done.push(`/${name}`) > 0,
		hint: (text) => void done.push(text),
	};
	const act = actionsFor(parts);
	return made;
}

test("Escape aborts a run; twice when idle is a separate action", () => {
	const made = fixture();
	made.isRunning = true;
	made.press("app.interrupt");
	made.press("app.interrupt");
	expect(made.done).toEqual(["stop", "stop"]);
	made.isRunning = false;
	made.press("app.interrupt");
	made.clock.pass(5000);
	made.press("app.interrupt");
	expect(made.done).toEqual(["stop", "stop"]);
	made.press("app.interrupt");
	expect(made.done).toEqual(["stop", "stop", "double escape"]);
});

test("Escape does not clear the editor", () => {
	const made = fixture();
	made.editor.setText("a thought");
	expect(made.press("app.interrupt")).toBe(false);
	expect(made.editor.getText()).toBe("a thought");
});

test.each(["!rm -rf build", "$print(1)", "$$x = 5", "$js 1 + 1", "$"])(
	"escape clears %s, and is not half of a double escape then",
	(text) => {
		const made = fixture();
		made.editor.setText(text);
		expect(made.press("app.interrupt")).toBe(true);
		expect(made.editor.getText()).toBe("");
		made.press("app.interrupt");
		expect(made.done).toEqual([]);
	},
);

test("escape keeps a prompt about an amount", () => {
	const made = fixture();
	made.editor.setText("$5 is too much");
	expect(made.press("app.interrupt")).toBe(false);
	expect(made.editor.getText()).toBe("$5 is too much");
});

test("Ctrl+C clears, then exits; a slow second press counts as a first one", () => {
	const made = fixture();
	made.editor.setText("a thought");
	made.press("app.clear");
	expect(made.editor.getText()).toBe("");
	made.clock.pass(2000);
	made.press("app.clear");
	expect(made.done).toEqual(["press ctrl+c again to exit"]);
	made.press("app.clear");
	expect(made.done.at(-1)).toBe("quit");
});

test("Ctrl+C aborts a run if the editor is empty", () => {
	const made = fixture();
	made.isRunning = true;
	made.press("app.clear");
	expect(made.done).toEqual(["stop"]);
});

test("a key may run a command, and one for an unknown command is left to the editor", () => {
	const made = fixture();
	expect(made.press("app.session.new")).toBe(true);
	expect(made.press("app.session.tree")).toBe(false);
	expect(made.done).toEqual(["/new"]);
});
