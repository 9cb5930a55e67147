/** `tau relay`: runs a relay in the foreground until it is stopped, and sends its members elsewhere first. */
import { relayOptions, startRelay, type Relay } from "@tau/relay";
import { errorText, UsageError } from "@tau/utils";

import { guestPage } from "@tau/server/rooms/guest-page";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";

/** What a node may take to end after its members had time to leave. */
const endMs = 8000;

/**
 * How much later than usual the engine compiles while members only join and wait: code for that takes 9 MB, and is not
 * called again. A node with this many deliveries within a second is one that is worth compiling for.
 */
const compileLate = 1000;
const busyDeliveries = 1000;
/** What a node may grow before it collects what members have left behind by joining: in a second without a message. */
const grownBytes = 4 * 1024 * 1024;

export async function runRelay(args: Args): Promise<number> {
	Bun.unsafe.setJITPolicy(compileLate);
	const options = relayOptions(process.env, args.operands[0]);
	// Whoever read the log is gone; the members are not.
	process.stderr.on("error", () => {});
	using interruption = onInterrupt(endMs + (options.drainMs ?? endMs));
	await using relay = await startRelay({ ...options, page: guestPage, log: printError }).catch(
		(error: unknown) => {
			throw new UsageError(`The relay cannot start: ${errorText(error)}`);
		},
	);
	printError(`the relay listens on ${relay.url}`);
	using _watch = watchLoad(relay);
	const stopped = Promise.withResolvers<void>();
	interruption.signal.addEventListener("abort", () => stopped.resolve());
	if (interruption.signal.aborted) stopped.resolve();
	await stopped.promise;
	printError("the relay sends its members elsewhere; again to end at once");
	await relay.drain();
	return exitCodes.answered;
}

/** Looks each second whether there is much to do, or nothing. */
function watchLoad(relay: Relay): Disposable {
	let known = 0;
	let isCompiled = false;
	let held = process.memoryUsage.rss();
	const looking = setInterval(() => {
		const { deliveries } = relay;
		const isQuiet = deliveries === known;
		if (!isCompiled && deliveries - known > busyDeliveries) {
			isCompiled = true;
			Bun.unsafe.setJITPolicy(1);
		}
		known = deliveries;
		if (!isQuiet || process.memoryUsage.rss() - held < grownBytes) return;
		Bun.gc(true);
		held = process.memoryUsage.rss();
	}, 1000);
	return { [Symbol.dispose]: () => clearInterval(looking) };
}
