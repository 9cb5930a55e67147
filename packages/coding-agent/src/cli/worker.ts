/** Runs the executable as a worker process instead of as Tau. */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
	sys: () => import("@tau/sys/worker"),
	tools: () => import("@tau/tools/worker"),
};

export async function work(role: string): Promise<void> {
	await programs[role]?.();
}
