/** Drives the real program as a user would: it runs in a pseudo-terminal, and an emulator holds its screen. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Terminal as Xterm } from "@xterm/headless";

import type { Scenario } from "@tau/ai/testing";

import { launch, tauProgram, type Launched } from "../support/launch.ts";

export interface Size {
	cols: number;
	rows: number;
}

export interface OpenOptions extends Partial<Size> {
	args?: readonly string[];
	env?: Record<string, string>;
	/** The text of config.yml. */
	settings?: string;
	/** Omits `--model`, which selects the played model by default. */
	anyModel?: true;
	/** The terminal reports its background color, and changes of it. */
	background?: Background;
	/** The command that starts it; `./tau` by default. */
	command?: readonly string[];
	/** The home of an earlier run; the caller disposes of it. */
	home?: Launched;
}

export type Background = "dark" | "light";

const colorOf: Readonly<Record<Background, string>> = {
	dark: "rgb:1010/1010/1010",
	light: "rgb:fafa/fafa/f5f5",
};

/** The mode in which a terminal reports changes of its color scheme (DEC 2031). */
const colorReports = 2031;

const keyBytes = {
	enter: "\r",
	altEnter: "\x1b\r",
	altUp: "\x1b[1;3A",
	left: "\x1b[D",
	up: "\x1b[A",
	down: "\x1b[B",
	escape: "\x1b",
	tab: "\t",
	shiftTab: "\x1b[Z",
	ctrlC: "\x03",
	ctrlD: "\x04",
	ctrlG: "\x07",
	ctrlL: "\x0c",
	ctrlO: "\x0f",
	ctrlP: "\x10",
	ctrlT: "\x14",
	ctrlV: "\x16",
	ctrlX: "\x18",
	ctrlZ: "\x1a",
} as const;

/** Long enough for a busy machine: a test that waits longer has found a defect. */
const patienceMs = 60_000;
const pollMs = 10;
const closingMs = 1_000;

export async function openTau(scenario: Scenario, options: OpenOptions = {}): Promise<OpenTau> {
	const home = options.home ?? (await launch(scenario));
	if (options.settings !== undefined) writeFileSync(join(home.agentDir, "config.yml"), options.settings);
	return new OpenTau(home, options);
}

export class OpenTau implements AsyncDisposable {
	readonly home: Launched;
	readonly #ownsHome: boolean;
	readonly #xterm: Xterm;
	readonly #child: Bun.Subprocess;
	readonly #decoder = new TextDecoder();
	#changed = Promise.withResolvers<void>();
	/** Resolved when no process has the terminal open any more and all of its output has arrived. */
	readonly #closed = Promise.withResolvers<void>();
	#background: Background | undefined;
	/** True if Tau has asked for reports of color changes. */
	#reportsColors = false;
	/** All output so far, with control sequences. */
	bytes = "";
	/** The title of the terminal. */
	title = "";

