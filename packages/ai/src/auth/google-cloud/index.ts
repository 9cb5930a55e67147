/**
 * Authenticates requests to Google Cloud: with an API key, or with a token for the Application Default Credentials.
 */
import { env as read, type Env } from "@tau/utils";

import { failure } from "../../failure.ts";
import type { Failure } from "../../types.ts";
import { keyHeader, type Authorize, type OutgoingRequest } from "../scheme.ts";
import { TokenCache, type Token } from "../token-cache.ts";
import { fillAddress, fillForKey, locationFrom, needsProject, noProject, projectFrom } from "./address.ts";
import { findCredentials } from "./credentials.ts";
import { exchange, machineProject, machineToken, metadataHost } from "./exchange.ts";

const tokens = new TokenCache<Token, Failure | undefined>();

export const authorizeGoogleCloud: Authorize = async (request, { apiKey, env, signal }) => {
	if (apiKey) {
		request.headers.set(...keyHeader("x-goog-api-key", apiKey));
		request.url = fillForKey(request.url);
		return undefined;
	}
	try {
		const account = await accountFrom(env, signal);
		if ("kind" in account) return account;
		return await address(request, account, env, signal);
	} catch (error) {
		// An abort is the caller's own, who recognizes it by the signal.
		return failure("unknown", error instanceof Error ? error.message : String(error));
	}
};

interface Account {
	token: Token;
	project?: string;
	quotaProject?: string;
	/** True if only the metadata server knows the project of this machine. */
	isMachine: boolean;
}

const noCredentials = failure(
	"auth",
	"No Google Cloud credentials: run `gcloud auth application-default login`, set GOOGLE_APPLICATION_CREDENTIALS " +
		"to the key file of a service account, or set GOOGLE_CLOUD_API_KEY",
);

async function accountFrom(env: Env, signal: AbortSignal): Promise<Account | Failure> {
	const credentials = await findCredentials(env);
	if (credentials === undefined) {
		const identity = `metadata server ${metadataHost(env)}`;
		const token = await tokens.get(identity, signal, (stop) => machineToken(env, stop));
		if (!token) return noCredentials;
		return "kind" in token ? token : { token, isMachine: true };
	}
	if ("kind" in credentials) return credentials;
	const token = await tokens.get(credentials.identity, signal, (stop) => exchange(credentials, env, stop));
	if (!token) return noCredentials;
	if ("kind" in token) return token;
	const { project, quotaProject } = credentials;
	return {
		token,
		...(project ? { project } : {}),
		...(quotaProject ? { quotaProject } : {}),
		isMachine: false,
	};
}

async function address(
	request: OutgoingRequest,
	account: Account,
	env: Env,
	signal: AbortSignal,
): Promise<Failure | undefined> {
	let project = projectFrom(env) ?? account.project;
	if (!project && account.isMachine) project = await machineProject(env, signal);
	if (!project && needsProject(request.url)) return noProject;
	request.url = fillAddress(request.url, locationFrom(env), project);
	request.headers.set(...keyHeader("bearer", account.token.value));
	const payer = read("GOOGLE_CLOUD_QUOTA_PROJECT", env) ?? account.quotaProject;
	if (payer) request.headers.set("x-goog-user-project", payer);
	return undefined;
}
