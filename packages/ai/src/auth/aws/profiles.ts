/** The profiles of the user, from the two files that the AWS tools share. */
import { homedir } from "node:os";
import { join } from "node:path";
import { env as read, expandHome, type Env } from "@tau/utils";

import { readBounded } from "./files.ts";
import { parseIni, type Section } from "./ini.ts";

export interface Profiles {
	/** The values of a profile; what `credentials` says stands above what `config` says. */
	profile(name: string): Section | undefined;
	/** A `[sso-session …]`. */
	session(name: string): Section | undefined;
	/** Where they were looked for, for a person. */
	files: readonly string[];
}

export async function readProfiles(env: Env): Promise<Profiles> {
	const files = [
		fileOf(env, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
		fileOf(env, "AWS_CONFIG_FILE", "config"),
	] as const;
	const [keys, settings] = await Promise.all(
		files.map(async (file) => parseIni((await readBounded(file)) ?? "")),
	);
	return {
		files,
		session: (name) => settings?.get(`sso-session ${name}`) ?? settings?.get(`sso-session "${name}"`),
		profile: (name) => {
			const found = [settings?.get(`profile ${name}`), settings?.get(`profile "${name}"`)];
			if (name === "default") found.push(settings?.get("default"));
			found.push(keys?.get(name));
			const sections = found.filter((section) => section !== undefined);
			return sections.length === 0 ? undefined : new Map(sections.flatMap((section) => [...section]));
		},
	};
}

export function profileName(env: Env): string {
	return read("AWS_PROFILE", env) ?? "default";
}

/** A file in the directory of the AWS tools. */
export function awsFile(env: Env, ...path: string[]): string {
	return join(read("HOME", env) ?? homedir(), ".aws", ...path);
}

function fileOf(env: Env, variable: string, name: string): string {
	const given = read(variable, env);
	return given === undefined ? awsFile(env, name) : expandHome(given);
}
