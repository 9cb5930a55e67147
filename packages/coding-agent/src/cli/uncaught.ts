/** Ends the program on an uncaught error: Bun would print it, and wait forever for the rest of the program. */
import { dirs, log } from "@tau/utils";

import { printError } from "./print-error.ts";
import { exitCodes } from "./exit-codes.ts";

const events = ["uncaughtException", "unhandledRejection"] as const;

/** Applies until the process ends: output without a reader fails after all other work is done. */
export function endOnUncaught(): void {
	for (const event of events) {
		process.on(event, (error: unknown) => {
			// A mode with a screen listens too, and knows better what to do with it.
			if (process.listenerCount(event) === 1) end(error);
		});
	}
}

function end(error: unknown): void {
	// A reader that closes the pipe has read enough, so no error is printed.
	if (error instanceof Error && "code" in error && error.code === "EPIPE") process.exit(exitCodes.failed);
	const reason = error instanceof Error ? error.message : String(error);
	log.error("uncaught error", { reason, stack: error instanceof Error ? (error.stack ?? "") : "" });
	printError(`unexpected failure: ${reason}. The log is in ${dirs().logs}.`);
	process.exit(exitCodes.failed);
}
