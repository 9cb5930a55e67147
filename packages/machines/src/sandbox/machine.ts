/** A machine whose commands run in a sandbox. */
import {
	localSession,
	type Machine,
	PtySession,
	runShell,
	startProgram,
	type CurrentLauncher,
} from "@tau/sys";
import { withTemporaryFiles } from "./temporary-files.ts";

/** `current` is asked for each command, and not before: it starts the sandbox. Undefined means outside. */
export function withSandbox(machine: Machine, current: () => CurrentLauncher, project?: string): Machine {
	return {
		...machine,
		files: withTemporaryFiles(machine.files, current, project),
		shell: {
			session: (options) => localSession(options, current),
			pty: () => new PtySession(current),
			run: async (command) => runShell(command, await current()),
			start: async (program) => {
				const launcher = await current();
				const running = await startProgram(program, launcher);
				return { ...running, isCurrent: async () => (await current()) === launcher };
			},
			boundary: async () => {
				const launcher = await current();
				return launcher ? launcher.boundary : machine.shell.boundary?.();
			},
		},
	};
}
