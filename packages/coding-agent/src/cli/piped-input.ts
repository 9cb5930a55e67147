/** Reads piped input, reports what it waits for, and continues without input when none arrives. */
import { fstatSync } from "node:fs";

import { envNumber, timer } from "@tau/utils";

import { printError } from "./print-error.ts";
import { limits } from "./limits.ts";

/** A terminal and /dev/null are character devices; what was piped or redirected is not. */
export function pipedInput(): Blob | undefined {
	try {
		return fstatSync(0).isCharacterDevice() ? undefined : Bun.stdin;
	} catch {
		// Standard input is closed: there is nothing to read.
		return undefined;
	}
}

/**
 * The chunks of standard input. A program that starts Tau may leave it open without ever writing to it: where there is
 * something else to send, the stream ends when nothing has come within a bound. Once something came, it is read whole.
 */
export async function* pipedChunks(piped: Blob, hasOther: boolean): AsyncGenerator<Uint8Array> {
	const waitMs = hasOther ? stdinWaitMs() : 0;
	const reader = piped.stream().getReader();
	let hasBegun = false;
	using _hint = timer(limits.stdinHintMs, () => printError(waitingFor(hasBegun, waitMs)));
	const late = Promise.withResolvers<"late">();
	using _bound = waitMs > 0 ? timer(waitMs, () => late.resolve("late")) : undefined;
	for (;;) {
		const next = await (hasBegun ? reader.read() : Promise.race([reader.read(), late.promise]));
		if (next === "late") {
			printError("No data on standard input. Continuing without it.");
			// At this point a failure to close the pipe makes no difference.
			void reader.cancel().catch(() => {});
			return;
		}
		if (next.done) return;
		hasBegun = true;
		yield next.value;
	}
}

/** 0: for as long as it takes. */
function stdinWaitMs(): number {
	const value = envNumber("TAU_STDIN_WAIT_MS");
	return value === undefined || value < 0 ? limits.stdinWaitMs : Math.min(value, limits.longestWaitMs);
}

function waitingFor(hasBegun: boolean, waitMs: number): string {
	if (hasBegun || waitMs === 0) return "Waiting for standard input to end.";
	const seconds = Math.ceil(waitMs / 1000);
	return `Waiting up to ${seconds} s for standard input. To skip it, add </dev/null. To wait without a limit, set TAU_STDIN_WAIT_MS=0.`;
}
