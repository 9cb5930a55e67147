/** Focus, overlays, keys and the pace of frames, on a real emulator. */
import { describe, expect, test } from "bun:test";

import {
	builtinTheme,
	CURSOR_MARKER,
	Input,
	Markdown,
	markdownTheme,
	Text,
	Transcript,
	TUI,
	type Component,
	type Focusable,
} from "@tau/tui";

import { TestClock } from "./clock.ts";
import { Emulator, type EmulatorOptions } from "./emulator.ts";

class Field implements Component, Focusable {
	focused = false;
	received: string[] = [];
	wantsKeyRelease?: boolean;
	text: string;
	drawn = 0;

	constructor(text: string) {
		this.text = text;
	}

	handleInput(data: string): void {
		this.received.push(data);
	}

	render(): string[] {
		this.drawn++;
		return [`${this.text}${this.focused ? CURSOR_MARKER : ""}`];
	}

	invalidate(): void {}
}

async function launch(children: Component[], options: Partial<EmulatorOptions> = {}) {
	const terminal = new Emulator({ columns: 40, rows: 10, ...options });
	const clock = new TestClock();
	const tui = new TUI(terminal, true, clock);
	for (const child of children) tui.addChild(child);
	tui.start();
	await clock.pass(100);
	return { terminal, clock, tui };
}

