/** Finds credentials for AWS where the AWS tools look for them, and keeps what expires until shortly before it does. */
import { abortable, type Env } from "@tau/utils";

import { fromContainer } from "./container.ts";
import { limits } from "./limits.ts";
import { fromMetadata, metadataIsDisabled } from "./metadata.ts";
import { fromEnvironment, fromProfiles, type World } from "./profile.ts";
import { profileName, readProfiles } from "./profiles.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { fromWebIdentity } from "./sts.ts";
import { Unusable } from "./unusable.ts";

interface Source {
	/** Where it looks, for a person whose credentials were not found. */
	name(world: World): string;
	find(world: World): Promise<AwsCredentials | undefined> | AwsCredentials | undefined;
}

// In the order of the AWS tools. The first that is configured decides: a login that has expired is told, not passed by.
const sources: readonly Source[] = [
	{ name: () => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", find: ({ env }) => fromEnvironment(env) },
	{
		name: ({ env, profiles }) => `the profile "${profileName(env)}" in ${profiles.files.join(" and ")}`,
		find: fromProfiles,
	},
	{
		name: () => "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or …_FULL_URI",
		find: ({ env }) => fromContainer(env),
	},
	{
		name: () => "AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN",
		find: ({ env, region }) => fromWebIdentity(env, region),
	},
	{
		name: ({ env }) =>
			`the metadata service of EC2 (${metadataIsDisabled(env) ? "switched off" : "no role there"})`,
		find: ({ env }) => fromMetadata(env),
	},
];

interface Kept {
	finding: Promise<AwsCredentials>;
	found?: AwsCredentials;
}

/** By the variables that decide where to look. */
const kept = new Map<string, Kept>();

/**
 * Requests that need the same credentials at the same time wait for one search: an abort of one must not end it for
 * the others, so it has time limits of its own and the caller only stops waiting. Throws what it has to say.
 */
export function credentialsFor(env: Env, region: string, signal: AbortSignal): Promise<AwsCredentials> {
	const key = keyOf(env, region);
	const known = kept.get(key);
	const current = known === undefined || isSpent(known) ? search(key, env, region) : known;
	return abortable(current.finding, signal);
}

function isSpent({ found }: Kept): boolean {
	return found?.expiresAt !== undefined && found.expiresAt - limits.renewBeforeMs <= Date.now();
}

function search(key: string, env: Env, region: string): Kept {
	const entry: Kept = { finding: find(env, region) };
	kept.delete(key);
	kept.set(key, entry);
	const forget = (): void => {
		if (kept.get(key) === entry) kept.delete(key);
	};
	entry.finding.then((found) => {
		// What does not expire is quickly found again, and may be changed by its owner at any time.
		if (found.expiresAt === undefined) forget();
		else entry.found = found;
	}, forget);
	for (const oldest of kept.keys()) {
		if (kept.size <= limits.kept) break;
		kept.delete(oldest);
	}
	return entry;
}

async function find(env: Env, region: string): Promise<AwsCredentials> {
	const world: World = { env, region, profiles: await readProfiles(env) };
	for (const source of sources) {
		const found = await source.find(world);
		if (found) return found;
	}
	const places = sources.map((source) => source.name(world)).join("; ");
	throw new Unusable(`No AWS credentials. Looked for AWS_BEARER_TOKEN_BEDROCK; ${places}`);
}

function keyOf(env: Env, region: string): string {
	const given = Object.entries(env).filter(([name]) => name.startsWith("AWS_") || name === "HOME");
	return JSON.stringify([region, given.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
