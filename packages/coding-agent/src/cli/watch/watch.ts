/** Watches, from another thread, whether code of extensions blocks the main one. */
import { join } from "node:path";

import { log, observeCode, onDispose } from "@tau/utils";

import { limits } from "./limits.ts";
import { SharedState, surfaces } from "./shared-state.ts";

/** A terminal that the watching thread may use while the main one is blocked. */
export interface WatchedTerminal {
	readonly columns: number;
	readonly restoreSequence: string;
	onRestoreSequence: ((sequence: string | undefined) => void) | undefined;
	takeOtherInput: (() => Uint8Array | undefined) | undefined;
	readOtherInput(): void;
}

export interface WatchedScreen {
	terminal: WatchedTerminal;
	/** Draws all rows again, because the other thread has written over some. */
	redraw(): void;
}

/** One for the process, which has one main thread; it ends with the process. */
let state: SharedState | undefined;
let screen: WatchedScreen | undefined;

/** To be called before code of others runs. Starts the thread, once: 0.6 ms here, and 5 MB. */
export function watchExtensions(): void {
	const program = programModule();
	if (state || program === undefined) return;
	state = new SharedState();
	startThread(program, state);
	observeCode(codeRecorder(state));
	if (screen) follow(screen.terminal, state);
	const shared = state;
	setInterval(() => {
		shared.giveBeat();
		if (screen) shared.columns = screen.terminal.columns;
		onReturn();
	}, limits.beatMs).unref();
}

/** Where a blocked main thread is reported; on standard error before this, and after it is disposed of. */
export function watchOnScreen(next: WatchedScreen): Disposable {
	screen = next;
	if (state) follow(next.terminal, state);
	return onDispose(() => {
		if (screen !== next) return;
		screen = undefined;
		next.terminal.onRestoreSequence = next.terminal.takeOtherInput = undefined;
		if (state) state.surface = surfaces.plain;
	});
}

/** Tau's main module, if that is what runs: the thread would run the main module of any other program again. */
function programModule(): string | undefined {
	const isOurs = Bun.isStandaloneExecutable
		? process.env.TAU_EXECUTABLE !== undefined
		: Bun.main === join(import.meta.dir, "../main.ts");
	return isOurs ? Bun.main : undefined;
}

/** The main module finds out that it is not on the main thread. */
function startThread(program: string, { buffer }: SharedState): void {
	try {
		// Loaded here, because most programs have no extensions.
		const { Worker: Thread } = process.getBuiltinModule("node:worker_threads");
		const thread = new Thread(program, { workerData: buffer, name: "tau-watch" });
		thread.unref();
		thread.on("error", (error) => log.warn("the watching thread failed", { reason: String(error) }));
	} catch (error) {
		log.warn("extensions are not watched", { reason: String(error) });
	}
}

function follow(terminal: WatchedTerminal, shared: SharedState): void {
	const onRestore = (sequence: string | undefined): void => {
		shared.restoreSequence = sequence ?? "";
		shared.surface = sequence === undefined ? surfaces.lent : surfaces.screen;
	};
	shared.columns = terminal.columns;
	onRestore(terminal.restoreSequence);
	terminal.onRestoreSequence = onRestore;
	terminal.takeOtherInput = takeKeys;
}

/** Extensions call each other through Tau, so there may be several at once; the innermost one is named. */
function codeRecorder(shared: SharedState): Parameters<typeof observeCode>[0] {
	const entered: string[] = [];
	return {
		onEnter(owner, activity) {
			const code = `${owner}\n${activity}`;
			entered.push(code);
			shared.setCode(code, true);
		},
		onLeave() {
			const left = entered.pop() ?? "";
			shared.setCode(entered.at(-1) ?? left, entered.length > 0);
			// Before anything else is read from the terminal, or keys would change their order.
			if (shared.isGuarded) queueMicrotask(onReturn);
		},
	};
}

/** The main thread continues after it was reported. */
function onReturn(): void {
	if (!state?.isGuarded) return;
	if (screen) screen.terminal.readOtherInput();
	else takeKeys();
}

function takeKeys(): Uint8Array | undefined {
	if (!state?.isGuarded) return undefined;
	const keys = state.dismissGuard();
	log.warn("the main thread continues", { keyBytes: keys?.length ?? 0 });
	screen?.redraw();
	return keys;
}
