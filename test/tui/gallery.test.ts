/** The gallery of components as a user sees it: the real program in a real terminal, read by a real emulator. */
import { join } from "node:path";

import { Terminal as Xterm } from "@xterm/headless";
import { describe, expect, test } from "bun:test";

import { root } from "../support/launch.ts";

const program = join(root, "packages/tui/examples/gallery.ts");
const keys = {
	tab: "\t",
	backTab: "\x1b[Z",
	down: "\x1b[B",
	right: "\x1b[C",
	enter: "\r",
	ctrlC: "\x03",
	ctrlT: "\x14",
};
const labels = [
	"Text",
	"Markdown",
	"Diff",
	"Editor",
	"Select",
	"Several",
	"Tree",
	"Settings",
	"Dialogs",
	"Scroll",
	"Waiting",
	"Colors",
];

class Visit implements AsyncDisposable {
	readonly #xterm: Xterm;
	readonly #child: Bun.Subprocess;
	#changed = Promise.withResolvers<void>();
	/** It has ended, and its last output, which may come after its end, is on the screen. */
	readonly #over = Promise.withResolvers<true>();

	constructor(columns: number, rows: number) {
		this.#xterm = new Xterm({ cols: columns, rows, allowProposedApi: true, logLevel: "off" });
		this.#child = Bun.spawn([process.execPath, "run", program], {
			cwd: root,
			env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" },
			terminal: {
				cols: columns,
				rows,
				data: (_, chunk) => this.#xterm.write(chunk.slice(), () => this.#emit()),
				exit: () => this.#xterm.write("", () => this.#over.resolve(true)),
			},
		});
		// Queries of the program are answered as a terminal answers them.
		this.#xterm.onData((reply) => this.press(reply));
	}

	get exited(): Promise<number> {
		return this.#child.exited;
	}

	get isAlternate(): boolean {
		return this.#xterm.buffer.active.type === "alternate";
	}

	press(data: string): void {
		this.#child.terminal?.write(data);
	}

	resize(columns: number, rows: number): void {
		this.#xterm.resize(columns, rows);
		this.#child.terminal?.resize(columns, rows);
	}

	/** Cells that a narrower window has cut off are still known to the emulator, but not visible. */
	screen(): string[] {
		const { active } = this.#xterm.buffer;
		return Array.from({ length: this.#xterm.rows }, (_, at) =>
			(active.getLine(active.baseY + at)?.translateToString(true, 0, this.#xterm.cols) ?? "").trimEnd(),
		);
	}

	/** The tab that is open: it is the one in inverse. */
	openTab(): string {
		const line = this.#xterm.buffer.active.getLine(this.#xterm.buffer.active.baseY);
		const cells = Array.from({ length: this.#xterm.cols }, (_, at) => line?.getCell(at));
		return cells
			.map((cell) => (cell?.isInverse() ? cell.getChars() : ""))
			.join("")
			.trim();
	}

	/** The color of the first cell of a row that contains the text. */
	colorOf(text: string): number | undefined {
		const { active } = this.#xterm.buffer;
		const row = this.screen().findIndex((line) => line.includes(text));
		return active
			.getLine(active.baseY + row)
			?.getCell(this.screen()[row]?.indexOf(text) ?? 0)
			?.getFgColor();
	}

	async until(condition: () => boolean): Promise<void> {
		while (!condition()) {
			const ended = await Promise.race([this.#changed.promise.then(() => false), this.#over.promise]);
			if (ended && !condition()) throw new Error(`The gallery ended:\n${this.screen().join("\n")}`);
		}
	}

	async untilShown(text: string): Promise<void> {
		await this.until(() => this.screen().some((row) => row.includes(text)));
	}

	async go(label: string): Promise<void> {
		for (let left = labels.length; this.openTab() !== label; left--) {
			if (left === 0) throw new Error(`There is no page ${label}.`);
			const before = this.openTab();
			this.press(keys.tab);
			await this.until(() => this.openTab() !== before);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill();
		await this.#child.exited;
		this.#xterm.dispose();
	}

	#emit(): void {
		this.#changed.resolve();
		this.#changed = Promise.withResolvers<void>();
	}
}

async function visit(columns = 100, rows = 30): Promise<Visit> {
	const gallery = new Visit(columns, rows);
	await gallery.untilShown("quit");
	return gallery;
}

describe("the gallery", () => {
	test("goes through all its pages and starts over", async () => {
		await using gallery = await visit();
		const seen: string[] = [];
		for (const _ of labels) {
			const label = gallery.openTab();
			seen.push(label);
			const [, line, , ...body] = gallery.screen();
			expect(line).toBe("─".repeat(100));
			expect(body.slice(0, -2).some((row) => row !== "")).toBe(true);
			gallery.press(keys.tab);
			await gallery.until(() => gallery.openTab() !== label);
		}
		expect(seen).toEqual(labels);
		expect(gallery.openTab()).toBe("Text");
		gallery.press(keys.right);
		await gallery.until(() => gallery.openTab() === "Markdown");
		gallery.press(keys.backTab);
		await gallery.until(() => gallery.openTab() === "Text");
	});

	test("changes its colors", async () => {
		await using gallery = await visit();
		const before = gallery.colorOf("✗ example");
		gallery.press("t");
		await gallery.until(() => gallery.screen().at(-1)?.endsWith("light") === true);
		expect(gallery.colorOf("✗ example")).not.toBe(before);
	});

	test("is interactive: lists, trees, settings and questions work", async () => {
		await using gallery = await visit();
		await gallery.go("Select");
		gallery.press(keys.down + keys.enter);
		await gallery.untilShown("Taken: /diff");
		await gallery.go("Tree");
		gallery.press(" ");
		await gallery.untilShown("▸ packages");
		await gallery.go("Settings");
		gallery.press(keys.enter);
		await gallery.untilShown("thinking = high");
		await gallery.go("Dialogs");
		gallery.press("o");
		await gallery.untilShown("Delete these files?");
		gallery.press(keys.enter);
		await gallery.untilShown("Answer: no");
		expect(gallery.screen().join("\n")).not.toContain("Delete these files?");
	});

	test("accepts text in its inputs", async () => {
		await using gallery = await visit();
		await gallery.go("Editor");
		gallery.press(" quit it");
		await gallery.untilShown("commands. quit it");
		gallery.press(keys.ctrlT);
		await gallery.until(() => gallery.screen().at(-1)?.endsWith("light") === true);
		gallery.press(keys.ctrlC);
		expect(await gallery.exited).toBe(0);
	});

	test("follows the window, down to a very small one", async () => {
		await using gallery = await visit();
		for (const [columns, rows] of [
			[60, 20],
			[20, 8],
			[120, 40],
		] as const) {
			gallery.resize(columns, rows);
			await gallery.until(() => {
				const screen = gallery.screen();
				const lines = [screen[1], screen.at(-2)];
				return (
					gallery.openTab() === "Text" &&
					lines.every((line) => line === "─".repeat(columns)) &&
					screen.at(-1)?.startsWith("tab/←→ pages") === true
				);
			});
			expect(gallery.screen()).toHaveLength(rows);
		}
	});

	test("restores the terminal", async () => {
		await using gallery = await visit();
		expect(gallery.isAlternate).toBe(true);
		gallery.press("q");
		expect(await gallery.exited).toBe(0);
		await gallery.until(() => !gallery.isAlternate);
		expect(gallery.screen().filter((row) => row !== "")).toEqual([]);
	});

	test("is printed once without a terminal", async () => {
		const child = Bun.spawn([process.execPath, "run", program], {
			cwd: root,
			env: { PATH: process.env.PATH ?? "", COLUMNS: "60" },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
		expect({ err, code }).toEqual({ err: "", code: 0 });
		for (const label of labels) expect(out).toContain(`── ${label} ─`);
		expect(out).not.toContain("\x1b");
		expect(out.split("\n").filter((row) => Bun.stringWidth(row) > 60)).toEqual([]);
	});
});
