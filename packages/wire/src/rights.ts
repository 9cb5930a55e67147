/** What a client may do: each includes those before it. `control`: model, mode, settings, shell, moves, rewind, files. */
export const rights = ["view", "comment", "prompt", "approve", "control"] as const;
export type Right = (typeof rights)[number];

export function permits(held: Right, needed: Right): boolean {
	return rights.indexOf(held) >= rights.indexOf(needed);
}
