/** Extracts credentials from the answers of credential services, whatever names they use. */
import { registerSecret } from "@tau/utils";

import { parseObject, string } from "../../json.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

interface Fields {
	id: unknown;
	secret: unknown;
	token?: unknown;
	/** An ISO date. */
	expires?: unknown;
}

/** Credentials from any source; their secrets are masked from now on. */
export function credentialsOf({ id, secret, token, expires }: Fields): AwsCredentials | undefined {
	const [accessKeyId, secretAccessKey, sessionToken] = [string(id), string(secret), string(token)];
	if (accessKeyId === "" || secretAccessKey === "") return undefined;
	registerSecret(secretAccessKey);
	registerSecret(sessionToken);
	const expiresAt = Date.parse(string(expires));
	return {
		accessKeyId,
		secretAccessKey,
		...(sessionToken === "" ? {} : { sessionToken }),
		...(Number.isFinite(expiresAt) ? { expiresAt } : {}),
	};
}

/** `{AccessKeyId, SecretAccessKey, Token | SessionToken, Expiration}`: the AWS CLI, containers and machines. */
export function credentialsFromJson(text: string, source: string): AwsCredentials {
	const answer = parseObject(text);
	const credentials = credentialsOf({
		id: answer?.AccessKeyId,
		secret: answer?.SecretAccessKey,
		token: answer?.SessionToken ?? answer?.Token,
		expires: answer?.Expiration,
	});
	if (credentials) return credentials;
	throw new Unusable(
		`${source} answered without credentials${withReason(string(answer?.Message ?? answer?.message))}`,
	);
}

/** The reason after a colon, if there is one. */
export function withReason(reason: string): string {
	return reason === "" ? "" : `: ${reason}`;
}
