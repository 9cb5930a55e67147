/** Runs the executable as a worker process instead of as Tau. */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
	eval: () => import("@tau/integrations/eval-runner"),
	forward: () => import("@tau/machines/forward"),
	landlock: () => import("@tau/machines/landlock"),
	stats: () => import("@tau/stats/worker"),
	schemas: () => import("@tau/tools/schema-worker"),
	sys: () => import("@tau/sys/worker"),
	tools: () => import("@tau/tools/worker"),
};

export async function work(role: string): Promise<void> {
	const program = Object.hasOwn(programs, role) ? programs[role] : undefined;
	if (!program) throw new Error(`There is no worker program "${role}".`);
	await program();
}
