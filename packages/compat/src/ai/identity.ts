/** pi's functions for the user agent, with Tau's name. */
import { version } from "@tau/utils";

interface Identity {
	userAgent?: "short" | "detailed" | { custom: string };
	attribution?: { name: string; url: string } | null;
	version?: string;
}

/** Tau does not introduce itself to providers beyond its name. */
const PI_ATTRIBUTION = { name: "tau", url: "" };
const PI_AI_VERSION: string = version;

/** The later says more. */
function mergeClientIdentity(...sources: (Identity | undefined)[]): Identity | undefined {
	const identities = sources.filter((source) => source !== undefined);
	return identities.length > 0 ? Object.assign({}, ...identities) : undefined;
}

function getClientVersion(identity?: Identity): string {
	return identity?.version ?? version;
}

function formatUserAgent(identity: Identity = {}): string {
	const { userAgent } = identity;
	if (typeof userAgent === "object") return userAgent.custom;
	const short = `tau/${getClientVersion(identity)}`;
	return userAgent === "detailed" ? `${short} (${process.platform}; ${process.arch})` : short;
}

function getIdentityHeaders(_target: unknown, identity?: Identity): Record<string, string> {
	return { "user-agent": formatUserAgent(identity) };
}

function getAttributionHeaders(): Record<string, string> {
	return {};
}

function withClientIdentity<M>(models: M): M {
	return models;
}

const ANTHROPIC_API_KEY_ENV = "ANTHROPIC_API_KEY";
const ANTHROPIC_AUTH_TOKEN_ENV = "ANTHROPIC_AUTH_TOKEN";
const ANTHROPIC_OAUTH_TOKEN_ENV = "ANTHROPIC_OAUTH_TOKEN";
const ANTHROPIC_FEDERATION_RULE_ID_ENV = "ANTHROPIC_FEDERATION_RULE_ID";
const ANTHROPIC_IDENTITY_TOKEN_FILE_ENV = "ANTHROPIC_IDENTITY_TOKEN_FILE";
const ANTHROPIC_ORGANIZATION_ID_ENV = "ANTHROPIC_ORGANIZATION_ID";
const ANTHROPIC_SERVICE_ACCOUNT_ID_ENV = "ANTHROPIC_SERVICE_ACCOUNT_ID";
const ANTHROPIC_WORKSPACE_ID_ENV = "ANTHROPIC_WORKSPACE_ID";

/** What extensions get of it. */
export const identityExports = {
	PI_ATTRIBUTION,
	PI_AI_VERSION,
	mergeClientIdentity,
	getClientVersion,
	formatUserAgent,
	getIdentityHeaders,
	getAttributionHeaders,
	withClientIdentity,
	ANTHROPIC_API_KEY_ENV,
	ANTHROPIC_AUTH_TOKEN_ENV,
	ANTHROPIC_OAUTH_TOKEN_ENV,
	ANTHROPIC_FEDERATION_RULE_ID_ENV,
	ANTHROPIC_IDENTITY_TOKEN_FILE_ENV,
	ANTHROPIC_ORGANIZATION_ID_ENV,
	ANTHROPIC_SERVICE_ACCOUNT_ID_ENV,
	ANTHROPIC_WORKSPACE_ID_ENV,
};
