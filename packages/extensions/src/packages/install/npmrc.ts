/** Reads the registry of packages as npm does: from the environment and the user's `.npmrc`. */
import { join } from "node:path";

import { oneLine, type Env } from "@tau/utils";

import { readText } from "@tau/resources/discovery";
import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";

export interface Registry {
	/** With a slash behind. */
	url: string;
	/** The value of the header `Authorization` of a request to that address. */
	authorizationFor(address: string): string | undefined;
}

const npmjs = "https://registry.npmjs.org/";

/** The project's own `.npmrc` is not read: a repository must not decide where code comes from. */
export function registryFor(name: string, env: Env, home: string): Registry {
	const file = env.NPM_CONFIG_USERCONFIG ?? env.npm_config_userconfig ?? join(home, ".npmrc");
	const read = readText(file, limits.manifestBytes);
	const values = parseNpmrc(read?.ok ? read.text : "", env);
	const scope = /^(@[^/]+)\//.exec(name)?.[1];
	// An empty one is ignored, as in npm.
	const requested =
		(scope === undefined ? undefined : values.get(`${scope}:registry`)) ||
		env.npm_config_registry ||
		env.NPM_CONFIG_REGISTRY ||
		values.get("registry") ||
		npmjs;
	const url = requested.endsWith("/") ? requested : `${requested}/`;
	if (!URL.canParse(url) || !/^https?:/i.test(url))
		throw new PackageError(
			`The configured npm registry (npm_config_registry, .npmrc) is not a URL: ${oneLine(requested, limits.reasonChars)}`,
		);
	return { url, authorizationFor: (address) => authorization(address, values) };
}

/** Parses `key=value` lines; `${NAME}` is replaced by a variable, as in npm. */
export function parseNpmrc(text: string, env: Env): Map<string, string> {
	const values = new Map<string, string>();
	for (const line of text.split(/\r?\n/)) {
		const [, key, value] = /^\s*([^;#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
		if (key === undefined || value === undefined) continue;
		const plain = value.replace(/^(["'])(.*)\1$/, "$2");
		values.set(
			key,
			plain.replaceAll(/\$\{(\w+)\??\}/g, (_, variable: string) => env[variable] ?? ""),
		);
	}
	return values;
}

/** The longest `//host/path/` that is a prefix of the URL: a token is sent to no other host. */
function authorization(address: string, values: ReadonlyMap<string, string>): string | undefined {
	const { host, pathname } = new URL(address);
	const parts = pathname.split("/");
	for (let count = parts.length; count > 0; count--) {
		const place = `//${host}${parts.slice(0, count).join("/")}`.replace(/\/?$/, "/");
		const token = values.get(`${place}:_authToken`);
		if (token) return `Bearer ${token}`;
		const basic = values.get(`${place}:_auth`);
		if (basic) return `Basic ${basic}`;
	}
	return undefined;
}