	constructor(home: Launched, options: OpenOptions) {
		const {
			cols = 80,
			rows = 24,
			args = [],
			env = {},
			home: launched,
			anyModel,
			background,
			command = [tauProgram],
		} = options;
		const model = anyModel ? [] : ["--model", "played/played-1"];
		this.home = home;
		this.#ownsHome = launched === undefined;
		this.#xterm = new Xterm({ cols, rows, scrollback: 10_000, allowProposedApi: true, logLevel: "off" });
		this.#xterm.onTitleChange((title) => (this.title = title));
		if (background) this.#answerColorQueries(background);
		this.#child = Bun.spawn([...command, ...model, ...args], {
			cwd: home.project,
			env: { ...home.env, ...env },
			terminal: {
				cols,
				rows,
				data: (_, chunk) => this.#take(chunk),
				exit: () => this.#closed.resolve(),
			},
		});
		// The emulator's replies to queries (modes, its name) go back to the program.
		this.#xterm.onData((reply) => this.type(reply));
	}

	get pid(): number {
		return this.#child.pid;
	}

	/** Resolves with the exit code when the last output is on the screen as well. */
	get exited(): Promise<number> {
		return this.#child.exited.then(async (code) => {
			// A process that it left behind may keep the terminal open.
			await Promise.race([this.#closed.promise, Bun.sleep(closingMs)]);
			await this.#drawn();
			return code;
		});
	}

	/** Sends text, or any other bytes that a terminal would send. */
	type(text: string): void {
		this.#child.terminal?.write(text);
	}

	press(...keys: (keyof typeof keyBytes)[]): void {
		for (const key of keys) this.type(keyBytes[key]);
	}

	/** Switches the terminal between a dark and a light color scheme, as a user or the time of day does. */
	switchTo(background: Background): void {
		this.#background = background;
		if (this.#reportsColors) this.type(schemeReport(background));
	}

	/** The foreground color of a text on the screen. */
	colorOf(text: string): number | undefined {
		return this.lookOf(text)?.front;
	}

	/** How the first letter of a text on the screen is drawn; a background that is the terminal's own is -1. */
	lookOf(text: string): { front: number; back: number; isInverse: boolean } | undefined {
		const { active } = this.#xterm.buffer;
		for (let row = active.length - 1; row >= active.baseY; row--) {
			const line = active.getLine(row);
			const at = line?.translateToString(true).indexOf(text) ?? -1;
			const cell = at < 0 ? undefined : line?.getCell(at);
			if (cell)
				return { front: cell.getFgColor(), back: cell.getBgColor(), isInverse: cell.isInverse() !== 0 };
		}
		return undefined;
	}

	/** The rows on the screen, without trailing blanks. */
	screen(): string {
		const { baseY } = this.#xterm.buffer.active;
		return this.#lines(baseY, baseY + this.#xterm.rows);
	}

	/** The scrollback and the screen. */
	scrollback(): string {
		return this.#lines(0, this.#xterm.buffer.active.length);
	}

	/** Waits until the screen shows this. */
	until(shown: string | RegExp): Promise<void> {
		return this.#wait(() => has(this.screen(), shown), `showed ${shown}`);
	}

	/** Waits until the screen no longer shows this. */
	untilGone(shown: string | RegExp): Promise<void> {
		return this.#wait(() => !has(this.screen(), shown), `removed ${shown}`);
	}

	/** Waits until the draft of the prompt is on disk. */
	untilDraft(text: string): Promise<void> {
		const drafts = join(this.home.home, ".tau/state/drafts");
		return this.untilFiles(
			() =>
				existsSync(drafts) &&
				readdirSync(drafts).some((name) => readFileSync(join(drafts, name), "utf8") === text),
		);
	}

	/** Waits for a condition on the screen other than its text. */
	untilDrawn(holds: () => boolean, what: string): Promise<void> {
		return this.#wait(holds, what);
	}

	/** Waits for a condition that the screen does not show. */
	async untilFiles(holds: () => boolean): Promise<void> {
		for (let left = patienceMs; !holds(); left -= pollMs) {
			if (left <= 0) throw new Error(`The condition never held. The screen:\n${this.screen()}`);
			await Bun.sleep(pollMs);
		}
	}

	resize({ cols, rows }: Size): void {
		this.#xterm.resize(cols, rows);
		this.#child.terminal?.resize(cols, rows);
	}

	/** Closes the terminal, as closing its window does. */
	closeWindow(): void {
		this.#child.terminal?.close();
	}

	kill(signal: NodeJS.Signals): void {
		process.kill(this.pid, signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill("SIGKILL");
		await this.#child.exited;
		this.#child.terminal?.close();
		this.#xterm.dispose();
		if (this.#ownsHome) await this.home[Symbol.asyncDispose]();
	}

	/** The emulator does not answer queries about colors, so this does. */
	#answerColorQueries(background: Background): void {
		this.#background = background;
		const { parser } = this.#xterm;
		parser.registerOscHandler(11, (query) => {
			if (query === "?") this.type(`\x1b]11;${colorOf[this.#background ?? background]}\x1b\\`);
			return true;
		});
		parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, ([mode]) => {
			if (mode === colorReports) this.type(`\x1b[?${colorReports};2$y`);
			return mode === colorReports;
		});
		parser.registerCsiHandler({ prefix: "?", final: "n" }, ([query]) => {
			if (query === 996) this.type(schemeReport(this.#background ?? background));
			return query === 996;
		});
		for (const final of ["h", "l"]) {
			parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
				if (modes.includes(colorReports)) this.#reportsColors = final === "h";
				return false;
			});
		}
	}

	#take(chunk: Uint8Array): void {
		const text = this.#decoder.decode(chunk, { stream: true });
		this.bytes += text;
		this.#xterm.write(text, () => {
			this.#changed.resolve();
			this.#changed = Promise.withResolvers<void>();
		});
	}

	/** Waits until the emulator has processed all output so far. */
	async #drawn(): Promise<void> {
		// Bytes that the terminal still buffers arrive in the next turn of the event loop.
		await Bun.sleep(0);
		await new Promise<void>((resolve) => {
			this.#xterm.write("", resolve);
		});
	}

	#lines(from: number, to: number): string {
		const { active } = this.#xterm.buffer;
		const rows = Array.from(
			{ length: to - from },
			(_, at) => active.getLine(from + at)?.translateToString(true) ?? "",
		);
		return rows.join("\n").trimEnd();
	}

	async #wait(holds: () => boolean, what: string): Promise<void> {
		const late = Promise.withResolvers<"late">();
		const timer = setTimeout(() => late.resolve("late"), patienceMs);
		const ended = this.exited.then(() => "ended" as const);
		try {
			while (!holds()) {
				const next = this.#changed.promise.then(() => "changed" as const);
				const event = await Promise.race([next, ended, late.promise]);
				if (event === "changed" || holds()) continue;
				const how = event === "late" ? "It never" : "It ended before it";
				throw new Error(`${how} ${what}. The screen:\n${this.screen()}`);
			}
		} finally {
			clearTimeout(timer);
		}
	}
}

function schemeReport(background: Background): string {
	return `\x1b[?997;${background === "dark" ? 1 : 2}n`;
}

function has(text: string, shown: string | RegExp): boolean {
	return typeof shown === "string" ? text.includes(shown) : shown.test(text);
}
