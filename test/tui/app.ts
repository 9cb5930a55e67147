/** A small program for tests that need a real terminal: each key does one thing. */
import { CURSOR_MARKER, Image, ProcessTerminal, Text, Transcript, TUI, type Component } from "@tau/tui";

const terminal = new ProcessTerminal();
terminal.capture();
// A slow start: keys that are typed meanwhile must not be lost.
Bun.sleepSync(Number(process.env.APP_SLOW_START ?? 0));

const tui = new TUI(terminal, true);
const transcript = new Transcript();
let typed = "";
/** How much was typed when other work had its turn for the first time after a key. */
let typedAtOnce = 0;
let ticks = 0;
let clock: Timer | undefined;

const editor: Component = {
	render: () => [
		`typed: ${JSON.stringify(typed.slice(-30))}${CURSOR_MARKER}`,
		`ticks: ${ticks} ${terminal.appearance ?? ""}`,
		...(typed.length > 30 ? [`typed in all: ${typed.length}, at once: ${typedAtOnce}`] : []),
	],
	handleInput: press,
	invalidate: () => {},
};

function add(count: number): void {
	const from = transcript.children.length;
	for (let at = from; at < from + count; at++) transcript.addChild(new Text(`entry ${at}.`, 0, 0));
}

const actions: Record<string, () => void> = {
	q: () => {
		clearInterval(clock);
		tui.stop();
	},
	t: () => {
		throw new Error("thrown on purpose");
	},
	x: () => process.exit(3),
	n: () => add(50),
	// Four hundred entries, one after the other.
	d: () => {
		clock = setInterval(() => {
			add(1);
			tui.requestRender();
			if (transcript.children.length === 400) clearInterval(clock);
		}, 5);
	},
	w: () => {
		const from = transcript.children.length;
		for (let at = from; at < from + 50; at++)
			transcript.addChild(new Text(`entry ${at}. ${"wide ".repeat(9)}`, 0, 0));
	},
	// A picture of 300 x 60 pixels.
	i: () => {
		const bitmap = Buffer.alloc(54 + 300 * 60 * 4, 0xff);
		bitmap.write("BM");
		bitmap.set([54, 0, 0, 0, 40, 0, 0, 0, 0x2c, 1, 0, 0, 60, 0, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0], 10);
		const fallbackColor = (text: string) => text;
		const size = { widthPx: 300, heightPx: 60 };
		transcript.addChild(new Image(bitmap.toString("base64"), "image/bmp", { fallbackColor }, {}, size));
	},
	f: () => tui.setFullScreen(!tui.fullScreen),
	z: () => tui.suspend(),
	// 100 KB per second, in frames that change every row.
	s: () => {
		clock = setInterval(() => {
			ticks++;
			tui.requestRender();
		}, 5);
	},
};

function otherWork(): void {
	typedAtOnce = typed.length;
	tui.requestRender();
}

function press(data: string): void {
	if (typed === "") setImmediate(otherWork);
	const action = actions[data];
	if (action === undefined) typed += data;
	else action();
}

terminal.onLost = () => {
	clearInterval(clock);
	process.exitCode = 4;
	tui.stop();
};
terminal.onAppearance = () => tui.requestRender();
tui.addChild(transcript);
tui.addChild(editor);
tui.setFocus(editor);
tui.start();
