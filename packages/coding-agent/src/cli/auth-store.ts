/** Opens the credentials of this user, for every command that needs them. */
import { join } from "node:path";

import { CredentialStore } from "@tau/ai";
import { dirs, type Env } from "@tau/utils";

import { complain } from "./complain.ts";

export function openCredentials(env: Env = process.env): Promise<CredentialStore> {
	return CredentialStore.open({ path: join(dirs(env).agent, "agent.db"), env, onNotice: complain });
}
