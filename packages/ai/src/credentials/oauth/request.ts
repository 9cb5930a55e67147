/** Requests to OAuth servers, bounded in time and size, answered with an object or a clear error. */
import { registerSecret, withTimeout } from "@tau/utils";
import { object, parseObject, string, type Json } from "../../json.ts";
import { connectionTo } from "../../transport/connection.ts";
import { limits } from "../limits.ts";
import type { OAuthFlow } from "./flow.ts";
import { OAuthError, type OAuthProblem } from "./oauth-error.ts";

const problems: Readonly<Record<string, OAuthProblem>> = {
	access_denied: "denied",
	authorization_denied: "denied",
	expired_token: "expired",
	invalid_grant: "revoked",
	invalid_token: "revoked",
	revoked: "revoked",
	token_revoked: "revoked",
};

/** Returns an answer that is not an error. */
export async function ask(
	flow: OAuthFlow,
	url: string,
	parameters: Readonly<Record<string, string>>,
	signal?: AbortSignal,
): Promise<Json> {
	return succeed(url, await send(url, post(flow, parameters), signal));
}

/** Sends a token, with a body by POST, and returns the answer. */
export async function fetchWith(
	flow: OAuthFlow,
	{ url, body }: { url: string; body?: Readonly<Record<string, unknown>> },
	token: string,
	signal?: AbortSignal,
): Promise<Json> {
	const headers = { accept: "application/json", ...flow.headers, authorization: `Bearer ${token}` };
	const init: RequestInit = body
		? {
				method: "POST",
				headers: { ...headers, "content-type": "application/json" },
				body: JSON.stringify(body),
			}
		: { method: "GET", headers };
	return succeed(url, await send(url, init, signal));
}

export interface OAuthAnswer {
	status: number;
	body: Json;
	/** The server's error code; some send it with status 200. */
	error: string;
}

export async function send(url: string, init: RequestInit, signal?: AbortSignal): Promise<OAuthAnswer> {
	const { host } = new URL(url);
	const connection = await connectionTo(url);
	if ("problem" in connection) throw new OAuthError("network", connection.problem);
	using deadline = withTimeout(signal, limits.requestMs, `${host} did not answer`);
	let response: Response;
	let text: string;
	try {
		// Following a redirect would hand the token to any server that is named.
		response = await fetch(url, { ...init, ...connection.init, redirect: "manual", signal: deadline.signal });
		text = await readBounded(response);
	} catch (error) {
		signal?.throwIfAborted();
		if (deadline.signal.aborted) throw new OAuthError("network", `${host} did not answer`);
		throw new OAuthError(
			"network",
			`Cannot reach ${host}: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
	const body = parseObject(text);
	if (!body) {
		if (response.status >= 500)
			throw new OAuthError("network", `${host} is not available (HTTP ${response.status})`);
		// The answer is not quoted: half a token is still a secret.
		throw new OAuthError("malformed", `${host} sent an invalid response (HTTP ${response.status})`);
	}
	return { status: response.status, body, error: string(body.error) || string(object(body.error).type) };
}

export function post(flow: OAuthFlow, parameters: Readonly<Record<string, string>>): RequestInit {
	for (const name of ["code", "code_verifier", "device_code", "refresh_token"]) {
		const value = parameters[name];
		if (value !== undefined) registerSecret(value);
	}
	const json = flow.encoding === "json";
	return {
		method: "POST",
		headers: {
			accept: "application/json",
			"content-type": json ? "application/json" : "application/x-www-form-urlencoded",
			...flow.headers,
		},
		body: json ? JSON.stringify(parameters) : new URLSearchParams(parameters).toString(),
	};
}

export function succeed(url: string, { status, body, error }: OAuthAnswer): Json {
	if (error === "" && status >= 200 && status < 300) return body;
	const { host } = new URL(url);
	if (status >= 500) throw new OAuthError("network", `${host} is not available (HTTP ${status})`);
	const description =
		[body.error_description, object(body.error).message, object(body.error_details).message, body.message]
			.map(string)
			.find((text) => text !== "") ?? "";
	const code = error || `HTTP ${status}`;
	// GitHub answers an unknown token with a status alone.
	const problem = problems[error] ?? (error === "" && status === 401 ? "revoked" : "refused");
	throw new OAuthError(
		problem,
		description === "" ? `${host} refused: ${code}` : `${host} refused: ${description} (${code})`,
		status,
	);
}

async function readBounded(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > limits.answerBytes) return "";
	}
	return text;
}
