/** The configuration directories that pi's and omp's functions name: Tau's, or those of the program an extension is from. */
import { join } from "node:path";

import { dirs } from "@tau/utils";

/** A program in whose directories an extension was found. */
export type Program = "pi" | "omp";
export const programs: readonly Program[] = ["pi", "omp"];

/** By pi's and omp's names. Without a program: Tau's own. */
export function directoryExports(program?: Program) {
	const name = `.${program ?? "tau"}`;
	const agent = (): string => (program ? agentDirOf(program) : dirs().agent);
	/** Below the user's directory, or below one that is named. */
	const inAgentDir =
		(part: string) =>
		(agentDir = agent()) =>
			join(agentDir, part);
	return {
		CONFIG_DIR_NAME: name,
		getConfigDirName: () => name,
		getAgentDir: agent,
		getConfigRootDir: () => join(agent(), ".."),
		getProjectAgentDir: (cwd = process.cwd()) => join(cwd, name),
		getSessionsDir: inAgentDir("sessions"),
		getCustomThemesDir: inAgentDir("themes"),
		getToolsDir: inAgentDir("tools"),
		getCommandsDir: inAgentDir("commands"),
		getPromptsDir: inAgentDir("prompts"),
		getAgentDbPath: inAgentDir("agent.db"),
	};
}

/** An extension of pi or omp passes its program's directory on to a session, which has to be Tau's. */
export function ownAgentDir(agentDir: string | undefined): string {
	const isForeign = programs.some((program) => agentDir === agentDirOf(program));
	return agentDir === undefined || isForeign ? dirs().agent : agentDir;
}

function agentDirOf(program: Program): string {
	return join(dirs().home, `.${program}`, "agent");
}
