/** A person at the real program: it runs in a real terminal, and what that shows is read back from an emulator. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Terminal as Xterm } from "@xterm/headless";

import type { Scenario } from "@tau/ai/testing";

import { launch, root, type Launched } from "../support/launch.ts";

export interface Size {
	cols: number;
	rows: number;
}

export interface OpenOptions extends Partial<Size> {
	args?: readonly string[];
	env?: Record<string, string>;
	/** The text of config.yml. */
	settings?: string;
	/** Nobody says which model; by default the played one is asked for. */
	anyModel?: true;
	/** The terminal knows the colour of its background, and tells when it changes. */
	background?: Background;
	/** How it is started; `./tau` by default. */
	command?: readonly string[];
	/** The house that an earlier Tau lived in; it stays with whoever opened it. */
	home?: Launched;
}

export type Background = "dark" | "light";

const colourOf: Readonly<Record<Background, string>> = {
	dark: "rgb:1010/1010/1010",
	light: "rgb:fafa/fafa/f5f5",
};

/** The mode in which a terminal tells that its colours have become others (DEC 2031). */
const tellsColours = 2031;

const keyBytes = {
	enter: "\r",
	altEnter: "\x1b\r",
	altUp: "\x1b[1;3A",
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

/** A test that waits longer than this has found something; a busy machine is given its time. */
const patienceMs = 30_000;
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
	/** Nobody has the terminal open any more, and all that was written to it has come. */
	readonly #closed = Promise.withResolvers<void>();
	#background: Background | undefined;
	/** Tau wants to hear when the background changes. */
	#hearsOfColours = false;
	/** All bytes that came. */
	bytes = "";
	/** What the terminal shows as its title. */
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
			command = [join(root, "tau")],
		} = options;
		const model = anyModel ? [] : ["--model", "played/played-1"];
		this.home = home;
		this.#ownsHome = launched === undefined;
		this.#xterm = new Xterm({ cols, rows, scrollback: 10_000, allowProposedApi: true, logLevel: "off" });
		this.#xterm.onTitleChange((title) => (this.title = title));
		if (background) this.#colour(background);
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
		// What the terminal is asked, it answers: colours, modes, its name.
		this.#xterm.onData((reply) => this.type(reply));
	}

	get pid(): number {
		return this.#child.pid;
	}

	/** Resolves when its last words are on the screen, too. */
	get exited(): Promise<number> {
		return this.#child.exited.then(async (code) => {
			// Somebody whom it left behind may keep the terminal.
			await Promise.race([this.#closed.promise, Bun.sleep(closingMs)]);
			await this.#drawn();
			return code;
		});
	}

	/** Types text, or whatever bytes a terminal would send. */
	type(text: string): void {
		this.#child.terminal?.write(text);
	}

	press(...keys: (keyof typeof keyBytes)[]): void {
		for (const key of keys) this.type(keyBytes[key]);
	}

	/** The person, or the time of day, turns the light on or off. */
	turn(background: Background): void {
		this.#background = background;
		if (this.#hearsOfColours) this.type(`\x1b[?997;${background === "dark" ? 1 : 2}n`);
	}

	/** The colour in which a text on the screen is written. */
	colourOf(text: string): number | undefined {
		const { active } = this.#xterm.buffer;
		for (let row = active.length - 1; row >= active.baseY; row--) {
			const line = active.getLine(row);
			const at = line?.translateToString(true).indexOf(text) ?? -1;
			if (at >= 0) return line?.getCell(at)?.getFgColor();
		}
		return undefined;
	}

	/** The rows on the screen, without the blanks at their ends. */
	screen(): string {
		const { baseY } = this.#xterm.buffer.active;
		return this.#lines(baseY, baseY + this.#xterm.rows);
	}

	/** Everything that has scrolled away, and the screen. */
	scrollback(): string {
		return this.#lines(0, this.#xterm.buffer.active.length);
	}

	/** Waits until the screen shows this. */
	until(shown: string | RegExp): Promise<void> {
		return this.#wait(() => has(this.screen(), shown), `showed ${shown}`);
	}

	/** Waits until the screen does not show this any more. */
	untilGone(shown: string | RegExp): Promise<void> {
		return this.#wait(() => !has(this.screen(), shown), `let go of ${shown}`);
	}

	/** Waits until what is being written is on disk. */
	untilDraft(text: string): Promise<void> {
		const drafts = join(this.home.home, ".tau/state/drafts");
		return this.untilFiles(
			() =>
				existsSync(drafts) &&
				readdirSync(drafts).some((name) => readFileSync(join(drafts, name), "utf8") === text),
		);
	}

	/** Waits until something of the screen that is no text holds. */
	untilDrawn(holds: () => boolean, what: string): Promise<void> {
		return this.#wait(holds, what);
	}

	/** Waits for something that the screen does not tell. */
	async untilFiles(holds: () => boolean): Promise<void> {
		for (let left = patienceMs; !holds(); left -= pollMs) {
			if (left <= 0) throw new Error(`It never came. The screen:\n${this.screen()}`);
			await Bun.sleep(pollMs);
		}
	}

	resize({ cols, rows }: Size): void {
		this.#xterm.resize(cols, rows);
		this.#child.terminal?.resize(cols, rows);
	}

	/** The window is closed. */
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

	/** The emulator itself knows nothing of colours: this is the terminal around it. */
	#colour(background: Background): void {
		this.#background = background;
		const { parser } = this.#xterm;
		parser.registerOscHandler(11, (asked) => {
			if (asked === "?") this.type(`\x1b]11;${colourOf[this.#background ?? background]}\x1b\\`);
			return true;
		});
		parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, ([mode]) => {
			if (mode === tellsColours) this.type(`\x1b[?${tellsColours};2$y`);
			return mode === tellsColours;
		});
		for (const final of ["h", "l"]) {
			parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
				if (modes.includes(tellsColours)) this.#hearsOfColours = final === "h";
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

	/** The emulator has read all that has come so far. */
	async #drawn(): Promise<void> {
		// What the terminal still holds is handed over in the next turn of the loop.
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

function has(text: string, shown: string | RegExp): boolean {
	return typeof shown === "string" ? text.includes(shown) : shown.test(text);
}
