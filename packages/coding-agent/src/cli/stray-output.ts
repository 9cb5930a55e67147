/** Keeps what extensions print away from the screen and from standard output, which belong to Tau. */
import { format } from "node:util";

import { cutUnits, dirs, divertWrites, log, onDispose, ownWrite, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";

const printing = ["log", "info", "debug", "warn", "error", "trace", "dir", "table"] as const;

/**
 * Bells, and words for the terminal itself: titles (0, 1, 2), notifications (9, 99, 777), the clipboard (52) and what
 * iTerm adds (1337), also wrapped for tmux.
 */
const signals =
	/^(?:\x07|\x1b\](?:[0129]|52|99|777|1337);[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bPtmux;(?:\x1b\x1b|[^\x1b])*\x1b\\)+$/;

export type OutputMode = "tui" | "rpc" | "print";

/**
 * The same for the rest of the process: timers and exit handlers of extensions outlive them. After it is disposed of
 * nobody gets a notice any more.
 */
export function catchOutputUntilExit(mode: OutputMode, onNotice: (message: string) => void): Disposable {
	let isOver = false;
	catchOutput(mode, (message) => {
		if (!isOver) onNotice(message);
	});
	return onDispose(() => {
		isOver = true;
	});
}

/** Until it is disposed of. At a screen it goes to the log, and the person is told once; else to standard error. */
export function catchOutput(mode: OutputMode, onNotice: (message: string) => void): Disposable {
	using owned = new DisposableStack();
	let isTold = false;
	const take = (text: string): void => {
		// A notification, a bell or a title draws nothing, and reaches the person by no other way.
		if (mode === "tui" && signals.test(text)) return void ownWrite(process.stdout)(text);
		if (mode !== "tui") return void ownWrite(process.stderr)(stripControls(text));
		log.info("an extension printed", { text: cutUnits(text, limits.strayOutputChars) });
		if (!isTold) onNotice(`An extension wrote to the terminal. Its output is in the log (${dirs().logs}).`);
		isTold = true;
	};
	owned.use(divertWrites(process.stdout, take));
	if (mode === "tui") owned.use(divertWrites(process.stderr, take));
	owned.use(divertConsole(take));
	return owned.move();
}

/** Bun's console does not write to the streams of the process, but past them. */
function divertConsole(onText: (text: string) => void): Disposable {
	const before = printing.map((name) => [name, console[name]] as const);
	for (const name of printing) console[name] = (...words: unknown[]) => onText(`${format(...words)}\n`);
	return onDispose(() => {
		for (const [name, print] of before) console[name] = print;
	});
}
