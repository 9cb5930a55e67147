/** Finds the shell that runs commands. */
import { hostProgram, standardPath } from "@tau/utils";

export { standardPath };

export function findBash(env: Readonly<Record<string, string>>): string | undefined {
	return find("bash", env);
}

export function findShell(env: Readonly<Record<string, string>>): string {
	const program = findBash(env) ?? find("sh", env);
	if (!program) throw new Error("No bash or sh on PATH. Install bash to run commands.");
	return program;
}

function find(name: string, env: Readonly<Record<string, string>>): string | undefined {
	return hostProgram(name, env.PATH ?? standardPath);
}

/** Finds a program that Tau itself needs: also in the standard directories, if Tau's own PATH lacks them. */
export function findOwn(name: string): string | undefined {
	return hostProgram(name, `${process.env.PATH ?? ""}:${standardPath}`);
}
