/** Temporary credentials of a role, from the Security Token Service. */
import { env as read, registerSecret, type Env } from "@tau/utils";

import { because, credentialsFromXml, element } from "./answer.ts";
import { ask } from "./ask.ts";
import { serviceUrl } from "./endpoint.ts";
import { readBounded } from "./files.ts";
import { limits } from "./limits.ts";
import { signatureHeaders, type AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

export interface Role {
	arn: string;
	sessionName?: string | undefined;
	externalId?: string | undefined;
	durationSeconds?: string | undefined;
}

const version = "2011-06-15";

export async function assumeRole(
	role: Role,
	source: AwsCredentials,
	env: Env,
	region: string,
): Promise<AwsCredentials> {
	const form = formOf("AssumeRole", role);
	if (role.externalId) form.set("ExternalId", role.externalId);
	return askSts(form, role, env, region, source);
}

export async function assumeRoleWithToken(
	role: Role,
	tokenFile: string,
	env: Env,
	region: string,
): Promise<AwsCredentials> {
	const token = (await readBounded(tokenFile))?.trim();
	if (!token) throw new Unusable(`The web identity token ${tokenFile} is not there`);
	registerSecret(token);
	const form = formOf("AssumeRoleWithWebIdentity", role);
	form.set("WebIdentityToken", token);
	return askSts(form, role, env, region);
}

function formOf(action: string, { arn, sessionName, durationSeconds }: Role): URLSearchParams {
	const name = sessionName ?? `tau-${process.pid}`;
	const form = new URLSearchParams({
		Action: action,
		Version: version,
		RoleArn: arn,
		RoleSessionName: name.slice(0, limits.sessionNameChars),
	});
	if (durationSeconds) form.set("DurationSeconds", durationSeconds);
	return form;
}

async function askSts(
	form: URLSearchParams,
	role: Role,
	env: Env,
	region: string,
	signer?: AwsCredentials,
): Promise<AwsCredentials> {
	const url = new URL(serviceUrl("sts", region, env));
	const body = form.toString();
	const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
	const signature = signer
		? signatureHeaders(
				{ method: "POST", path: url.pathname, headers: { ...headers, host: url.host }, body },
				{ credentials: signer, region, service: "sts", now: new Date() },
			)
		: {};
	const reply = await ask(url.href, { method: "POST", headers: { ...headers, ...signature }, body });
	const found = reply.ok ? credentialsFromXml(reply.text) : undefined;
	if (found) return found;
	const reason = element(reply.text, "Message") || element(reply.text, "Code");
	throw new Unusable(`STS does not give the role ${role.arn} (HTTP ${reply.status})${because(reason)}`);
}

/** The role that a cluster gave to this process, by the variables that it set. */
export async function fromWebIdentity(env: Env, region: string): Promise<AwsCredentials | undefined> {
	const [file, arn] = [read("AWS_WEB_IDENTITY_TOKEN_FILE", env), read("AWS_ROLE_ARN", env)];
	if (file === undefined || arn === undefined) return undefined;
	return assumeRoleWithToken({ arn, sessionName: read("AWS_ROLE_SESSION_NAME", env) }, file, env, region);
}
