/** The environment that commands of a model get: nothing that waits for a person, no key that opens an account. */
import { env as readEnv, envFlag, type Env } from "@tau/utils";

/** Keys of model and search providers: Tau itself needs them, what a model runs does not. */
const secretNames = [
	/_API_KEY$/,
	/_OAUTH_TOKEN$/,
	/^(?:TAU|OMP|PI)_.*(?:TOKEN|SECRET|KEY)$/,
	/^COPILOT_GITHUB_TOKEN$/,
	/^CURSOR_ACCESS_TOKEN$/,
	/^AWS_BEARER_TOKEN_BEDROCK$/,
	/^CLAUDE_CODE_CLIENT_KEY$/,
	/^PERPLEXITY_COOKIES$/,
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

export function commandEnvironment(base: Env): Record<string, string> {
	const out: Record<string, string> = {};
	for (const [name, value] of Object.entries(base)) {
		if (value !== undefined && !secretNames.some((pattern) => pattern.test(name))) out[name] = value;
	}
	Object.assign(out, nobodyWatches);
	const keepOutOfCi = envFlag("TAU_BASH_NO_CI", base) || readEnv("CLAUDE_BASH_NO_CI", base) !== undefined;
	if (!keepOutOfCi) out.CI = "true";
	return out;
}
