/** Credentials of a profile, by whichever of the ways it names: keys, a role, SSO or a program. */
import { env as read, expandHome, type Env } from "@tau/utils";

import { credentialsOf } from "./answer.ts";
import { fromContainer } from "./container.ts";
import { fromProcess } from "./credential-process.ts";
import type { Section } from "./ini.ts";
import { limits } from "./limits.ts";
import { fromMetadata } from "./metadata.ts";
import { profileName, type Profiles } from "./profiles.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { fromSso } from "./sso.ts";
import { assumeRole, assumeRoleWithToken, type Role } from "./sts.ts";
import { Unusable } from "./unusable.ts";

export interface World {
	env: Env;
	profiles: Profiles;
	region: string;
}

export function fromEnvironment(env: Env): AwsCredentials | undefined {
	return credentialsOf({
		id: read("AWS_ACCESS_KEY_ID", env),
		secret: read("AWS_SECRET_ACCESS_KEY", env),
		token: read("AWS_SESSION_TOKEN", env),
	});
}

/** Nothing where the user named no profile and the default one is not there or says nothing of credentials. */
export async function fromProfiles(world: World): Promise<AwsCredentials | undefined> {
	const name = profileName(world.env);
	const found = await fromProfile(name, world, []);
	if (found || read("AWS_PROFILE", world.env) === undefined) return found;
	const known = world.profiles.profile(name) === undefined ? "is not in" : "has no credentials in";
	throw new Unusable(`The profile "${name}" (AWS_PROFILE) ${known} ${world.profiles.files.join(" or ")}`);
}

async function fromProfile(
	name: string,
	world: World,
	above: readonly string[],
): Promise<AwsCredentials | undefined> {
	const profile = world.profiles.profile(name);
	if (profile === undefined) return undefined;
	const keys = credentialsOf({
		id: profile.get("aws_access_key_id"),
		secret: profile.get("aws_secret_access_key"),
		token: profile.get("aws_session_token"),
	});
	// A profile may be the source of its own role: then its keys count.
	if (keys && above.length > 0) return keys;
	return (await fromRole(name, profile, world, above)) ?? keys ?? (await fromOthers(name, profile, world));
}

async function fromRole(
	name: string,
	profile: Section,
	world: World,
	above: readonly string[],
): Promise<AwsCredentials | undefined> {
	const arn = profile.get("role_arn");
	if (arn === undefined) return undefined;
	const role: Role = {
		arn,
		sessionName: profile.get("role_session_name"),
		externalId: profile.get("external_id"),
		durationSeconds: profile.get("duration_seconds"),
	};
	const region = profile.get("region") ?? world.region;
	const tokenFile = profile.get("web_identity_token_file");
	if (tokenFile !== undefined) return assumeRoleWithToken(role, expandHome(tokenFile), world.env, region);
	if (profile.has("mfa_serial")) {
		const wanted = `The role of profile "${name}" wants a code (mfa_serial), which Tau cannot ask for`;
		throw new Unusable(`${wanted}: give temporary keys, or name a credential_process that asks`);
	}
	const source = await sourceOf(name, profile, world, [...above, name]);
	return assumeRole(role, source, world.env, region);
}

async function sourceOf(
	name: string,
	profile: Section,
	world: World,
	above: readonly string[],
): Promise<AwsCredentials> {
	const [other, place] = [profile.get("source_profile"), profile.get("credential_source")];
	const isCircle = other !== undefined && other !== name && above.includes(other);
	if (isCircle || above.length > limits.profileDepth) {
		throw new Unusable(`The profiles ${[...above, other].join(" -> ")} stand on each other`);
	}
	const found = other === undefined ? await fromPlace(place, world) : await fromProfile(other, world, above);
	if (found) return found;
	const missing = other === undefined ? `credential_source ${place ?? "(none)"}` : `source_profile ${other}`;
	throw new Unusable(`The role of profile "${name}" has no credentials to start from: ${missing}`);
}

async function fromPlace(place: string | undefined, { env }: World): Promise<AwsCredentials | undefined> {
	switch (place) {
		case "Environment":
			return fromEnvironment(env);
		case "EcsContainer":
			return fromContainer(env);
		case "Ec2InstanceMetadata":
			return fromMetadata(env);
		default:
			return undefined;
	}
}

async function fromOthers(
	name: string,
	profile: Section,
	{ env, profiles }: World,
): Promise<AwsCredentials | undefined> {
	const command = profile.get("credential_process");
	if (command !== undefined) return fromProcess(command, name);
	const [accountId, roleName] = [profile.get("sso_account_id"), profile.get("sso_role_name")];
	if (accountId === undefined || roleName === undefined) return undefined;
	const sessionName = profile.get("sso_session");
	const session = sessionName === undefined ? profile : profiles.session(sessionName);
	const filedUnder = sessionName ?? profile.get("sso_start_url");
	const region = session?.get("sso_region");
	if (filedUnder === undefined || region === undefined) {
		throw new Unusable(`The profile "${name}" names an SSO role, but its sso_session says no sso_region`);
	}
	return fromSso({ profile: name, session: filedUnder, region, accountId, roleName }, env);
}
