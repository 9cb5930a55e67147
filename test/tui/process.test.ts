/** The program's own terminal: nothing typed is lost, nothing is left behind, nothing makes it hang. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import { Pty } from "./pty.ts";

const isStopped = (pid: number) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

/** What a shell would find: the original modes, the cursor visible. */
async function expectRestored(pty: Pty): Promise<void> {
	await pty.until(() => pty.output.includes("\x1b[?25h", pty.output.lastIndexOf("\x1b[?2004l")));
	await pty.write();
	const { output, xterm } = pty;
	expect(xterm.modes.bracketedPasteMode).toBe(false);
	expect(xterm.modes.wraparoundMode).toBe(true);
	expect(xterm.buffer.active.type).toBe("normal");
	expect(output.lastIndexOf("\x1b[?25h")).toBeGreaterThan(output.lastIndexOf("\x1b[?25l"));
	expect(output).toContain("\x1b[>4m");
}

test("keys typed before the first frame are kept, and replies of the terminal are not keys", async () => {
	await using pty = new Pty({ env: { APP_SLOW_START: "150" } });
	pty.type("hallo");
	await pty.untilShown('typed: "hallo"');
	// xterm answers the queries; if a reply had become keys, they would be shown.
	pty.type("!");
	await pty.untilShown('typed: "hallo!"');
	expect(pty.xterm.modes.bracketedPasteMode).toBe(true);
	pty.type("q");
	expect(await pty.child.exited).toBe(0);
});

test("Shift+F3 is a key, also while replies are awaited: it looks like the place of the cursor, which nobody asked for", async () => {
	await using pty = new Pty({ env: { APP_SLOW_START: "150" } });
	pty.type("\x1b[1;2R.");
	await pty.untilShown('typed: "\\u001b[1;2R."');
	pty.type("q");
	expect(await pty.child.exited).toBe(0);
});

test("a flood of keys is handled in slices: other work has its turn before all of it is read", async () => {
	await using pty = new Pty({ env: { APP_SLOW_START: "300" } });
	pty.type("a".repeat(3000));
	await pty.until(() => /typed in all: 3000, at once: [1-9]/.test(pty.rows().join("\n")));
	const atOnce = Number(/at once: (\d+)/.exec(pty.rows().join("\n"))?.[1]);
	expect(atOnce).toBeLessThan(1500);
});

test("what is typed behind the key that ends the program is not its input", async () => {
	await using pty = new Pty();
	await pty.untilShown("typed");
	// At once: the second one would end it with code 3.
	pty.type("qx");
	expect(await pty.child.exited).toBe(0);
});

test("after the end, after an error, after exit() and after a signal the terminal is restored", async () => {
	for (const [key, code] of [
		["q", 0],
		["x", 3],
		["t", 1],
	] as const) {
		await using pty = new Pty();
		await pty.untilShown("typed");
		await pty.until(() => pty.output.includes("\x1b[>4;2m"));
		pty.type(`${key === "t" ? "f" : ""}`);
		pty.type(key);
		expect(await pty.child.exited).toBe(code);
		await expectRestored(pty);
	}
	await using pty = new Pty();
	await pty.untilShown("typed");
	await pty.until(() => pty.output.includes("\x1b[>4;2m"));
	pty.child.kill("SIGTERM");
	await pty.child.exited;
	expect(pty.child.signalCode).toBe("SIGTERM");
	await expectRestored(pty);
});

test("the error of a program that fails in full screen can be read afterwards", async () => {
	await using pty = new Pty({ rows: 30 });
	await pty.untilShown("typed");
	pty.type("f");
	await pty.until(() => pty.xterm.buffer.active.type === "alternate");
	pty.type("t");
	await pty.child.exited;
	await pty.until(() => pty.rows().some((row) => row.includes("thrown on purpose")));
	await expectRestored(pty);
});

test("the conversation is on the normal screen after full screen", async () => {
	await using pty = new Pty();
	await pty.untilShown("typed");
	pty.type("f");
	await pty.until(() => pty.xterm.buffer.active.type === "alternate");
	pty.type("n");
	await pty.untilShown("entry 49.");
	// The wheel, as terminals send it on the alternate screen.
	pty.type("\x1b[A\x1b[A\x1b[A");
	await pty.untilShown("entry 37.");
	await pty.until(() => !pty.rows("active").some((row) => row.includes("entry 49.")));
	pty.type("q");
	expect(await pty.child.exited).toBe(0);
	// The last output of the program comes after its end.
	await pty.until(() => pty.rows().some((row) => row.startsWith("entry 49.")));
	expect(pty.rows().filter((row) => row.startsWith("entry"))).toEqual(
		Array.from({ length: 50 }, (_, at) => `entry ${at}.`),
	);
	await expectRestored(pty);
});

test("a suspended program releases the terminal, and continues below the output of the shell", async () => {
	await using pty = new Pty();
	await pty.untilShown("typed");
	const stops = [() => pty.type("z"), () => pty.child.kill("SIGTSTP")];
	for (const [at, stop] of stops.entries()) {
		const before = pty.output.length;
		stop();
		await pty.until(() => pty.output.slice(before).includes("\x1b[?2004l"));
		while (!isStopped(pty.child.pid)) await Bun.sleep(1);
		await pty.write("$ fg\r\n");
		expect(pty.xterm.modes.bracketedPasteMode).toBe(false);
		pty.child.kill("SIGCONT");
		await pty.until(() => pty.xterm.modes.bracketedPasteMode);
		pty.type("y");
		await pty.untilShown(`typed: "${"y".repeat(at + 1)}"`);
	}
	expect(pty.rows().filter((row) => row === "$ fg")).toHaveLength(2);
	expect(pty.rows().at(-2)).toBe('typed: "yy"');
});

