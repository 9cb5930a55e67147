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
	/** Lines of config.yml. */
	settings?: string;
	/** The house that an earlier Tau lived in. */
	home?: Launched;
}

export interface OpenTau extends AsyncDisposable {
	readonly home: Launched;
	readonly pid: number;
	/** Types text, or whatever bytes a terminal would send. */
	type(text: string): void;
	press(...keys: (keyof typeof keyBytes)[]): void;
	/** The rows on the screen, without the blanks at their ends. */
	screen(): string;
	/** Everything that has scrolled away, and the screen. */
	scrollback(): string;
	/** Waits until the screen shows this. */
	until(shown: string | RegExp): Promise<void>;
	/** Waits until the screen does not show this any more. */
	untilGone(shown: string | RegExp): Promise<void>;
	/** Waits until what is being written is on disk. */
	untilDraft(text: string): Promise<void>;
	resize(size: Size): void;
	kill(signal: NodeJS.Signals): void;
	/** All bytes that came. */
	bytes(): string;
	/** The title that the terminal shows. */
	title(): string;
	readonly exited: Promise<number>;
}

export const keyBytes = {
	enter: "\r",
	altEnter: "\x1b\r",
	altUp: "\x1b[1;3A",
	up: "\x1b[A",
	down: "\x1b[B",
	escape: "\x1b",
	tab: "\t",
	shiftTab: "\x1b[Z",
	backspace: "\x7f",
	ctrlC: "\x03",
	ctrlD: "\x04",
	ctrlG: "\x07",
	ctrlL: "\x0c",
	ctrlO: "\x0f",
	ctrlP: "\x10",
	ctrlT: "\x14",
	ctrlV: "\x16",
	ctrlZ: "\x1a",
} as const;

/** A test that waits longer than this has found something. */
const patienceMs = 20_000;

export async function openTau(scenario: Scenario, options: OpenOptions = {}): Promise<OpenTau> {
	const home = options.home ?? (await launch(scenario));
	if (options.settings !== undefined) writeFileSync(join(home.agentDir, "config.yml"), options.settings);
	const { cols = 80, rows = 24 } = options;
	const xterm = new Xterm({ cols, rows, scrollback: 10_000, allowProposedApi: true, logLevel: "off" });
	const decoder = new TextDecoder();
	let bytes = "";
	let title = "";
	let changed = Promise.withResolvers<void>();
	xterm.onTitleChange((next) => (title = next));
	const child = Bun.spawn([join(root, "tau"), "--model", "played/played-1", ...(options.args ?? [])], {
		cwd: home.project,
		env: { ...home.env, ...options.env },
		terminal: {
			cols,
			rows,
			data(_, chunk) {
				const text = decoder.decode(chunk, { stream: true });
				bytes += text;
				xterm.write(text, () => {
					changed.resolve();
					changed = Promise.withResolvers<void>();
				});
			},
		},
	});
	// What the terminal is asked, it answers: colours, modes, its name.
	xterm.onData((reply) => child.terminal?.write(reply));
	const lines = (from: number, to: number): string =>
		Array.from(
			{ length: to - from },
			(_, at) => xterm.buffer.active.getLine(from + at)?.translateToString(true) ?? "",
		)
			.join("\n")
			.trimEnd();
	const screen = (): string => {
		const { baseY } = xterm.buffer.active;
		return lines(baseY, baseY + xterm.rows);
	};
	const wait = async (holds: () => boolean, what: string): Promise<void> => {
		const end = performance.now() + patienceMs;
		while (!holds()) {
			const left = end - performance.now();
			const next = changed.promise.then(() => "changed" as const);
			const over = child.exited.then(() => "ended" as const);
			const event =
				left <= 0 ? "late" : await Promise.race([next, over, Bun.sleep(left).then(() => "late" as const)]);
			if (event === "changed" || holds()) continue;
			throw new Error(
				`${event === "late" ? "It never" : "It ended before it"} ${what}. The screen:\n${screen()}`,
			);
		}
	};
	return {
		home,
		pid: child.pid,
		exited: child.exited,
		type: (text) => void child.terminal?.write(text),
		press: (...keys) => {
			for (const key of keys) child.terminal?.write(keyBytes[key]);
		},
		screen,
		scrollback: () => lines(0, xterm.buffer.active.length),
		bytes: () => bytes,
		title: () => title,
		until: (shown) => wait(() => has(screen(), shown), `showed ${shown}`),
		untilGone: (shown) => wait(() => !has(screen(), shown), `let go of ${shown}`),
		async untilDraft(text) {
			const drafts = join(home.home, ".tau/state/drafts");
			const isKept = (): boolean =>
				existsSync(drafts) &&
				readdirSync(drafts).some((name) => readFileSync(join(drafts, name), "utf8") === text);
			for (let left = patienceMs; !isKept(); left -= 10) {
				if (left <= 0) throw new Error("The draft was never written.");
				await Bun.sleep(10);
			}
		},
		resize({ cols: columns, rows: height }) {
			xterm.resize(columns, height);
			child.terminal?.resize(columns, height);
		},
		kill: (signal) => void process.kill(child.pid, signal),
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			child.terminal?.close();
			xterm.dispose();
			if (!options.home) await home[Symbol.asyncDispose]();
		},
	};
}

function has(text: string, shown: string | RegExp): boolean {
	return typeof shown === "string" ? text.includes(shown) : shown.test(text);
}
