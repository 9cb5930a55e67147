/** Takes credentials out of the answers of those who give them out, whichever way they spell them. */
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

/** Keys from wherever they came: from now on they are masked in all that is shown. */
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
	const said = parseObject(text);
	const found = credentialsOf({
		id: said?.AccessKeyId,
		secret: said?.SecretAccessKey,
		token: said?.SessionToken ?? said?.Token,
		expires: said?.Expiration,
	});
	if (found) return found;
	throw new Unusable(
		`${source} answered without credentials${because(string(said?.Message ?? said?.message))}`,
	);
}

/** The reason after a colon, where there is one. */
export function because(reason: string): string {
	return reason === "" ? "" : `: ${reason}`;
}
