/** Hands the session of a terminal to the daemon: the same file, with what the user has started it with. */
import type { SessionHost } from "@tau/session/host";
import { selector } from "@tau/config/models";
import type { Env } from "@tau/utils";

import { openDetached, openRequest } from "@tau/server/daemon/daemon-client";
import type { OpenRequest } from "@tau/server/local/protocol";
import type { Args } from "../args.ts";
import { argvOf } from "../commands/attach/argv-of.ts";
import { comeBack } from "../commands/attach/come-back.ts";
import { printed } from "../commands/sessions/output.ts";
import { exitCodes } from "../exit-codes.ts";
import { printError } from "../print-error.ts";

/** Every flag but those that the log of the session has better. */
const inLog: ReadonlySet<string> = new Set([
	"continue",
	"resume",
	"session",
	"fork",
	"session-id",
	"name",
	"model",
	"provider",
	"thinking",
]);

/** The same session for the daemon: its file, its model, and what else the user has started it with. */
export function detachRequest(args: Args, host: SessionHost, env: Env): OpenRequest {
	const { file, model, thinkingLevel, cwd } = host.state;
	const flags = new Map([...args.flags].filter(([name]) => !inLog.has(name)));
	const argv = [
		...argvOf({ ...args, flags }),
		`--session=${file ?? ""}`,
		`--model=${selector(model)}`,
		`--thinking=${thinkingLevel}`,
	];
	return openRequest(argv, cwd, env);
}

/** To be called when this process has let go of the session. */
export async function handOver(request: OpenRequest): Promise<number> {
	try {
		const opened = await openDetached(request);
		await printed(comeBack(opened.sessionId));
		return exitCodes.answered;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		printError(`the session could not be detached: ${reason} Resume it with tau -c`);
		return exitCodes.failed;
	}
}
