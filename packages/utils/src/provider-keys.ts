/** Tells the variables with keys of model and search providers from all others. */
import type { Env } from "./env.ts";
import { registerSecret } from "./mask.ts";

/**
 * Tau itself needs these keys, commands of a model do not. Tokens that ordinary programs need (`gh`, `aws`,
 * `huggingface-cli`) are not among them.
 */
const names = [
	/_API_KEY$/,
	/_OAUTH_TOKEN$/,
	/^(?:TAU|OMP|PI)_.*(?:TOKEN|SECRET|KEY)$/,
	/^COPILOT_GITHUB_TOKEN$/,
	/^CURSOR_ACCESS_TOKEN$/,
	/^AWS_BEARER_TOKEN_BEDROCK$/,
	/^CLAUDE_CODE_CLIENT_KEY$/,
	/^ANTHROPIC_AUTH_TOKEN$/,
	/^PERPLEXITY_COOKIES$/,
	/^SEARXNG_(?:TOKEN|BASIC_PASSWORD)$/,
];

export function isProviderKey(name: string): boolean {
	return names.some((pattern) => pattern.test(name));
}

/** For programs that have no use for a key: what a process was started with, others of the same user can read. */
export function withoutProviderKeys(env: Env): Record<string, string> {
	const entries = Object.entries(env).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && !isProviderKey(entry[0]),
	);
	return Object.fromEntries(entries);
}

/** From now on, the keys of this environment are masked wherever they appear. */
export function registerProviderKeys(env: Env): void {
	for (const [name, value] of Object.entries(env)) {
		if (value !== undefined && isProviderKey(name)) registerSecret(value);
	}
}
