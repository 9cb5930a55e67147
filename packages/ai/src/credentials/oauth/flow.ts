/** A login flow as data that the two grants read. */

export interface OAuthFlow {
	/** The provider whose requests the credential is for. */
	provider: string;
	label: string;
	clientId?: string;
	/** Of an installed application: published with it, and not a secret (RFC 8252, section 8.5). */
	clientSecret?: string;
	scopes: readonly string[];
	tokenUrl: string;
	/** The encoding of token requests. */
	encoding: "form" | "json";
	/** Sent with every request to the endpoints of this flow. */
	headers?: Readonly<Record<string, string>>;
	grant: AuthorizationCode | DeviceCode;
	/** Paths to fields of the token's answer that servers name differently. */
	answer?: { access?: string; account?: string };
	/** The answer contains a key that does not expire, and is stored as a key. */
	givesKey?: true;
	/** A second step: the token is exchanged for another, short-lived one, and acts as a refresh token unless it is late. */
	exchange?: TokenExchange;
	/** Requests the owner of the token, if its answer does not contain it. */
	whoami?: { url: string; account: string };
	/** The account is set up for Google's Code Assist at the end of the login, which gives it a project. */
	codeAssist?: CodeAssist;
	/** Variables that set another host for all endpoints, strongest first. */
	hostVariables?: readonly string[];
}

export interface AuthorizationCode {
	kind: "authorization_code";
	authorizeUrl: string;
	redirect: {
		/** As registered with the provider. */
		host: "localhost" | "127.0.0.1";
		/** Any free port unless the provider requires one. */
		port?: number;
		path: string;
	};
	/** The name of the parameter with the redirect address; default `redirect_uri`. */
	redirectParameter?: string;
	/** The server does not return `state`: it is part of the redirect address's path instead. */
	stateInPath?: true;
	/** Additional parameters beside the standard ones. */
	authorizeParameters?: Readonly<Record<string, string>>;
	/** The token request repeats the state. */
	stateInTokenRequest?: true;
	/** The token request contains the code and its verifier, and no other standard parameters. */
	bareTokenRequest?: true;
}

export interface DeviceCode {
	kind: "device_code";
	deviceUrl: string;
}

export interface TokenExchange {
	url: string;
	/** Posted as JSON; without it the request has no body. */
	body?: Readonly<Record<string, unknown>>;
	/** The login's own tokens are stored and renewed, and exchanged when requests are sent. */
	isLate?: true;
	/** Paths into its answer; `expiresAt` is in seconds since 1970, and `headers` have to be sent with each request. */
	answer: { access: string; expiresAt: string; baseUrl?: string; headers?: string };
	/** Seconds, where neither the answer nor the token says when it ends. */
	lifetime?: number;
	/** What to check when it is refused. */
	advice?: string;
}

export interface CodeAssist {
	/** The address of its methods, up to the colon or the slash. */
	url: string;
	/** Sent with each call. */
	headers?: Readonly<Record<string, string>>;
	/** The project that the user wants to be billed. */
	project?: string;
}
