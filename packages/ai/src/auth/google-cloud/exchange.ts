/** Asks Google's servers for a token: with a signed request, with a refresh token, or as the machine that this is. */
import { env as read, registerSecret, withTimeout, type Env } from "@tau/utils";

import { classify, failure } from "../../failure.ts";
import { count, parseObject, string, type Json } from "../../json.ts";
import { connectionTo } from "../../transport/connection.ts";
import { lost } from "../../transport/lost.ts";
import type { Failure } from "../../types.ts";
import type { Token } from "../token-cache.ts";
import type { Credentials } from "./credentials.ts";
import { signAssertion } from "./jwt.ts";
import { limits } from "./limits.ts";

export async function exchange(
	credentials: Credentials,
	env: Env,
	signal: AbortSignal,
): Promise<Token | Failure> {
	const form = await grant(credentials);
	if (!(form instanceof URLSearchParams)) return form;
	const answer = await ask(credentials.tokenUri, { method: "POST", body: form }, env, signal);
	if ("kind" in answer) return answer;
	const { status, headers, text } = answer;
	const body = parseObject(text);
	const token = status === 200 && body && tokenOf(body);
	if (token) return token;
	const said = classify({ status, headers, body: body ? refusalOf(body) : text });
	const kind = said.kind === "invalid_request" ? "auth" : said.kind;
	return { ...said, ...failure(kind, `Google returned no token for ${credentials.source}: ${said.message}`) };
}

async function grant(credentials: Credentials): Promise<URLSearchParams | Failure> {
	if (credentials.type === "authorized_user") {
		return new URLSearchParams({
			grant_type: "refresh_token",
			client_id: credentials.clientId,
			client_secret: credentials.clientSecret,
			refresh_token: credentials.refreshToken,
		});
	}
	try {
		const assertion = await signAssertion(credentials);
		return new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return failure("auth", `The private_key in ${credentials.source} is invalid: ${why}`);
	}
}

/** The address of the server that every machine of Google Cloud has beside it. */
export function metadataHost(env: Env): string {
	return read("GCE_METADATA_HOST", env) ?? "metadata.google.internal";
}

/** `undefined` says that this machine has no such server, or that it gives us nothing. */
export async function machineToken(env: Env, signal: AbortSignal): Promise<Token | undefined> {
	const body = parseObject((await metadata("instance/service-accounts/default/token", env, signal)) ?? "");
	return body && tokenOf(body);
}

export async function machineProject(env: Env, signal: AbortSignal): Promise<string | undefined> {
	return (await metadata("project/project-id", env, signal))?.trim() || undefined;
}

async function metadata(path: string, env: Env, signal: AbortSignal): Promise<string | undefined> {
	const url = `http://${metadataHost(env)}/computeMetadata/v1/${path}`;
	const flavour = "metadata-flavor";
	try {
		using deadline = withTimeout(signal, limits.metadataMs, "No metadata server");
		const response = await fetch(url, {
			headers: { [flavour]: "Google" },
			signal: deadline.signal,
			redirect: "manual",
			// It is a neighbour of this machine: no proxy knows the way.
			proxy: false,
		} satisfies BunFetchRequestInit);
		// In other networks the name may lead anywhere; only Google's server says who it is.
		if (!response.ok || response.headers.get(flavour) !== "Google") return undefined;
		return await readBounded(response);
	} catch {
		// Nobody is there: the ordinary case outside of Google Cloud, and the caller says what is missing.
		return undefined;
	}
}

interface Answer {
	status: number;
	headers: Headers;
	text: string;
}

async function ask(url: string, init: RequestInit, env: Env, signal: AbortSignal): Promise<Answer | Failure> {
	const connection = await connectionTo(url, env);
	if ("problem" in connection) return failure("invalid_request", connection.problem);
	using deadline = withTimeout(signal, limits.exchangeMs, "The token server does not respond");
	try {
		const response = await fetch(url, {
			...init,
			...connection.init,
			signal: deadline.signal,
			redirect: "manual",
		} satisfies BunFetchRequestInit);
		return { status: response.status, headers: response.headers, text: await readBounded(response) };
	} catch (error) {
		const isSilent = deadline.signal.aborted && !signal.aborted;
		return lost(error, { url, ...connection }, isSilent ? limits.exchangeMs : undefined);
	}
}

async function readBounded(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > limits.answerBytes) break;
	}
	return text;
}

function tokenOf(body: Json): Token | undefined {
	const value = string(body.access_token);
	if (value === "") return undefined;
	registerSecret(value);
	return { value, expiresAt: Date.now() + (count(body.expires_in) || limits.tokenSeconds) * 1000 };
}

/** OAuth gives the code and the words apart (RFC 6749, 5.2). */
function refusalOf(body: Json): Json {
	const code = string(body.error);
	if (code === "") return body;
	const words = string(body.error_description);
	return { error: { type: code, message: words === "" ? code : `${code}: ${words}` } };
}
