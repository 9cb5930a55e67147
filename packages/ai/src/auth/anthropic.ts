/** Shows Anthropic who asks: by a key, or by the access token that a login gave. */

/** What the access tokens of a login begin with; keys have another letter in its place. */
const tokenPrefix = "sk-ant-oat";

/** Without it the API takes keys only. */
const tokenBeta = "oauth-2025-04-20";

export function showAnthropicKey(headers: Headers, key: string): void {
	if (!key.startsWith(tokenPrefix)) {
		headers.set("x-api-key", key);
		return;
	}
	headers.set("authorization", `Bearer ${key}`);
	// The protocol may have asked for others: they are one list.
	headers.append("anthropic-beta", tokenBeta);
}
