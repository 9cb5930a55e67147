/** The shell of a session: one, made with its first command, ended with the session. */
import { join } from "node:path";

import { commandEnvironment, type MachineShellSession } from "@tau/sys";
import { dirs } from "@tau/utils";

import type { ToolPlace } from "../tool/place.ts";
import type { Slot } from "../tool/shelf.ts";

export const shellSlot: Slot<MachineShellSession> = { name: "shell", create: newShell };

function newShell({
	cwd,
	env,
	machine,
	settings,
}: Pick<ToolPlace, "cwd" | "env" | "machine" | "settings">): MachineShellSession {
	return machine.shell.session({
		cwd,
		env: commandEnvironment(env),
		...(settings.get("bash.rcSnapshot") ? { rcCacheDir: join(dirs(env).cache, "shell") } : {}),
	});
}
