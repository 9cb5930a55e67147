/** What a login flow is made of: data that the two grants read. */

export interface OAuthFlow {
	/** The provider whose requests the credential is for. */
	provider: string;
	label: string;
	clientId?: string;
	/** Of an installed application: published with it, and no secret (RFC 8252, section 8.5). */
	clientSecret?: string;
	scopes: readonly string[];
	tokenUrl: string;
	/** How the token endpoint wants to be asked. */
	encoding: "form" | "json";
	/** Sent with every request to the endpoints of this flow. */
	headers?: Readonly<Record<string, string>>;
	grant: AuthorizationCode | DeviceCode;
	/** Where in the token's answer things stand that not all servers name alike: paths with dots. */
	answer?: { access?: string; account?: string };
	/** What the answer holds is a key that does not expire, and is kept as one. */
	givesKey?: true;
	/** A second step: the token is a ticket for another, short-lived one, and stands in the place of a refresh token. */
	exchange?: TokenExchange;
	/** Asks whose the token is, where its answer does not say. */
	whoami?: { url: string; account: string };
	/** The account is set up for Google's Code Assist at the end of the login, which gives it a project. */
	codeAssist?: CodeAssist;
	/** Variables that name another host for all endpoints, strongest first. */
	hostVariables?: readonly string[];
}

export interface AuthorizationCode {
	kind: "authorization_code";
	authorizeUrl: string;
	redirect: {
		/** As the provider has registered it. */
		host: "localhost" | "127.0.0.1";
		/** Any free one unless the provider insists on one. */
		port?: number;
		path: string;
	};
	/** How the parameter with the redirect address is called; `redirect_uri` unless said. */
	redirectParameter?: string;
	/** The server does not send `state` back: it travels in the path of the redirect address instead. */
	stateInPath?: true;
	/** Beside those of the standard. */
	authorizeParameters?: Readonly<Record<string, string>>;
	/** The token request repeats the state. */
	stateInTokenRequest?: true;
	/** The token request holds the code and its proof, and nothing of the standard's rest. */
	bareTokenRequest?: true;
}

export interface DeviceCode {
	kind: "device_code";
	deviceUrl: string;
}

export interface TokenExchange {
	url: string;
	/** Paths into its answer; `expiresAt` is in seconds since 1970. */
	answer: { access: string; expiresAt: string; baseUrl?: string };
}

export interface CodeAssist {
	/** Where its methods are, up to the colon or the slash. */
	url: string;
	/** Sent with each call. */
	headers?: Readonly<Record<string, string>>;
	/** The project that the person wants to be counted for. */
	project?: string;
}
