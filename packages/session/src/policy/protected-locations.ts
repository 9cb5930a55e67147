/** Where Tau's own files are, which are protected besides those of other programs. */
import { delimiter, join } from "node:path";

import { gitUser, settingsVariables, type GitUser } from "@tau/machines/sandbox";
import { dirs, env as readEnv, runtimeDirectory, type Dirs, type Env } from "@tau/utils";

export interface ProtectedLocations {
	readonly home: string;
	/** Tau's configuration, credentials, logs and grants: the directories that hold them. */
	readonly own: readonly string[];
	/** Files in them that hold secrets. */
	readonly ownSecrets: readonly string[];
	/** What may be written in them all the same, such as the files of the session. */
	readonly except: readonly string[];
	/** The directories of PATH, in which commands look for programs. */
	readonly searchPath: readonly string[];
	/** Settings of the user that variables name. */
	readonly settings?: readonly string[];
	/** Where git reads the user's settings. */
	readonly gitUser?: GitUser;
}

export function protectedLocations(env: Env): ProtectedLocations {
	const own = dirs(env);
	return {
		home: own.home,
		own: [...new Set([own.config, own.agent, own.data, own.state, own.logs])],
		// Whoever reads the tokens of running sessions could join them, and answer their questions.
		ownSecrets: [...secretsOf(own), runtimeDirectory(env)],
		except: [own.sessions, own.cache, own.trees],
		searchPath: env.PATH === undefined || env.PATH === "" ? [] : env.PATH.split(delimiter),
		settings: settingsVariables.flatMap((name) => readEnv(name, env) ?? []),
		gitUser: gitUser(own.home, env),
	};
}

/** Why a write is asked about in every mode but `full`; undefined if the path is not protected. */
export async function protectedFromWrites(path: string, env: Env): Promise<string | undefined> {
	const { protection } = await import("./protected-paths.ts");
	const { realPath } = await import("./real-path.ts");
	return protection([path, realPath(path)], "write", protectedLocations(env));
}

/** The database of credentials, with the files that SQLite keeps beside it, and files that hold keys and tokens. */
const secretNames = [
	"agent.db",
	"agent.db-wal",
	"agent.db-shm",
	"auth.json",
	".env",
	"models.yml",
	"models.yaml",
	"models.json",
	"mcp.json",
];

function secretsOf({ agent, profile, config }: Dirs): string[] {
	const directories = new Set([agent, config, ...(profile === undefined ? [] : [profile])]);
	return [...directories].flatMap((directory) => secretNames.map((name) => join(directory, name)));
}
