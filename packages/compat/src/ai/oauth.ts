/** pi's functions for logins of subscriptions, over those that extensions register and those of Tau's store. */
import { builtinLogins } from "./builtin-logins.ts";
import type { OAuthCredentials, ProviderOAuth } from "@tau/extensions/api";
import { perScope } from "@tau/extensions/support";

interface OAuthProvider extends ProviderOAuth {
	readonly id: string;
}

/** Of each session's extensions. */
const registered = perScope(() => new Map<string, OAuthProvider & { sourceId?: string }>());

export function registerOAuthProvider(provider: OAuthProvider, sourceId?: string): void {
	registered().set(provider.id, { ...provider, ...(sourceId === undefined ? {} : { sourceId }) });
}

export function unregisterOAuthProvider(id: string): void {
	registered().delete(id);
}

function unregisterOAuthProviders(sourceId: string): void {
	for (const [id, { sourceId: source }] of registered()) if (source === sourceId) registered().delete(id);
}

function resetOAuthProviders(): void {
	registered().clear();
}

function getOAuthProvider(id: string): OAuthProvider | undefined {
	return registered().get(id) ?? builtinLogins.find((login) => login.id === id);
}

export function getOAuthProviders(): OAuthProvider[] {
	return [...registered().values(), ...builtinLogins.filter(({ id }) => !registered().has(id))];
}

function getOAuthProviderInfoList(): { id: string; name: string; available: boolean }[] {
	return getOAuthProviders().map(({ id, name }) => ({ id, name, available: true }));
}

export async function refreshOAuthToken(
	id: string,
	credentials: OAuthCredentials,
): Promise<OAuthCredentials> {
	const { refreshToken } = wanted(id);
	if (!refreshToken) throw new Error(`The login of ${id} cannot be renewed.`);
	return refreshToken(credentials, new AbortController().signal);
}

/** Refreshed if they have expired; undefined if there are none. */
export async function getOAuthApiKey(
	id: string,
	all: Readonly<Record<string, OAuthCredentials>>,
): Promise<{ newCredentials: OAuthCredentials; apiKey: string } | null> {
	const oAuthCredentials = all[id];
	if (!oAuthCredentials) return null;
	const expired = oAuthCredentials.expires !== undefined && oAuthCredentials.expires <= Date.now();
	const newCredentials = expired ? await refreshOAuthToken(id, oAuthCredentials) : oAuthCredentials;
	return { newCredentials, apiKey: wanted(id).getApiKey?.(newCredentials) ?? newCredentials.access };
}

function normalizeDomain(input: string): string | null {
	const text = input.trim();
	if (text === "") return null;
	try {
		return new URL(text.includes("://") ? text : `https://${text}`).hostname;
	} catch {
		// An invalid URL is not a domain.
		return null;
	}
}

function wanted(id: string): OAuthProvider {
	const provider = getOAuthProvider(id);
	if (provider) return provider;
	throw new Error(`There is no login for ${id} that an extension can use. See /login for the others.`);
}

/** What extensions get of it. */
export const oauthExports = {
	registerOAuthProvider,
	unregisterOAuthProvider,
	unregisterOAuthProviders,
	resetOAuthProviders,
	getOAuthProvider,
	getOAuthProviders,
	getOAuthProviderInfoList,
	refreshOAuthToken,
	getOAuthApiKey,
	normalizeDomain,
};
