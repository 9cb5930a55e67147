/** Finds the shell that commands run in. */

/** Where programs are looked for when nothing says where: what shells themselves take then. */
const standardPath = "/usr/local/bin:/usr/bin:/bin";

export function findBash(env: Readonly<Record<string, string>>): string | undefined {
	return find("bash", env);
}

export function findShell(env: Readonly<Record<string, string>>): string {
	const program = findBash(env) ?? find("sh", env);
	if (!program) throw new Error("No bash or sh on PATH. Install bash to run commands.");
	return program;
}

function find(name: string, env: Readonly<Record<string, string>>): string | undefined {
	return Bun.which(name, { PATH: env.PATH ?? standardPath }) ?? undefined;
}

/** Tau's own PATH may be as bare as it likes: what it needs itself is also looked for where systems have it. */
export function findOwn(name: string): string | undefined {
	return Bun.which(name, { PATH: `${process.env.PATH ?? ""}:${standardPath}` }) ?? undefined;
}