test("a resize is drawn, and of many at once only a few", async () => {
	await using pty = new Pty();
	await pty.untilShown("typed");
	pty.type("n");
	await pty.untilShown("entry 49.");
	const before = pty.output.length;
	for (let columns = 59; columns >= 40; columns--) pty.resize(columns, 12);
	await pty.until(() => pty.output.slice(before).includes("\x1b[3J"));
	await pty.untilShown("ticks: 0");
	// One, unless this process is held up between two of the 20 sizes.
	expect(pty.output.slice(before).match(/\x1b\[3J/g)?.length).toBeLessThan(5);
	await pty.until(() => pty.rows().filter((row) => row.startsWith("entry")).length === 50);
});

test("a closed terminal ends the program once, without a loop", async () => {
	await using pty = new Pty();
	await pty.untilShown("typed");
	pty.type("s");
	await pty.until(() => /ticks: [1-9]/.test(pty.rows().join("\n")));
	pty.child.terminal?.close();
	await pty.child.exited;
	expect(pty.child.exitCode === 4 || pty.child.signalCode === "SIGHUP").toBe(true);
});

test("without a terminal finished rows are printed and nothing else", async () => {
	const code = `
		import { ProcessTerminal, Text, Transcript, TUI } from "@tau/tui";
		const tui = new TUI(new ProcessTerminal());
		const transcript = new Transcript();
		transcript.addChild(new Text("\\x1b[31mred\\x1b[0m", 0, 0));
		tui.addChild(transcript);
		tui.addChild(new Text("chrome", 0, 0));
		tui.start();
		tui.stop();
	`;
	await using child = Bun.spawn([process.execPath, "-e", code], {
		cwd: import.meta.dir,
		stdin: "ignore",
		stdout: "pipe",
	});
	expect(await Bun.readableStreamToText(child.stdout)).toBe("red\r\n");
	expect(await child.exited).toBe(0);
});

describe("in a terminal that shows sixel", () => {
	interface Painted {
		row: number;
		column: number;
		size: string;
		scrolls: boolean;
	}

	/** Answers as such a terminal does, and notes where each image begins. */
	function sixelTerminal(pty: Pty, cell = { size: "\x1b[6;20;10t" }): Painted[] {
		const { parser, buffer } = pty.xterm;
		const painted: Painted[] = [];
		pty.xterm.options.windowOptions = { getCellSizePixels: true };
		const answer = (reply: string) => () => {
			pty.type(reply);
			return true;
		};
		parser.registerCsiHandler({ final: "c" }, answer("\x1b[?62;4;22c"));
		parser.registerCsiHandler({ prefix: "?", final: "S" }, answer("\x1b[?1;0;64S"));
		parser.registerCsiHandler({ final: "t" }, ([kind]) => kind === 16 && answer(cell.size)());
		parser.registerDcsHandler({ final: "q" }, (data) => {
			const { baseY, cursorX: column, cursorY } = buffer.active;
			const [, width = "", height = ""] = /^"1;1;(\d+);(\d+)/.exec(data) ?? [];
			// Terminals scroll if the row below the image is not on the screen.
			const scrolls = cursorY + Math.ceil(Number(height) / 20) >= pty.xterm.rows;
			painted.push({ row: baseY + cursorY, column, size: `${width}x${height}`, scrolls });
			return true;
		});
		return painted;
	}

	test("images are painted in their rows, also while the screen scrolls, and never cause it to", async () => {
		await using pty = new Pty();
		const painted = sixelTerminal(pty);
		await pty.untilShown("typed");
		await pty.until(() => pty.output.includes("\x1b[?1;1;0S"));
		pty.type("i");
		await pty.until(() => painted.length > 0);
		// It begins at the top, and its last row is free.
		expect(painted[0]).toEqual({ row: 0, column: 0, size: "300x60", scrolls: false });
		expect(pty.rows().findIndex((row) => row.startsWith("typed"))).toBe(4);
		pty.type("nin");
		await pty.until(() => painted.some(({ row }) => row === 54) && pty.rows().includes("entry 101."));
		expect(painted.filter(({ scrolls }) => scrolls)).toEqual([]);
		expect(pty.rows().slice(0, 5)).toEqual(["", "", "", "", "entry 1."]);
		expect(pty.rows().slice(53, 59)).toEqual(["entry 50.", "", "", "", "", "entry 52."]);
	});

	test("after a change of the font an image is made for the new cells", async () => {
		await using pty = new Pty();
		const cells = { size: "\x1b[6;20;10t" };
		const painted = sixelTerminal(pty, cells);
		await pty.untilShown("typed");
		pty.type("i");
		await pty.until(() => painted.some(({ size }) => size === "300x60"));
		cells.size = "\x1b[6;8;4t";
		pty.resize(50, 12);
		await pty.until(() => painted.some(({ size }) => size === "200x40"));
	});

	test("the size of its cells must be known, and a user may want no images", async () => {
		for (const [cell, env] of [
			["", {}],
			["\x1b[6;20;10t", { TAU_FORCE_IMAGE_PROTOCOL: "off" }],
		] as const) {
			await using pty = new Pty({ env });
			const painted = sixelTerminal(pty, { size: cell });
			await pty.untilShown("typed");
			pty.type("in");
			await pty.untilShown("entry 50.");
			expect(pty.rows()[0]).toBe("[image: BMP 300x60]");
			expect(painted).toEqual([]);
		}
	});
});
