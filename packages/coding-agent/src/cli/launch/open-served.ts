/** Opens a session for another program, with what its slash commands work with. */
import { openSession, type SessionParts } from "@tau/extensions/assembly";
import type { SessionHost } from "@tau/session/host";
import type { CommandParts } from "@tau/session-commands";

import { printError } from "../print-error.ts";
import { commandParts } from "./command-parts.ts";
import { openParts, type PartsOptions, toolEnvOf } from "./session-parts.ts";

export interface OpenedSession extends AsyncDisposable {
	readonly host: SessionHost;
	readonly parts: SessionParts;
	readonly commands: CommandParts;
}

/** Until it is open, notices go to standard error; afterwards where `onNotice` says, with the session. */
export async function openServed(
	options: Omit<PartsOptions, "staysOpen" | "onNotice" | "onContained">,
	onNotice: (message: string, host: SessionHost | undefined) => void = printError,
): Promise<OpenedSession> {
	await using owned = new AsyncDisposableStack();
	const opened: { host?: SessionHost } = {};
	const notify = (message: string): void => onNotice(message, opened.host);
	const { parts, choice, recording } = owned.use(
		await openParts({ ...options, staysOpen: true, onNotice: notify, onContained: printError }),
	);
	const env = toolEnvOf(parts);
	const host = owned.use(openSession(parts));
	opened.host = host;
	for (const notice of choice.notices) notify(notice);
	const commands = commandParts({ args: options.args, parts, host, env, onNotice: notify, recording });
	const moved = owned.move();
	return { host, parts, commands, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
