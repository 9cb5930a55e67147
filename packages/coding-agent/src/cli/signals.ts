/** Turns the signals that end a program into one abort, and makes sure that the end comes. */
import { listen } from "@tau/utils";

import { limits } from "./limits.ts";

const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

export interface Interruption extends Disposable {
	readonly signal: AbortSignal;
	/** 128 plus the number of the signal that came, as shells count. */
	readonly exitCode: number | undefined;
}

/** The first signal aborts and leaves a moment for cleanup; a second one ends the process at once. */
export function onInterrupt(
	shutdownMs: number = limits.shutdownMs,
	/** What the end of the terminal means instead of the end of the program. */
	onHangup?: () => void,
): Interruption {
	const controller = new AbortController();
	const owned = new DisposableStack();
	let exitCode: number | undefined;
	const stop = (code: number): void => {
		if (exitCode !== undefined) process.exit(exitCode);
		exitCode = code;
		controller.abort();
		setTimeout(() => process.exit(code), shutdownMs).unref();
	};
	for (const [name, number] of Object.entries(numbers)) {
		const end = (): void => stop(128 + number);
		owned.use(listen(process, name, name === "SIGHUP" && onHangup ? onHangup : end));
	}
	return {
		signal: controller.signal,
		get exitCode() {
			return exitCode;
		},
		[Symbol.dispose]: () => owned.dispose(),
	};
}
