/**
 * Requests a token from Google's servers: with a signed assertion, with a refresh token, or as the current machine.
 */
import { env as read, registerSecret, withTimeout, type Env } from "@tau/utils";
import { classify, failure } from "../../failure.ts";
import { count, parseObject, string, type Json } from "../../json.ts";
import { connectionTo } from "../../transport/connection.ts";
import { lost } from "../../transport/lost.ts";
import type { Failure } from "../../types.ts";
import type { Token } from "../token-cache.ts";
import type { Credentials, ServiceAccount } from "./credentials.ts";
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
	const refusal = classify({ status, headers, body: body ? refusalOf(body) : text });
	const kind = refusal.kind === "invalid_request" ? "auth" : refusal.kind;
	return {
		...refusal,
		...failure(kind, `Google returned no token for ${credentials.source}: ${refusal.message}`),
	};
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

/** The address of the metadata server of every Google Cloud machine. */
export function metadataHost(env: Env): string {
	return read("GCE_METADATA_HOST", env) ?? "metadata.google.internal";
}

/** `undefined` if this machine has no such server, or gets no token from it. */
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
			// The server is local to this machine: no proxy can reach it.
			proxy: false,
		} satisfies BunFetchRequestInit);
		// In other networks the name may resolve to anything; only Google's server identifies itself.
		if (!response.ok || response.headers.get(flavour) !== "Google") return undefined;
		return await readBounded(response);
	} catch {
		// Nothing responds: the ordinary case outside of Google Cloud, and the caller reports what is missing.
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

/** OAuth separates the code and the description (RFC 6749, 5.2). */
function refusalOf(body: Json): Json {
	const code = string(body.error);
	if (code === "") return body;
	const description = string(body.error_description);
	return { error: { type: code, message: description === "" ? code : `${code}: ${description}` } };
}

/** The scope of a service account's token, which is requested with a signed assertion (RFC 7523, RS256). */
const scope = "https://www.googleapis.com/auth/cloud-platform";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

/** Throws when the key cannot be read. */
async function signAssertion(account: ServiceAccount, now: number = Date.now()): Promise<string> {
	const issued = Math.floor(now / 1000);
	const header = { alg: "RS256", typ: "JWT", ...(account.keyId ? { kid: account.keyId } : {}) };
	const claims = {
		iss: account.email,
		scope,
		aud: account.tokenUri,
		iat: issued,
		exp: issued + limits.assertionSeconds,
	};
	const content = [header, claims].map((part) => base64url(Buffer.from(JSON.stringify(part)))).join(".");
	const key = await crypto.subtle.importKey("pkcs8", derOf(account.privateKey), algorithm, false, ["sign"]);
	const signature = await crypto.subtle.sign(algorithm.name, key, Buffer.from(content));
	return `${content}.${base64url(Buffer.from(signature))}`;
}

function derOf(pem: string): Buffer<ArrayBuffer> {
	const body = /-----BEGIN PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
	if (body === undefined) throw new Error("it is not a PKCS #8 key in PEM format");
	return Buffer.from(body, "base64");
}

function base64url(bytes: Buffer): string {
	return bytes.toString("base64url");
}
