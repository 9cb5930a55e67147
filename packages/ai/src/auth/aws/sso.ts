/** Credentials of somebody who is logged in with `aws sso login`. */
import { registerSecret, type Env } from "@tau/utils";

import { parseObject, string } from "../../json.ts";
import { because, credentialsFromPortal } from "./answer.ts";
import { ask } from "./ask.ts";
import { serviceUrl } from "./endpoint.ts";
import { readBounded } from "./files.ts";
import { awsFile } from "./profiles.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

export interface SsoRole {
	/** The profile, for a person. */
	profile: string;
	/** What the token is filed under: the name of the session, or the start URL where there is none. */
	session: string;
	region: string;
	accountId: string;
	roleName: string;
}

export async function fromSso(role: SsoRole, env: Env): Promise<AwsCredentials> {
	const token = await readToken(role, env);
	const query = new URLSearchParams({ role_name: role.roleName, account_id: role.accountId });
	const url = `${serviceUrl("sso", role.region, env)}/federation/credentials?${query}`;
	const reply = await ask(url, { headers: { "x-amz-sso_bearer_token": token } });
	if (reply.status === 401) throw new Unusable(loginAgain(role));
	const found = reply.ok ? credentialsFromPortal(reply.text) : undefined;
	if (found) return found;
	const reason = because(string(parseObject(reply.text)?.message));
	throw new Unusable(
		`AWS SSO does not give the role ${role.roleName} of profile "${role.profile}" (HTTP ${reply.status})${reason}`,
	);
}

/** An expired token is not renewed here: that spends its refresh token, and the AWS tools would miss the new one. */
async function readToken(role: SsoRole, env: Env): Promise<string> {
	const hash = new Bun.CryptoHasher("sha1").update(role.session).digest("hex");
	const kept = parseObject((await readBounded(awsFile(env, "sso", "cache", `${hash}.json`))) ?? "");
	const token = string(kept?.accessToken);
	const expiresAt = Date.parse(string(kept?.expiresAt));
	if (token === "" || !(expiresAt > Date.now())) throw new Unusable(loginAgain(role));
	registerSecret(token);
	return token;
}

function loginAgain({ profile }: SsoRole): string {
	return `The AWS SSO login of profile "${profile}" is missing or has expired: run \`aws sso login --profile ${profile}\``;
}
