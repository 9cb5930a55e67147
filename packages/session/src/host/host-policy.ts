/** The approval policy of a host: every run of it, and every session that it moves to, is judged by the same one. */
import { userTextOf } from "@tau/log";
import { Policy, type PolicyOptions } from "../policy/index.ts";
import { mainAgent } from "./agent-tree.ts";
import { restoreMode } from "./mode-record.ts";
import type { SessionParts } from "./parts.ts";
import type { SessionHost } from "./session-host.ts";

export interface ParentPolicy {
	policy: Policy | undefined;
	/** How the child is called. */
	agent: string;
}

/** Undefined where the session was opened without one: then every call runs. */
export function hostPolicy(
	host: SessionHost,
	{ policy: options, settings }: Pick<SessionParts, "policy" | "settings">,
	cwd: () => string,
	parent: ParentPolicy | undefined,
): Policy | undefined {
	if (!options) return undefined;
	const policy = new Policy({
		options: parent ? withoutMode(options) : options,
		settings,
		requests: host.requests,
		cwd: () => options.remote?.()?.cwd ?? cwd(),
		sessionId: () => host.log.getSessionId(),
		prompts: () => promptsOf(host),
		emit: (event) => host.emit(event),
		notice: (message) => void host.notice(message),
		agent: parent?.agent ?? mainAgent,
		parent: parent?.policy,
	});
	// A mode of the command line is the user's newer word.
	if (!parent && options.mode === undefined) restoreMode(host, policy);
	policy.onChange((mode, previous) => {
		void host.emit({ type: "approval_mode_changed", mode, previous, boundary: policy.boundary });
	});
	return policy;
}

/** The mode of the command line is the parent's, which its children never exceed. */
function withoutMode({ mode: _, ...options }: PolicyOptions): PolicyOptions {
	return options;
}

/** Piped input comes before the prompt, in a block; it may end that block itself, so the last end counts. */
function withoutBlocks(text: string): string {
	const end = "</file>";
	const at = text.startsWith("<file ") ? text.lastIndexOf(end) : -1;
	return at === -1 ? text : text.slice(at + end.length);
}

function* promptsOf({ session }: SessionHost): Iterable<string> {
	for (const message of session.state.messages.toReversed())
		if (message.role === "user") yield withoutBlocks(userTextOf(message));
}
