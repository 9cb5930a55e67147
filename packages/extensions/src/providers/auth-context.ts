/** What a provider may read to find its key, by pi's names. */
import { existsSync } from "node:fs";

import { env as readEnv, expandHome } from "@tau/utils";

export interface AuthContext {
	env(name: string): Promise<string | undefined>;
	fileExists(path: string): Promise<boolean>;
}

export function defaultProviderAuthContext(): AuthContext {
	return {
		env: async (name) => readEnv(name),
		fileExists: async (path) => existsSync(expandHome(path)),
	};
}
