/** Keeps what extensions print away from the screen and from standard output, which belong to Tau. */
import { format } from "node:util";
import { currentScope, type ExtensionScope } from "@tau/extensions/support";
import { cutUnits, dirs, divertWrites, log, onDispose, ownWrite, stripControls } from "@tau/utils";
import { limits } from "./limits.ts";

const printing = ["log", "info", "debug", "warn", "error", "trace", "dir", "table"] as const;

/**
 * Bells, and words for the terminal itself: titles (0, 1, 2), notifications (9, 99, 777), the clipboard (52) and what
 * iTerm adds (1337), also wrapped for tmux; and reports of the focus (1004), which arrive as input.
 */
const signals =
	/^(?:\x07|\x1b\[\?1004[hl]|\x1b\](?:[0129]|52|99|777|1337);[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bPtmux;(?:\x1b\x1b|[^\x1b])*\x1b\\)+$/;

export type OutputMode = "tui" | "rpc" | "print";

export interface OutputCatcher {
	mode: OutputMode;
	/** Whose output it is; without it, what no other session's extension printed. */
	scope?: ExtensionScope;
	onNotice(message: string): void;
}

interface Catching extends OutputCatcher {
	hasNotified: boolean;
}

/** The sessions whose extensions may print, in order; streams and console are diverted once for all of them. */
const catching = new Set<Catching>();
let diverted: Disposable | undefined;
/** Only a full-screen UI has to be protected from output to standard error. */
let divertedErrors: Disposable | undefined;

/**
 * The same for the rest of the process: timers and exit handlers of extensions outlive them. After it is disposed of
 * nobody gets a notice any more.
 */
export function captureOutputUntilExit(catcher: OutputCatcher): Disposable {
	let isOver = false;
	captureOutput({
		...catcher,
		onNotice(message) {
			if (!isOver) catcher.onNotice(message);
		},
	});
	return onDispose(() => {
		isOver = true;
	});
}

/** Captures until disposed. With a UI, output goes to the log with one notice; otherwise to standard error. */
export function captureOutput(catcher: OutputCatcher): Disposable {
	const mine: Catching = { ...catcher, hasNotified: false };
	catching.add(mine);
	diverted ??= divert();
	if (mine.mode === "tui") divertedErrors ??= divertWrites(process.stderr, (text) => take(text, "stderr"));
	return onDispose(() => {
		if (!catching.delete(mine) || catching.size > 0) return;
		for (const each of [divertedErrors, diverted]) each?.[Symbol.dispose]();
		divertedErrors = undefined;
		diverted = undefined;
	});
}

function divert(): Disposable {
	using owned = new DisposableStack();
	owned.use(divertWrites(process.stdout, (text) => take(text, "stdout")));
	owned.use(divertConsole((text) => take(text, "stdout")));
	return owned.move();
}

function take(text: string, stream: "stdout" | "stderr"): void {
	const owner = ownerNow();
	const isScreen = owner?.mode === "tui";
	// Without a UI, such output belongs on standard error.
	if (!owner || (stream === "stderr" && !isScreen)) return void ownWrite(process.stderr)(text);
	// A notification, a bell, a title or a mode draws nothing, and has no other way to the user.
	if (isScreen && signals.test(text)) return void ownWrite(process.stdout)(text);
	if (!isScreen) return void ownWrite(process.stderr)(stripControls(text));
	log.info("an extension printed", { text: cutUnits(text, limits.capturedOutputChars) });
	if (owner.hasNotified) return;
	owner.hasNotified = true;
	owner.onNotice(`An extension prints to the terminal; its output is in the log, in ${dirs().logs}.`);
}

/** The session whose extension runs now; the oldest, which owns the terminal, where that is not known. */
function ownerNow(): Catching | undefined {
	const scope = currentScope();
	const all = [...catching];
	return all.find((each) => each.scope === scope) ?? all[0];
}

/** Bun's console does not write to the streams of the process, but past them. */
function divertConsole(onText: (text: string) => void): Disposable {
	const before = printing.map((name) => [name, console[name]] as const);
	for (const name of printing) console[name] = (...values: unknown[]) => onText(`${format(...values)}\n`);
	return onDispose(() => {
		for (const [name, print] of before) console[name] = print;
	});
}
