/** A provider's settings from the environment: its address, its key, and what is missing to use it. */
import { env as readEnv, envFlag, type Env } from "@tau/utils";

import type { Provider } from "./provider.ts";

export interface ResolvedKey {
	value: string;
	variable: string;
}

/** Variables that may contain the key in this environment, strongest first. */
export function keyVariables(provider: Provider, env: Env): readonly string[] {
	return [...(throughGateway(provider, env) ? (provider.gateway?.keys ?? []) : []), ...provider.keys];
}

export function keyFrom(provider: Provider, env: Env): ResolvedKey | undefined {
	for (const variable of keyVariables(provider, env)) {
		const value = readEnv(variable, env);
		if (value !== undefined) return { value, variable };
	}
	return undefined;
}

/**
 * The address of requests: from a variable, else the address of the model or the provider with its `{NAME}`
 * placeholders filled in. Placeholders without a value stay, and `missingFor` names them.
 */
export function addressOf(provider: Provider, env: Env, baseUrl: string = provider.baseUrl): string {
	const moved = movedTo(provider, env);
	if (moved !== undefined) return moved;
	return baseUrl.replace(/\{([A-Z][A-Z0-9_]*)\}/g, (whole, name: string) => readEnv(name, env) ?? whole);
}

/** Headers that the provider always gets, and those that a user's gateway requires. */
export function headersOf(provider: Provider, env: Env): Record<string, string> {
	const { headersFrom } = provider;
	const isRedirected = throughGateway(provider, env) || addressOf(provider, env) !== provider.baseUrl;
	const configured = headersFrom !== undefined && isRedirected ? readEnv(headersFrom, env) : undefined;
	return { ...provider.headers, ...(configured === undefined ? {} : parseHeaders(configured)) };
}

/** Why the provider cannot be used: what to set, in a few words. Undefined when nothing is missing. */
export function missingFor(provider: Provider, env: Env, hasKey: boolean): string | undefined {
	const holes = [...addressOf(provider, env).matchAll(/\{([A-Z][A-Z0-9_]*)\}/g)].map(([, name = ""]) => name);
	const needs = holes.map((name) => [name, ...(provider.addresses ?? [])].join(" or "));
	if (!hasKey && !provider.keyless && !hasInstead(provider, env)) needs.unshift(keyNeeded(provider, env));
	return needs.length > 0 ? needs.join(" and ") : undefined;
}

/** The usual ways are enough: a user who signs in by another one knows it. */
const shownWays = 3;

function keyNeeded(provider: Provider, env: Env): string {
	const instead = (provider.instead ?? []).map((set) =>
		set.map((names) => names.split("|")[0] ?? names).join(" + "),
	);
	// Most users have a key and few a token, whichever counts first.
	const keys = keyVariables(provider, env).toSorted((a, b) => Number(isKey(b)) - Number(isKey(a)));
	const ways = [...keys, ...instead].slice(0, shownWays);
	return ways.length > 0 ? ways.join(" or ") : `tau login ${provider.id}`;
}

function isKey(variable: string): boolean {
	return variable.endsWith("_KEY");
}

function hasInstead(provider: Provider, env: Env): boolean {
	return (provider.instead ?? []).some((set) =>
		set.every((names) => names.split("|").some((name) => readEnv(name, env) !== undefined)),
	);
}

function movedTo(provider: Provider, env: Env): string | undefined {
	const through = throughGateway(provider, env) ? (provider.gateway?.addresses ?? []) : [];
	for (const variable of [...through, ...(provider.addresses ?? [])]) {
		const address = readEnv(variable, env);
		if (address !== undefined) return address.replace(/\/+$/, "");
	}
	const host = provider.hostFrom === undefined ? undefined : readEnv(provider.hostFrom, env);
	return host === undefined ? undefined : hostUrl(host, provider.baseUrl);
}

/** A URL is used unchanged; a host and a port are completed from the usual address. */
function hostUrl(host: string, usual: string): string {
	if (/^https?:\/\//.test(host)) return host.replace(/\/+$/, "");
	const { hostname, port } = new URL(usual);
	const [, name = "", own = `:${port}`] = /^(.*?)(:\d+)?\/*$/.exec(host) ?? [];
	return `http://${name || hostname}${own}`;
}

function throughGateway(provider: Provider, env: Env): boolean {
	return provider.gateway !== undefined && envFlag(provider.gateway.flag, env);
}

/** `a: 1, b: 2` or one pair per line; invalid pairs are ignored. */
function parseHeaders(text: string): Record<string, string> {
	const pairs = text.split(/[,\n]/).map((part) => /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(part));
	return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], pair[2]]] : [])));
}
