/** Finds AWS credentials where the AWS tools look for them, and caches them until shortly before they expire. */
import { env as read, type Env } from "@tau/utils";

import { TokenCache, type Token } from "../token-cache.ts";
import { credentialsOf } from "./answer.ts";
import { fromContainer } from "./container.ts";
import { limits } from "./limits.ts";
import { fromMetadata, metadataIsDisabled } from "./metadata.ts";
import { cacheKey, describeProfile, fromProfile, type Profile } from "./profile.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

interface Search {
	env: Env;
	profile: Profile;
	signal: AbortSignal;
}

interface Source {
	/** Where it searches, for a user whose credentials were not found. */
	name(search: Search): string;
	find(search: Search): Promise<AwsCredentials | undefined> | AwsCredentials | undefined;
}

// In the order of the AWS tools. The first configured source decides: an expired login is an error, not skipped.
const sources: readonly Source[] = [
	{ name: () => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", find: ({ env }) => fromEnvironment(env) },
	{
		name: ({ env, profile }) => describeProfile(env, profile),
		find: ({ env, profile, signal }) => fromProfile(env, profile, signal),
	},
	{
		name: () => "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or …_FULL_URI",
		find: ({ env }) => fromContainer(env),
	},
	{
		name: ({ env }) => `the EC2 metadata service (${metadataIsDisabled(env) ? "disabled" : "no role found"})`,
		find: ({ env }) => fromMetadata(env),
	},
];

const cache = new TokenCache<Token<AwsCredentials>>();

/** Concurrent requests share one search, which ends when the last of them aborts. Throws `Unusable`. */
export async function credentialsFor(
	env: Env,
	profile: Profile,
	signal: AbortSignal,
): Promise<AwsCredentials> {
	const credentials = await cache.get(cacheKey(env, profile), signal, async (shared) => {
		const value = await find({ env, profile, signal: shared });
		const keepUntil = Date.now() + limits.keepMs;
		// The cache renews a token some time before its end; AWS credentials are renewed earlier than that.
		const expiresAt = value.expiresAt === undefined ? keepUntil : value.expiresAt - limits.renewBeforeMs;
		return { value, expiresAt };
	});
	return credentials.value;
}

async function find(search: Search): Promise<AwsCredentials> {
	for (const source of sources) {
		const credentials = await source.find(search);
		if (credentials) return credentials;
	}
	const places = sources.map((source) => source.name(search)).join("; ");
	throw new Unusable(`No AWS credentials. Looked for AWS_BEARER_TOKEN_BEDROCK; ${places}`);
}

function fromEnvironment(env: Env): AwsCredentials | undefined {
	return credentialsOf({
		id: read("AWS_ACCESS_KEY_ID", env),
		secret: read("AWS_SECRET_ACCESS_KEY", env),
		token: read("AWS_SESSION_TOKEN", env),
	});
}
