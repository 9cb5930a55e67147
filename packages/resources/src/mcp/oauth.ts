/** Logs in to a server by OAuth 2.1: the SDK speaks the protocol, the credential store keeps the tokens. */
import type {
	OAuthClientMetadata,
	OAuthClientProvider,
	OAuthDiscoveryState,
	StoredOAuthClientInformation,
	StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { RedirectServer } from "@tau/ai/oauth-redirect";
import { CredentialError, type CredentialStore, type NewCredential } from "@tau/ai";
import { abortable, isRecord, uuidv7, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";
import type { McpAuth } from "./types.ts";

export interface LoginParts {
	/** The name of the server, for the user. */
	name: string;
	url: string;
	auth: McpAuth | undefined;
	store: CredentialStore;
	/** Whether the user may be sent to the browser now. */
	mayLogIn(): boolean | Promise<boolean>;
	/** Shows the page; false where there is no browser. */
	openUrl(url: string): boolean;
	/** Shows the address, for users without a browser on this machine. */
	onAddress(url: string): void;
}

/** The server wants a login, and the user was not asked to make one. */
export class LoginNeeded extends Error {
	override name = "LoginNeeded";
}

/** What is stored beside the token: everything that renewing it takes. */
interface LoginRecord {
	refreshToken?: string;
	scope?: string;
	issuer?: string;
	/** The registered clients, by issuer. */
	clients: Record<string, StoredOAuthClientInformation>;
}

export class OAuthLogin implements OAuthClientProvider, Disposable {
	/** The document that describes Tau to authorization servers which know no other way. */
	readonly clientMetadataUrl?: string;
	readonly #parts: LoginParts;
	readonly #provider: string;
	readonly #owned = new DisposableStack();
	#redirect: RedirectServer | undefined;
	#state = uuidv7();
	#verifier = "";
	#discovery: OAuthDiscoveryState | undefined;
	/** Clients that were registered before there is a token to store them with. */
	#clients: LoginRecord["clients"] = {};
	#isLoggingIn = false;
	#sent: string | undefined;

	constructor(parts: LoginParts) {
		this.#parts = parts;
		if (parts.auth?.clientMetadataUrl) this.clientMetadataUrl = parts.auth.clientMetadataUrl;
		this.#provider = providerOf(parts.url);
		this.#owned.use(parts.store.renewWith(renewalOf(this.#provider, parts)));
	}

	/** The token that was sent last. */
	get sent(): string | undefined {
		return this.#sent;
	}

	get redirectUrl(): string {
		return (this.#redirect ??= this.#listen()).address;
	}

	get clientMetadata(): OAuthClientMetadata {
		const { auth } = this.#parts;
		return {
			client_name: "Tau",
			redirect_uris: [this.redirectUrl],
			grant_types: ["authorization_code", "refresh_token"],
			response_types: ["code"],
			token_endpoint_auth_method: auth?.clientSecret === undefined ? "none" : "client_secret_post",
			...(auth?.scope === undefined ? {} : { scope: auth.scope }),
		};
	}

	state(): string {
		return this.#state;
	}

	async clientInformation(context?: { issuer: string }): Promise<StoredOAuthClientInformation | undefined> {
		const stored = await this.#stored();
		// The SDK would renew a token that nobody has refused: that of a login elsewhere, made since the last request.
		if (!this.#isLoggingIn && stored && stored.access !== this.#sent)
			throw new LoginNeeded(`${this.#parts.name} has a new login.`);
		const record = stored && recordOf(stored);
		// Registering a client is pointless for a user who will not be sent to the browser.
		if (!this.#isLoggingIn && record?.refreshToken === undefined) await this.#begin();
		const { clientId, clientSecret } = this.#parts.auth ?? {};
		if (clientId !== undefined)
			return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
		const clients = { ...record?.clients, ...this.#clients };
		const client = context === undefined ? Object.values(clients).at(-1) : clients[context.issuer];
		return this.#isLoggingIn && client && !this.#returnsHere(client) ? undefined : client;
	}

	/** A client that was registered for another port is registered again. */
	#returnsHere(client: StoredOAuthClientInformation): boolean {
		const addresses: unknown = "redirect_uris" in client ? client.redirect_uris : undefined;
		return !Array.isArray(addresses) || addresses.includes(this.redirectUrl);
	}

	saveClientInformation(information: StoredOAuthClientInformation, context?: { issuer: string }): void {
		this.#clients = { ...this.#clients, [context?.issuer ?? ""]: information };
	}

	async tokens(): Promise<StoredOAuthTokens | undefined> {
		const stored = await this.#stored();
		if (!stored) return undefined;
		const { refreshToken, scope, issuer } = recordOf(stored);
		this.#sent = stored.access;
		return {
			access_token: stored.access,
			token_type: "Bearer",
			...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
			...(scope === undefined ? {} : { scope }),
			...(issuer === undefined ? {} : { issuer }),
		};
	}

	async saveTokens(tokens: StoredOAuthTokens, context?: { issuer: string }): Promise<void> {
		const before = await this.#record();
		const issuer = context?.issuer ?? tokens.issuer ?? before?.issuer;
		const record: LoginRecord = {
			...optional("refreshToken", tokens.refresh_token ?? before?.refreshToken),
			...optional("scope", tokens.scope ?? before?.scope),
			...optional("issuer", issuer),
			clients: { ...before?.clients, ...this.#clients },
		};
		await this.#parts.store.add(this.#provider, credentialOf(tokens, record), { only: true });
	}

	async redirectToAuthorization(address: URL): Promise<void> {
		if (!this.#isLoggingIn) await this.#begin();
		const shown = address.toString();
		if (!this.#parts.openUrl(shown)) this.#parts.onAddress(shown);
	}

	saveCodeVerifier(verifier: string): void {
		this.#verifier = verifier;
	}

	codeVerifier(): string {
		return this.#verifier;
	}

	saveDiscoveryState(state: OAuthDiscoveryState): void {
		this.#discovery = state;
	}

	/** Only within one login: a server may have moved to another authorization server since the last one. */
	discoveryState(): OAuthDiscoveryState | undefined {
		return this.#isLoggingIn ? this.#discovery : undefined;
	}

	invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
		// Another process may have renewed them since: those are good.
		if ((scope === "all" || scope === "tokens") && this.#sent !== undefined)
			this.#parts.store.remove(this.#provider, this.#sent);
		if (scope === "all" || scope === "client") this.#clients = {};
		if (scope === "all" || scope === "discovery") this.#discovery = undefined;
	}

	/** After the server has refused a token: the one to send instead; undefined where only a login helps. */
	async tokenInsteadOf(refused: string, signal: AbortSignal | undefined): Promise<string | undefined> {
		try {
			const login = await this.#parts.store.renewedLogin(this.#provider, refused, signal);
			this.#sent = login?.access;
			return login?.access === refused ? undefined : login?.access;
		} catch (error) {
			if (error instanceof CredentialError) return undefined;
			throw error;
		}
	}

	/** Waits for the browser to come back, and lets the SDK trade what it brings for tokens. */
	async complete(finish: (query: URLSearchParams) => Promise<void>, signal: AbortSignal): Promise<void> {
		const redirect = this.#redirect;
		if (!redirect || !this.#isLoggingIn) throw new LoginNeeded(`${this.#parts.name} wants a login.`);
		using deadline = withTimeout(signal, limits.loginMs, "The login in the browser was not completed.");
		try {
			const { query } = await abortable(redirect.answer, deadline.signal);
			await finish(query);
		} finally {
			// The next login has another address and another state.
			redirect[Symbol.dispose]();
			this.#redirect = undefined;
			this.#isLoggingIn = false;
			this.#state = uuidv7();
		}
	}

	[Symbol.dispose](): void {
		this.#redirect?.[Symbol.dispose]();
		this.#owned.dispose();
	}

	async #begin(): Promise<void> {
		if (!(await this.#parts.mayLogIn())) throw new LoginNeeded(`${this.#parts.name} wants a login.`);
		this.#isLoggingIn = true;
	}

	#listen(): RedirectServer {
		const port = this.#parts.auth?.callbackPort;
		const redirect = {
			host: "127.0.0.1" as const,
			path: "/callback",
			...(port === undefined ? {} : { port }),
		};
		return new RedirectServer({ redirect }, this.#parts.name, this.#state);
	}

	async #record(): Promise<LoginRecord | undefined> {
		const stored = await this.#stored();
		return stored && recordOf(stored);
	}

	/** A login that cannot be renewed is none. */
	async #stored(): Promise<NewCredential | undefined> {
		try {
			return await this.#parts.store.storedLogin(this.#provider);
		} catch (error) {
			if (error instanceof CredentialError) return undefined;
			throw error;
		}
	}
}

/** Logins belong to the address of a server: its name is the user's choice. */
export function providerOf(url: string): string {
	const { origin, pathname } = new URL(url);
	return `mcp:${origin}${pathname.replace(/\/$/, "")}`;
}

function renewalOf(provider: string, { name, url }: LoginParts): Parameters<CredentialStore["renewWith"]>[0] {
	return {
		provider,
		label: name,
		async renew(credential) {
			const { refreshToken, issuer, scope, clients } = recordOf(credential);
			const client = issuer === undefined ? undefined : clients[issuer];
			if (refreshToken === undefined || issuer === undefined || client === undefined)
				throw new Error(`The login of ${name} has expired.`);
			const { discoverAuthorizationServerMetadata, refreshAuthorization } =
				await import("@modelcontextprotocol/client");
			const metadata = await discoverAuthorizationServerMetadata(issuer);
			const tokens = await refreshAuthorization(issuer, {
				...(metadata ? { metadata } : {}),
				clientInformation: client,
				refreshToken,
				resource: url,
			});
			const record = {
				refreshToken: tokens.refresh_token ?? refreshToken,
				issuer,
				clients,
				...optional("scope", tokens.scope ?? scope),
			};
			return credentialOf(tokens, record);
		},
	};
}

function credentialOf(tokens: StoredOAuthTokens, record: LoginRecord): NewCredential {
	const seconds = tokens.expires_in;
	return {
		kind: "oauth",
		access: tokens.access_token,
		refresh: JSON.stringify(record),
		// Without a refresh token there is nothing to renew it with: the server says when it has expired.
		...(seconds === undefined || record.refreshToken === undefined
			? {}
			: { expiresAt: Date.now() + Number(seconds) * 1_000 }),
	};
}

function recordOf({ refresh = "{}" }: NewCredential): LoginRecord {
	const value: unknown = JSON.parse(refresh);
	// Only `credentialOf` writes it.
	return isRecord(value) ? ({ clients: {}, ...value } as LoginRecord) : { clients: {} };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
	return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
