/** The environment for commands of a model, hooks and servers: nothing that waits for a user, no secret that no rule passes on. */
import { envFlag, withoutSecrets, type Env } from "@tau/utils";

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

/**
 * They change what a word of a command means: with CDPATH `cd docs` goes elsewhere, with GLOBIGNORE `*` includes hidden
 * files, and BASHOPTS sets options such as `cdable_vars`. With the others, `rg` and BSD's `grep` have more options than were
 * given: `--follow`, or a `--pre` in a file that a command can write. A command is judged without them, and so it runs
 * without them.
 */
const rereadingVariables: readonly string[] = [
	"CDPATH",
	"GLOBIGNORE",
	"BASHOPTS",
	"RIPGREP_CONFIG_PATH",
	"GREP_OPTIONS",
];

/** The second name is the one that users know from Claude Code. */
const noCiFlags = ["TAU_BASH_NO_CI", "CLAUDE_BASH_NO_CI"];

export function commandEnvironment(base: Env): Record<string, string> {
	const out = { ...withoutSecrets(base), ...nobodyWatches };
	// A user who has set CI, to any value, has decided.
	for (const name of rereadingVariables) delete out[name];
	if (!noCiFlags.some((name) => envFlag(name, base))) out.CI ??= "true";
	return out;
}
