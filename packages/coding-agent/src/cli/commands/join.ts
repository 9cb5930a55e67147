/** `tau join "<link>"`: joins a session shared with /collab. */
import { UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { isInteractive } from "../launch/is-interactive.ts";
import { loadSettings } from "../launch/load-settings.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { linkVariable, tellLender } from "../launch/lend-to-room.ts";
import { inLines } from "./attach/command.ts";

export async function runJoin(args: Args): Promise<number> {
	const { [linkVariable]: passed } = process.env;
	// Not for the programs that it starts.
	delete process.env[linkVariable];
	const { operands } = args;
	const [first, ...more] = operands;
	const text = first === undefined ? passed : operands.join(" ");
	if (text === undefined || more.length > (first === "omp" ? 1 : 0))
		throw new UsageError(
			'Usage: tau join [omp] "<link>". Quote the link: # begins a comment in some shells.',
		);
	using interruption = onInterrupt();
	const { joinRoom } = await import("@tau/server/rooms/guest");
	const settings = await loadSettings(args);
	const { signal } = interruption;
	const onWaiting = (): void => printError("The host is asked whether to let you in.");
	const joining = joinRoom(text, settings, { signal, onWaiting });
	// The screen is loaded while the host answers.
	const screen = isInteractive(args) ? import("../launch/attach-interactive.ts") : undefined;
	const joined = await joining;
	if (typeof joined === "string") {
		printError(joined);
		tellLender(joined);
		return interruption.exitCode ?? exitCodes.failed;
	}
	using room = joined;
	if (!screen) return await inLines(room.client, signal);
	const { attachInteractive } = await screen;
	const code = await attachInteractive(args, room.client, interruption, room.onScreen);
	if (room.client.state.kind === "ended") tellLender(room.onScreen.words.last(room.client));
	return code;
}
