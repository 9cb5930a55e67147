/** `tau attach`: joins a session that runs on this machine. Leaving it stops nothing. */
import { log, UsageError } from "@tau/utils";
import { RemoteSession } from "@tau/wire/remote";

import { localTransport } from "@tau/server/clients/local-transport";
import { terminalName } from "@tau/server/clients/terminal-name";
import { processOutput } from "../../../modes/output.ts";
import { LineMode } from "../../../modes/lines/line-mode.ts";
import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { limits } from "../../limits.ts";
import { isInteractive } from "../../launch/is-interactive.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { LineInput } from "../auth/login-input.ts";
import { findTarget, reopened, whereIs, type Target } from "./find-target.ts";

export async function runAttach(args: Args): Promise<number> {
	const [id] = args.operands;
	using interruption = onInterrupt();
	const joining = join(id, interruption.signal);
	if (!isInteractive(args)) {
		using client = await joining;
		return await inLines(client, interruption.signal);
	}
	// The screen is loaded while the session answers.
	const [{ attachInteractive }, client] = await Promise.all([
		import("../../launch/attach-interactive.ts"),
		joining,
	]);
	using _client = client;
	return await attachInteractive(args, client, interruption);
}

async function join(id: string | undefined, signal: AbortSignal): Promise<RemoteSession> {
	const target = await findTarget(id, signal);
	try {
		return await joinAt(target, signal);
	} catch (error) {
		signal.throwIfAborted();
		const again = await reopened(target, signal);
		if (again) return await joinAt(again, signal);
		const shown = target.sessionId.slice(0, limits.shownIdChars);
		const reason = error instanceof Error ? error.message : String(error);
		throw new UsageError(`Session ${shown} cannot be joined: ${reason} tau ps lists what runs here.`);
	}
}

async function joinAt(target: Target, signal: AbortSignal): Promise<RemoteSession> {
	return await RemoteSession.join({
		transport: localTransport((sessionId = target.sessionId) => whereIs({ ...target, sessionId })),
		name: terminalName(),
		kinds: ["questions", "approval", "trust", "dialog"],
		onBadFrame: (error) => log.warn("a frame of a session could not be used", { reason: String(error) }),
		signal,
	});
}

/** Shows a session elsewhere as lines of text; each line that is read is sent to it. */
export async function inLines(client: RemoteSession, interrupted: AbortSignal): Promise<number> {
	const left = new AbortController();
	const signal = AbortSignal.any([left.signal, interrupted]);
	const out = processOutput(process.stdout, () => left.abort());
	using input = new LineInput(() => left.abort());
	using _ = client.onState((state) => {
		if (state.kind === "reconnecting")
			printError(`the connection was lost and is made again: ${state.reason}`);
		if (state.kind === "connected") printError("the connection is back");
		if (state.kind === "ended") left.abort();
	});
	const { session } = client.view.facts;
	printError(
		`joined session ${session.id.slice(0, limits.shownIdChars)}. Type a prompt, /stop to stop the model, and end the input to leave.`,
	);
	const mode = new LineMode({
		client,
		write: (text) => void out.write(text),
		line: (until) => input.line(until),
		signal,
	});
	await mode.run();
	await out.settled();
	const { state } = client;
	if (state.kind !== "ended") return exitCodes.answered;
	printError(state.reason);
	return exitCodes.failed;
}