describe("frames", () => {
	test("the first request is drawn at once, a hundred requests make one frame, and then no timer runs", async () => {
		const field = new Field("a");
		const { terminal, clock, tui } = await launch([field]);
		terminal.written = [];
		for (let count = 0; count < 100; count++) {
			field.text = `value ${count}`;
			tui.requestRender();
		}
		await clock.pass(0);
		expect(terminal.written).toHaveLength(1);
		expect(terminal.screen()[0]).toBe("value 99");
		expect(clock.waiting).toBe(0);
	});

	test("the rest of a burst follows in the next frames, and keys are handled in between", async () => {
		const transcript = new Transcript();
		const field = new Field("prompt");
		const { terminal, clock, tui } = await launch([transcript, field]);
		tui.setFocus(field);
		const answer = new Markdown("", 0, 0, markdownTheme(builtinTheme("dark", "none")));
		transcript.addChild(answer);
		const words = Array.from({ length: 4000 }, (_, at) => `word${at}`);
		answer.append(words.join("\n\n"));
		answer.end();
		tui.requestRender();
		await clock.pass(0);
		expect(answer.isBehind()).toBe(true);
		terminal.type("k");
		expect(field.received).toEqual(["k"]);
		expect(answer.isBehind()).toBe(true);
		await clock.pass(1000);
		expect(answer.isBehind()).toBe(false);
		const { history, screen } = terminal.tape();
		expect([...history, ...screen].filter((row) => row.startsWith("word"))).toEqual(words);
		expect(clock.waiting).toBe(0);
		const last = new Markdown("", 0, 0, markdownTheme(builtinTheme("dark", "none")));
		transcript.addChild(last);
		last.append(words.join("\n\n"));
		tui.stop();
		expect(last.isBehind()).toBe(false);
		expect(terminal.tape().screen.join("\n")).toContain("word3999");
	});

	test("a key is drawn without what has streamed meanwhile, which comes in its time however fast keys come", async () => {
		const transcript = new Transcript();
		const field = new Field("prompt");
		field.handleInput = (data) => void (field.text += data);
		const { terminal, clock, tui } = await launch([transcript, field]);
		tui.setFocus(field);
		const answer = new Markdown("", 0, 0, markdownTheme(builtinTheme("dark", "none")));
		transcript.addChild(answer);
		answer.append("first");
		tui.requestRender();
		await clock.pass(0);
		answer.append(" second");
		tui.requestRender();
		for (const key of "abcd") {
			await clock.pass(10);
			terminal.type(key);
			expect(terminal.screen().slice(0, 2)).toEqual(["first", field.text]);
		}
		await clock.pass(10);
		expect(terminal.screen().slice(0, 2)).toEqual(["first second", "promptabcd"]);
		expect(clock.waiting).toBe(0);
		// What is new in the conversation is not left out.
		answer.append(" third");
		tui.requestRender();
		transcript.addChild(new Markdown("another", 0, 0, markdownTheme(builtinTheme("dark", "none"))));
		await clock.pass(10);
		terminal.type("e");
		expect(terminal.screen().slice(0, 3)).toEqual(["first second third", "another", "promptabcde"]);
	});

	test("however slow its frames are, each leaves a turn of the event loop to keys", async () => {
		const transcript = new Transcript();
		const field = new Field("prompt");
		const { clock, tui } = await launch([transcript, field]);
		const answer = new Markdown("", 0, 0, markdownTheme(builtinTheme("dark", "none")));
		transcript.addChild(answer);
		answer.append("word\n\n".repeat(20_000));
		field.render = () => {
			field.drawn++;
			clock.spend(20);
			return ["prompt"];
		};
		field.drawn = 0;
		tui.requestRender();
		await clock.pass(0);
		expect([field.drawn, answer.isBehind()]).toEqual([1, true]);
	});

	test("a resize lays out a very long block in parts, and loses no row of it", async () => {
		const transcript = new Transcript();
		const field = new Field("prompt");
		const { terminal, clock, tui } = await launch([transcript, field]);
		tui.setFocus(field);
		const words = Array.from({ length: 4000 }, (_, at) => `word${at}`);
		const answer = new Markdown(words.join("\n\n"), 0, 0, markdownTheme(builtinTheme("dark", "none")));
		transcript.addChild(answer);
		tui.requestRender();
		await clock.pass(0);
		expect(answer.isBehind()).toBe(true);
		await clock.pass(1000);
		expect(answer.isBehind()).toBe(false);
		terminal.resize(30, 10);
		terminal.notifyResize();
		await clock.pass(40);
		expect(answer.isBehind()).toBe(true);
		terminal.type("k");
		expect(field.received).toEqual(["k"]);
		await clock.pass(1000);
		const { history, screen } = terminal.tape();
		expect([...history, ...screen].filter((row) => row.startsWith("word"))).toEqual(words);
	});

	test("at most about twenty frames a second", async () => {
		const field = new Field("a");
		const { terminal, clock, tui } = await launch([field]);
		terminal.written = [];
		for (let ms = 0; ms < 1000; ms++) {
			field.text = `value ${ms}`;
			tui.requestRender();
			await clock.pass(1);
		}
		expect(terminal.written.length).toBeLessThanOrEqual(22);
		expect(terminal.written.length).toBeGreaterThan(16);
	});

	test("frames that take long come less often, and those of keys do not", async () => {
		const field = new Field("");
		field.handleInput = (data) => {
			field.text += data;
		};
		const { terminal, clock, tui } = await launch([field]);
		tui.setFocus(field);
		const render = field.render.bind(field);
		field.render = () => {
			clock.spend(5);
			return render();
		};
		const frames = async (): Promise<number> => {
			terminal.written = [];
			for (let at = 0; at < 200; at++) {
				field.text = `value ${at}`;
				tui.requestRender();
				await clock.pass(5);
			}
			return terminal.written.length;
		};
		await frames();
		expect(await frames()).toBeLessThanOrEqual(12);
		terminal.type("k");
		expect(terminal.screen()[0]).toContain("k");
		field.render = render;
		await frames();
		expect(await frames()).toBeGreaterThan(16);
	});

	test("a key is on the screen before its handler returns, also during a stream", async () => {
		const field = new Field("");
		field.handleInput = (data) => {
			field.text += data;
		};
		const { terminal, clock, tui } = await launch([field]);
		tui.setFocus(field);
		await clock.pass(100);
		tui.requestRender();
		await clock.pass(5);
		terminal.type("k");
		expect(terminal.screen()[0]).toBe("k");
	});

	test("a spinner's tick lays out nothing but the spinner", async () => {
		const [quiet, spinner] = [new Field("quiet"), new Field("-")];
		const { terminal, clock, tui } = await launch([quiet, spinner]);
		const before = quiet.drawn;
		spinner.text = "+";
		tui.requestComponentRender(spinner);
		await clock.pass(100);
		expect(terminal.screen().slice(0, 2)).toEqual(["quiet", "+"]);
		expect(quiet.drawn).toBe(before);
	});

	test("a blocked terminal gets no frame, and the newest state afterwards", async () => {
		const field = new Field("old");
		const { terminal, clock, tui } = await launch([field]);
		terminal.written = [];
		terminal.congested = true;
		for (let count = 0; count < 50; count++) {
			field.text = `state ${count}`;
			tui.requestRender();
			await clock.pass(20);
		}
		expect(terminal.written).toEqual([]);
		terminal.congested = false;
		terminal.onDrain?.();
		await clock.pass(0);
		expect(terminal.written).toHaveLength(1);
		expect(terminal.screen()[0]).toBe("state 49");
	});

	test.each([
		["with space below", 20],
		["at the foot of the screen", 8],
	])("content below a growing text is moved and not written again, %s", async (_, rows) => {
		const lines = Array.from({ length: 5 }, (__, at) => `line ${at}`);
		const text: Component = { render: () => [...lines], invalidate: () => {} };
		const [rule, foot] = [new Field("-----rule-----"), new Field("foot")];
		const { terminal, clock, tui } = await launch([text, rule, foot], { rows });
		for (let more = 5; more < 12; more++) {
			lines.push(`line ${more}`);
			terminal.written = [];
			tui.requestRender();
			await clock.pass(50);
			expect(terminal.written.join("")).toContain(`line ${more}`);
			expect(terminal.written.join("")).not.toMatch(/rule|foot/);
		}
		const shown = [...lines, rule.text, foot.text];
		expect(terminal.screen().filter((row) => row !== "")).toEqual(shown.slice(-rows));
	});

	test("a component that throws is named at its position, and the rest is drawn", async () => {
		const broken: Component = {
			render: () => {
				throw new Error("no such thing");
			},
			invalidate: () => {},
		};
		const { terminal } = await launch([new Field("above"), broken, new Field("below")]);
		expect(terminal.screen().slice(0, 3)).toEqual(["above", "[could not be drawn: no such thing]", "below"]);
	});

	test("the smallest terminal is drawn on", async () => {
		const field = new Field("> hello");
		const { terminal, clock, tui } = await launch([new Text("one\ntwo", 0, 0), field], {
			columns: 2,
			rows: 1,
		});
		tui.setFocus(field);
		await clock.pass(100);
		expect(terminal.screen()).toEqual([">"]);
	});
});

