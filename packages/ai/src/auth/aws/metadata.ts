/** Credentials of the machine itself, from the metadata service of EC2 (IMDSv2). */
import { env as read, type Env } from "@tau/utils";
import { credentialsFromJson } from "./answer.ts";
import { ask, type Question, type Reply } from "./ask.ts";
import { limits } from "./limits.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unreachable } from "./unusable.ts";

const rolesPath = "/latest/meta-data/iam/security-credentials/";

export function metadataIsDisabled(env: Env): boolean {
	return read("AWS_EC2_METADATA_DISABLED", env)?.trim().toLowerCase() === "true";
}

/** Undefined if the service is disabled, does not respond, or the machine has no role. */
export async function fromMetadata(env: Env): Promise<AwsCredentials | undefined> {
	if (metadataIsDisabled(env)) return undefined;
	const base = endpointOf(env);
	const at = (path: string, question: Question): Promise<Reply> =>
		ask(base + path, { ...question, timeoutMs: limits.metadataMs, direct: true });
	try {
		const headers = { "x-aws-ec2-metadata-token-ttl-seconds": "300" };
		const token = await at("/latest/api/token", { method: "PUT", headers });
		if (!token.ok) return undefined;
		const init = { headers: { "x-aws-ec2-metadata-token": token.text.trim() } };
		const roles = await at(rolesPath, init);
		const role = roles.ok ? roles.text.trim().split("\n")[0] : undefined;
		if (!role) return undefined;
		const reply = await at(rolesPath + encodeURIComponent(role), init);
		return reply.ok ? credentialsFromJson(reply.text, "The EC2 metadata service") : undefined;
	} catch (error) {
		if (error instanceof Unreachable) return undefined;
		throw error;
	}
}

function endpointOf(env: Env): string {
	const endpoint = read("AWS_EC2_METADATA_SERVICE_ENDPOINT", env);
	if (endpoint !== undefined) return endpoint.replace(/\/+$/, "");
	const isIpv6 = read("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", env)?.toLowerCase() === "ipv6";
	return isIpv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
}
