/** Ends the program when an error reaches nobody: Bun would say it, and wait for ever for the rest of the program. */
import { dirs, listen, log } from "@tau/utils";

import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";

const events = ["uncaughtException", "unhandledRejection"] as const;

export function endOnUncaught(): Disposable {
	const owned = new DisposableStack();
	for (const event of events) {
		owned.use(
			listen(process, event, (error: unknown) => {
				// A mode with a screen listens too, and knows better what to do with it.
				if (process.listenerCount(event) === 1) end(error);
			}),
		);
	}
	return owned;
}

function end(error: unknown): void {
	const reason = error instanceof Error ? error.message : String(error);
	log.error("uncaught error", { reason, stack: error instanceof Error ? (error.stack ?? "") : "" });
	complain(`unexpected failure: ${reason}. The log is in ${dirs().logs}.`);
	process.exit(exitCodes.failed);
}