describe("the cursor", () => {
	test("is at the caret of the focused field, and is hidden without one", async () => {
		const field = new Field("> hello");
		const { terminal, clock, tui } = await launch([new Text("above", 0, 0), field, new Field("below")]);
		expect(terminal.written.join("")).toContain("\x1b[?25l");
		tui.setFocus(field);
		await clock.pass(100);
		expect(terminal.cursor).toEqual({ row: 1, column: 7 });
		expect(terminal.written.join("")).toContain("\x1b[?25h");
	});

	test("the terminal's own cursor replaces the drawn one, whenever that is switched", async () => {
		const input = new Input();
		const { terminal, clock, tui } = await launch([input]);
		tui.setFocus(input);
		await clock.pass(100);
		const switched = async (on: boolean): Promise<string> => {
			terminal.written = [];
			tui.setShowHardwareCursor(on);
			await clock.pass(100);
			return terminal.written.join("");
		};
		const drawn = await switched(false);
		expect([drawn.includes("\x1b[7m"), drawn.includes("\x1b[?25l")]).toEqual([true, true]);
		const shown = await switched(true);
		expect([shown.includes("\x1b[7m"), shown.includes("\x1b[?25h")]).toEqual([false, true]);
		tui.stop();
	});

	test("is left below everything when the program stops", async () => {
		const { terminal, tui } = await launch([new Field("one"), new Field("two")], { shell: ["$ tau"] });
		tui.stop();
		terminal.feed("$");
		expect(terminal.screen().slice(0, 4)).toEqual(["$ tau", "one", "two", "$"]);
	});
});

describe("keys", () => {
	test("listeners come first, and may change or consume a key", async () => {
		const field = new Field("");
		const { terminal, tui } = await launch([field]);
		tui.setFocus(field);
		const remove = tui.addInputListener((data) =>
			data === "x" ? { consume: true } : { data: data.toUpperCase() },
		);
		terminal.type("x");
		terminal.type("a");
		remove();
		terminal.type("b");
		expect(field.received).toEqual(["A", "b"]);
	});

	test("key releases go only to components that request them", async () => {
		const field = new Field("");
		const { terminal, tui } = await launch([field]);
		tui.setFocus(field);
		terminal.type("\x1b[97;1:3u");
		expect(field.received).toEqual([]);
		field.wantsKeyRelease = true;
		terminal.type("\x1b[97;1:3u");
		expect(field.received).toEqual(["\x1b[97;1:3u"]);
	});
});

