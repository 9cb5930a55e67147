/** Builds the environment of git and its helpers: what they need, and no provider keys. */
import { hostSearchPath, type Env } from "@tau/utils";

import { guardVariables } from "./guards.ts";

/** Variables that every program needs to find its files, use the user's language and write temporary files. */
const basic =
	/^(?:HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|XDG_(?:CONFIG|CACHE|DATA|STATE)_HOME|XDG_RUNTIME_DIR|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/i;

/** Who commits, and when: CI jobs, dev containers and direnv set the identity this way. */
const identity = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/;

/**
 * Additional variables for transfers: proxies, certificates, the ssh agent, and what credential helpers read. Askpass
 * programs of ssh are absent, because a password is never asked for.
 */
const network =
	/^(?:(?:HTTP|HTTPS|ALL|NO|FTP)_PROXY|SSL_CERT_(?:FILE|DIR)|CURL_CA_BUNDLE|SSH_(?:AUTH_SOCK|AGENT_PID)|GNUPGHOME|PASSWORD_STORE_\w+|GCM_\w+|GH_(?:TOKEN|HOST|CONFIG_DIR)|DBUS_SESSION_BUS_ADDRESS|GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|PROXY_SSL_\w+|HTTP_\w+|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+))$/i;

/** No prompts, and no lock that would make a command of the user fail. */
const quiet = { GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_LFS_SKIP_SMUDGE: "1" };

/** A repository of the user is read from disk alone: a partial clone must not fetch missing objects. */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };

export function gitEnvironment(env: Env, access: "local" | "network"): Record<string, string> {
	const out: Record<string, string> = { PATH: hostSearchPath(env.PATH ?? "") };
	for (const [name, value] of Object.entries(env)) {
		if (value === undefined) continue;
		const extra = access === "network" ? network : identity;
		if (basic.test(name) || extra.test(name)) out[name] = value;
	}
	return { ...out, ...quiet, ...(access === "local" ? offline : {}) };
}

/** For a program that starts git itself, such as `bun install` with a dependency from a repository. */
export function inheritedGitEnvironment(env: Env): Record<string, string> {
	const own = gitEnvironment(env, "network");
	return { ...own, ...guardVariables(own) };
}
