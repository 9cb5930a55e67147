/** The shell of a session: one, made with its first command, ended with the session. */
import { join } from "node:path";

import { commandEnvironment, rcSnapshot, ShellSession } from "@tau/sys";
import { dirs } from "@tau/utils";

import type { ToolPlace } from "../tool/place.ts";
import type { Slot } from "../tool/shelf.ts";

export const shellSlot: Slot<ShellSession> = { name: "shell", create: newShell };

function newShell({ cwd, env: base, settings }: Pick<ToolPlace, "cwd" | "env" | "settings">): ShellSession {
	const env = commandEnvironment(base);
	const cacheDir = join(dirs(base).cache, "shell");
	return new ShellSession({
		cwd,
		env,
		...(settings.get("bash.rcSnapshot") ? { snapshot: () => rcSnapshot({ env, cacheDir }) } : {}),
	});
}