describe("overlays", () => {
	test("take the focus and return it", async () => {
		const [field, dialog, second] = [new Field("field"), new Field("dialog"), new Field("second")];
		const { terminal, tui } = await launch([field]);
		tui.setFocus(field);
		const handle = tui.showOverlay(dialog);
		const other = tui.showOverlay(second, { nonCapturing: true });
		terminal.type("1");
		other.focus();
		terminal.type("2");
		other.hide();
		terminal.type("3");
		handle.setHidden(true);
		terminal.type("4");
		handle.setHidden(false);
		terminal.type("5");
		handle.hide();
		terminal.type("6");
		expect([field.received, dialog.received, second.received]).toEqual([["4", "6"], ["1", "3", "5"], ["2"]]);
		expect(field.focused).toBe(true);
		expect(dialog.focused).toBe(false);
	});

	test("are drawn at their position over the content, and leave it unchanged", async () => {
		const transcript = new Transcript();
		transcript.addChild(
			new Text(Array.from({ length: 30 }, (_, at) => `${at} `.repeat(12)).join("\n"), 0, 0),
		);
		const { terminal, clock, tui } = await launch([transcript, new Field("> ")]);
		const before = terminal.tape();
		const handle = tui.showOverlay(new Field("over"), { width: 6, anchor: "top-right", margin: 1 });
		await clock.pass(100);
		const [, row = ""] = terminal.screen();
		expect(row.indexOf("over")).toBe(33);
		expect(row).toStartWith("22 22 22");
		handle.hide();
		await clock.pass(100);
		expect(terminal.tape()).toEqual(before);
	});

	test("for a screen reader they have no lines, and nothing beside them", async () => {
		const transcript = new Transcript();
		transcript.addChild(new Text(Array.from({ length: 30 }, () => "words ".repeat(6)).join("\n"), 0, 0));
		const { terminal, clock, tui } = await launch([transcript, new Field("> ")]);
		tui.setLinear(true);
		tui.showOverlay(new Field("│ over │"), { width: 10, anchor: "top-right", margin: 1 });
		await clock.pass(100);
		expect(terminal.screen()[1]?.trim()).toBe("over");
	});

	test("nothing becomes history while one is open, and nothing is missing afterwards", async () => {
		const transcript = new Transcript();
		const { terminal, clock, tui } = await launch([transcript, new Field("> ")]);
		const handle = tui.showOverlay(new Field("over"));
		for (let at = 0; at < 30; at++) transcript.addChild(new Text(`entry ${at}`, 0, 0));
		tui.requestRender();
		await clock.pass(100);
		expect(terminal.tape().history).toEqual([]);
		handle.hide();
		await clock.pass(100);
		const { history, screen } = terminal.tape();
		expect([...history, ...screen]).toEqual([...Array.from({ length: 30 }, (_, at) => `entry ${at}`), ">"]);
	});

	test("one that does not fit on the screen returns the focus until it does", async () => {
		const [field, dialog] = [new Field("field"), new Field("dialog")];
		const { terminal, clock, tui } = await launch([field]);
		tui.setFocus(field);
		tui.showOverlay(dialog, { visible: (columns) => columns >= 30 });
		terminal.resize(20, 10);
		terminal.notifyResize();
		await clock.pass(200);
		terminal.type("a");
		expect([field.received, dialog.received]).toEqual([["a"], []]);
		expect(terminal.screen().join("\n")).not.toContain("dialog");
	});
});

describe("other terminals", () => {
	test("on a dumb terminal each finished row is printed once, without escape sequences", async () => {
		const terminal = new Emulator({ columns: 40, rows: 10 });
		Object.assign(terminal.features, { dumb: true });
		const clock = new TestClock();
		const tui = new TUI(terminal, true, clock);
		const transcript = new Transcript();
		tui.addChild(transcript);
		tui.addChild(new Field("> "));
		tui.start();
		transcript.addChild(new Text("\x1b[31mone\x1b[0m", 0, 0));
		tui.requestRender();
		await clock.pass(100);
		transcript.addChild(new Text("two", 0, 0));
		tui.requestRender();
		await clock.pass(100);
		tui.stop();
		expect(terminal.written.join("")).toBe("one\r\ntwo\r\n");
	});

	test("full screen has its own scrolling, and on return the normal screen has everything", async () => {
		const transcript = new Transcript();
		for (let at = 0; at < 40; at++) transcript.addChild(new Text(`entry ${at}`, 0, 0));
		const { terminal, clock, tui } = await launch([transcript, new Field("> ")]);
		tui.setFullScreen(true);
		await clock.pass(100);
		terminal.onWheel?.(-3);
		await clock.pass(100);
		expect(terminal.screen()).toEqual([...Array.from({ length: 9 }, (_, at) => `entry ${at + 28}`), ">"]);
		transcript.addChild(new Text("entry 40", 0, 0));
		tui.requestRender();
		await clock.pass(100);
		expect(terminal.screen()[0]).toBe("entry 28");
		tui.stop();
		const { history, screen } = terminal.tape();
		const shown = [...history, ...screen].filter((row) => row !== "");
		expect(shown).toEqual([...Array.from({ length: 41 }, (_, at) => `entry ${at}`), ">"]);
	});
});
