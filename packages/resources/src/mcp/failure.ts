/** What failed and what to do about it, in one line for the user. */
import { maskSecrets, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";
import { LoginNeeded } from "./oauth.ts";

/** The SDK's name for the first request, which says nothing to users. */
const probe = /^Version negotiation probe failed: /;

/** Without secrets; the text may come from the server, which repeats what it was sent. */
export function describe(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	const text = refusedConnection(error) ?? invalidAnswer(message) ?? message.replace(probe, "");
	return maskSecrets(stripControls(text, { newline: false, tab: false })).slice(0, limits.logLineChars);
}

/** Why a server could not be started or logged in to. */
export function withAdvice(error: unknown, { name, isLogin }: { name: string; isLogin: boolean }): string {
	const message = describe(error);
	const status = statusOf(error);
	if (isLogin && error instanceof DOMException && error.name === "TimeoutError")
		return `OAuth flow timed out. Please try again: ${message}`;
	if (isLogin && status === 404)
		return "Authentication required, but its OAuth endpoints could not be discovered. Set an Authorization header in its definition instead.";
	if (isLogin) return `OAuth authentication failed: ${message}`;
	if (status === 401 || status === 403)
		return `${message}. Check its headers and secrets, or run /mcp reauth ${name}.`;
	return isTimeout(error)
		? `${message}. If it is only slow, set startTimeout (ms) in its definition or mcp.startTimeoutSeconds.`
		: message;
}

export function isLoginNeeded(error: unknown): boolean {
	for (let at = error; at instanceof Error; at = at.cause)
		if (at instanceof LoginNeeded || at.name === "UnauthorizedError") return true;
	return false;
}

export function isTimeout(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "REQUEST_TIMEOUT";
}

/** The status of the answer that ended the attempt; the negotiation wraps it. */
function statusOf(error: unknown): number | undefined {
	for (let at = error; at instanceof Error; at = at.cause)
		if ("status" in at && typeof at.status === "number") return at.status;
	return undefined;
}

/** The engine asks whether "the computer is able to access the url", and the SDK names its own step. */
function refusedConnection(error: unknown): string | undefined {
	for (let at = error; at instanceof Error; at = at.cause)
		if ("code" in at && (at.code === "ECONNREFUSED" || at.code === "ConnectionRefused"))
			return "the connection was refused. Is the server running?";
	return undefined;
}

/** The SDK lists what is wrong with an answer as JSON; the first place says enough. */
function invalidAnswer(message: string): string | undefined {
	const [, method, json = ""] = /^Invalid result for (\S+): (\[.*\])$/s.exec(message) ?? [];
	if (method === undefined) return undefined;
	try {
		const [first] = JSON.parse(json) as { path?: (string | number)[]; message?: string }[];
		return `its answer to ${method} is not valid: ${first?.path?.join(".") ?? ""}: ${first?.message ?? ""}`;
	} catch {
		return undefined;
	}
}
