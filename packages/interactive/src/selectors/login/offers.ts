/** Lists the providers that the user can log in to: subscriptions first, then keys, with what is stored already. */
import { keyVariables, providers, serviceKey, services, type CredentialSummary } from "@tau/ai";
import { fuzzyFilter } from "@tau/sys";
import { env as readEnv, type Env } from "@tau/utils";

import keyPages from "./key-pages.json";

export interface Offer {
	provider: string;
	label: string;
	kind: "login" | "key";
	/** The current state, in short. */
	state: string;
}

export interface OfferSources {
	logins: readonly { provider: string; label: string }[];
	stored: readonly CredentialSummary[];
	/** Providers of `models.yml`. */
	own: readonly string[];
	env: Env;
}

export function offers({ logins, stored, own, env }: OfferSources): Offer[] {
	const known = [
		...own.map((id) => ({ id, label: id })),
		...[...providers, ...services].map(({ id, label }) => ({ id, label })),
	].filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at);
	return [
		...logins.map(({ provider, label }): Offer => {
			return { provider, label, kind: "login", state: storedState(stored, provider, "oauth") };
		}),
		...known.map(({ id, label }): Offer => {
			const kept = storedState(stored, id, "api_key");
			return { provider: id, label: `${label}: API key`, kind: "key", state: kept || variableState(id, env) };
		}),
	];
}

export function fittingOffers(all: readonly Offer[], search: string): readonly Offer[] {
	return fuzzyFilter(all, search, ({ label, provider, kind }) => `${label} ${provider} ${kind}`);
}

/** A stored credential, by provider, which the user may delete. */
export interface StoredLogin {
	provider: string;
	label: string;
	what: string;
}

export function keptCredentials(stored: readonly CredentialSummary[]): StoredLogin[] {
	const byProvider = Map.groupBy(stored, ({ provider }) => provider);
	return [...byProvider].map(([provider, all]) => ({
		provider,
		label: labelOf(provider),
		what: all.map(({ kind, account }) => account ?? (kind === "oauth" ? "login" : "key")).join(", "),
	}));
}

export function labelOf(provider: string): string {
	return [...providers, ...services].find(({ id }) => id === provider)?.label ?? provider;
}

/** A key is one word in a header. */
export function keyProblem(key: string, mostChars: number): string | undefined {
	if (key === "") return "No API key given.";
	return /[\s\p{Cc}]/u.test(key) || key.length > mostChars
		? "Not an API key: it contains whitespace or is too long."
		: undefined;
}

function storedState(
	stored: readonly CredentialSummary[],
	provider: string,
	kind: CredentialSummary["kind"],
): string {
	const credentialSummaries = stored.filter((each) => each.provider === provider && each.kind === kind);
	const [first] = credentialSummaries;
	if (!first) return "";
	if (first.refused !== undefined) return "refused";
	return credentialSummaries.length > 1
		? `${credentialSummaries.length} stored`
		: (first.account ?? "stored");
}

function variableState(id: string, env: Env): string {
	const provider = providers.find((each) => each.id === id);
	const variable = provider
		? keyVariables(provider, env).find((name) => readEnv(name, env) !== undefined)
		: serviceKey(id, env)?.variable;
	return variable === undefined ? "" : `in ${variable}`;
}

/** Where the key is made, as far as it is known. */
export function keyPageText({ provider }: Offer): string {
	const page = Object.entries(keyPages).find(([id]) => id === provider)?.[1];
	return page === undefined ? "Paste the key, then press Enter." : `Create a key at ${page}`;
}
