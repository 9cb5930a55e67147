/** Ends the process from a thread that is not the main one, which Bun's own functions cannot do. */
import { dlopen, FFIType, ptr } from "bun:ffi";

import { hostProgram } from "@tau/utils";

/** SIGHUP, SIGINT, SIGTERM. */
const signals = [1, 2, 15];
/** `struct sigaction` has 152 bytes on Linux and 16 on macOS; all zeros means the default action. */
const actionBytes = 256;

const library = process.platform === "linux" ? "libc.so.6" : "libSystem.dylib";

/**
 * Until disposed, a signal ends the process at once: the handlers of the main thread run only when that thread continues.
 */
export function useDefaultSignals(): Disposable {
	const sigaction = loadSigaction();
	if (!sigaction) return { [Symbol.dispose]: () => {} };
	const defaults = new Uint8Array(actionBytes);
	const saved = signals.map((signal) => ({ signal, action: new Uint8Array(actionBytes) }));
	for (const { signal, action } of saved) sigaction(signal, ptr(defaults), ptr(action));
	return {
		[Symbol.dispose]() {
			for (const { signal, action } of saved) sigaction(signal, ptr(action), null);
		},
	};
}

/** `quick_exit` runs the handler with which Bun puts the terminal's own settings back, and nothing else. */
export function endProcess(code: number): void {
	try {
		const { symbols } = dlopen(library, { quick_exit: { args: [FFIType.i32], returns: FFIType.void } });
		symbols.quick_exit(code);
	} catch {
		// The library of this system has no such function.
		Bun.spawnSync([hostProgram("stty") ?? "/bin/stty", "sane"], { stdio: ["inherit", "ignore", "ignore"] });
		process.kill(process.pid, "SIGKILL");
	}
}

function loadSigaction() {
	try {
		const args = [FFIType.i32, FFIType.ptr, FFIType.ptr] as const;
		return dlopen(library, { sigaction: { args, returns: FFIType.i32 } }).symbols.sigaction;
	} catch {
		// Without the library (musl, Windows) signals wait for the main thread.
		return undefined;
	}
}
