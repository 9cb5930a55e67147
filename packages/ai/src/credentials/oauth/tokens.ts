/** Parses the answer of a token endpoint into a credential. */
import { registerSecret } from "@tau/utils";

import { isObject, parseObject, string, type Json } from "../../json.ts";
import type { NewCredential } from "../types.ts";
import type { OAuthFlow } from "./flow.ts";
import { OAuthError } from "./oauth-error.ts";
import { fetchWith } from "./request.ts";

/** The token itself, and for flows with a second step the exchanged token. */
export async function readTokens(
	flow: OAuthFlow,
	answer: Json,
	now: number,
	signal?: AbortSignal,
): Promise<NewCredential> {
	const access = textAt(answer, flow.answer?.access ?? "access_token");
	const refresh = string(answer.refresh_token);
	if (access === "") throw new OAuthError("malformed", `${flow.label}: the response contains no token`);
	for (const secret of [access, refresh]) if (secret !== "") registerSecret(secret);
	if (flow.exchange && !flow.exchange.isLate) {
		const account = await whoIs(flow, access, signal);
		const exchanged = await exchange(flow, access, signal);
		return account === "" ? exchanged : { ...exchanged, account };
	}
	const account = accountOf(flow, answer);
	const expiresAt = flow.givesKey ? undefined : expiry(answer, access, now);
	return {
		kind: flow.givesKey ? "api_key" : "oauth",
		access,
		...(refresh === "" ? {} : { refresh }),
		...(expiresAt === undefined ? {} : { expiresAt }),
		...(account === "" ? {} : { account }),
	};
}

/** A short-lived token, and what requests with it have to send besides. */
type Exchanged = NewCredential & { headers?: Record<string, string> };

/** Exchanges the lasting token for the short-lived one that requests are sent with. */
export async function exchange(flow: OAuthFlow, ticket: string, signal?: AbortSignal): Promise<Exchanged> {
	if (!flow.exchange) throw new OAuthError("malformed", `${flow.label}: there is nothing to exchange`);
	const { answer: paths, lifetime, advice } = flow.exchange;
	const answer = await fetchWith(flow, flow.exchange, ticket, signal).catch((error: unknown) => {
		if (!(error instanceof OAuthError) || error.problem !== "refused" || advice === undefined) throw error;
		throw new OAuthError(error.problem, `${error.message}. ${advice}`);
	});
	const access = textAt(answer, paths.access);
	const stated = Number(at(answer, paths.expiresAt) ?? claims(access)?.exp ?? Number.NaN);
	const assumed = lifetime === undefined ? Number.NaN : Date.now() / 1000 + lifetime;
	const seconds = Number.isFinite(stated) ? stated : assumed;
	if (access === "" || !Number.isFinite(seconds)) {
		throw new OAuthError("malformed", `${flow.label}: the response contains no token`);
	}
	registerSecret(access);
	const headers = paths.headers === undefined ? {} : safeHeaders(at(answer, paths.headers));
	const baseUrl = paths.baseUrl === undefined ? "" : textAt(answer, paths.baseUrl);
	return {
		kind: "oauth",
		access,
		refresh: ticket,
		expiresAt: seconds * 1000,
		...(URL.canParse(baseUrl) ? { baseUrl } : {}),
		...(Object.keys(headers).length > 0 ? { headers } : {}),
	};
}

/** The token is sent in its own way, and nothing that a header cannot hold is sent at all. */
function safeHeaders(headers: unknown): Record<string, string> {
	const pairs = Object.entries(isObject(headers) ? headers : {}).map(
		([name, value]) => [name.toLowerCase(), value] as const,
	);
	return Object.fromEntries(
		pairs.filter(
			(pair): pair is readonly [string, string] =>
				/^[\w-]+$/.test(pair[0]) &&
				!["authorization", "x-api-key"].includes(pair[0]) &&
				typeof pair[1] === "string" &&
				/^[\x20-\x7e]*$/.test(pair[1]),
		),
	);
}

/** The name is a convenience: without it the login is just as good. */
export async function whoIs(
	{ whoami, ...flow }: OAuthFlow,
	token: string,
	signal?: AbortSignal,
): Promise<string> {
	if (!whoami) return "";
	try {
		return textAt(await fetchWith(flow, whoami, token, signal), whoami.account);
	} catch (error) {
		if (error instanceof OAuthError) return "";
		throw error;
	}
}

function accountOf(flow: OAuthFlow, answer: Json): string {
	const path = flow.answer?.account;
	const name = path === undefined ? "" : textAt(answer, path);
	return name || string(claims(string(answer.id_token))?.email);
}

/** Some servers state it only inside the token. */
function expiry(answer: Json, access: string, now: number): number | undefined {
	const seconds = Number(answer.expires_in ?? Number.NaN);
	if (Number.isFinite(seconds)) return now + seconds * 1000;
	const exp = claims(access)?.exp;
	return typeof exp === "number" ? exp * 1000 : undefined;
}

/** Read, not verified: it only decides what to show and when to renew. */
function claims(token: string): Json | undefined {
	const payload = token.split(".")[1];
	if (payload === undefined) return undefined;
	try {
		return parseObject(new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" })));
	} catch {
		// Not a JWT: other tokens are opaque.
		return undefined;
	}
}

function textAt(answer: Json, path: string): string {
	return string(at(answer, path));
}

function at(answer: Json, path: string): unknown {
	return path
		.split(".")
		.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), answer);
}
