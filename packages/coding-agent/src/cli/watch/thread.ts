/** The watching thread: names what blocks the main thread, and lets Ctrl+C end the process meanwhile. */
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

import { envNumber, log } from "@tau/utils";

import { exitCodes } from "../exit-codes.ts";
import { limits } from "./limits.ts";
import { endProcess, useDefaultSignals } from "./process-end.ts";
import { SharedState, surfaces } from "./shared-state.ts";
import { CtrlC, TerminalGuard } from "./terminal-guard.ts";

const blockedMs = Math.max(2 * limits.beatMs, envNumber("TAU_BLOCKED_MS") ?? limits.blockedMs);

export function watchMainThread(): void {
	if (workerData instanceof SharedArrayBuffer) look(new SharedState(workerData));
}

/** Counts looks instead of milliseconds: a process that was suspended, or a computer that slept, is not blocked. */
function look(state: SharedState): void {
	let beat = state.beat;
	let misses = 0;
	let isLogged = false;
	setInterval(() => {
		const now = state.beat;
		misses = now === beat ? misses + 1 : 0;
		if (now !== beat) isLogged = false;
		beat = now;
		if (misses * limits.lookMs < blockedMs) return;
		misses = 0;
		const what = describe(state);
		if (!isLogged) log.warn("the main thread is blocked", { what });
		isLogged = true;
		if (state.surface !== surfaces.lent) guard(state, what);
	}, limits.lookMs);
}

/** Returns when the main thread continues. */
function guard(state: SharedState, what: string): void {
	state.takeGuard();
	try {
		using _ = useDefaultSignals();
		if (state.surface === surfaces.screen) guardScreen(state, what);
		else guardOutput(state, what);
	} catch (error) {
		log.error("a blocked main thread could not be watched", { reason: String(error) });
	} finally {
		state.releaseGuard();
	}
}

function guardOutput(state: SharedState, what: string): void {
	try {
		writeSync(2, `tau: ${what} Press Ctrl+C to end it.\n`);
	} catch {
		// Nobody reads standard error; the log has the message.
	}
	while (!state.waitForDismissal(blockedMs));
}

function guardScreen(state: SharedState, what: string): void {
	using terminal = new TerminalGuard(state);
	// Keys from before the message were meant for Tau, also Ctrl+C.
	terminal.keep(terminal.read());
	terminal.show(`${what} Press Ctrl+C twice to leave.`);
	const ctrlC = new CtrlC();
	while (!state.waitForDismissal(limits.keysMs)) {
		const { presses, rest } = ctrlC.take(terminal.read());
		terminal.keep(rest);
		if (presses === "none") continue;
		if (presses === "once") {
			terminal.show(`${what} Press Ctrl+C again to leave.`);
			continue;
		}
		log.error("the user has ended a blocked process", { what });
		terminal.restore(`${what} You left with Ctrl+C; the session is saved, and tau -c continues it.`);
		endProcess(exitCodes.interrupted);
	}
	terminal.keep(ctrlC.pending());
}

function describe({ code }: SharedState): string {
	const seconds = blockedMs / 1000;
	if (!code) return `Tau has not responded for ${seconds} s.`;
	const label = code.label.slice(0, limits.labelChars);
	if (code.isRunning) return `Extension ${label} has blocked Tau for ${seconds} s (${code.activity}).`;
	return `Tau has not responded for ${seconds} s. Extension ${label} ran last (${code.activity}).`;
}
