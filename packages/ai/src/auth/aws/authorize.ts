/** Shows Bedrock who asks: with a Bedrock API key where there is one, else by a signature with AWS credentials. */
import { env as read, envFlag, registerSecret } from "@tau/utils";

import { failure } from "../../failure.ts";
import { keyHeader, type AuthContext, type Authorize, type OutgoingRequest } from "../scheme.ts";
import { credentialsFor } from "./credentials.ts";
import { inRegion, regionFor } from "./region.ts";
import { signatureHeaders, type AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

/** For proxies that sign requests themselves and want to see some signature. */
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
	const region = await regionFor(model.id, request.url, env);
	request.url = inRegion(request.url, region, env);
	const token = apiKey || read("AWS_BEARER_TOKEN_BEDROCK", env);
	if (token) {
		registerSecret(token);
		request.headers.set(...keyHeader("bearer", token));
		return;
	}
	// What is no address cannot be signed for; the transport says so in its words.
	if (!URL.canParse(request.url)) return;
	const skip = envFlag("AWS_BEDROCK_SKIP_AUTH", env);
	const credentials = skip ? dummy : await credentialsFor(env, region, signal);
	const { host, pathname, search } = new URL(request.url);
	const signed = { host, "content-type": request.headers.get("content-type") ?? "application/json" };
	const headers = signatureHeaders(
		{ method: "POST", path: pathname, query: search.slice(1), headers: signed, body: request.body },
		{ credentials, region, service: "bedrock", now: new Date() },
	);
	for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
}
