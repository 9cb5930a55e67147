/** The variables of a command inside a sandbox. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { limits } from "./limits.ts";
import type { SandboxProfile } from "./profile.ts";
import { serviceVariables } from "./secrets.ts";

const sshRefusal =
	'echo "The sandbox has no ssh: git over ssh cannot reach its server. Use an https:// remote, or ask the user to run this command outside the sandbox." >&2; exit 255 #';

export interface Inside {
	/** The private directory for temporary files, as the command sees it. */
	temporary: string;
	isProxied?: boolean;
}

export function insideEnvironment(
	env: Record<string, string>,
	profile: SandboxProfile,
	{ temporary, isProxied = false }: Inside,
): Record<string, string> {
	const dropped = profile.network === "open" ? serviceVariables : [...serviceVariables, ...proxyVariables];
	const cacheDir = profile.hasTemporaryCache ? join(temporary, "tau-cache") : profile.cacheDir;
	const kept = Object.entries(env).filter(([name]) => !dropped.includes(name));
	return {
		...Object.fromEntries(kept),
		TMPDIR: temporary,
		TAU_SANDBOXED: "1",
		...(profile.network === "open" ? {} : { GIT_SSH_COMMAND: sshRefusal }),
		...(isProxied ? proxy() : {}),
		...(profile.network === "off" ? noRetries : {}),
		...(cacheDir === undefined ? {} : caches(cacheDir, env, profile.home)),
	};
}

/** Without a network, package managers would try again for minutes, and print nothing meanwhile. */
const noRetries = {
	npm_config_fetch_retries: "0",
	PIP_RETRIES: "0",
	UV_HTTP_RETRIES: "0",
	CARGO_NET_RETRY: "0",
};

const httpVariables = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
const yarnVariables = ["YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"];
const otherVariables = ["all_proxy", "ALL_PROXY"];
const localVariables = ["no_proxy", "NO_PROXY"];
/** The user's own proxy cannot be reached from inside. */
const proxyVariables = [...httpVariables, ...yarnVariables, ...otherVariables, ...localVariables];

function proxy(): Record<string, string> {
	const address = `127.0.0.1:${limits.proxyPort}`;
	const all = (names: readonly string[], value: string): [string, string][] =>
		names.map((name) => [name, value]);
	return Object.fromEntries([
		...all([...httpVariables, ...yarnVariables], `http://${address}`),
		...all(otherVariables, `socks5h://${address}`),
		...all(localVariables, "localhost,127.0.0.1,::1"),
		// Node's own fetch uses a proxy only with this variable.
		["NODE_USE_ENV_PROXY", "1"],
	]);
}

/**
 * Caches are written to a directory of their own, because programs outside trust the user's. What tools need without
 * a network is read from the user's.
 */
function caches(directory: string, env: Record<string, string>, home: string): Record<string, string> {
	const at = (name: string): string => join(directory, name);
	const modules = join(env.GOMODCACHE ?? join(env.GOPATH ?? join(home, "go"), "pkg/mod"), "cache/download");
	const goProxy = env.GOPROXY ?? "https://proxy.golang.org,direct";
	return {
		XDG_CACHE_HOME: at("xdg"),
		npm_config_cache: at("npm"),
		YARN_CACHE_FOLDER: at("yarn"),
		BUN_INSTALL_CACHE_DIR: at("bun"),
		PIP_CACHE_DIR: at("pip"),
		UV_CACHE_DIR: at("uv"),
		CCACHE_DIR: at("ccache"),
		GOCACHE: at("go-build"),
		GOMODCACHE: at("go-mod"),
		GOPROXY: existsSync(modules) ? `file://${modules},${goProxy}` : goProxy,
		// Browsers are programs, and too large to download again.
		PLAYWRIGHT_BROWSERS_PATH: env.PLAYWRIGHT_BROWSERS_PATH ?? join(home, ".cache/ms-playwright"),
	};
}
