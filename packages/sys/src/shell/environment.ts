/** The environment for commands of a model: nothing that waits for a user, no key that opens an account. */
import { envFlag, type Env } from "@tau/utils";

/**
 * Keys of model and search providers: Tau itself needs them, commands of a model do not. Tokens that ordinary
 * programs need (`gh`, `aws`, `huggingface-cli`) are not among them.
 */
const secretNames = [
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

const nobodyWatches: Record<string, string> = {
	PAGER: "cat",
	GIT_PAGER: "cat",
	MANPAGER: "cat",
	SYSTEMD_PAGER: "",
	EDITOR: "true",
	VISUAL: "true",
	GIT_EDITOR: "true",
	GIT_SEQUENCE_EDITOR: "true",
	GIT_TERMINAL_PROMPT: "0",
	SSH_ASKPASS: "/bin/false",
	DEBIAN_FRONTEND: "noninteractive",
	PIP_NO_INPUT: "1",
	NPM_CONFIG_YES: "true",
	TERM: "dumb",
};

/** The second name is the one that users know from Claude Code. */
const noCiFlags = ["TAU_BASH_NO_CI", "CLAUDE_BASH_NO_CI"];

export function commandEnvironment(base: Env): Record<string, string> {
	const out: Record<string, string> = {};
	for (const [name, value] of Object.entries(base)) {
		if (value !== undefined && !secretNames.some((pattern) => pattern.test(name))) out[name] = value;
	}
	Object.assign(out, nobodyWatches);
	// A user who has set CI, to any value, has decided.
	if (!noCiFlags.some((name) => envFlag(name, base))) out.CI ??= "true";
	return out;
}
