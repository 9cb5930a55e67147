/**
 * Authenticates requests to Bedrock: with a Bedrock API key if there is one, else by a signature with AWS
 * credentials.
 */
import { env as read, envFlag, registerSecret, type Env } from "@tau/utils";

import { failure } from "../../failure.ts";
import { keyHeader, type AuthContext, type Authorize, type OutgoingRequest } from "../scheme.ts";
import { credentialsFor } from "./credentials.ts";
import { profileOf } from "./profile.ts";
import { inRegion, regionFor } from "./region.ts";
import { signatureHeaders, type AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

/** For proxies that sign requests themselves and expect any signature. */
const dummy: AwsCredentials = { accessKeyId: "dummy-access-key", secretAccessKey: "dummy-secret-key" };

export const authorizeAws: Authorize = async (request, context) => {
	try {
		await authorize(request, context);
		return undefined;
	} catch (error) {
		if (context.signal.aborted) return undefined;
		if (error instanceof Unusable) return failure("auth", error.message);
		throw error;
	}
};

async function authorize(
	request: OutgoingRequest,
	{ model, apiKey, env, signal }: AuthContext,
): Promise<void> {
	const token = apiKey || read("AWS_BEARER_TOKEN_BEDROCK", env);
	const skip = envFlag("AWS_BEDROCK_SKIP_AUTH", env);
	const { region, credentials } = await lookUp(
		{ modelId: model.id, url: request.url, env, needsCredentials: !token && !skip },
		signal,
	);
	request.url = inRegion(request.url, region, env);
	if (token) {
		registerSecret(token);
		request.headers.set(...keyHeader("bearer", token));
		return;
	}
	// An invalid address cannot be signed for; the transport reports it.
	if (!URL.canParse(request.url)) return;
	const { host, pathname, search } = new URL(request.url);
	const signed = { host, "content-type": request.headers.get("content-type") ?? "application/json" };
	const headers = signatureHeaders(
		{ method: "POST", path: pathname, query: search.slice(1), headers: signed, body: request.body },
		{ credentials, region, service: "bedrock", now: new Date() },
	);
	for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
}

interface Lookup {
	modelId: string;
	url: string;
	env: Env;
	needsCredentials: boolean;
}

/**
 * Both lookups may call the AWS CLI, which takes a second: they run concurrently, and each ends when the other fails.
 */
async function lookUp(
	{ modelId, url, env, needsCredentials }: Lookup,
	signal: AbortSignal,
): Promise<{ region: string; credentials: AwsCredentials }> {
	const profile = await profileOf(env);
	const either = new AbortController();
	const both = AbortSignal.any([signal, either.signal]);
	try {
		const [region, credentials] = await Promise.all([
			regionFor(modelId, url, env, profile, both),
			needsCredentials ? credentialsFor(env, profile, both) : dummy,
		]);
		return { region, credentials };
	} finally {
		either.abort();
	}
}
