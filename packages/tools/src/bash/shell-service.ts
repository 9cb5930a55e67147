/** The shell of a session: one, made with its first command, ended with the session. */
import { join } from "node:path";

import { commandEnvironment, type MachineShellSession } from "@tau/sys";
import { dirs, expandHome, once } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";

export const shellService: ServiceKey<MachineShellSession> = { name: "shell", create: newShell };

function newShell({
	cwd,
	env,
	machine,
	settings,
}: Pick<ToolEnv, "cwd" | "env" | "machine" | "settings">): MachineShellSession {
	const program = settings.get("shellPath");
	const environment = once(() => commandEnvironment(env));
	return machine.shell.session({
		cwd,
		...(program === undefined ? {} : { program: expandHome(program, dirs(env).home) }),
		// Its secrets are looked for when the first shell starts: its sandbox starts before that.
		get env() {
			return environment();
		},
		...(settings.get("bash.rcSnapshot") ? { rcCacheDir: join(dirs(env).cache, "shell") } : {}),
	});
}
