/** The user's AWS profile, as the AWS CLI reads it: credentials and the region. */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { env as read, expandHome, type Env } from "@tau/utils";

import { credentialsFromJson } from "./answer.ts";
import { awsConfigure, hasAwsCli, type CliResult } from "./aws-cli.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

export interface Profile {
	name: string;
	/** Its name in error messages. */
	title: string;
	/** The user selected this profile, or the role in AWS_ROLE_ARN: failing to get it is an error. */
	isChosen: boolean;
	hasConfig: boolean;
	/** False if the CLI could only repeat what the other sources provide. */
	isConfigured: boolean;
	/** Changes when one of the files changes. */
	version: string;
	files: readonly string[];
}

/** Exit codes of CLI versions 1 and 2 for an unknown command. */
const unknownCommand: ReadonlySet<number> = new Set([2, 252]);
const install = "Install the AWS CLI, version 2.9 or newer";
const alternatives =
	"or set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN)";

/** Commands that help the user with certain reasons of the CLI. */
const remedies: readonly { when: RegExp; run(name: string): string }[] = [
	{ when: /\bsso\b/i, run: (name) => `aws sso login --profile ${name}` },
	{
		when: /\bMFA code\b/i,
		run: (name) => `eval "$(aws configure export-credentials --profile ${name} --format env)"`,
	},
];

export async function profileOf(env: Env): Promise<Profile> {
	const files = [
		fileOf(env, "AWS_CONFIG_FILE", "config"),
		fileOf(env, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
	] as const;
	const [config, credentials] = await Promise.all([versionOf(files[0]), versionOf(files[1])]);
	const name = read("AWS_PROFILE", env) ?? read("AWS_DEFAULT_PROFILE", env);
	const isRole = name === undefined && hasWebIdentity(env);
	const isChosen = name !== undefined || isRole;
	return {
		name: name ?? "default",
		title: isRole ? "The role in AWS_ROLE_ARN" : `AWS profile "${name ?? "default"}"`,
		isChosen,
		hasConfig: config !== undefined,
		isConfigured: isChosen || config !== undefined || credentials !== undefined,
		version: JSON.stringify([config, credentials]),
		files,
	};
}

/** Everything that determines credentials and regions. */
export function cacheKey(env: Env, profile: Profile): string {
	const variables = Object.entries(env).filter(([name]) => /^(?:AWS_.*|HOME|PATH)$/.test(name));
	return JSON.stringify([profile.version, variables.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Undefined if the user selected no profile and the default one has no credentials. */
export async function fromProfile(
	env: Env,
	profile: Profile,
	signal: AbortSignal,
): Promise<AwsCredentials | undefined> {
	if (!profile.isConfigured) return undefined;
	const result = await awsConfigure(["export-credentials", "--format", "process"], env, signal);
	if (result === undefined) {
		if (!profile.isChosen) return undefined;
		throw new Unusable(
			`${profile.title} needs the program "aws", which is not on PATH. ${install}, ${alternatives}`,
		);
	}
	if (result.code === 0) return credentialsFromJson(result.stdout, "`aws configure export-credentials`");
	if (!profile.isChosen && result.reason.endsWith("no credentials found")) return undefined;
	throw new Unusable(problemOf(profile, result));
}

/** The region of the profile. Without the CLI it is unknown, and guessing could send data elsewhere. */
export async function profileRegion(
	env: Env,
	profile: Profile,
	signal: AbortSignal,
): Promise<string | undefined> {
	if (!profile.hasConfig) return undefined;
	const result = await awsConfigure(["get", "region"], env, signal);
	if (result === undefined) {
		const where = `The region may be in ${profile.files[0]}, which the program "aws" reads, and "aws" is not on PATH`;
		throw new Unusable(`${where}. Set AWS_REGION, or install the AWS CLI`);
	}
	// The profile has no region, or does not exist: the search for credentials reports the latter.
	return result.code === 0 ? result.stdout.trim() || undefined : undefined;
}

/** Where the profile was searched, for a user whose credentials were not found. */
export function describeProfile(env: Env, profile: Profile): string {
	const { name, isConfigured, files } = profile;
	const state = !isConfigured
		? `no file ${files.join(" or ")}`
		: hasAwsCli(env)
			? "no credentials in it"
			: `the program "aws", which reads it, is not on PATH`;
	return `the profile "${name}" (${state})`;
}

function problemOf(profile: Profile, { code, reason }: CliResult): string {
	if (unknownCommand.has(code)) {
		return `${profile.title} needs \`aws configure export-credentials\`, which this version of "aws" does not have. ${install}, ${alternatives}`;
	}
	const failed = `${profile.title} returned no credentials: ${reason || `aws exited with ${code}`}`;
	const remedy = remedies.find(({ when }) => when.test(reason))?.run(profile.name);
	return remedy === undefined ? failed : `${failed}. Run \`${remedy}\``;
}

function hasWebIdentity(env: Env): boolean {
	return read("AWS_WEB_IDENTITY_TOKEN_FILE", env) !== undefined && read("AWS_ROLE_ARN", env) !== undefined;
}

function fileOf(env: Env, variable: string, name: string): string {
	const path = read(variable, env);
	return path === undefined ? join(read("HOME", env) ?? homedir(), ".aws", name) : expandHome(path);
}

async function versionOf(file: string): Promise<string | undefined> {
	try {
		const facts = await stat(file);
		return facts.isFile() ? `${facts.mtimeMs}:${facts.size}` : undefined;
	} catch {
		// The file is missing or unreadable: then the CLI cannot read it either.
		return undefined;
	}
}
