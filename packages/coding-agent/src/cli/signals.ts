/** Turns the signals that end a program into one abort, and makes sure that the end comes. */
import { listen } from "@tau/utils";

import { limits } from "./limits.ts";

const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

export interface Interruption extends Disposable {
	readonly signal: AbortSignal;
	/** 128 plus the number of the signal that came, as shells count. */
	readonly exitCode: number | undefined;
	/** Called when the terminal was closed; true if the program continues without it. */
	onHangup: (() => boolean) | undefined;
}

/** The first signal aborts and leaves a moment for cleanup; a second one ends the process at once. */
export function onInterrupt(shutdownMs: number = limits.shutdownMs): Interruption {
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
		owned.use(
			listen(process, name, () => {
				if (name === "SIGHUP" && interruption.onHangup?.()) return;
				stop(128 + number);
			}),
		);
	}
	const interruption: Interruption = {
		onHangup: undefined,
		signal: controller.signal,
		get exitCode() {
			return exitCode;
		},
		[Symbol.dispose]: () => owned.dispose(),
	};
	return interruption;
}
